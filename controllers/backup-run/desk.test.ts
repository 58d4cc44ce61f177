import { expect, test } from "vitest";
import type { Pod } from "../../src/resources/objects.ts";
import type { RunOutcome } from "../../src/worker/protocol.ts";
import { backupDesk } from "./desk.ts";

const at = (uid: string) => `team/nightly.0a/${uid}`;
const pod: Pod = { kind: "Pod", metadata: { name: "p", namespace: "team", uid: "second" } } as Pod;
const outcome = (location: string, digest: string): RunOutcome => ({
  ...{ outcome: "completed", reason: "BackedUp", message: "Backed up.", report: { log: [] } },
  backup: { tables: 1, rows: 1, seconds: 1, location, manifestDigest: digest },
});

/** Of a run whose result is stored, and whose state the controller has not decided yet. */
const desk = (kind: "BackupRun" | "Restore", convert = false) => {
  const status = {
    ...{ state: "in_progress", location: at("first"), manifestDigest: "sha256:1" },
    result: { run: 1, outcome: "completed", reason: "BackedUp", message: "", finishedAt: "2026-01-01T00:00:00Z" },
  };
  const object = {
    kind,
    metadata: { name: "nightly", namespace: "team", uid: "u" },
    spec: { verifications: 0, convert },
    status,
  };
  const caller = { pod, kind, object, isRemoval: false } as unknown as Parameters<typeof backupDesk>[0];
  const options = {
    now: () => new Date("2026-01-02T00:00:00Z"),
    sealing: () => Promise.reject(new Error("keys were asked for")),
  };
  return backupDesk(caller, options as unknown as Parameters<typeof backupDesk>[1]);
};

test.each(["BackupRun", "Restore"] as const)(
  "a %s whose result is stored has no work for another pod",
  async (kind) => {
    await expect(desk(kind).work()).rejects.toMatchObject({ status: 409, code: "run_over" });
  },
);

test("a Restore that converts has, since its record may be left in the target", async () => {
  await expect(desk("Restore", true).work()).rejects.toThrow("keys were asked for");
});

test("the archive of a later pod is recorded, since that pod has removed the earlier one", async () => {
  expect(await desk("BackupRun").afterOutcome(outcome(at("second"), "sha256:2"))).toMatchObject({
    ...{ location: at("second"), manifestDigest: "sha256:2" },
    result: { outcome: "completed", finishedAt: "2026-01-02T00:00:00.000Z" },
  });
});

test("a result that is sent again changes nothing", async () => {
  expect(await desk("BackupRun").afterOutcome(outcome(at("first"), "sha256:1"))).toBeUndefined();
});
