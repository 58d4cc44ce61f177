import { describe, expect, test } from "vitest";
import type { Migration, MigrationStatus } from "./migration.ts";
import { annotatedAttempt, attemptAnnotation, dueRun } from "./run.ts";

const source = { secretRef: { name: "a", key: "url" } };
const target = { secretRef: { name: "b", key: "url" } };

const of = (attempt: number, reset: number, annotation?: string, status?: MigrationStatus) => ({
  metadata: annotation === undefined ? {} : { annotations: { [attemptAnnotation]: annotation } },
  spec: { source, target, attempt, reset } as Migration["spec"],
  ...(status === undefined ? {} : { status }),
});
const failed = (attempt: number, reset: number): MigrationStatus => ({
  state: "failed",
  run: attempt + reset,
  attempt,
  reset,
});

describe("the run that is due", () => {
  test.each<[string, ReturnType<typeof of>, string, number]>([
    ["the annotation retries where the spec stays as in Git", of(1, 0, "2", failed(1, 0)), "retry", 2],
    ["the higher one counts: the spec's", of(3, 0, "2", failed(2, 0)), "retry", 3],
    ["the higher one counts: the annotation's", of(2, 0, "3", failed(2, 0)), "retry", 3],
    ["it was done already", of(1, 0, "2", failed(2, 0)), "present", 2],
    ["it was removed: nothing runs", of(1, 0, undefined, failed(2, 0)), "present", 2],
    ["a reset after it was removed is a run that never was", of(1, 1, undefined, failed(2, 0)), "reset", 3],
    ["with a reset it counts too", of(1, 1, "2", failed(2, 0)), "reset", 3],
    ["it changes nothing of a completed one", of(1, 0, "2", { ...failed(1, 0), state: "completed" }), "present", 1],
    ["the first run of one that has it", of(1, 0, "4"), "first", 4],
    ["no number is none", of(1, 0, "again", failed(1, 0)), "present", 1],
  ])("%s", (_name, migration, why, run) => {
    expect(dueRun(migration)).toMatchObject({ why, run });
  });
});

test.each(["", "0", "-1", "1.5", "1001", "99999999999999999999", " 2", "2 ", "0x2", "two"])(
  "the annotation %j is no attempt",
  (text) => expect(annotatedAttempt(of(1, 0, text))).toBe("invalid"),
);
