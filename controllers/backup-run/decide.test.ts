import { describe, expect, test } from "vitest";
import type { Restore } from "../../src/resources/backup/restore.ts";
import { type BackupRun, partsFinalizer } from "../../src/resources/backup/run.ts";
import type { Job, Pod } from "../../src/resources/objects.ts";
import { decide } from "./decide.ts";
import type { Observed } from "./observed.ts";
import { candidateOf } from "./subject.ts";

const now = new Date("2026-11-24T12:00:00Z");
const metadata = {
  ...{ name: "shop-1", namespace: "team", uid: "run", generation: 1, resourceVersion: "1" },
  ...{ creationTimestamp: "2026-11-24T11:00:00Z", finalizers: [partsFinalizer] },
};
const run = (status: object, more: object = {}, spec: object = {}) =>
  ({
    ...{ apiVersion: "rowferry.dev/v1alpha1", kind: "BackupRun", metadata: { ...metadata, ...more } },
    spec: { schedule: "shop", trigger: "Manual", verifications: 0, ...spec },
    status,
  }) as unknown as BackupRun;
const observed = (subject: BackupRun, more: Partial<Observed> = {}): Observed => ({
  ...{ subject, jobs: [], pods: [], slot: { free: true }, needs: {}, proofs: [] },
  ...more,
});
const job = (uid: string) => ({ metadata: { name: uid, uid } }) as unknown as Job;
const pod = (of: string, status: object) =>
  ({ metadata: { name: `${of}-pod`, ownerReferences: [{ uid: of }] }, status }) as unknown as Pod;
const deleted = { deletionTimestamp: "2026-11-24T11:59:00Z" };
const unfinished = { state: "in_progress", job: { name: "a", uid: "job" } };

describe("a run that is deleted before it ended", () => {
  test("keeps its slot while its pod may still write", () => {
    const subject = run(unfinished, deleted);
    const plan = decide(observed(subject, { jobs: [job("job")], pods: [pod("job", { phase: "Running" })] }), now);
    expect([plan.act?.kind, plan.status.state]).toEqual(["delete-job", "in_progress"]);
  });
  test("has failed and has no slot while its parts wait to be removed", () => {
    const subject = run({ ...unfinished, removal: { name: "r", uid: "removal" } }, deleted);
    const { status } = decide(observed(subject, { jobs: [job("removal")] }), now);
    expect(status).toMatchObject({ state: "failed", finishedAt: "2026-11-24T12:00:00.000Z" });
    expect(status.conditions?.find(({ type }) => type === "Failed")).toMatchObject({ reason: "Deleted" });
    expect(candidateOf({ ...subject, status: { ...subject.status, ...status } } as BackupRun).isRunning).toBe(false);
  });
});

describe("a removal whose pod does not start says why, and how to keep the parts", () => {
  const waiting = (message: string) =>
    pod("removal", {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
    });
  test.each([
    [
      "without its claim",
      { pods: [waiting('persistentvolumeclaim "kept" not found. not found')] },
      /PersistentVolumeClaim kept .*create it/,
    ],
    [
      "without its Secret",
      {
        pods: [pod("removal", { phase: "Pending" })],
        trouble: { reason: "SecretMissing", message: "The Secret bucket does not exist." },
      },
      /The Secret bucket does not exist\./,
    ],
  ])("%s", (_what, more, words) => {
    for (const subject of [
      run({ ...unfinished, removal: { name: "r", uid: "removal" } }, deleted),
      run({ ...unfinished, state: "failed", removal: { name: "r", uid: "removal" } }),
    ]) {
      const { status, events } = decide(observed(subject, { jobs: [job("removal")], ...more }), now);
      const found = status.conditions?.find(({ type }) => type === "PartsRemoved");
      expect(found).toMatchObject({
        status: "False",
        reason: "PartsNotRemoved",
        message: expect.stringMatching(words),
      });
      expect(found?.message).toContain("set the annotation rowferry.dev/keep-parts");
      expect(events).toHaveLength(1);
    }
  });
  test("not while it starts", () => {
    const subject = run({ ...unfinished, state: "failed", removal: { name: "r", uid: "removal" } });
    const more = { jobs: [job("removal")], pods: [pod("removal", { phase: "Pending" })] };
    expect(decide(observed(subject, more), now).status.conditions).toEqual([]);
  });
});

test("a run waits while another one of its schedule goes first", () => {
  const first = run(unfinished, { name: "shop-0" });
  const plan = decide(observed(run({}), { first }), now);
  expect(plan.act).toBeUndefined();
  expect(plan.status.state).toBe("pending");
  expect(plan.status.conditions?.find(({ type }) => type === "Running")).toMatchObject({
    ...{ reason: "WaitingForRun", message: expect.stringContaining("this one starts when shop-0 of shop has ended") },
  });
});

describe("a run is verified only by a Restore that restored this run to verify it", () => {
  const asked = run({ state: "completed" }, {}, { verifications: 1 });
  const restore = (spec: object, uid = "run") =>
    ({
      kind: "Restore",
      metadata: { name: "shop-1-verify-1", ownerReferences: [{ kind: "BackupRun", uid }] },
      spec: { backupRun: "shop-1", verification: true, ...spec },
      status: { state: "completed", finishedAt: "2026-11-24T11:50:00Z", rows: 1, tables: 1, seconds: 1 },
    }) as unknown as Restore;
  test("its own", () => {
    const { status } = decide(observed(asked, { proofs: [restore({})] }), now);
    expect(status.verification).toMatchObject({ outcome: "verified" });
  });
  test.each([
    ["of another run", restore({ backupRun: "shop-0" })],
    ["into a database", restore({ verification: false, target: { secretRef: { name: "a", key: "url" } } })],
    ["that belongs to another run", restore({}, "other")],
  ])("not one %s", (_what, forged) => {
    const plan = decide(observed(asked, { proofs: [forged] }), now);
    expect([plan.act?.kind, plan.status.verification]).toEqual(["make-verification", undefined]);
    const after = decide(observed(asked, { proofs: [forged], verificationTaken: true }), now);
    expect(after.act).toBeUndefined();
    expect(after.status).toMatchObject({ verifications: 1 });
    expect(after.status.conditions?.find(({ type }) => type === "Verified")).toMatchObject({
      ...{ status: "False", reason: "VerificationNameTaken" },
    });
  });
});
