import { expect, test } from "vitest";
import { migrationWith } from "../../../../test/support/requests/migration-with.ts";
import { checkSeen, seenOf } from "./precondition.ts";

const failed = { state: "failed" as const, run: 1, attempt: 1, reset: 0 };
const seen = seenOf(migrationWith({ status: failed }));

test("what was agreed to is done where the migration is as it was seen", () => {
  expect(() => checkSeen(migrationWith({ status: failed }), seen)).not.toThrow();
  // Its progress and its log move by themselves.
  expect(() => checkSeen(migrationWith({ metadata: { resourceVersion: "8" }, status: failed }), seen)).not.toThrow();
});

test.each([
  ["was reset", { spec: { reset: 1 }, status: { state: "failed" as const, run: 2, attempt: 1, reset: 1 } }],
  ["was retried", { spec: { attempt: 2 }, status: { state: "failed" as const, run: 2, attempt: 2, reset: 0 } }],
  ["came to another state", { status: { ...failed, state: "completed" as const } }],
])("what was agreed to is refused where the migration %s meanwhile", (_what, now) => {
  let thrown: unknown;
  try {
    checkSeen(migrationWith(now), seen);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code: "state_conflict" });
});
