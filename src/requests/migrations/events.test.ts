import { expect, test } from "vitest";
import { migrationWith } from "../../../test/support/requests/migration-with.ts";
import type { LogEntry, Migration, MigrationStatus } from "../../resources/migration.ts";
import type { Caller, World } from "../world.ts";
import { events, eventsSince, type MigrationEvent, readPosition } from "./events.ts";
import { merged } from "./logs.ts";

const entry = (id: string, message = id): LogEntry => ({
  id,
  time: "2026-01-01T00:00:00.000Z",
  level: "info",
  message,
});
const running = (log: string[], more: MigrationStatus = {}) =>
  migrationWith({
    status: { state: "in_progress", run: 1, attempt: 1, reset: 0, log: log.map((id) => entry(id)), ...more },
  });
const start = readPosition(undefined);
const named = (events: ReturnType<typeof eventsSince>) =>
  events.map((one) => (one.event === "log" ? one.data.id : one.event === "end" ? `end ${one.data.status}` : one.event));

test("a new reader gets the log, then the status, and nothing twice", () => {
  const migration = running(["0001-000000001-c00", "0001-000000002-w00"]);
  const events = eventsSince(migration, start, "USD");
  expect(named(events)).toEqual(["0001-000000001-c00", "0001-000000002-w00", "status"]);
  expect(eventsSince(migration, readPosition(events.at(-1)?.id), "USD")).toEqual([]);
});

test("a reader that was cut off anywhere gets exactly what it missed", () => {
  const migration = running(["0001-000000001-c00", "0001-000000002-w00", "0001-000000003-w00"], { state: "failed" });
  const all = eventsSince(migration, start, "USD");
  expect(named(all).at(-1)).toBe("end failed");
  for (let seen = 0; seen < all.length; seen += 1)
    expect(eventsSince(migration, readPosition(all[seen]?.id), "USD")).toEqual(all.slice(seen + 1));
});

test("an entry of one writer that comes late, behind the other's newer one, is not lost", () => {
  const first = eventsSince(running(["0001-000000005-c00"]), start, "USD");
  const later = running(["0001-000000005-c00", "0001-000000002-w00"]);
  expect(named(eventsSince(later, readPosition(first.at(-1)?.id), "USD"))).toEqual(["0001-000000002-w00"]);
});

test("the stream ends with the run, and goes on for a reader that comes back after a retry", () => {
  const failed = running(["0001-000000001-c00"], { state: "failed" });
  const end = eventsSince(failed, start, "USD").at(-1);
  expect(end).toMatchObject({ event: "end", data: { status: "failed" } });
  expect(eventsSince(failed, readPosition(end?.id), "USD")).toEqual([]);
  const retried = { ...failed, spec: { ...failed.spec, attempt: 2 } };
  expect(named(eventsSince(retried, readPosition(end?.id), "USD"))).toEqual(["status"]);
});

test.each(["", "~", "x", "a~b", "a~b~c~d~e", "\u0000~~", `${"a".repeat(40)}~~`, "A~~", "~~zz"])(
  "Last-Event-ID %j is nobody's place and begins at the beginning",
  (text) => {
    expect(readPosition(text)).toEqual(start);
  },
);

test("the archive's entries stand for those of the status that say the same, under another id too", () => {
  const kept = [
    entry("0001-000000001-c00", "started"),
    entry("0001-000000002-w01", "two"),
    entry("0001-000000000-w00", "pod before"),
  ];
  const archived = [entry("0001-000000002-w00", "one"), entry("0001-000000002-w02", "two")];
  expect(
    merged(kept, archived)
      .map(({ message }) => message)
      .sort(),
  ).toEqual(["one", "pod before", "started", "two"]);
});

/** A stream of one Migration; the case says what the cache has, and what there is. */
async function stream(first: Migration) {
  const state = { cached: first as Migration | undefined, there: first as Migration | undefined, reads: 0 };
  const id = "11111111-1111-4111-8111-111111111111";
  const world = {
    client: {
      async get() {
        state.reads += 1;
        return state.there;
      },
    },
    caches: { migrations: { get: () => state.cached } },
    fresh: { migration: async () => state.cached },
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    settings: { currency: "USD" },
  } as unknown as World;
  const caller = { team: { metadata: { name: "t1" }, status: { namespace: "rowferry-t1" } } } as unknown as Caller;
  const open = await events(world, caller, id);
  if (open === undefined) throw new Error("over already");
  const told: MigrationEvent[] = [];
  const ended = (async () => {
    for await (const event of open(new AbortController().signal)) told.push(event);
  })();
  return { state, told, ended };
}
const versioned = (resourceVersion: string, state: "in_progress" | "completed", log: string[]) => {
  const { metadata, ...rest } = running(log, { state });
  return { ...rest, metadata: { ...metadata, resourceVersion } };
};

test("A change that the cache has is told without a read of the cluster, and one that it does not have is read", async () => {
  const { state, told, ended } = await stream(versioned("7", "in_progress", ["w1-1"]));
  await expect.poll(() => named(told)).toEqual(["w1-1", "status"]);
  state.cached = versioned("8", "in_progress", ["w1-1", "w1-2"]);
  await expect.poll(() => named(told)).toEqual(["w1-1", "status", "w1-2"]);
  expect(state.reads).toBe(0);
  state.cached = undefined;
  state.there = undefined;
  await ended;
  expect(named(told).at(-1)).toBe("end deleted");
  expect(state.reads).toBe(1);
});

test("A cache that is behind what was told tells nothing of before", async () => {
  const { state, told, ended } = await stream(versioned("10", "in_progress", ["w1-1", "w1-2"]));
  await expect.poll(() => named(told)).toEqual(["w1-1", "w1-2", "status"]);
  state.there = versioned("10", "in_progress", ["w1-1", "w1-2"]);
  state.cached = versioned("9", "in_progress", []);
  await expect.poll(() => state.reads).toBe(1);
  state.cached = versioned("11", "completed", ["w1-1", "w1-2"]);
  await ended;
  expect(named(told)).toEqual(["w1-1", "w1-2", "status", "status", "end completed"]);
  expect(state.reads).toBe(1);
});
