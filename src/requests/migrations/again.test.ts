import { expect, test } from "vitest";
import { migrationWith } from "../../../test/support/requests/migration-with.ts";
import { expiredUrl } from "../../resources/database.ts";
import type { Migration, MigrationStatus } from "../../resources/migration.ts";
import type { Caller, World } from "../world.ts";
import { resetMigration } from "./reset.ts";
import { retry } from "./retry.ts";
import type { NewUrls } from "./view/shapes.ts";

/** Retry and reset of one Migration in a cluster that has it and nothing else. */

const id = "6f6d8f6a-0000-4000-8000-000000000001";
const ran = (state: MigrationStatus["state"], more: Partial<MigrationStatus> = {}): MigrationStatus =>
  ({ state, run: 1, attempt: 1, reset: 0, ...more }) as MigrationStatus;

function scene(of: Parameters<typeof migrationWith>[0]) {
  const state = { there: migrationWith({ ...of, metadata: { name: id } }) };
  const world = {
    client: {
      get: async () => state.there,
      update: async (_kind: unknown, next: Migration) => {
        const generation = state.there.metadata.generation + 1;
        state.there = { ...next, metadata: { ...next.metadata, generation } };
        return state.there;
      },
    },
    caches: { migrations: { get: () => state.there } },
    fresh: { migration: async () => state.there, everywhere: async () => {} },
    pause: async () => {},
    secret: new Uint8Array(32).fill(7),
    settings: { currency: "USD" },
  } as unknown as World;
  const caller = {
    account: { metadata: { name: "a1" } },
    team: { metadata: { name: "t1" }, status: { namespace: "rowferry-t1" } },
  } as unknown as Caller;
  const asked = () => ({ attempt: state.there.spec.attempt, reset: state.there.spec.reset });
  return {
    state,
    asked,
    reset: (idempotencyKey?: string) =>
      resetMigration(world, caller, { id, confirm: true, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }),
    retry: (idempotencyKey?: string, urls: NewUrls = {}) =>
      retry(world, caller, { id, urls, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }),
  };
}

const ended = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "done",
    (error: unknown) => error,
  );

test.each(["pending", "in_progress", "completed", "awaiting_payment"] as const)(
  "only a failed one is retried: %s is refused, and left as it was",
  async (state) => {
    const one = scene({ status: ran(state) });
    expect(await ended(one.retry())).toMatchObject({ code: "state_conflict" });
    expect(one.asked()).toEqual({ attempt: 1, reset: 0 });
  },
);

test.each([
  ["source_over_quote", /payment covers.*new estimate/],
  ["source_statistics_wrong", /Run ANALYZE TABLE .*new estimate/],
])("one that failed by %s is not retried, and the words name what helps", async (reason, words) => {
  const failed = { run: 1, outcome: "failed", reason, message: "", finishedAt: "2026-01-01T00:00:00Z" } as const;
  const one = scene({ status: ran("failed", { result: failed }) });
  expect(await ended(one.retry())).toMatchObject({ code: "state_conflict", message: expect.stringMatching(words) });
});

test("a failed one is retried once, whoever asks again before it has begun", async () => {
  const one = scene({ status: ran("failed") });
  expect(await ended(one.retry())).toBe("done");
  expect(await ended(one.retry())).toMatchObject({ code: "state_conflict" });
  expect(one.asked()).toEqual({ attempt: 2, reset: 0 });
});

test("a reset of one that has not begun yet raises nothing more", async () => {
  const one = scene({ status: ran("completed") });
  for (let call = 0; call < 3; call += 1) expect(await ended(one.reset())).toBe("done");
  expect(one.asked()).toEqual({ attempt: 1, reset: 1 });
});

test("a key resets once, also when the reset has run since", async () => {
  const one = scene({ status: ran("completed") });
  expect(await ended(one.reset("key"))).toBe("done");
  one.state.there = { ...one.state.there, status: ran("completed", { run: 2, reset: 1 }) };
  expect(await ended(one.reset("key"))).toBe("done");
  expect(one.asked()).toEqual({ attempt: 1, reset: 1 });
  expect(await ended(one.reset("another"))).toBe("done");
  expect(one.asked()).toEqual({ attempt: 1, reset: 2 });
});

test.each(["reset", "retry"] as const)(
  "one whose URLs are no longer kept has no %s, and is told so",
  async (action) => {
    const one = scene({ spec: { source: { sealedUrl: expiredUrl } }, status: ran("failed") });
    const told = expect.stringMatching(/removed after it ended.*Create a new migration.*`source_url` and `target_url`/);
    expect(await ended(one[action]())).toMatchObject({ code: "state_conflict", message: told });
    expect(one.asked()).toEqual({ attempt: 1, reset: 0 });
  },
);

test.each([
  ["reset", { reset: 1000 }],
  ["retry", { attempt: 1000 }],
] as const)("beyond its last run a %s is refused", async (action, spec) => {
  const one = scene({ spec, status: ran("failed", { attempt: 1, reset: 0, run: 1, ...spec }) });
  expect(await ended(one[action]())).toMatchObject({ code: "limit_reached" });
  expect(one.asked()).toEqual({ attempt: 1, reset: 0, ...spec });
});
