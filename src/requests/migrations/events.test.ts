import { expect, test } from "vitest";
import type { LogEntry, MigrationStatus } from "../../resources/migration.ts";
import { eventsSince, readPosition } from "./events.ts";
import { merged } from "./logs.ts";
import { migrationWith } from "./testing.ts";

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
