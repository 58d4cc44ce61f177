import { expect, test } from "vitest";
import { labels } from "../../src/resources/group.ts";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";
import type { Pod } from "../../src/resources/objects.ts";
import { decide } from "./decide.ts";
import type { Observed } from "./observed.ts";

/** Workers that say nothing, and pods that do not end. */

const now = new Date("2026-03-01T12:00:00.000Z");

const running: MigrationStatus = {
  ...{ state: "in_progress", run: 1, attempt: 1, reset: 0 },
  job: { name: "shop-1", uid: "j1" },
};
const migration = (status: MigrationStatus, reset = 0): Migration => ({
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "Migration",
  metadata: {
    ...{ name: "shop", namespace: "team", uid: "m", generation: 1, resourceVersion: "1" },
    creationTimestamp: "2026-03-01T11:00:00Z",
  },
  spec: {
    source: { secretRef: { name: "a", key: "url" } },
    target: { secretRef: { name: "b", key: "url" } },
    ...{ attempt: 1, reset },
  },
  status,
});
const pod = (deletionTimestamp?: string, more: Pod["status"] = {}): Pod => ({
  metadata: {
    ...{ name: "shop-1-x", uid: "p1", labels: { [labels.run]: "1" } },
    ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "shop-1", uid: "j1" }],
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  },
  status: { phase: "Running", ...more },
});
const plan = (of: Migration, rest: Partial<Observed>) =>
  decide(
    {
      migration: of,
      jobs: [{ metadata: { name: "shop-1", uid: "j1", labels: { [labels.run]: "1" } } }],
      pods: [pod()],
      slot: { free: true },
      ...rest,
    },
    now,
  );
const reasonOf = (found: ReturnType<typeof plan>) =>
  found.status.conditions?.find(({ type }) => type === "Running")?.reason;

test.each([
  ["says something in time", { for: 299_000, most: 300_000 }, undefined, 2000],
  [
    "says nothing for too long",
    { for: 300_000, most: 300_000 },
    { kind: "end-pod", name: "shop-1-x", uid: "p1" },
    undefined,
  ],
  ["may say nothing for ever", { for: 9_000_000, most: 0 }, undefined, undefined],
])("a worker that %s", (_what, silence, act, lookAgain) => {
  const found = plan(migration(running), { silence });
  expect(found.act).toEqual(act);
  expect(found.lookAgain).toBe(lookAgain);
  if (act === undefined) expect(reasonOf(found)).toBe("PodRunning");
});

test("one that was ended is named in the condition, in the log and by an event", () => {
  const ended = "The worker in pod shop-1-x on node n1 has not reported for 5m0s";
  const found = plan(migration(running), { silence: { for: 300_000, most: 300_000 }, ended });
  const note = `${ended}: its pod was ended, and the Job starts another, which continues.`;
  expect(found.act).toBeUndefined();
  expect(found.events).toEqual([{ type: "Warning", reason: "WorkerSilent", note }]);
  expect(found.status).toMatchObject({ state: "in_progress", log: [{ level: "warning", message: note }] });
  expect(found.lookAgain).toBe(2000);
});

test("one that cannot be ended is named with what to do, and looked at again", () => {
  const found = plan(migration(running), { silence: { for: 300_000, most: 300_000 }, notEnded: "pods is forbidden" });
  expect(found.act).toBeUndefined();
  expect(reasonOf(found)).toBe("WorkerSilent");
  expect(found.events).toEqual([
    {
      type: "Warning",
      reason: "WorkerSilent",
      note: "The worker has not reported for too long, and its pod cannot be ended (pods is forbidden): delete the pod, or the node if it is lost.",
    },
  ]);
  expect(found.lookAgain).toBe(60_000);
});

test("why the last pod was ended is said until the next one runs", () => {
  const message = "the worker in pod shop-1-x on node n1 has not reported for 5m0s";
  const ended = pod(undefined, {
    phase: "Failed",
    conditions: [{ type: "DisruptionTarget", status: "True", reason: "WorkerSilent", message }],
  });
  const found = plan(migration(running), { pods: [ended] });
  expect(reasonOf(found)).toBe("WorkerSilent");
  expect(found.status.state).toBe("in_progress");
  expect(found.status.conditions?.find(({ type }) => type === "Running")?.message).toBe(
    `The last pod ended: ${message}; the Job starts another pod, which continues.`,
  );
});

test.each([
  ["a minute after it, also where the pod stays", 60_000, "completed"],
  ["not before", 59_000, "in_progress"],
])("a stored result completes the run %s", (_what, silent, state) => {
  const result = { run: 1, outcome: "completed", reason: "Verified", message: "Equal.", finishedAt: "x" } as const;
  const found = plan(migration({ ...running, result }), { silence: { for: silent, most: 300_000 } });
  expect(found.status.state).toBe(state);
  expect(found.lookAgain).toBe(state === "completed" ? undefined : 2000);
});

test.each([
  ["whose node answers in time", "2026-03-01T11:55:01Z", 300_000, undefined],
  ["whose node is lost", "2026-03-01T11:55:00Z", 300_000, { kind: "end-pod", name: "shop-1-x", uid: "p1" }],
  ["that nobody told to end", undefined, 300_000, undefined],
  ["where nothing is ever taken for lost", "2026-03-01T01:00:00Z", 0, undefined],
])("the next run waits for an earlier pod %s", (_what, deleted, silentAfter, act) => {
  const pending: MigrationStatus = { state: "pending", run: 2, attempt: 1, reset: 1 };
  const found = plan(migration(pending, 1), { jobs: [], pods: [pod(deleted)], silentAfter });
  expect(found.act).toEqual(act);
  expect(found.status.state).toBe("pending");
  expect(reasonOf(found)).toBe("Stopping");
});
