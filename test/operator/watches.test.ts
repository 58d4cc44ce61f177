import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "../../src/resources/objects.ts";
import { type PlaneClient, until } from "./control-plane.ts";
import { jobsOf, podEnds, podRuns, untilPod } from "./kubelet.ts";
import {
  account,
  home,
  installAccount,
  makeMigration,
  makeNamespace,
  type OperatorProcess,
  patchSpec,
  startOperator,
  untilMigration,
} from "./operator.ts";
import { borrowControlPlane } from "./shared.ts";
import { startWatchProxy, throughProxy, type WatchProxy } from "./watch-proxy.ts";

/** Watches that freeze, are cut or refused: no Job is deleted by an old sight, and the API server is not asked for everything anew. */

let plane: PlaneClient;
let kubeconfig: string;
let proxy: WatchProxy;
const all: OperatorProcess[] = [];

beforeAll(async () => {
  plane = borrowControlPlane();
  kubeconfig = await installAccount(plane);
  await makeNamespace(plane, "team");
  proxy = await startWatchProxy(plane);
});
afterAll(async () => {
  await Promise.all(all.map((one) => one.stop("SIGKILL")));
  await proxy?.close();
  await plane?.stop();
});

const begin = async (name: string, config: string): Promise<OperatorProcess> => {
  const one = await startOperator(plane, config, name);
  all.push(one);
  return one;
};

const deletions = () =>
  plane
    .audit()
    .filter(
      ({ verb, objectRef, user }) =>
        verb === "delete" &&
        objectRef?.resource === "jobs" &&
        user.username === `system:serviceaccount:${home}:${account}`,
    )
    .map(({ objectRef }) => objectRef?.name);

test("a new leader whose watch of Migrations is frozen does not delete the Job of the present run", async () => {
  const first = await begin("first", kubeconfig);
  await until("first to lead", first.leading);
  const second = await begin("second", throughProxy(kubeconfig, proxy));
  const migration = await makeMigration(plane, "team", "live");
  const begun = await untilMigration(plane, migration, "a Job", ({ status }) => status?.job !== undefined);
  await until("second to have seen it", async () =>
    /^rowferry_migrations\{state="\w+"\} 1$/m.test(await (await fetch(`${second.health}/metrics`)).text()),
  );
  const pod = await untilPod(plane, migration, 1);
  await podRuns(plane, pod);
  await untilMigration(plane, migration, "in_progress", ({ status }) => status?.state === "in_progress");

  proxy.freeze("migrations");
  await patchSpec(plane, begun, { reset: 1 });
  // A deleted pod stays until its node says that it has ended.
  await until("the Job of run 1 to go", async () =>
    (await jobsOf(plane, migration)).every(
      ({ metadata }) => metadata.name !== "live-1" || metadata.deletionTimestamp !== undefined,
    ),
  );
  await podEnds(plane, pod, 143).catch(() => undefined);
  const next = await untilMigration(plane, migration, "run 2", ({ status }) => status?.job?.name === "live-2");
  const before = deletions();
  await first.stop("SIGKILL");
  await until("second to lead", second.leading, 20_000);
  const after = await makeMigration(plane, "team", "later");
  await until("passes of second over what it sees", async () => {
    const text = await (await fetch(`${second.health}/metrics`)).text();
    return Number(/^rowferry_passes_total (\d+)$/m.exec(text)?.[1] ?? 0) >= 5;
  });
  expect(deletions()).toEqual(before);
  const [job, ...others] = await jobsOf(plane, migration);
  expect(job?.metadata).toMatchObject({ name: "live-2", uid: next.status?.job?.uid });
  expect(job?.metadata.deletionTimestamp).toBeUndefined();
  expect(others).toEqual([]);
  // Once it sees again, it goes on.
  proxy.refuse("migrations");
  proxy.refuse(undefined);
  await untilMigration(plane, after, "a Job of one that it did not see", ({ status }) => status?.job !== undefined);
});

test("a watch that is refused is asked for again as rarely as the server wants, and without a list", async () => {
  const before = proxy.asked("migrations");
  proxy.refuse("migrations", 1);
  await until("three refusals", () => proxy.asked("migrations").watches >= before.watches + 3);
  expect(proxy.asked("migrations").lists).toBe(before.lists);
  proxy.refuse(undefined);
  const migration = await makeMigration(plane, "team", "after");
  await untilMigration(plane, migration, "a Job", ({ status }) => status?.job !== undefined);
  expect(proxy.asked("migrations").lists).toBe(before.lists);
  expect(await plane.admin.client.list(kinds.jobs, { namespace: "team" })).not.toEqual([]);
});
