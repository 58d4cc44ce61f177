import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { borrowDatabase } from "../servers/index.ts";
import { database, fingerprint, sql, type Where } from "../support/engine/postgres-support.ts";
import { bucketOf, ended, object, type Scene, startScene, untilObject } from "./support.ts";

/** Backups by `kubectl apply` with ordinary Secrets, without the API: real control plane, operator, worker, PostgreSQL and bucket. */

let scene: Scene;
let server: Database;
let source: Where;

const shop =
  "CREATE TABLE orders (id int PRIMARY KEY, total numeric(10,2)); INSERT INTO orders SELECT i, i * 1.5 FROM generate_series(1, 1000) i; CREATE VIEW big AS SELECT * FROM orders WHERE total > 100";

beforeAll(async () => {
  [scene, server] = await Promise.all([startScene(), borrowDatabase("postgres")]);
  source = await database(server, shop);
  const { s3 } = scene;
  await scene.secret("shop", { url: server.urlOf(source.database, "admin") });
  await scene.secret("bucket", { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey });
});
afterAll(async () => {
  await scene?.stop();
  await server?.stop();
});

test("a BackupRun is completed, and a Restore of it into another database is equal", async () => {
  const { namespace, apply } = scene;
  await apply(
    object("BackupRun", namespace, "first", { source: { secretRef: { name: "shop" } }, storage: bucketOf(scene.s3) }),
  );
  const run = await untilObject(scene, "BackupRun", "first", "an end", ended);
  expect(run.status).toMatchObject({ state: "completed", rows: 1000, tables: 1, engine: "PostgreSQL" });
  expect(run.status?.manifestDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(run.status?.location).toMatch(/^team\/first\./);
  expect(run.status?.place).toBe("s3://backups/rowferry");

  const target = await database(server);
  await scene.secret("target", { url: server.urlOf(target.database, "admin") });
  await apply(object("Restore", namespace, "back", { backupRun: "first", target: { secretRef: { name: "target" } } }));
  const restored = await untilObject(scene, "Restore", "back", "an end", ended);
  expect(restored.status).toMatchObject({ state: "completed", rows: 1000, tables: 1 });
  expect(await fingerprint(target)).toEqual(await fingerprint(source));
  expect(await sql(target, "SELECT count(*)::int AS n FROM big")).toEqual([{ n: 934 }]);
});

test("a run that is made after a change of its schedule is stored where the schedule says now, also if the operator has not seen that", async () => {
  const { namespace, apply, proxy, s3 } = scene;
  const into = (prefix: string) => ({ bucket: { ...bucketOf(s3).bucket, prefix } });
  const scheduleInto = (prefix: string) =>
    object("BackupSchedule", namespace, "moved", {
      ...{ source: { secretRef: { name: "shop" } }, storage: into(prefix), interval: "monthly" },
    });
  await apply(scheduleInto("before"));
  await untilObject(scene, "BackupSchedule", "moved", "the next run", ({ status }) => status?.nextRunAt !== undefined);
  proxy.freeze("backupschedules");
  await apply(scheduleInto("after"), object("BackupRun", namespace, "moved-1", { schedule: "moved" }));
  const run = await untilObject(scene, "BackupRun", "moved-1", "an end", ended);
  expect(run.status).toMatchObject({ state: "completed", storage: into("after"), place: "s3://backups/after" });
});

test("a BackupRun that is applied with its BackupSchedule does not fail because the operator has not seen the schedule yet", async () => {
  const { namespace, apply, proxy, s3 } = scene;
  proxy.freeze("backupschedules");
  const spec = { source: { secretRef: { name: "shop" } }, storage: bucketOf(s3), interval: "monthly" };
  await apply(
    object("BackupSchedule", namespace, "unseen", spec),
    object("BackupRun", namespace, "at-once", { schedule: "unseen" }),
  );
  expect((await untilObject(scene, "BackupRun", "at-once", "an end", ended)).status).toMatchObject({
    state: "completed",
    rows: 1000,
  });
});

test("of two BackupRuns of one BackupSchedule the second starts when the first has ended", async () => {
  const { namespace, apply, s3 } = scene;
  await apply(
    object("BackupSchedule", namespace, "alone", {
      ...{ source: { secretRef: { name: "shop" } }, storage: bucketOf(s3), interval: "monthly" },
    }),
    object("BackupRun", namespace, "alone-2", { schedule: "alone" }),
    object("BackupRun", namespace, "alone-1", { schedule: "alone" }),
  );
  const runs = await Promise.all(
    ["alone-1", "alone-2"].map((name) => untilObject(scene, "BackupRun", name, "an end", ended)),
  );
  const [first, second] = runs.sort((a, b) => (a.status?.startedAt ?? "").localeCompare(b.status?.startedAt ?? ""));
  expect(runs.map(({ status }) => status?.state)).toEqual(["completed", "completed"]);
  expect(Date.parse(second?.status?.startedAt ?? "")).toBeGreaterThanOrEqual(
    Date.parse(first?.status?.finishedAt ?? ""),
  );
});

test("a run whose bucket does not exist is deleted at once, since nothing is to be removed", async () => {
  const { namespace, apply, plane, s3 } = scene;
  const bucket = { ...bucketOf(s3).bucket, bucket: "absent" };
  await apply(
    object("BackupRun", namespace, "nowhere", { source: { secretRef: { name: "shop" } }, storage: { bucket } }),
  );
  const run = await untilObject(scene, "BackupRun", "nowhere", "an end", ended);
  expect(run.status?.conditions?.find(({ type }) => type === "Failed")).toMatchObject({ reason: "StorageMissing" });
  await untilObject(scene, "BackupRun", "nowhere", "its parts removed", ({ status }) => status?.partsRemoved === true);
  expect(await plane.kubectl(["-n", namespace, "delete", "backuprun", "nowhere", "--timeout=30s"])).toMatchObject({
    code: 0,
  });
});
