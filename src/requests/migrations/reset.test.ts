import { expect, test } from "vitest";
import type { MigrationStatus } from "../../resources/migration.ts";
import { hasWrittenNothing } from "./reset.ts";

const first = { run: 1, startedAt: "2030-01-01T00:00:00Z" };
const assessed = (ready: boolean) => ({ assessment: { ready } as MigrationStatus["assessment"] });
const at = (phase: "connecting" | "schema") => ({ progress: { phase } as MigrationStatus["progress"] });

test.each([
  ["it never started", "pending", {}, true],
  ["its first run could not connect", "failed", { ...first, ...at("connecting") }, true],
  ["its first run met a blocker", "failed", { ...first, ...assessed(false) }, true],
  ["its first run passed the check", "failed", { ...first, ...assessed(true), ...at("connecting") }, false],
  ["its first run wrote without the check", "failed", { ...first, ...at("schema") }, false],
  ["its first run is at work", "in_progress", first, false],
  ["its second run could not connect", "failed", { ...first, run: 2, ...at("connecting") }, false],
] as const)(
  "a target counts as untouched only where no run can have written: %s",
  (_what, state, status, untouched) => {
    expect(hasWrittenNothing({ status: status as MigrationStatus }, state)).toBe(untouched);
  },
);
