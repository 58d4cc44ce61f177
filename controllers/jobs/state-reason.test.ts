import { expect, test } from "vitest";
import type { Job, Pod, SeenEvent } from "../../src/resources/objects.ts";
import { passingMessage } from "../../src/worker/protocol.ts";
import {
  endReason,
  jobFailure,
  jobReason,
  lastLoggedError,
  mountReason,
  podReason,
  type RetryAdvice,
} from "./state-reason.ts";

const secret = (side: "source" | "target", name: string, key: string) => ({
  ...{ namespace: "team", field: `spec.${side}`, volume: side, name, key },
  ...{ holds: "the connection URL", elsewhere: "a new Migration" },
});
const secrets = [secret("source", "old", "url"), secret("target", "new", "dsn")];
const again: RetryAdvice = { again: "raise spec.attempt to run again", tooLong: "copy in parts." };

const event = (reason: string, message: string, time = "2026-01-01T00:00:00Z"): SeenEvent => ({
  metadata: { name: "e" },
  reason,
  message,
  lastTimestamp: time,
});

test.each([
  [
    "a Secret",
    'MountVolume.SetUp failed for volume "source" : secret "old" not found',
    "SecretMissing",
    "The Secret old that spec.source names",
  ],
  [
    "a key",
    'MountVolume.SetUp failed for volume "target" : references non-existent secret key: dsn',
    "SecretKeyMissing",
    "has no key dsn",
  ],
  [
    "several at once",
    'MountVolume.SetUp failed for volume "target" : [secret "new" not found, other]',
    "SecretMissing",
    "spec.target",
  ],
  ["something else", 'MountVolume.SetUp failed for volume "tmp" : no space', "MountFailed", "no space"],
])("a mount that fails for want of %s", (_what, message, reason, words) => {
  const found = mountReason(secrets, [event("Scheduled", "x"), event("FailedMount", message)]);
  expect(found?.reason).toBe(reason);
  expect(found?.message).toContain(words);
});

test("the latest event counts, and none is no trouble", () => {
  const old = event("FailedMount", 'volume "source" : secret "old" not found', "2026-01-01T00:00:00Z");
  const later = event(
    "FailedMount",
    'volume "source" : references non-existent secret key: url',
    "2026-01-01T00:01:00Z",
  );
  expect(mountReason(secrets, [old, later])?.reason).toBe("SecretKeyMissing");
  expect(mountReason(secrets, [])).toBeUndefined();
});

test("what both sides lack is told at once, but not what was fixed long ago", () => {
  const missing = (time: string) => event("FailedMount", 'volume "source" : secret "old" not found', time);
  const noKey = event(
    "FailedMount",
    'volume "target" : references non-existent secret key: dsn',
    "2026-01-01T00:10:00Z",
  );
  const both = mountReason(secrets, [missing("2026-01-01T00:09:00Z"), noKey]);
  expect(both?.reason).toBe("SecretMissing");
  expect(both?.message).toMatch(
    /^The Secret old .* The Secret new .* has no key dsn: .* The run starts by itself then\.$/,
  );
  const one = mountReason(secrets, [missing("2026-01-01T00:05:00Z"), noKey]);
  expect(one?.reason).toBe("SecretKeyMissing");
  expect(one?.message).not.toContain("Secret old");
});

test.each([
  ['pods "x" is forbidden: exceeded quota: q, requested: pods=1', "QuotaExceeded"],
  ["pods x is forbidden: failed quota: q: must specify limits.cpu", "QuotaExceeded"],
  ['pods "x" is forbidden: violates PodSecurity "restricted"', "PodSecurityRefused"],
  ["admission webhook denied", "PodRefused"],
])("a pod that is refused: %s", (message, reason) => {
  expect(jobReason([event("FailedCreate", message)])?.reason).toBe(reason);
});

const pod = (status: Pod["status"]): Pod => ({ metadata: { name: "p" }, ...(status ? { status } : {}) });
const waiting = (reason: string) =>
  pod({ phase: "Pending", containerStatuses: [{ name: "worker", state: { waiting: { reason } } }] });

test.each([
  ["ErrImageNeverPull", "ImageUnavailable"],
  ["ImagePullBackOff", "ImageUnavailable"],
  ["CreateContainerConfigError", "PodCannotStart"],
  ["ContainerCreating", undefined],
])("a container that waits for %s", (reason, expected) => {
  expect(podReason(waiting(reason))?.reason).toBe(expected);
});

test("a pod that no node can take", () => {
  const conditions = [
    { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes: Insufficient cpu." },
  ];
  expect(podReason(pod({ phase: "Pending", conditions }))).toMatchObject({ reason: "Unschedulable" });
});

const ended = (exitCode: number, reason = "Error") =>
  pod({ phase: "Failed", containerStatuses: [{ name: "worker", state: { terminated: { exitCode, reason } } }] });

test.each([
  ["an exit code", ended(1), "WorkerFailed", "exit code 1"],
  ["memory", ended(137, "OOMKilled"), "OutOfMemory", "memory limit"],
  ["an eviction", pod({ phase: "Failed", reason: "Evicted", message: "low on memory" }), "PodEvicted", "low on memory"],
  [
    "a drain",
    pod({ phase: "Failed", conditions: [{ type: "DisruptionTarget", status: "True", message: "Eviction API" }] }),
    "PodEvicted",
    "Eviction API",
  ],
  ["nobody knows what", undefined, "PodGone", "gone"],
])("what ended a pod: %s", (_what, seen, reason, words) => {
  expect(endReason(seen).reason).toBe(reason);
  expect(endReason(seen).message).toContain(words);
});

test("a Job that failed says how often, at last by what, and what to do", () => {
  const job: Job = {
    metadata: { name: "j" },
    status: { failed: 7, conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] },
  };
  const failure = jobFailure(job, ended(137, "OOMKilled"), again);
  expect(failure.reason).toBe("OutOfMemory");
  expect(failure.message).toBe(
    "The run failed: 7 pods of the run failed; at last the worker was killed because it ran out of its memory limit. Raise worker.resources.limits.memory of the installation, then raise spec.attempt to run again.",
  );
});

test("a Job that ran out of its time says so, whatever its worker said last", () => {
  const job: Job = {
    metadata: { name: "j" },
    status: { failed: 1, conditions: [{ type: "Failed", status: "True", reason: "DeadlineExceeded" }] },
  };
  const words = { reason: "connection_refused", message: "The source refused the connection." };
  for (const pod of [ended(1), ended(0), undefined])
    expect(jobFailure(job, pod, again, words)).toMatchObject({
      reason: "RunTooLong",
      message: expect.stringContaining("limits.runHours"),
    });
});

test("a Job that failed after tries that the worker explained says the worker's last words, under the engine's code", () => {
  const entry = (id: string, message: string, level: "error" | "info" = "error") => ({
    id,
    message,
    level,
    time: "2026-01-01T00:00:00Z",
  });
  const status = {
    run: 2,
    log: [
      entry("0001-000000009-w00", "An older run (disk_full); another pod tries again"),
      entry("0002-000000001-w00", "The first try (timeout); another pod tries again"),
      entry(
        "0002-000000002-w00",
        passingMessage({ reason: "connection_refused", message: "The source db:3306 refused the connection." }),
      ),
      entry("0002-000000003-w00", "chatter", "info"),
    ],
  };
  const words = lastLoggedError({ status } as Parameters<typeof lastLoggedError>[0]);
  expect(words).toEqual({
    reason: "connection_refused",
    message: "The source db:3306 refused the connection.",
    retryable: true,
  });
  const job: Job = {
    metadata: { name: "j" },
    status: { failed: 7, conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] },
  };
  expect(jobFailure(job, ended(1), again, words)).toEqual({
    reason: "connection_refused",
    message:
      "The source db:3306 refused the connection. The run was tried 7 times: fix the cause, then raise spec.attempt to run again.",
    retryable: true,
  });
  expect(lastLoggedError({})).toBeUndefined();
});

const failedJob = (reason: string): Job => ({
  metadata: { name: "j" },
  status: { failed: 7, conditions: [{ type: "Failed", status: "True", reason }] },
});

test.each([
  ["its time ran out", "DeadlineExceeded", ended(1), true],
  ["its node let it go", "BackoffLimitExceeded", pod({ phase: "Failed", reason: "Evicted" }), true],
  ["its pod is gone", "BackoffLimitExceeded", undefined, true],
  ["it needs more memory", "BackoffLimitExceeded", ended(137, "OOMKilled"), false],
  ["nobody knows the cause", "BackoffLimitExceeded", ended(1), false],
])("a Job that failed without a result says whether another run may succeed: %s", (_what, reason, last, retryable) => {
  expect(jobFailure(failedJob(reason), last, again).retryable).toBe(retryable);
});
