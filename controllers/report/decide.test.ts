import { expect, test } from "vitest";
import { isReportKey, type ReportObject, reportFinalizer, reportKey } from "../../src/resources/archive/archive.ts";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";
import { decide } from "./decide.ts";

const uid = "5f6a7c1e-1111-4222-8333-944455556666";
const bucket = { name: "reports", prefix: "a" };
const key = (run: number) => `a/reports/${uid}/${run}.json.gz`;
const object = (run: number, more: Partial<ReportObject> = {}): ReportObject => ({
  ...{ name: `shop-${run}-report`, bucket: "reports", key: key(run), bytes: 3, sha256: "0".repeat(64) },
  ...more,
});
const report = (run: number, bytes: number | undefined = 4) => ({
  ...{ configMap: `shop-${run}-report`, tables: 1, rows: 1, reported: 0 },
  ...(bytes === undefined ? {} : { bytes }),
});
const completed = (run: number): MigrationStatus => ({
  ...{ state: "completed", run, madeIn: `shop-${run}-report`, report: report(run) },
});
const migration = (status: MigrationStatus | undefined, metadata: object = {}) =>
  ({ metadata: { name: "shop", namespace: "team", uid, ...metadata }, spec: {}, status }) as unknown as Migration;
const withObjects = (status: MigrationStatus, ...objects: ReportObject[]) => ({ ...status, reportBucket: { objects } });
const store = { kind: "store", name: "shop-1-report", key: key(1) };

test.each<[string, MigrationStatus | undefined, unknown]>([
  ["nothing of one that is new", undefined, undefined],
  ["nothing of one in progress", { state: "in_progress", run: 1, report: report(1) }, undefined],
  ["nothing of one that failed, which has no report", { state: "failed", run: 1 }, undefined],
  [
    "nothing of one whose report was too large",
    { ...completed(1), report: { ...report(1), bytes: undefined } },
    undefined,
  ],
  ["a report that only its ConfigMap has", completed(1), store],
  ["one whose storing was cut off", withObjects(completed(1), object(1, { pending: true })), store],
  ["nothing once it is stored", withObjects(completed(1), object(1)), undefined],
  [
    "nothing once it is stored, also in another bucket",
    withObjects(completed(1), object(1, { bucket: "b" })),
    undefined,
  ],
  [
    "nothing that a reset in progress needs",
    withObjects({ state: "in_progress", run: 2, madeIn: "shop-1-report" }, object(1)),
    undefined,
  ],
  [
    "an earlier run's, which nothing needs any more",
    withObjects(completed(2), object(1)),
    { kind: "remove", objects: [object(1)] },
  ],
  [
    "nothing that another Migration's key names",
    withObjects(completed(2), object(1, { key: `a/reports/x/1.json.gz` }), object(2)),
    undefined,
  ],
])("stores or removes %s", (_what, status, act) => {
  expect(decide(migration(status), bucket)).toEqual(act);
  expect(decide(migration(status), undefined), "without a bucket").toBeUndefined();
});

test("one that is being deleted is held until its own objects are removed, and no others", () => {
  const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x/y", reportFinalizer] };
  const [other, foreign] = [object(2, { bucket: "b" }), object(3, { key: "a/reports/another/3.json.gz" })];
  const status = withObjects(completed(1), object(1, { pending: true }), other, foreign);
  expect(decide(migration(status, deleted), bucket)).toEqual({
    ...{ kind: "release", objects: [object(1, { pending: true })], left: [other, foreign] },
  });
  const left = [object(1, { pending: true }), other, foreign];
  expect(decide(migration(status, deleted), undefined)).toEqual({ kind: "release", objects: [], left });
  expect(decide(migration(status, { ...deleted, finalizers: ["x/y"] }), bucket)).toBeUndefined();
});

test("a key is one Migration's, under any prefix", () => {
  expect(reportKey("", uid, 1)).toBe(`reports/${uid}/1.json.gz`);
  for (const prefix of ["", "a", "a/b"]) expect(isReportKey(reportKey(prefix, uid, 12), uid)).toBe(true);
  for (const wrong of [`reports/${uid}x/1.json.gz`, `${uid}/1.json.gz`, `reports/${uid}/`, `reports/${uid}/0.json.gz`])
    expect(isReportKey(wrong, uid), wrong).toBe(false);
});
