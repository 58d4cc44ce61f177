import { describe, expect, test } from "vitest";
import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { BackupSchedule } from "../../src/resources/backup/schedule.ts";
import type { WorkerTemplate } from "../jobs/template.ts";
import { subjectJob } from "./job.ts";
import { restoreNeeds, runNeeds } from "./needs.ts";

const metadata = {
  ...{ name: "back", namespace: "team", uid: "u", generation: 1, resourceVersion: "1" },
  creationTimestamp: "2026-03-01T11:59:00Z",
};
const secret = (name: string) => ({ secretRef: { name, key: "url" } });

function restore(spec: Partial<Restore["spec"]>): Restore {
  const own = { backupRun: "run", target: secret("target"), allowNotEmpty: false, convert: false, verification: false };
  return { apiVersion: "rowferry.dev/v1alpha1", kind: "Restore", metadata, spec: { ...own, ...spec } };
}

const runOf = (engine: string): BackupRun => ({
  ...{ apiVersion: "rowferry.dev/v1alpha1", kind: "BackupRun", metadata: { ...metadata, name: "run" } },
  spec: { source: secret("source"), trigger: "Manual", verifications: 0 },
  status: {
    ...{ state: "completed", manifestDigest: `sha256:${"0".repeat(64)}`, location: "shop/1", engine },
    storage: { volume: { claimName: "backups", path: "" } },
  },
});

const images = { postgres: "postgres:18", mysql: "mysql:9" };

describe("a Restore has a throw-away server of the backup's engine", () => {
  test.each([
    [
      "to verify",
      { verification: true, target: undefined },
      "PostgreSQL",
      { engine: "postgres", image: "postgres:18" },
    ],
    ["to convert PostgreSQL", { convert: true }, "PostgreSQL", { engine: "postgres", image: "postgres:18" }],
    ["to convert MySQL", { convert: true }, "MySQL", { engine: "mysql", image: "mysql:9" }],
    ["not to restore", {}, "MySQL", undefined],
  ] as const)("%s", (_what, spec, engine, server) => {
    const found = restoreNeeds(restore(spec as Partial<Restore["spec"]>), runOf(engine), images);
    expect("used" in found && found.used.server).toEqual(server);
  });
});

describe("without an image of the backup's server a Restore is refused, with the value to set", () => {
  test.each([
    [
      "one that converts",
      { convert: true },
      "MariaDB",
      /MariaDB server to convert the backup\..*set backups\.verification\.images\.mariadb, or restore the run into MariaDB and copy that database with a Migration\.$/,
    ],
    ["one of an unknown server", { convert: true }, "Oracle", /^Backups of Oracle cannot be converted.*Migration\.$/],
    [
      "one that verifies",
      { verification: true, target: undefined },
      "MariaDB",
      /set backups\.verification\.images\.mariadb, or set spec\.verification\.policy of the BackupSchedule to Never\.$/,
    ],
  ] as const)("%s", (_what, spec, engine, message) => {
    expect(restoreNeeds(restore(spec as Partial<Restore["spec"]>), runOf(engine), images)).toEqual({
      missing: { reason: "VerificationImageMissing", message: expect.stringMatching(message) },
    });
  });
});

const template: WorkerTemplate = {
  ...{ image: "app:1", pullPolicy: "Never", pullSecrets: [], command: ["node"], uid: 1, memoryMax: 0, tmpSize: "1Gi" },
  ...{ guardSecrets: false, graceSeconds: 30, tokenSeconds: 3600, backoffLimit: 6, ttlSeconds: 60 },
  ...{ mostRunSeconds: 1000, silentSeconds: 300, endpointUrl: "https://o", ca: "", resources: {}, placement: {} },
  verify: { images, resources: {}, dataSize: "1Gi" },
};

test.each([
  ["in the installation's storage, where teams' backups are, is behind the wall of workers", undefined, "true"],
  ["in a storage that the schedule names is not", { volume: { claimName: "kept", path: "" } }, undefined],
])("the pod of a verification of a run %s", (_what, storage, guarded) => {
  const found = subjectJob(
    restore({ verification: true, target: undefined }),
    { storage, server: { engine: "postgres", image: "postgres:18" } },
    template,
  );
  expect(found.spec.template.metadata.labels["rowferry.dev/guarded"]).toBe(guarded);
  expect(found.spec.activeDeadlineSeconds).toBe(1000);
});

test("the Job of a Restore that converts has the target's Secret, and a server beside the worker that has none", () => {
  const subject = restore({ convert: true });
  const found = restoreNeeds(subject, runOf("MySQL"), images);
  if ("missing" in found) throw new Error(found.missing.message);
  const { containers, initContainers, volumes } = subjectJob(subject, found.used, template).spec.template.spec;
  expect(containers[0]?.volumeMounts.map(({ name }) => name)).toEqual(["tmp", "token", "target", "storage"]);
  expect(containers[0]?.env).toContainEqual({
    name: "ROWFERRY_VERIFY_URL",
    value: "mysql://root@127.0.0.1:3306/verify?sslmode=disable",
  });
  expect(initContainers).toMatchObject([{ image: "mysql:9", volumeMounts: [{ name: "server-data" }] }]);
  expect(volumes.map((volume) => (volume as { name: string }).name)).toContain("server-data");
});

test("a run for a slot has the name that its schedule gives it, so that a slot has no second one", () => {
  const schedule = { metadata, spec: { source: secret("source") } } as unknown as BackupSchedule;
  const run = (name: string, slot: string) =>
    runNeeds(
      {
        metadata: { ...metadata, name },
        spec: { schedule: "shop", trigger: "Schedule", slot },
      } as unknown as BackupRun,
      schedule,
      true,
    );
  expect(run("shop-202611240300", "2026-11-24T03:00:00.000Z")).toMatchObject({ plan: {} });
  expect(run("shop-again", "2026-11-24T03:00:00Z")).toMatchObject({
    missing: { reason: "SlotTaken", message: expect.stringContaining("it is named shop-202611240300") },
  });
});
