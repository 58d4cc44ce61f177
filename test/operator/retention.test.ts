import { afterAll, beforeAll, expect, test } from "vitest";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import { type PlaneClient, until } from "./control-plane.ts";
import { call, completed, jobsOf, podEnds, podRuns, tokenOfPod, untilPod } from "./kubelet.ts";
import {
  installAccount,
  makeMigration,
  makeNamespace,
  type OperatorProcess,
  startOperator,
  untilMigration,
} from "./operator.ts";
import { borrowControlPlane } from "./shared.ts";

/** Finished Migrations that are deleted: by their own time, and beyond what a namespace keeps. */

let plane: PlaneClient;
let operator: OperatorProcess;

beforeAll(async () => {
  plane = borrowControlPlane();
  const kubeconfig = await installAccount(plane, { values: { migrations: { historyLimit: 2 } } });
  await makeNamespace(plane, "team");
  operator = await startOperator(plane, kubeconfig, "one", { ROWFERRY_HISTORY_LIMIT: "2" });
  await until("a leader", () => operator.leading());
});
afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

const read = (migration: Migration) => plane.admin.client.get(kinds.migrations, "team", migration.metadata.name);

async function finished(name: string, spec: object = {}): Promise<Migration> {
  const migration = await makeMigration(plane, "team", name, spec);
  const pod = await untilPod(plane, migration, 1);
  await podRuns(plane, pod);
  const token = await tokenOfPod(plane, pod);
  await until("the result to be stored", async () => {
    return (await call(plane, operator.endpoint, "/result", token, completed())).status === 200;
  });
  await podEnds(plane, pod, 0);
  return migration;
}

test("one is deleted with its Job at once, as its spec says, and another stays", async () => {
  const [gone, kept] = await Promise.all([finished("gone", { ttlSecondsAfterFinished: 0 }), finished("kept")]);
  await untilMigration(plane, kept, "completed", ({ status }) => status?.state === "completed");
  await until("it to be deleted", async () => (await read(gone)) === undefined);
  await until("its Job to go", async () => (await jobsOf(plane, gone)).length === 0);
  expect(await read(kept)).toBeDefined();
});

test("a namespace keeps as many as its limit, the last ones", async () => {
  const first = await finished("first");
  await untilMigration(plane, first, "completed", ({ status }) => status?.state === "completed");
  const second = await finished("second");
  await untilMigration(plane, second, "completed", ({ status }) => status?.state === "completed");
  const third = await finished("third");
  await until("the first to be deleted", async () => (await read(first)) === undefined);
  // The one of the test before ended before all of these.
  expect(await plane.admin.client.get(kinds.migrations, "team", "kept")).toBeUndefined();
  expect(await read(second)).toBeDefined();
  expect(await read(third)).toBeDefined();
});
