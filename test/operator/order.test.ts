import { afterAll, beforeAll, expect, test } from "vitest";
import { buildJob } from "../../controllers/migration/job.ts";
import { group, labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import { namespaceOf } from "../../src/resources/team.ts";
import { type ControlPlane, startControlPlane, until } from "./control-plane.ts";
import { call, completed, jobsOf, podEnds, podRuns, report, tokenOfPod, untilPod } from "./kubelet.ts";
import {
  condition,
  installAccount,
  installCrds,
  makeMigration,
  makeNamespace,
  type OperatorProcess,
  patchSpec,
  readMigration,
  startOperator,
  untilMigration,
} from "./operator.ts";

/** Which run starts when: limits and the queue, attempts raised early, and a Job whose record was lost. */

let plane: ControlPlane;
let kubeconfig: string;
let operator: OperatorProcess;
let namespace: string;

beforeAll(async () => {
  plane = await startControlPlane({
    controllers: "serviceaccount-controller,job-controller,garbage-collector-controller",
  });
  await installCrds(plane);
  kubeconfig = await installAccount(plane);
  namespace = await makeNamespace(plane, "team");
  operator = await startOperator(plane, kubeconfig, "one", {
    ROWFERRY_MAX_RUNNING: "4",
    ROWFERRY_MAX_RUNNING_PER_NAMESPACE: "3",
    ROWFERRY_MAX_RUNNING_PER_ACCOUNT: "2",
    ROWFERRY_MAX_RUN_HOURS: String(8 / 3600),
  });
  await until("a leader", () => operator.leading());
});
afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

test("a limit holds later ones back in the order of their making, with their place in the queue", async () => {
  const other = await makeNamespace(plane, "other");
  const first: Migration[] = [];
  for (const name of ["q1", "q2", "q3"]) first.push(await makeMigration(plane, namespace, name));
  for (const migration of first)
    await untilMigration(plane, migration, "a Job", ({ status }) => status?.job !== undefined);
  const fourth = await makeMigration(plane, namespace, "q4");
  // Else both may begin to wait in the same millisecond.
  await untilMigration(plane, fourth, "place 1", ({ status }) => status?.queuePosition === 1);
  const fifth = await makeMigration(plane, namespace, "q5");
  const queued = await untilMigration(plane, fifth, "place 2", ({ status }) => status?.queuePosition === 2);
  expect(condition(queued, "Running")).toMatchObject({ status: "False", reason: "Queued" });
  expect(condition(queued, "Running")?.message).toContain("the limit of this namespace; 1 is before it");
  const elsewhere = await makeMigration(plane, other, "o1");
  await untilMigration(
    plane,
    elsewhere,
    "a Job: only its own namespace's line waits",
    ({ status }) => status?.job !== undefined,
  );
  const sixth = await makeMigration(plane, other, "o2");
  const held = await untilMigration(plane, sixth, "the cluster's line", ({ status }) => status?.queuePosition === 1);
  expect(condition(held, "Running")?.message).toContain("the limit of the installation; this one is next");

  await plane.kubectl(["delete", "job", "q1-1", "-n", namespace]);
  const fewer = ({ status }: Migration) => status?.job !== undefined;
  await untilMigration(plane, sixth, "its turn, since its namespace has fewer runs", fewer);
  await plane.kubectl(["delete", "job", "q2-1", "-n", namespace]);
  const next = await untilMigration(plane, fourth, "its turn", ({ status }) => status?.job !== undefined);
  expect(next.status?.queuePosition).toBeUndefined();
  await untilMigration(plane, fifth, "moved up", ({ status }) => status?.queuePosition === 1);
  await plane.kubectl(["delete", "migrations", "--all", "-A"]);
});

test("an account has its share of the runs over all of its teams, and another's later one starts before", async () => {
  const made = async (account: string, name: string, team: string): Promise<Migration> => {
    const home = namespaceOf(team);
    const there = await plane.kubectl(["get", "team", team]);
    if (there.code !== 0) {
      const members = [{ account, role: "owner" as const }];
      await plane.admin.client.create(kinds.teams, { metadata: { name: team }, spec: { title: team, members } });
    }
    await until("the Team's namespace", () => plane.admin.client.get(kinds.namespaces, "", home));
    return plane.admin.client.create(kinds.migrations, {
      metadata: { name, namespace: home, labels: { [labels.account]: account } },
      spec: { source: { secretRef: { name: "source" } }, target: { secretRef: { name: "target" } } },
    } as unknown as Migration);
  };
  const first = [await made("ann", "s1", "ta"), await made("ann", "s2", "tb")];
  const third = await made("ann", "s3", "tc");
  for (const migration of first)
    await untilMigration(plane, migration, "a Job", ({ status }) => status?.job !== undefined);
  const held = await untilMigration(plane, third, "place 1", ({ status }) => status?.queuePosition === 1);
  expect(condition(held, "Running")?.message).toContain(
    "2 runs are in progress, the limit of the account that created it; this one is next",
  );
  const other = await made("bob", "s4", "tc");
  await untilMigration(plane, other, "a Job at once", ({ status }) => status?.job !== undefined);
  await plane.kubectl(["delete", "job", "s1-1", "-n", "rowferry-ta"]);
  await untilMigration(plane, third, "its turn", ({ status }) => status?.job !== undefined);
  const forged = async (name: string, home: string) =>
    plane.admin.client.create(kinds.migrations, {
      metadata: { name, namespace: home, labels: { [labels.account]: "ann" } },
      spec: { source: { secretRef: { name: "source" } }, target: { secretRef: { name: "target" } } },
    } as unknown as Migration);
  const platform = await forged("s5", await makeNamespace(plane, "rowferry-platform"));
  await untilMigration(plane, platform, "a Job: it is no Team's", ({ status }) => status?.job !== undefined);
  await plane.kubectl(["delete", "migrations", "--all", "-A"]);
});

test("runs that cannot start take no slot from others, and start when they can", async () => {
  const hindered: Migration[] = [];
  for (const name of ["h1", "h2", "h3", "h4"]) {
    await plane.kubectl(["create", "job", `${name}-1`, "--image=x", "-n", namespace]);
    hindered.push(await makeMigration(plane, namespace, name));
  }
  const taken = (migration: Migration) => condition(migration, "Running")?.reason === "JobNameTaken";
  for (const migration of hindered) await untilMigration(plane, migration, "its name taken, each of them", taken);
  const others: Migration[] = [];
  for (const name of ["h5", "h6", "h7"]) others.push(await makeMigration(plane, namespace, name));
  for (const migration of others)
    await untilMigration(plane, migration, "a Job", ({ status }) => status?.job !== undefined);
  await plane.kubectl(["delete", "migration", "h5", "h6", "-n", namespace]);
  await plane.kubectl(["delete", "job", "h1-1", "h2-1", "-n", namespace]);
  const freed: Migration[] = [];
  for (const migration of hindered.slice(0, 2))
    freed.push(
      await untilMigration(plane, migration, "its own Job", ({ status }) => status?.job !== undefined, 90_000),
    );
  expect(freed.map(({ status }) => status?.job?.name)).toEqual(["h1-1", "h2-1"]);
  await plane.kubectl(["delete", "migrations", "--all", "-A"]);
});

test("a run whose URLs came through the API ends as failed when its time is over; one of kubectl's goes on", async () => {
  const own = await makeMigration(plane, namespace, "patient");
  const sealed = await makeMigration(plane, namespace, "endless", {
    source: { sealedUrl: "sealed" },
    target: { sealedUrl: "sealed" },
  });
  await podRuns(plane, await untilPod(plane, own, 1));
  await podRuns(plane, await untilPod(plane, sealed, 1));
  const ended = await untilMigration(plane, sealed, "failed", ({ status }) => status?.state === "failed");
  expect(condition(ended, "Failed")).toMatchObject({ status: "True", reason: "RunTooLong" });
  expect(ended.status?.log?.at(-1)).toMatchObject({
    level: "error",
    message: expect.stringContaining("took longer than one may take"),
  });
  await until("its pods to go", async () => {
    const pods = await plane.admin.client.list(kinds.pods, {
      namespace,
      labelSelector: `${labels.migrationUid}=${sealed.metadata.uid}`,
    });
    return pods.every(({ metadata, status }) => metadata.deletionTimestamp !== undefined || status?.phase === "Failed");
  });
  const [job] = await jobsOf(plane, own);
  expect((job as { spec?: { activeDeadlineSeconds?: number } }).spec?.activeDeadlineSeconds).toBeUndefined();
  expect((await readMigration(plane, own)).status?.state).toBe("in_progress");
  await plane.kubectl(["delete", "migrations", "--all", "-A"]);
});

test("an attempt raised while the run goes on waits for its end, and a completed Migration ignores it with a warning", async () => {
  const migration = await makeMigration(plane, namespace, "early");
  const pod = await untilPod(plane, migration, 1);
  await podRuns(plane, pod);
  await untilMigration(plane, migration, "in_progress", ({ status }) => status?.state === "in_progress");
  await patchSpec(plane, migration, { attempt: 2 });
  await untilMigration(plane, migration, "seen", ({ status }) => status?.observedGeneration === 2 && status.run === 1);
  expect(await call(plane, operator.endpoint, "/result", await tokenOfPod(plane, pod), completed())).toMatchObject({
    status: 200,
  });
  await podEnds(plane, pod, 0);
  await untilMigration(plane, migration, "completed", ({ status }) => status?.state === "completed");
  await patchSpec(plane, migration, { attempt: 3 });
  const ignored = await untilMigration(plane, migration, "seen", ({ status }) => status?.observedGeneration === 3);
  expect(ignored.status).toMatchObject({ state: "completed", run: 1 });
  expect(ignored.status?.log?.some((entry) => entry.message.includes("raise spec.reset"))).toBe(true);
});

test("a Job that was made while its record was lost is adopted, and no second one is made", async () => {
  await operator.stop();
  const migration = await makeMigration(plane, namespace, "adopted");
  const template = {
    image: "x",
    pullPolicy: "Never" as const,
    pullSecrets: [],
    command: ["x"],
    uid: 1000,
    resources: {},
    guardSecrets: false,
    memoryMax: 0,
    tmpSize: "1Gi",
    graceSeconds: 30,
    tokenSeconds: 3600,
    backoffLimit: 6,
    ttlSeconds: 60,
    verify: { images: {}, resources: {}, dataSize: "1Gi" },
    mostRunSeconds: 0,
    silentSeconds: 300,
    placement: {},
    endpointUrl: "https://localhost:1",
    ca: "x",
  };
  const made = await plane.admin.client.create(kinds.jobs, buildJob(migration, 1, template));
  const pod = await untilPod(plane, migration, 1);
  operator = await startOperator(plane, kubeconfig, "two");
  const adopted = await untilMigration(plane, migration, "the Job recorded", ({ status }) => status?.job !== undefined);
  expect(adopted.status?.job).toEqual({ name: "adopted-1", uid: made.metadata.uid });
  expect(await jobsOf(plane, migration)).toHaveLength(1);
  expect((await call(plane, operator.endpoint, "/work", await tokenOfPod(plane, pod), {})).status).toBe(200);
  expect((await call(plane, operator.endpoint, "/progress", await tokenOfPod(plane, pod), report(1))).status).toBe(200);
  expect(pod.metadata.labels?.[labels.run]).toBe("1");
  expect(pod.metadata.annotations?.[`${group}/migration`]).toBe("adopted");
});

test("the reserved slots go to namespaces that run nothing, however many wait elsewhere", async () => {
  await operator.stop();
  await plane.kubectl(["delete", "migrations", "--all", "-A"]);
  operator = await startOperator(plane, kubeconfig, "three", {
    ROWFERRY_MAX_RUNNING: "4",
    ROWFERRY_RESERVED_RUNNING: "2",
  });
  const greedy: Migration[] = [];
  for (const name of ["r1", "r2", "r3", "r4"]) greedy.push(await makeMigration(plane, namespace, name));
  const starts = ({ status }: Migration) => status?.job !== undefined;
  // Made in the same second, they are in no order.
  const current = () => Promise.all(greedy.map((migration) => readMigration(plane, migration)));
  const held = await until("two to have Jobs and two to have places", async () => {
    const all = await current();
    const waiting = all.filter((migration) => !starts(migration));
    const places = waiting.map(({ status }) => status?.queuePosition).sort();
    return waiting.length === 2 && places[0] === 1 && places[1] === 2 ? waiting : undefined;
  });
  for (const migration of held)
    expect(condition(migration, "Running")?.message).toContain("are kept for accounts and namespaces that run nothing");
  const late: Migration[] = [];
  for (const home of ["late-one", "late-two"])
    late.push(await makeMigration(plane, await makeNamespace(plane, home), home));
  for (const migration of late) await untilMigration(plane, migration, "a Job at once", starts);
  expect((await current()).filter(starts)).toHaveLength(2);
  await plane.kubectl(["delete", "migrations", "--all", "-A"]);
});
