import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PlaneClient } from "../operator/control-plane.ts";
import { borrowControlPlane } from "../operator/shared.ts";

/** What the API server refuses of a BackupSchedule, BackupRun or Restore, and in which words. No operator runs here. */

let plane: PlaneClient;

beforeAll(() => {
  plane = borrowControlPlane();
});
afterAll(() => plane?.stop());

const source = { secretRef: { name: "shop" } };
const bucket = { bucket: "backups", secretRef: { name: "bucket" } };
const daily = { source, interval: "daily" };

const apply = (kind: string, name: string, spec: object) =>
  plane.kubectl(["apply", "-f", "-"], {
    input: JSON.stringify({
      ...{ apiVersion: "rowferry.dev/v1alpha1", kind, metadata: { name, namespace: "default" } },
      spec,
    }),
  });

const cronWords = "cron is `minute hour day month weekday` with one minute and one hour";

describe("a bad spec is rejected with a sentence that names the fix", () => {
  test.each([
    ["no time", "BackupSchedule", { source }, "set interval (daily, weekly or monthly) or cron, and not both"],
    ["two times", "BackupSchedule", { ...daily, cron: "0 3 * * *" }, "set interval (daily, weekly or monthly) or cron"],
    ["an hourly interval", "BackupSchedule", { source, interval: "hourly" }, 'supported values: "daily", "weekly"'],
    ["every hour by cron", "BackupSchedule", { source, cron: "0 * * * *" }, cronWords],
    ["twice a day by cron", "BackupSchedule", { source, cron: "0 3,15 * * *" }, cronWords],
    ["every five minutes", "BackupSchedule", { source, cron: "*/5 3 * * *" }, cronWords],
    ["an hour that is none", "BackupSchedule", { source, cron: "0 24 * * *" }, cronWords],
    [
      "two storages",
      "BackupSchedule",
      { ...daily, storage: { bucket, volume: { claimName: "x" } } },
      "set bucket or volume, and not both",
    ],
    [
      "a bucket without credentials",
      "BackupSchedule",
      { ...daily, storage: { bucket: { bucket: "backups" } } },
      "name the bucket's credentials in exactly one way",
    ],
    [
      "credentials in an endpoint",
      "BackupSchedule",
      { ...daily, storage: { bucket: { ...bucket, endpoint: "https://key:secret@s3.example.com" } } },
      "write endpoint as https://host",
    ],
    [
      "a prefix that leads elsewhere",
      "BackupSchedule",
      { ...daily, storage: { bucket: { ...bucket, prefix: "../others" } } },
      "without `..`",
    ],
    [
      "a prefix whose storage could not be opened",
      "BackupSchedule",
      { ...daily, storage: { bucket: { ...bucket, prefix: "shop(eu)" } } },
      "without `..`",
    ],
    [
      "a bucket's name that no server takes",
      "BackupSchedule",
      { ...daily, storage: { bucket: { ...bucket, bucket: "a/b" } } },
      "write bucket as the name of a bucket",
    ],
    [
      "a region that leads elsewhere",
      "BackupSchedule",
      { ...daily, storage: { bucket: { ...bucket, region: "x@169.254.169.254/" } } },
      "write region as a region",
    ],
    [
      "an endpoint with a space",
      "BackupSchedule",
      { ...daily, storage: { bucket: { ...bucket, endpoint: "https://x y:9000" } } },
      "write endpoint as https://host",
    ],
    [
      "a Secret's name that no Secret has",
      "BackupSchedule",
      { ...daily, source: { secretRef: { name: "shop/../x" } } },
      "a name has only a-z, 0-9, - and .",
    ],
    [
      "a claim's name that no claim has",
      "BackupSchedule",
      { ...daily, storage: { volume: { claimName: "../X" } } },
      "a name has only a-z, 0-9, - and .",
    ],
    [
      "a path out of the volume",
      "BackupSchedule",
      { ...daily, storage: { volume: { claimName: "x", path: "../.." } } },
      "write path as a folder below the volume's root",
    ],
    [
      "a private key as recipient",
      "BackupSchedule",
      { ...daily, encryption: { recipients: ["AGE-SECRET-KEY-1X"] } },
      "it begins with age1",
    ],
    ["retention of nothing", "BackupSchedule", { ...daily, retention: { keepLast: 0 } }, "or leave retention out"],
    ["a run of nothing", "BackupRun", {}, "set schedule (a BackupSchedule) or source, and not both"],
    ["a run of two", "BackupRun", { schedule: "a", source }, "set schedule (a BackupSchedule) or source, and not both"],
    [
      "another storage than its schedule's",
      "BackupRun",
      { schedule: "a", storage: { bucket } },
      "a run of a schedule takes storage, encryption and options from it",
    ],
    [
      "a slot by hand",
      "BackupRun",
      { schedule: "a", slot: "2026-11-24T03:00:00Z" },
      "remove slot for a run on request",
    ],
    ["a restore to nowhere", "Restore", { backupRun: "a" }, "set target (a database), or verification: true"],
    [
      "a verification into a database",
      "Restore",
      { backupRun: "a", verification: true, target: source },
      "set target (a database), or verification: true",
    ],
    [
      "a verification that converts",
      "Restore",
      { backupRun: "a", verification: true, convert: true },
      "a verification has no target to convert for: remove convert",
    ],
  ])("%s", async (_what, kind, spec, words) => {
    const { code, err } = await apply(kind, "bad", spec);
    expect(code).not.toBe(0);
    expect(err).toContain(words);
  });

  test("a schedule's name that leaves no room for its runs' names", async () => {
    const { code, err } = await apply("BackupSchedule", "x".repeat(48), daily);
    expect(code).not.toBe(0);
    expect(err).toContain("has at most 47 characters");
  });
});

test("defaults are filled in", async () => {
  expect(await apply("BackupSchedule", "defaults", daily)).toMatchObject({ code: 0 });
  const { out } = await plane.kubectl(["get", "backupschedule", "defaults", "-o", "json"]);
  expect(JSON.parse(out).spec).toEqual({
    source: { secretRef: { name: "shop", key: "url" } },
    interval: "daily",
    timeZone: "Etc/UTC",
    suspend: false,
    startingDeadlineSeconds: 43_200,
    deletionPolicy: "Keep",
    verification: { policy: "Weekly", maxAgeDays: 10 },
  });
});

test("a run cannot be changed, but for a higher number of verifications", async () => {
  const spec = { source, storage: { bucket } };
  expect(await apply("BackupRun", "run", spec)).toMatchObject({ code: 0 });
  expect((await apply("BackupRun", "run", { ...spec, source: { secretRef: { name: "other" } } })).err).toContain(
    "a BackupRun cannot be changed, except for verifications",
  );
  expect(await apply("BackupRun", "run", { ...spec, verifications: 2 })).toMatchObject({ code: 0 });
  expect((await apply("BackupRun", "run", { ...spec, verifications: 1 })).err).toContain(
    "verifications can only be raised",
  );
});

test("the examples are accepted, and explained", async () => {
  for (const [file, created] of [
    ["backup-schedule", "backupschedule.rowferry.dev/shop created"],
    ["restore", "restore.rowferry.dev/shop-restored created"],
  ]) {
    const input = readFileSync(new URL(`../../examples/${file}.yaml`, import.meta.url), "utf8");
    const { code, out, err } = await plane.kubectl(["apply", "-f", "-"], { input });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(created);
  }
  const { out: columns } = await plane.kubectl(["get", "backupschedules"]);
  expect(columns.split("\n")[0]).toMatch(/NAME +INTERVAL +CRON +SUSPEND +LAST COMPLETED +NEXT +READY +VERIFIED +AGE/);
  for (const kind of ["backupschedule", "backuprun", "restore"]) {
    const { out: said } = await plane.kubectl(["explain", `${kind}.spec`]);
    expect(said).not.toContain("<no description>");
  }
});
