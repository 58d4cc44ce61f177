import { expect, test } from "vitest";
import { newTally, objection, tallyFailure, type Victim } from "./blows.ts";

const failed = (code: string, retryable = true) => ({ ok: false, code, message: "", retryable }) as const;
const done = { ok: true, ended: true } as const;

test.each<[string, Victim | undefined, string, Parameters<typeof objection>[2]]>([
  ["a copy that was done", undefined, "done", done],
  ["one that was done in spite of a blow", "source", "done", done],
  ["a worker that was killed", "worker", "killed", "killed"],
  ["a source that was lost", "source", "connection_lost", failed("connection_lost")],
  ["a checkpoint that was left", "connections", "unended", { ok: true, ended: false }],
])("nothing is said against %s", (_, victim, outcome, said) => {
  expect(objection(victim, outcome, said)).toBeUndefined();
});

test.each<[string, Victim | undefined, string, Parameters<typeof objection>[2], string]>([
  ["an error without a blow", undefined, "connection_lost", failed("connection_lost"), "nobody disturbed"],
  ["a checkpoint that is left without a blow", undefined, "unended", { ok: true, ended: false }, "nobody disturbed"],
  ["a code that is not on the list", "source", "schema_unreadable", failed("schema_unreadable"), "may end in"],
  ["an error of the engine's own", "target", "unknown", failed("unknown"), "may end in"],
  ["an error that is not retryable", "target", "connection_lost", failed("connection_lost", false), "retryable"],
  ["an error of a killed worker", "worker", "connection_lost", failed("connection_lost"), "may end in"],
  ["a worker's death by another's blow", "source", "killed", "killed", "the worker died"],
  ["a copy that hangs", "source", "hung", "hung", "neither ended nor failed"],
])("%s is objected to", (_, victim, outcome, said, words) => {
  expect(objection(victim, outcome, said)).toContain(words);
});

test("a run whose blows miss fails", () => {
  expect(tallyFailure({ ...newTally(), aimed: 5, struck: 5 })).toContain("5 blows aimed");
  expect(tallyFailure(newTally())).toContain("too few");
  const landed = { worker: 1, source: 0, target: 1, connections: 0 };
  expect(tallyFailure({ aimed: 7, struck: 7, landed })).toContain("2 landed");
  expect(tallyFailure({ aimed: 6, struck: 4, landed })).toBeUndefined();
});

test("a long run fails when no blow landed on one of its victims", () => {
  const landed = { worker: 30, source: 5, target: 5, connections: 0 };
  expect(tallyFailure({ aimed: 60, struck: 60, landed })).toContain("none landed on connections");
  expect(tallyFailure({ aimed: 60, struck: 60, landed: { ...landed, connections: 1 } })).toBeUndefined();
});
