import { describe, expect, test } from "vitest";
import type { Restore } from "../../resources/backup/restore.ts";
import { type BackupRun, runSpecSchema } from "../../resources/backup/run.ts";
import { type BackupSchedule, scheduleSpecSchema } from "../../resources/backup/schedule.ts";
import { oneRestoreOf, oneRunOf } from "./job-shown.ts";
import { backupSchema, oneRestoreSchema, oneRunSchema } from "./shapes.ts";
import { backupOf, backupState } from "./shown.ts";

const uid = "11111111-1111-4111-8111-111111111111";
const metadata = {
  name: "nightly",
  namespace: "rowferry-t1",
  uid,
  generation: 1,
  resourceVersion: "7",
  creationTimestamp: "2026-01-01T00:00:00Z",
};
const time = "2026-01-01T00:00:00Z";
const url = "postgres://reader:Pl4nted@db.shop.io/shop";

const schedule = (more: Partial<BackupSchedule> = {}, spec: object = {}): BackupSchedule => ({
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "BackupSchedule",
  metadata,
  spec: scheduleSpecSchema.parse({ source: { secretRef: { name: "shop" } }, interval: "daily", ...spec }),
  ...more,
});
const run = (status?: BackupRun["status"], spec: object = {}): BackupRun => ({
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "BackupRun",
  metadata: { ...metadata, name: "nightly-202601010230" },
  spec: runSpecSchema.parse({ schedule: "nightly", ...spec }),
  ...(status === undefined ? {} : { status }),
});

const ready = (status: "True" | "False") => [
  { type: "Ready", status, reason: "StorageMissing", message: "No\u0007storage.", lastTransitionTime: time },
];

describe("a schedule's status", () => {
  test.each([
    ["it is new", schedule(), "active"],
    ["it is ready", schedule({ status: { conditions: ready("True") } }), "active"],
    ["it cannot run", schedule({ status: { conditions: ready("False") } }), "not_ready"],
    ["it is suspended", schedule({ status: { conditions: ready("False") } }, { suspend: true }), "suspended"],
    ["it is being deleted", schedule({ metadata: { ...metadata, deletionTimestamp: time } }), undefined],
  ])("%s", (_what, object, status) => expect(backupState(object)).toBe(status));
});

test("what is shown is of the schema, by the uid where kubectl named it, without a secret or a control character", () => {
  const bucket = { bucket: "backups", sealedCredentials: "v1.k.e.Pl4nted", prefix: "shop" };
  const shown = backupOf(
    schedule(
      { status: { conditions: ready("False"), missed: 2, lastRun: { name: "nightly-202601010230" } } },
      { source: { sealedUrl: url }, storage: { bucket } },
    ),
  );
  expect(backupSchema.strict().parse(shown)).toEqual(shown);
  expect(shown).toMatchObject({
    id: uid,
    missed: 2,
    last_run: { id: "nightly-202601010230", slot: null },
    storage: { kind: "bucket", bucket: "backups" },
    conditions: [{ type: "ready", status: "false", reason: "storage_missing" }],
  });
  expect(JSON.stringify(shown)).not.toMatch(/Pl4nted|\\u0007/);
});

describe("a run's verification", () => {
  const last = { at: time, outcome: "verified" as const, tables: 1, rows: 2, seconds: 3 };
  test.each([
    ["nobody asked for", run({ state: "completed" }), "not_requested"],
    ["waits", run({ state: "completed" }, { verifications: 1 }), "requested"],
    [
      "is repeated",
      run({ state: "completed", verifications: 1, verification: last }, { verifications: 2 }),
      "requested",
    ],
    ["runs", run({ state: "completed", verifications: 1 }, { verifications: 1 }), "requested"],
    [
      "runs again",
      run(
        { state: "completed", verifications: 2, verification: { ...last, restore: "nightly-verify-1" } },
        { verifications: 2 },
      ),
      "requested",
    ],
    [
      "ended again",
      run(
        { state: "completed", verifications: 2, verification: { ...last, restore: "nightly-verify-2" } },
        { verifications: 2 },
      ),
      "verified",
    ],
    ["was well", run({ state: "completed", verifications: 1, verification: last }, { verifications: 1 }), "verified"],
    ["failed", run({ state: "completed", verification: { ...last, outcome: "failed" } }), "failed"],
  ])("that %s", (_what, object, status) => {
    const shown = oneRunOf(object, uid);
    expect(oneRunSchema.strict().parse(shown)).toEqual(shown);
    expect(shown.verification.status).toBe(status);
  });
});

test("a restore that failed says why, and nothing of its target", () => {
  const restore: Restore = {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "Restore",
    metadata,
    spec: {
      backupRun: "nightly-202601010230",
      target: { sealedUrl: url },
      allowNotEmpty: false,
      convert: false,
      verification: false,
    },
    status: {
      state: "failed",
      result: { run: 1, outcome: "failed", reason: "target_conflict", message: "The target has it.", finishedAt: time },
    },
  };
  const shown = oneRestoreOf(restore);
  expect(oneRestoreSchema.strict().parse(shown)).toEqual(shown);
  expect(shown).toMatchObject({ id: uid, backup: null, error: { code: "target_conflict" } });
  expect(JSON.stringify(shown)).not.toContain("Pl4nted");
});
