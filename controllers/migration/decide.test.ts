import { describe, expect, test } from "vitest";
import { labels } from "../../src/resources/group.ts";
import type { Migration, MigrationStatus, Progress } from "../../src/resources/migration.ts";
import type { Job, Pod } from "../../src/resources/objects.ts";
import { conditionReason } from "../jobs/conclude.ts";
import { decide } from "./decide.ts";
import type { Observed } from "./observed.ts";
import type { Plan } from "./plan.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const created = "2026-03-01T11:59:00Z";

function migration(spec: Partial<Migration["spec"]> = {}, status?: MigrationStatus, generation = 1): Migration {
  return {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "Migration",
    metadata: {
      name: "shop",
      namespace: "team",
      uid: "m",
      generation,
      resourceVersion: "1",
      creationTimestamp: created,
    },
    spec: {
      source: { secretRef: { name: "a", key: "url" } },
      target: { secretRef: { name: "b", key: "url" } },
      attempt: 1,
      reset: 0,
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

const job = (run: number, uid: string, condition?: "Complete" | "Failed", extra: Partial<Job["status"]> = {}): Job => ({
  metadata: {
    name: `shop-${run}`,
    namespace: "team",
    uid,
    labels: { [labels.run]: String(run), [labels.migrationUid]: "m" },
  },
  status: { ...extra, ...(condition ? { conditions: [{ type: condition, status: "True" }] } : {}) },
});

const pod = (run: number, of: string, phase: string, more: Pod["status"] = {}): Pod => ({
  metadata: {
    name: `shop-${run}-x`,
    creationTimestamp: created,
    labels: { [labels.run]: String(run) },
    ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: `shop-${run}`, uid: of }],
  },
  status: { phase, ...more },
});

const observe = (of: Migration, rest: Partial<Observed> = {}): Observed => ({
  migration: of,
  jobs: [],
  pods: [],
  slot: { free: true },
  ...rest,
});

const running: MigrationStatus = {
  state: "in_progress",
  run: 1,
  attempt: 1,
  reset: 0,
  job: { name: "shop-1", uid: "j1" },
  startedAt: created,
  runStartedAt: created,
};
const result = (outcome: "completed" | "failed", run = 1): MigrationStatus["result"] => ({
  run,
  outcome,
  reason: outcome === "completed" ? "Verified" : "wrong_password",
  message: outcome === "completed" ? "All is equal." : "The password is wrong.",
  finishedAt: created,
});
const reasonOf = (plan: Plan, type = "Running") =>
  plan.status.conditions?.find((condition) => condition.type === type)?.reason;

describe("what a pass does and says", () => {
  const cases: [string, Observed, { act?: object; state: string; running: string; [field: string]: unknown }][] = [
    [
      "a new one gets a Job",
      observe(migration()),
      {
        act: { kind: "make-job", run: 1 },
        state: "pending",
        running: "Starting",
        queuedAt: "2026-03-01T11:59:00.999Z",
      },
    ],
    [
      "its Job was made: it is recorded",
      observe(migration(), { made: { outcome: "made", name: "shop-1", uid: "j1" } }),
      { state: "pending", running: "PodPending", job: { name: "shop-1", uid: "j1" }, startedAt: now.toISOString() },
    ],
    [
      "no slot is free",
      observe(migration(), { slot: { free: false, position: 3, scope: "namespace", limit: 5 } }),
      { state: "pending", running: "Queued", queuePosition: 3 },
    ],
    [
      "the Job's name is taken",
      observe(migration(), { made: { outcome: "taken", name: "shop-1" } }),
      { state: "pending", running: "JobNameTaken" },
    ],
    [
      "the Job is refused",
      observe(migration(), { made: { outcome: "refused", message: "quota" } }),
      { state: "pending", running: "JobRefused" },
    ],
    [
      "its pod runs",
      observe(migration({}, { ...running, state: "pending" }), {
        jobs: [job(1, "j1")],
        pods: [pod(1, "j1", "Running")],
      }),
      { state: "in_progress", running: "PodRunning" },
    ],
    [
      "its pod waits",
      observe(migration({}, { ...running, state: "pending" }), {
        jobs: [job(1, "j1")],
        pods: [pod(1, "j1", "Pending")],
      }),
      { state: "pending", running: "PodStarting" },
    ],
    [
      "its pod failed and another is coming: it stays in progress",
      observe(migration({}, running), {
        jobs: [job(1, "j1")],
        pods: [
          pod(1, "j1", "Failed", { containerStatuses: [{ name: "worker", state: { terminated: { exitCode: 1 } } }] }),
        ],
      }),
      { state: "in_progress", running: "WorkerFailed" },
    ],
    [
      "the Job is not in the cache: it is looked for",
      observe(migration({}, running)),
      { act: { kind: "confirm-gone", name: "shop-1", uid: "j1" }, state: "in_progress", running: "PodPending" },
    ],
    [
      "the Job is gone",
      observe(migration({}, running), { confirmedGone: true }),
      { state: "failed", running: "Failed", failed: "JobDeleted" },
    ],
    [
      "the Job failed",
      observe(migration({}, running), { jobs: [job(1, "j1", "Failed")] }),
      { state: "failed", running: "Failed", failed: "WorkerFailed" },
    ],
    [
      "the Job ended without a result",
      observe(migration({}, running), { jobs: [job(1, "j1", "Complete")] }),
      { state: "failed", running: "Failed", failed: "ResultMissing" },
    ],
    [
      "the result is a failure",
      observe(migration({}, { ...running, result: result("failed") }), { jobs: [job(1, "j1")] }),
      { state: "failed", running: "Failed", failed: "WrongPassword", finishedAt: now.toISOString() },
    ],
    [
      "the result is good, and the pod still drops the fence",
      observe(migration({}, { ...running, result: result("completed") }), {
        jobs: [job(1, "j1")],
        pods: [pod(1, "j1", "Running")],
      }),
      { state: "in_progress", running: "PodRunning" },
    ],
    [
      "the result is good and the pod has ended",
      observe(migration({}, { ...running, result: result("completed") }), {
        jobs: [job(1, "j1")],
        pods: [pod(1, "j1", "Succeeded")],
      }),
      { state: "completed", running: "Completed", complete: "Verified", madeIn: "shop-1-report" },
    ],
    [
      "the result is good and the Job is complete",
      observe(migration({}, { ...running, result: result("completed") }), { jobs: [job(1, "j1", "Complete")] }),
      { state: "completed", running: "Completed", complete: "Verified" },
    ],
    [
      "the result is good and the Job is gone",
      observe(migration({}, { ...running, result: result("completed") })),
      { state: "completed", running: "Completed", complete: "Verified" },
    ],
    [
      "a result of an earlier run is none",
      observe(migration({ attempt: 2 }, { ...running, run: 2, attempt: 2, result: result("failed", 1) }), {
        jobs: [job(1, "j1")],
        pods: [pod(1, "j1", "Running")],
      }),
      { state: "in_progress", running: "PodRunning" },
    ],
    [
      "failed, attempt raised: the next run",
      observe(migration({ attempt: 2 }, { ...running, state: "failed", finishedAt: created }), { confirmedIdle: true }),
      {
        act: { kind: "make-job", run: 2 },
        state: "pending",
        running: "Starting",
        run: 2,
        attempt: 2,
        job: undefined,
        runStartedAt: undefined,
        finishedAt: undefined,
      },
    ],
    [
      "before it, the API server is asked whether a pod is left",
      observe(migration({ attempt: 2 }, { ...running, state: "failed" })),
      { act: { kind: "confirm-idle" }, state: "pending", running: "Stopping", run: 2 },
    ],
    [
      "running, attempt raised: nothing yet",
      observe(migration({ attempt: 2 }, running), { jobs: [job(1, "j1")], pods: [pod(1, "j1", "Running")] }),
      { state: "in_progress", running: "PodRunning", run: 1, runStartedAt: created },
    ],
    [
      "running, reset raised: the Job is stopped",
      observe(migration({ reset: 1 }, running), { jobs: [job(1, "j1")], pods: [pod(1, "j1", "Running")] }),
      {
        act: { kind: "delete-job", name: "shop-1", uid: "j1" },
        state: "pending",
        running: "Stopping",
        run: 2,
        reset: 1,
        job: undefined,
      },
    ],
    [
      "its pod has not ended yet",
      observe(migration({ reset: 1 }, running), { pods: [pod(1, "j1", "Running")], confirmedIdle: true }),
      { state: "pending", running: "Stopping" },
    ],
    [
      "completed, reset raised: the next run",
      observe(migration({ reset: 1 }, { ...running, state: "completed" }), {
        jobs: [job(1, "j1", "Complete")],
        pods: [pod(1, "j1", "Succeeded")],
        confirmedIdle: true,
      }),
      { act: { kind: "make-job", run: 2 }, state: "pending", running: "Starting" },
    ],
    [
      "both raised: one run, a reset",
      observe(migration({ attempt: 2, reset: 1 }, { ...running, state: "failed" }), { confirmedIdle: true }),
      { act: { kind: "make-job", run: 3 }, state: "pending", running: "Starting", attempt: 2, reset: 1 },
    ],
    [
      "a Job of ours that is not the recorded one is stopped",
      observe(migration({}, running), { jobs: [job(1, "j1"), job(1, "j0")] }),
      { act: { kind: "delete-job", name: "shop-1", uid: "j0" }, state: "in_progress", running: "" },
    ],
  ];
  test.each(cases)("%s", (_what, observed, expected) => {
    const plan = decide(observed, now);
    const { act, state, running: reason, failed, complete, ...fields } = expected;
    expect(plan.act).toEqual(act);
    expect(plan.status.state).toBe(state);
    if (reason !== "") expect(reasonOf(plan)).toBe(reason);
    if (failed) expect(reasonOf(plan, "Failed")).toBe(failed);
    if (complete) expect(reasonOf(plan, "Complete")).toBe(complete);
    for (const [name, value] of Object.entries(fields))
      expect(plan.status[name as keyof Plan["status"]], name).toEqual(value);
    expect(plan.status.observedGeneration).toBe(1);
  });
});

test("a Migration that is being deleted is left to the garbage collector", () => {
  const deleted = migration({}, running);
  deleted.metadata.deletionTimestamp = created;
  expect(decide(observe(deleted), now)).toEqual({
    status: expect.objectContaining({ state: "in_progress" }),
    events: [],
  });
});

test("a second pass over what the first one saved changes nothing and says nothing", () => {
  const first = decide(
    observe(migration({}, { ...running, state: "pending" }), { jobs: [job(1, "j1")], pods: [pod(1, "j1", "Running")] }),
    now,
  );
  const saved = migration({}, { ...first.status });
  const second = decide(
    observe(saved, { jobs: [job(1, "j1")], pods: [pod(1, "j1", "Running")] }),
    new Date(now.getTime() + 5000),
  );
  expect(second.status).toEqual(first.status);
  expect(second.events).toEqual([]);
});

test("trouble is told once, in log and events, for as long as its reason stays", () => {
  const trouble = { reason: "SecretMissing", message: "The Secret b does not exist." };
  const seen = { jobs: [job(1, "j1")], pods: [pod(1, "j1", "Pending")], trouble };
  const first = decide(observe(migration({}, { ...running, state: "pending" }), seen), now);
  expect(first.events).toEqual([{ type: "Warning", reason: "SecretMissing", note: trouble.message }]);
  expect(first.status.log?.at(-1)).toMatchObject({ level: "warning", message: trouble.message });
  const second = decide(observe(migration({}, { ...first.status }), seen), now);
  expect(second.events).toEqual([]);
  expect(second.status.log).toHaveLength(1);
});

test("the log of a run that is retried says so, and the worker's part is made ready", () => {
  const plan = decide(
    observe(migration({ attempt: 2 }, { ...running, state: "failed" }), {
      made: { outcome: "made", name: "shop-2", uid: "j2" },
    }),
    now,
  );
  expect(plan.worker).toBe("next-run");
  expect(plan.status).toMatchObject({ startedAt: created, runStartedAt: now.toISOString() });
  expect(plan.events.map((event) => event.reason)).toEqual(["Retry", "Started"]);
  expect(plan.status.log?.[0]?.message).toBe(
    "Run 2: finished tables that are verified as equal are kept, other tables of the last run are dropped and copied again. Run 2 started: Job shop-2.",
  );
  expect(plan.status.log?.[0]?.id).toMatch(/^0002-[0-9a-z]{9}-c00$/);
});

describe("cleaning is remembered", () => {
  const progress = (phase: "schema" | "copying"): Progress => ({
    phase,
    percent: 0,
    rows: { done: 0, total: 0 },
    bytes: { done: 0, total: 0 },
    tables: { done: 0, total: 0 },
    table: [],
    updatedAt: created,
  });
  test.each([
    ["not before the copy has begun", "schema", undefined],
    ["once the copy has begun", "copying", 2],
  ] as const)("%s", (_what, phase, expected) => {
    const status = { ...running, state: "failed" as const, run: 3, reset: 2, progress: progress(phase) };
    const plan = decide(observe(migration({ attempt: 2, reset: 2 }, status)), now);
    expect(plan.status.resetDone).toBe(expected);
  });
});

test("a Job that goes on for a minute after its run failed is stopped", () => {
  const status = { ...running, state: "failed" as const, finishedAt: now.toISOString() };
  const seen = { jobs: [job(1, "j1")] };
  expect(decide(observe(migration({}, status), seen), now)).toMatchObject({ lookAgain: 61_000 });
  const later = decide(observe(migration({}, status), seen), new Date(now.getTime() + 61_000));
  expect(later.act).toEqual({ kind: "delete-job", name: "shop-1", uid: "j1" });
});

test("a completed Migration says once that it ignores a raised attempt", () => {
  const status = { ...running, state: "completed" as const, observedGeneration: 1 };
  const first = decide(observe(migration({ attempt: 2 }, status, 2)), now);
  expect(first.events.map((event) => event.reason)).toEqual(["AttemptIgnored"]);
  expect(first.status).toMatchObject({ state: "completed", run: 1, observedGeneration: 2 });
  expect(decide(observe(migration({ attempt: 2 }, { ...first.status }, 2)), now).events).toEqual([]);
});

test.each([
  ["wrong_password", "WrongPassword"],
  ["Verified", "Verified"],
  ["a b-c.d", "ABCD"],
  ["42", "Failed"],
  ["", "Failed"],
])("the reason of %s is %s", (code, reason) => {
  expect(conditionReason(code)).toBe(reason);
});
