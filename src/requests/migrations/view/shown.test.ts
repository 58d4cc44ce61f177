import { describe, expect, test } from "vitest";
import { migrationWith } from "../../../../test/support/requests/migration-with.ts";
import type { MigrationStatus } from "../../../resources/migration.ts";
import { marks } from "./marks.ts";
import { oneSchema } from "./shapes.ts";
import { createdAt, justMade, listed, logsOf, one, shownState } from "./shown.ts";
import { trimmed } from "./trim.ts";

const ran = (state: NonNullable<MigrationStatus["state"]>, more: MigrationStatus = {}): MigrationStatus => ({
  observedGeneration: 1,
  state,
  run: 1,
  attempt: 1,
  reset: 0,
  ...more,
});

const payment = {
  by: "hold",
  account: "a",
  currency: "USD",
  amount: 500,
  checkout: { session: "cs_1", url: "https://pay.example/1", expiresAt: "2026-01-02T00:00:00Z", number: 1 },
} as const;
const paid = { state: "authorized", session: "cs_1", lookedAt: "2026-01-01T00:00:00Z" } as const;
const elsewhere = { ...paid, session: "cs_0" } as const;

describe("the state that is shown", () => {
  test.each([
    ["of one without a status is pending", {}, undefined, "pending"],
    ["is the status' where the spec asks for nothing else", {}, ran("in_progress"), "in_progress"],
    ["is failed while nobody retried", {}, ran("failed"), "failed"],
    ["is pending at once after a retry, never the old failed", { attempt: 2 }, ran("failed"), "pending"],
    ["is pending at once after a reset of a completed one", { reset: 1 }, ran("completed"), "pending"],
    ["is pending at once after a reset of a running one", { reset: 1 }, ran("in_progress"), "pending"],
    ["stays awaiting_payment after a reset", { reset: 1, payment }, ran("awaiting_payment"), "awaiting_payment"],
    ["awaits payment before the operator has seen it", { payment }, undefined, "awaiting_payment"],
    ["is pending when it is paid, before the operator goes on", { payment }, { payment: paid }, "pending"],
    ["awaits payment where the last checkout is another one", { payment }, { payment: elsewhere }, "awaiting_payment"],
    ["stays completed where attempt was raised, which changes nothing", { attempt: 2 }, ran("completed"), "completed"],
    ["stays in_progress where attempt was raised too early", { attempt: 2 }, ran("in_progress"), "in_progress"],
    [
      "is the new run's once the operator has seen it",
      { attempt: 2 },
      { ...ran("failed"), run: 2, attempt: 2 },
      "failed",
    ],
  ] as const)("%s", (_what, spec, status, state) => {
    const migration = migrationWith({ spec, ...(status === undefined ? {} : { status }) });
    expect(shownState(migration)).toBe(state);
    expect(shownState(trimmed(migration)), "also of what the cache keeps").toBe(state);
  });

  test("is none while it is being deleted", () => {
    const metadata = { deletionTimestamp: "2026-01-01T00:00:05Z" };
    expect(shownState(migrationWith({ metadata, status: ran("failed") }))).toBeUndefined();
  });
});

test.each([
  ["pending", null],
  ["in_progress", "2026-01-01T00:00:02Z"],
] as const)("the start of a run that is %s is shown as %j", (state, shown) => {
  const migration = migrationWith({ status: ran(state, { runStartedAt: "2026-01-01T00:00:02Z" }) });
  expect(one(migration, "USD").run_started_at).toBe(shown);
});

test("the size of one that was measured for its price alone is shown", () => {
  const migration = migrationWith({ spec: { payment: { ...payment, quotedSize: 4096 } } });
  expect(listed(migration, "USD").size).toBe(4096);
});

test("after a retry nothing of the failed run is shown but its log", () => {
  const log = [{ id: "0001-000000001-c00", time: "2026-01-01T00:00:00.000Z", level: "error" as const, message: "no" }];
  const status = ran("failed", {
    finishedAt: "2026-01-01T00:01:00.000Z",
    log,
    progress: {
      phase: "schema",
      percent: 3,
      rows: { done: 0, total: 1 },
      bytes: { done: 0, total: 1 },
      tables: { done: 0, total: 1 },
      table: [],
      updatedAt: "2026-01-01T00:00:30.000Z",
    },
    conditions: [
      {
        type: "Failed",
        status: "True",
        reason: "WrongPassword",
        message: "The target refused the password.",
        lastTransitionTime: "2026-01-01T00:01:00.000Z",
      },
    ],
  });
  const before = one(migrationWith({ status }), "USD");
  expect(before).toMatchObject({
    status: "failed",
    error: { code: "wrong_password", message: "The target refused the password." },
    finished_at: "2026-01-01T00:01:00.000Z",
    progress: { percent: 3 },
  });
  const after = one(migrationWith({ spec: { attempt: 2 }, status }), "USD");
  expect(after).toMatchObject({ status: "pending", attempt: 2, error: null, finished_at: null, progress: null });
  expect(after.logs).toEqual(log);
  for (const shown of [before, after]) expect(oneSchema.strict().parse(shown)).toEqual(shown);
});

test("a server's words for a refusal are shown without the address of the pod that connected", () => {
  const mysql =
    "the source database refused user \"r\" (Access denied for user 'r'@'10.244.0.7' (using password: YES))";
  const postgres = 'the target database refused user "r" (no pg_hba.conf entry for host "10.244.0.7", user "r")';
  const condition = {
    type: "Failed",
    status: "True" as const,
    reason: "AccessDenied",
    lastTransitionTime: "2026-01-01T00:01:00.000Z",
  };
  for (const message of [mysql, postgres]) {
    const log = [{ id: "0001-000000001-w00", time: "2026-01-01T00:00:00.000Z", level: "error" as const, message }];
    const shown = one(
      migrationWith({ status: ran("failed", { log, conditions: [{ ...condition, message }] }) }),
      "USD",
    );
    const told = message.replace("10.244.0.7", "…");
    expect(shown).toMatchObject({ error: { message: told }, logs: [{ message: told }] });
  }
});

test("names and sentences from a database cannot command a terminal", () => {
  const evil = "a\u001b[2J\u202eb\u0000\r\nc";
  const shown = one(
    migrationWith({
      status: ran("in_progress", {
        log: [{ id: "0001-000000001-w00", time: "2026-01-01T00:00:00.000Z", level: "info", message: evil }],
        progress: {
          phase: "copying",
          percent: 3,
          rows: { done: 0, total: 1 },
          bytes: { done: 0, total: 1 },
          tables: { done: 0, total: 1 },
          table: [{ name: evil, rows: 0, total: 1, state: "copying" }],
          updatedAt: "2026-01-01T00:00:30.000Z",
        },
      }),
    }),
    "USD",
  );
  expect(JSON.stringify(shown)).not.toMatch(/\\u0|\\r|\\n|\u202e/);
});

test("the connection URLs and their CAs are never shown, sealed or not", () => {
  const ca = "-----BEGIN CERTIFICATE-----\nplanted\n-----END CERTIFICATE-----";
  const sealed = { source: { sealedUrl: "v1.planted" }, target: { secretRef: { name: "planted", key: "url" } } };
  const options = { jobs: 4, source_ca: ca, target_ca: ca } as never;
  const shown = one(migrationWith({ spec: { ...sealed, options } }), "USD");
  expect(shown.options).toMatchObject({ jobs: 4, verify: "counts" });
  expect(JSON.stringify(shown)).not.toContain("planted");
});

test("options that only kubectl could write are shown as none, and the rest is shown", () => {
  const shown = one(migrationWith({ spec: { options: { types: { nodot: "x" } } as never } }), "USD");
  expect(shown).toMatchObject({ options: null, status: "pending" });
});

test.each([
  ["the mark's millisecond", "2026-01-01T00:00:00.123Z", "2026-01-01T00:00:00.123Z"],
  ["Kubernetes' second where there is no mark", undefined, "2026-01-01T00:00:00.000Z"],
  ["Kubernetes' second where the mark is of another day", "2030-01-01T00:00:00.123Z", "2026-01-01T00:00:00.000Z"],
  ["Kubernetes' second where the mark is no time", "yesterday", "2026-01-01T00:00:00.000Z"],
])("created_at is %s", (_what, mark, at) => {
  const annotations = mark === undefined ? {} : { [marks.createdAt]: mark };
  expect(createdAt(migrationWith({ metadata: { annotations } }))).toBe(at);
});

test.each([
  ["the worker's", "transfer", "conversion", "conversion"],
  ["the URLs' before the worker told", "transfer", undefined, "transfer"],
  ["null where nobody told", undefined, undefined, null],
  ["null where somebody wrote nonsense", "teleport", undefined, null],
] as const)("the type is %s", (_what, mark, told, type) => {
  const annotations = mark === undefined ? {} : { [marks.type]: mark };
  const status = told === undefined ? {} : { status: ran("in_progress", { type: told }) };
  expect(listed(migrationWith({ metadata: { annotations }, ...status }), "USD").type).toBe(type);
});

test.each([
  ["the run's", '{"size":7,"amount":1,"currency":"USD","free":false}', 12, 12],
  ["the estimate's before the run measured", '{"size":7,"amount":1,"currency":"USD","free":false}', undefined, 7],
  ["null where nobody measured", undefined, undefined, null],
  ["null where somebody wrote nonsense", "{", undefined, null],
  ["null where somebody wrote another thing", '{"size":"large"}', undefined, null],
])("the size is %s, in lists too", (_what, quote, measured, size) => {
  const annotations = quote === undefined ? {} : { [marks.quote]: quote };
  const status = measured === undefined ? {} : { status: ran("in_progress", { size: measured }) };
  const migration = migrationWith({ metadata: { annotations }, ...status });
  expect(listed(migration, "USD").size).toBe(size);
  expect(listed(trimmed(migration), "USD").size).toBe(size);
});

test("what create answers is the same at each repeat, whatever became of the migration", () => {
  const first = migrationWith();
  const later = migrationWith({
    metadata: { generation: 9, resourceVersion: "99" },
    spec: { attempt: 3, reset: 2 },
    status: ran("failed", { size: 12, cost: 3, type: "transfer" }),
  });
  expect(justMade(later, "USD")).toEqual(justMade(first, "USD"));
  expect(justMade(later, "USD").status).toBe("pending");
});

test("the log is in the order of its ids, not of its writers", () => {
  const entry = (id: string) => ({ id, time: "2026-01-01T00:00:00.000Z", level: "info" as const, message: id });
  const ids = ["0002-000000001-c00", "0001-000000002-w00", "0001-000000001-c00", "0001-000000002-c00"];
  expect(logsOf(ids.map(entry)).map(({ id }) => id)).toEqual([...ids].sort());
});
