import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { runProgram } from "../run-program.ts";
import { borrowDatabase } from "../servers/index.ts";
import { database, type Where } from "../support/engine/postgres-support.ts";
import { objectsIn } from "./bucket.ts";
import { bucketOf, ended, object, type Scene, startScene, untilObject } from "./support.ts";

/** A BackupSchedule over its life: a missed slot is caught up, runs on request, parts are removed with their run. */

let scene: Scene;
let server: Database;
let source: Where;

beforeAll(async () => {
  [scene, server] = await Promise.all([startScene(), borrowDatabase("postgres")]);
  source = await database(server, "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 10)");
  const { s3 } = scene;
  await scene.secret("shop", { url: server.urlOf(source.database, "admin") });
  await scene.secret("bucket", { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey });
});
afterAll(async () => {
  await scene?.stop();
  await server?.stop();
});

const spec = (more: object = {}) => ({
  source: { secretRef: { name: "shop" } },
  storage: bucketOf(scene.s3),
  verification: { policy: "Never" },
  ...more,
});

/** A daily line whose slot was some minutes ago. */
function minutesAgo(minutes: number): { cron: string; slot: Date } {
  const slot = new Date(Math.floor(Date.now() / 60_000) * 60_000 - minutes * 60_000);
  return { cron: `${slot.getUTCMinutes()} ${slot.getUTCHours()} * * *`, slot };
}

test("the newest missed slot is caught up within the deadline, older ones are counted, each once", async () => {
  const { cron, slot } = minutesAgo(5);
  const { namespace, plane, apply } = scene;
  await apply(object("BackupSchedule", namespace, "nightly", spec({ cron })));
  const first = await untilObject(scene, "BackupSchedule", "nightly", "a status", ({ status }) => !!status?.lastSlot);
  // As if the operator had been away for five days.
  const lastSlot = new Date(slot.getTime() - 5 * 86_400_000).toISOString();
  await plane.admin.client.applyStatus(
    kinds.backupSchedules,
    { metadata: { name: "nightly", namespace }, status: { ...first.status, lastSlot } },
    "rowferry-controller",
  );
  const name = `nightly-${slot.toISOString().replace(/\D/g, "").slice(0, 12)}`;
  const run = await untilObject(scene, "BackupRun", name, "an end", ended);
  expect(run.spec).toMatchObject({ schedule: "nightly", trigger: "Schedule", slot: slot.toISOString() });
  expect(run.status).toMatchObject({ state: "completed", rows: 10 });
  const after = await untilObject(
    scene,
    "BackupSchedule",
    "nightly",
    "its completed run",
    ({ status }) => status?.lastCompletedRun?.name === name,
  );
  expect(after.status).toMatchObject({ missed: 4, lastSlot: slot.toISOString() });
  const condition = (type: string) => after.status?.conditions?.find((one) => one.type === type);
  expect(condition("Ready")).toMatchObject({
    ...{ status: "True", reason: "Scheduled" },
    message: expect.stringContaining("4 slots were missed so far"),
  });
  expect(condition("Overdue")).toMatchObject({ status: "False", reason: "UpToDate" });
  const events = await plane.kubectl(["get", "events", "-n", namespace, "-o", "json"]);
  expect(events.out).toContain("4 slots were missed");
  const metrics = await (await fetch(`${scene.operator.health}/metrics`)).text();
  expect(metrics).toMatch(/^rowferry_backup_missed_slots 4$/m);
  const runs = await plane.admin.client.list(kinds.backupRuns, { namespace });
  expect(runs.map(({ metadata }) => metadata.name)).toEqual([name]);
});

test("a run on request is taken of a suspended schedule; deleting the run removes its parts from the bucket", async () => {
  const { namespace, apply, plane, s3 } = scene;
  await apply(object("BackupSchedule", namespace, "held", spec({ interval: "daily", suspend: true })));
  await apply(object("BackupRun", namespace, "held-m1", { schedule: "held" }));
  const run = await untilObject(scene, "BackupRun", "held-m1", "an end", ended);
  expect(run.status?.state).toBe("completed");
  expect(run.metadata.finalizers).toEqual(["rowferry.dev/backup-parts"]);
  const folder = `rowferry/${run.status?.location}`;
  expect((await objectsIn(s3, folder)).length).toBeGreaterThan(1);
  await plane.kubectl(["delete", "backuprun", "held-m1", "-n", namespace, "--wait=false"]);
  await until(
    "the run to be gone",
    async () => (await plane.admin.client.get(kinds.backupRuns, namespace, "held-m1")) === undefined,
    60_000,
  );
  expect(await objectsIn(s3, folder)).toEqual([]);
});

test("retention removes an older complete run with its parts, and never the last good one", async () => {
  const { namespace, apply, plane, s3 } = scene;
  const kept = (more: object = {}) =>
    object("BackupSchedule", namespace, "kept", spec({ interval: "weekly", retention: { keepLast: 1 }, ...more }));
  await apply(kept());
  const take = async (name: string) => {
    await apply(object("BackupRun", namespace, name, { schedule: "kept" }));
    return untilObject(scene, "BackupRun", name, "an end", ended);
  };
  const [older, newer] = [await take("kept-m1"), await take("kept-m2")];
  expect([older.status?.state, newer.status?.state]).toEqual(["completed", "completed"]);
  await until(
    "the older run to be gone",
    async () => (await plane.admin.client.get(kinds.backupRuns, namespace, "kept-m1")) === undefined,
    60_000,
  );
  expect(await objectsIn(s3, `rowferry/${older.status?.location}`)).toEqual([]);

  // A later run that fails replaces nothing.
  await scene.secret("gone", { url: server.urlOf("gone", "admin") });
  await apply(kept({ source: { secretRef: { name: "gone" } } }));
  expect((await take("kept-m3")).status?.state).toBe("failed");
  await untilObject(
    scene,
    "BackupSchedule",
    "kept",
    "its last run",
    ({ status }) => status?.lastRun?.name === "kept-m3",
  );
  const left = (await plane.admin.client.list(kinds.backupRuns, { namespace }))
    .filter((run) => run.spec.schedule === "kept")
    .map(({ metadata }) => metadata.name);
  expect(left.sort()).toEqual(["kept-m2", "kept-m3"]);
  expect((await objectsIn(s3, `rowferry/${newer.status?.location}`)).length).toBeGreaterThan(1);
});

test("a run that fails says why, and leaves nothing in the bucket", async () => {
  const { namespace, apply, s3 } = scene;
  await scene.secret("wrong", { url: server.urlOf("nowhere", "admin") });
  await apply(
    object("BackupRun", namespace, "bad", { source: { secretRef: { name: "wrong" } }, storage: bucketOf(s3) }),
  );
  const run = await untilObject(scene, "BackupRun", "bad", "an end", ended);
  expect(run.status?.state).toBe("failed");
  expect(run.status?.conditions?.find(({ type }) => type === "Failed")?.message).toContain("nowhere");
  const removed = await untilObject(
    scene,
    "BackupRun",
    "bad",
    "its parts removed",
    ({ status }) => !!status?.partsRemoved,
  );
  expect(removed.status?.state).toBe("failed");
  expect(await objectsIn(s3, `rowferry/${namespace}/bad.`)).toEqual([]);
});

test("a full volume is named with its claim, and nothing is left on it", async () => {
  const { namespace, apply, node } = scene;
  const large = await database(
    server,
    "CREATE TABLE t (b bytea); INSERT INTO t SELECT sha512(i::text::bytea) || sha512((-i)::text::bytea) FROM generate_series(1, 30000) i",
  );
  await scene.secret("large", { url: server.urlOf(large.database, "admin") });
  const folder = node.claim("small");
  expect(await runProgram("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder])).toMatchObject({ code: 0 });
  try {
    const storage = { volume: { claimName: "small" } };
    await apply(object("BackupRun", namespace, "full", { source: { secretRef: { name: "large" } }, storage }));
    const run = await untilObject(scene, "BackupRun", "full", "an end", ended);
    expect(run.status?.conditions?.find(({ type }) => type === "Failed")).toMatchObject({
      reason: "StorageFull",
      message: expect.stringContaining("Volume small is full: free space there, or shorten the retention"),
    });
    await untilObject(scene, "BackupRun", "full", "its parts removed", ({ status }) => !!status?.partsRemoved);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    await runProgram("umount", ["--lazy", folder]);
  }
});

test("deleting a schedule keeps its runs; with the policy Delete they go first, and their parts", async () => {
  const { namespace, apply, plane, s3 } = scene;
  await plane.kubectl(["delete", "backupschedule", "held", "-n", namespace]);
  await apply(object("BackupSchedule", namespace, "brief", spec({ interval: "weekly", deletionPolicy: "Delete" })));
  await apply(object("BackupRun", namespace, "brief-m1", { schedule: "brief" }));
  const run = await untilObject(scene, "BackupRun", "brief-m1", "an end", ended);
  await plane.kubectl(["delete", "backupschedule", "brief", "-n", namespace, "--wait=false"]);
  await until(
    "the schedule to be gone",
    async () => (await plane.admin.client.get(kinds.backupSchedules, namespace, "brief")) === undefined,
    60_000,
  );
  expect(await plane.admin.client.get(kinds.backupRuns, namespace, "brief-m1")).toBeUndefined();
  expect(await objectsIn(s3, `rowferry/${run.status?.location}`)).toEqual([]);
  const left = await plane.admin.client.list(kinds.backupRuns, { namespace });
  expect(left.some(({ spec: { schedule } }) => schedule === "nightly")).toBe(true);
});

test("a run that a deleted schedule kept stays when another one of its name is deleted with its runs", async () => {
  const { namespace, apply, plane } = scene;
  const schedule = (deletionPolicy: string) =>
    object("BackupSchedule", namespace, "again", spec({ interval: "weekly", deletionPolicy }));
  const remove = () => plane.kubectl(["delete", "backupschedule", "again", "-n", namespace, "--timeout=60s"]);
  await apply(schedule("Keep"), object("BackupRun", namespace, "again-m1", { schedule: "again" }));
  await untilObject(scene, "BackupRun", "again-m1", "an end", ended);
  expect(await remove()).toMatchObject({ code: 0 });
  await apply(schedule("Delete"));
  await untilObject(scene, "BackupSchedule", "again", "the next run", ({ status }) => status?.nextRunAt !== undefined);
  expect(await remove()).toMatchObject({ code: 0 });
  const [kept] = (await plane.admin.client.list(kinds.backupRuns, { namespace })).filter(
    ({ metadata }) => metadata.name === "again-m1",
  );
  expect(kept?.metadata.deletionTimestamp).toBeUndefined();
  expect(kept?.status?.state).toBe("completed");
});

test("a run is not deleted while a Restore of it has not ended", async () => {
  const { namespace, apply, plane } = scene;
  await apply(
    object("BackupSchedule", namespace, "used", spec({ interval: "weekly", deletionPolicy: "Delete" })),
    object("BackupRun", namespace, "used-m1", { schedule: "used" }),
  );
  await untilObject(scene, "BackupRun", "used-m1", "an end", ended);
  const target = { secretRef: { name: "absent" } };
  await apply(object("Restore", namespace, "waits", { backupRun: "used-m1", target }));
  await untilObject(scene, "Restore", "waits", "its state", ({ status }) => status?.state !== undefined);
  await plane.kubectl(["delete", "backupschedule", "used", "-n", namespace, "--wait=false"]);
  expect(
    await plane.kubectl(["wait", "--for=delete", "backuprun/used-m1", "-n", namespace, "--timeout=8s"]),
  ).toMatchObject({ code: 1 });
  await plane.kubectl(["delete", "restore", "waits", "-n", namespace]);
  expect(
    await plane.kubectl(["wait", "--for=delete", "backuprun/used-m1", "-n", namespace, "--timeout=60s"]),
  ).toMatchObject({ code: 0 });
});

test("neither status, events nor logs hold the credentials, the password or an identity", async () => {
  const { namespace, plane, s3, node, operator } = scene;
  const sinks = [
    ...node.output.values(),
    operator.output(),
    (
      await plane.kubectl([
        "get",
        "backupschedules,backupruns,restores,events,jobs,pods",
        "-n",
        namespace,
        "-o",
        "json",
      ])
    ).out,
  ];
  for (const secret of [s3.secretAccessKey, s3.accessKeyId, server.password, "AGE-SECRET-KEY-"])
    for (const sink of sinks) expect(sink).not.toContain(secret);
  expect(sinks[0]?.length).toBeGreaterThan(100);
});
