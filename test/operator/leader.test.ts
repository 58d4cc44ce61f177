import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rules } from "../../controllers/rbac.ts";
import { type Simulator, startSimulator } from "../../dev/stripe/simulator.ts";
import type { ClusterError } from "../../src/cluster/index.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import { kinds } from "../../src/resources/objects.ts";
import { type ControlPlane, startControlPlane, until } from "./control-plane.ts";
import { call, completed, jobsOf, podEnds, podRuns, tokenOfPod, untilPod } from "./kubelet.ts";
import {
  home,
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

/** Leaders that die, sleep or lose the API server: a run has one Job, and nothing old overwrites anything new. */

let plane: ControlPlane;
let stripe: Simulator;
let kubeconfig: string;
const all: OperatorProcess[] = [];

const begin = async (name: string, env: Record<string, string> = {}): Promise<OperatorProcess> => {
  const one = await startOperator(plane, kubeconfig, name, {
    ROWFERRY_TEAM_EGRESS: "[{}]",
    ROWFERRY_STRIPE_KEY_FILE: join(plane.folder, "stripe-key"),
    ROWFERRY_STRIPE_URL: stripe.url,
    ...env,
  });
  all.push(one);
  return one;
};

beforeAll(async () => {
  plane = await startControlPlane({
    controllers: "serviceaccount-controller,job-controller,garbage-collector-controller",
  });
  stripe = await startSimulator();
  writeFileSync(join(plane.folder, "stripe-key"), stripe.key, { mode: 0o600 });
  await installCrds(plane);
  kubeconfig = await installAccount(plane);
  await makeNamespace(plane, "team");
});
afterAll(async () => {
  await Promise.all(all.map((one) => one.stop("SIGKILL")));
  await plane?.stop();
  await stripe?.close();
});

const finishRun = async (name: string, endpoint: string) => {
  const migration = await plane.admin.client.get(kinds.migrations, "team", name);
  if (!migration) throw new Error(name);
  const pod = await untilPod(plane, migration, migration.status?.run ?? 1);
  await podRuns(plane, pod);
  await untilMigration(plane, migration, "in_progress", ({ status }) => status?.state === "in_progress");
  expect(await call(plane, endpoint, "/result", await tokenOfPod(plane, pod), completed())).toMatchObject({
    status: 200,
  });
  await podEnds(plane, pod, 0);
  await untilMigration(plane, migration, "completed", ({ status }) => status?.state === "completed");
};

test("a leader that stops in order hands over at once, and one that is killed is replaced when its lease has run out", async () => {
  const first = await begin("first");
  await until("first to lead", first.leading);
  const second = await begin("second");
  expect(await first.stop()).toBe(0);
  await until("second to lead", second.leading);

  const third = await begin("third");
  const migration = await makeMigration(plane, "team", "orphan");
  await untilMigration(plane, migration, "a Job", ({ status }) => status?.job !== undefined);
  await second.stop("SIGKILL");
  await until("third to lead", third.leading, 15_000);
  await finishRun("orphan", third.endpoint);
  expect(await jobsOf(plane, migration)).toHaveLength(1);
});

test("a leader that slept does nothing with its old sight when it wakes", async () => {
  const sleeper = all.at(-1);
  if (!sleeper) throw new Error("no leader");
  const other = await begin("other");
  const migration = await makeMigration(plane, "team", "asleep");
  await untilMigration(plane, migration, "a Job", ({ status }) => status?.job !== undefined);
  sleeper.child.kill("SIGSTOP");
  await until("other to lead", other.leading, 15_000);
  // The sleeper has not seen any of this.
  await patchSpec(plane, migration, { reset: 1 });
  await untilMigration(plane, migration, "run 2", ({ status }) => status?.job?.name === "asleep-2");
  const before = await readMigration(plane, migration);
  sleeper.child.kill("SIGCONT");
  await until("the sleeper to know", () => !sleeper.leading());
  await finishRun("asleep", other.endpoint);
  const after = await readMigration(plane, migration);
  expect(after.status).toMatchObject({ run: 2, job: before.status?.job, state: "completed" });
  expect((await jobsOf(plane, migration)).map((job) => job.metadata.name)).toEqual(["asleep-2"]);
  expect(sleeper.child.exitCode).toBeNull();
});

test("a status that was decided on an old version is refused by the API server", async () => {
  const migration = await makeMigration(plane, "team", "stale");
  const old = await untilMigration(plane, migration, "a Job", ({ status }) => status?.job !== undefined);
  await patchSpec(plane, migration, { attempt: 2 });
  await untilMigration(plane, migration, "the newer version", ({ status }) => status?.observedGeneration === 2);
  const { name, namespace, uid, resourceVersion } = old.metadata;
  const save = plane.admin.client.applyStatus(
    kinds.migrations,
    { metadata: { name, namespace, uid, resourceVersion }, status: { state: "failed" } },
    "rowferry-controller",
  );
  await expect(save).rejects.toMatchObject({ code: "Conflict" } satisfies Partial<ClusterError>);
});

test("each right is used and no other is asked for, and no Secret outside the installation's namespace is read", async () => {
  const migration = await makeMigration(plane, "team", "reset");
  await untilMigration(plane, migration, "a Job", ({ status }) => status?.job !== undefined);
  const endpoint = (await until("a leader", () => all.find((one) => one.leading()))).endpoint;
  await finishRun("reset", endpoint);
  await patchSpec(plane, migration, { reset: 1 });
  await untilMigration(plane, migration, "run 2", ({ status }) => status?.job?.name === "reset-2");
  const pod = await untilPod(plane, migration, 2);
  expect((await call(plane, endpoint, "/work", await tokenOfPod(plane, pod), {})).status).toBe(200);

  await plane.kubectl(["delete", "job", "reset-2", "-n", "team"]);
  await untilMigration(plane, migration, "failed", ({ status }) => status?.state === "failed");
  // The first run's report goes when this one stands.
  await patchSpec(plane, migration, { reset: 2 });
  await untilMigration(plane, migration, "run 3", ({ status }) => status?.job?.name === "reset-3");
  await finishRun("reset", endpoint);

  // The operator binds an account's free migration to the one that starts.
  const spec = { email: "a@example.com", plan: "free" as const, actingTeam: "shop" };
  const freeMigration = { namespace: "team", name: "free", at: new Date().toISOString() };
  await plane.admin.client.create(kinds.accounts, { metadata: { name: "a" }, spec: { ...spec, freeMigration } });
  const payment = { by: "free", account: "a", currency: "USD", amount: 0 } as const;
  const free = await makeMigration(plane, "team", "free", { payment });
  await untilMigration(plane, free, "a Job", ({ status }) => status?.job !== undefined);
  const claimed = await plane.admin.client.get(kinds.accounts, "", "a");
  expect(claimed?.spec.freeMigration).toMatchObject({ name: "free", uid: free.metadata.uid });

  // An account's plan follows its customer at Stripe.
  const billing = { customer: "cus_1" };
  await plane.admin.client.create(kinds.accounts, { metadata: { name: "b" }, spec: { ...spec, billing } });
  await until("the customer to be looked up", async () => {
    const account = await plane.admin.client.get(kinds.accounts, "", "b");
    return account?.status?.conditions?.[0]?.reason === "NeverSubscribed";
  });

  const team = { title: "Shop", members: [{ account: "a", role: "owner" as const }] };
  await plane.admin.client.create(kinds.teams, { metadata: { name: "shop" }, spec: team });
  const there = () => plane.admin.client.get(kinds.teams, "", "shop");
  const where = await until("the team's namespace", async () => (await there())?.status?.namespace);
  await plane.kubectl(["label", "--overwrite", "namespace", where, "pod-security.kubernetes.io/warn=baseline"]);
  const change = (kind: string, name: string, patch: object) =>
    plane.kubectl(["patch", kind, name, "-n", where, "--type=merge", "-p", JSON.stringify(patch)]);
  await change("quota", installed.teamQuota, { spec: { hard: { pods: "1" } } });
  await change("networkpolicy", installed.teamPolicy, { spec: { egress: [] } });
  await change("rolebinding", installed.api, { subjects: [] });
  await until(
    "the quota",
    async () => (await plane.admin.client.get(kinds.quotas, where, installed.teamQuota))?.spec?.hard?.pods !== "1",
  );
  await until(
    "the rights",
    async () => (await plane.admin.client.get(kinds.roleBindings, where, installed.api))?.subjects?.length === 1,
  );

  // A request is in the audit log once it is answered, which is after it is seen.
  await until("the last one's line", () =>
    plane
      .audit()
      .some(
        ({ objectRef, user, verb }) =>
          objectRef?.resource === "rolebindings" && verb === "update" && user.username.endsWith(":rowferry-operator"),
      ),
  );
  const mine = plane.audit().filter(({ user }) => user.username === `system:serviceaccount:${home}:rowferry-operator`);
  expect(mine.length).toBeGreaterThan(50);
  const say = (group: string | undefined, resource: string, verb: string) =>
    `${verb} ${resource}${group ? `.${group}` : ""}`;
  const read = ["rowferry-operator-keys", installed.apiKeys, installed.apiTls, installed.proberTls];
  const asked = new Set<string>();
  for (const { objectRef, verb, responseStatus } of mine) {
    const resource = [objectRef?.resource, objectRef?.subresource].filter(Boolean).join("/");
    const what = `${say(objectRef?.apiGroup, resource, verb)} ${objectRef?.namespace ?? ""}/${objectRef?.name ?? ""}`;
    expect(responseStatus?.code, what).not.toBe(403);
    if (resource === "secrets") {
      expect(objectRef?.namespace, what).toBe(home);
      if (verb !== "create") expect(read, what).toContain(objectRef?.name);
    }
    asked.add(say(objectRef?.apiGroup, resource, verb));
  }
  const granted = [...rules.cluster, ...rules.namespace].flatMap((rule) =>
    rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) => rule.verbs.map((verb) => say(group, resource, verb))),
    ),
  );
  // Used only when a certificate is renewed, an event repeats, the public keys change, or a sealed URL is taken out.
  const rare = ["update secrets", "update configmaps", "patch events.events.k8s.io", "patch migrations.rowferry.dev"];
  // Used only for a Migration that nobody paid for (test/billing/unpaid.test.ts), or that is not kept (retention.test.ts).
  rare.push("delete migrations.rowferry.dev");
  // Used only for a worker that does not report any more (silent.test.ts).
  rare.push("delete pods", "patch pods/status");
  // Not asked for, but checked when a role is bound.
  rare.push("bind clusterroles.rbac.authorization.k8s.io");
  expect([...asked].filter((right) => !granted.includes(right))).toEqual([]);
  expect(granted.filter((right) => !asked.has(right) && !rare.includes(right))).toEqual([]);
});

test("an API server that restarts is reached again by itself, and what was applied meanwhile is run", async () => {
  const leader = await until("a leader", () => all.find((one) => one.leading()));
  const passes = leader.lines.length;
  await plane.stopApiServer();
  await until("it to notice", () => leader.lines.length > passes);
  await plane.startApiServer();
  const migration = await until("the kind to be served", () => makeMigration(plane, "team", "restarted"));
  await untilMigration(plane, migration, "a Job", ({ status }) => status?.job !== undefined, 60_000);
  expect((await fetch(`${leader.health}/healthz`)).status).toBe(200);
  expect((await fetch(`${leader.health}/readyz`)).status).toBe(200);
  const metrics = await (await fetch(`${leader.health}/metrics`)).text();
  expect(metrics).toMatch(/^rowferry_migrations\{state="\w+"\} [1-9]/m);
  const rss = Number(/^process_resident_memory_bytes (\d+)$/m.exec(metrics)?.[1]) / 2 ** 20;
  console.log(`operator from sources: ${rss.toFixed(0)} MiB resident`);
});
