import { describe, expect, it } from "vitest";
import type { EngineProgress } from "../contract/index.ts";
import { etaSeconds, type PaceSample, percentOf, secondsLeft, tablesToShow, withSample } from "./pace.ts";

const none = { done: 0, total: 0 };
const at = (phase: EngineProgress["phase"], parts: Partial<EngineProgress> = {}): EngineProgress => ({
  phase,
  rows: none,
  bytes: none,
  tables: none,
  read: 0,
  finished: 0,
  compared: 0,
  table: [],
  ...parts,
});

describe("percent", () => {
  it.each([
    ["nothing before the schema", at("connecting"), 0],
    ["a little when the schema begins", at("schema"), 1],
    ["half of the schema's objects", at("schema", { worked: 0.5 }), 4],
    ["all of the schema's objects", at("schema", { worked: 1 }), 8],
    ["an empty database has copied nothing yet", at("copying"), 8],
    ["half of the bytes", at("copying", { bytes: { done: 50, total: 100 } }), 48],
    ["rows where bytes are not known", at("copying", { rows: { done: 5, total: 10 } }), 48],
    ["an estimate that was too low goes no further", at("copying", { bytes: { done: 300, total: 100 } }), 88],
    ["constraints", at("constraints", { bytes: { done: 300, total: 100 } }), 88],
    ["half of the keys", at("constraints", { worked: 0.5 }), 92],
    ["verifying", at("verifying"), 96],
    ["half of the tables' structure compared", at("verifying", { worked: 0.5 }), 97],
    ["no less than what was shown before", at("copying", { reached: 30 }), 30],
    ["half of the rows compared", at("verifying", { compared: 5, rows: { done: 10, total: 10 } }), 97],
    [
      "half of the rows compared, and nothing was copied before",
      at("verifying", { compared: 5, rows: { done: 5, total: 10 }, verifiesOnly: true }),
      49,
    ],
    ["all of it only at the end", at("finished"), 100],
  ])("%s", (_name, progress, percent) => {
    expect(percentOf(progress)).toBe(percent);
  });

  it("moves while indexes are built, after all rows are read", () => {
    const table = (state: "indexing" | "done") => ({ name: state, state, rows: 99, total: 99 });
    const built = (done: number) =>
      percentOf(
        at("copying", {
          bytes: { done: 100, total: 100 },
          table: Array.from({ length: 4 }, (_, i) => table(i < done ? "done" : "indexing")),
        }),
      );
    expect([0, 1, 2, 4].map(built)).toEqual([76, 79, 82, 88]);
  });
});

describe("remaining time", () => {
  const copying = (done: number) => at("copying", { bytes: { done, total: 1000 } });
  const samplesOf = (steps: [at: number, done: number][]) =>
    steps.reduce<PaceSample[]>((samples, [when, done]) => withSample(samples, copying(done), when), []);

  it.each<[string, [number, number][], number | undefined]>([
    ["unknown at the start", [[0, 0]], undefined],
    [
      "unknown within two seconds",
      [
        [0, 0],
        [1900, 500],
      ],
      undefined,
    ],
    [
      "at a steady rate",
      [
        [0, 0],
        [10_000, 250],
      ],
      30,
    ],
    [
      "unknown while nothing moves",
      [
        [0, 400],
        [20_000, 400],
      ],
      undefined,
    ],
    [
      "follows a change of pace",
      [
        [0, 0],
        [1_000, 500],
        [39_000, 500],
        [40_000, 500],
        [70_000, 600],
      ],
      124,
    ],
    [
      "nothing remains",
      [
        [0, 0],
        [10_000, 1000],
      ],
      0,
    ],
  ])("%s", (_name, steps, seconds) => {
    expect(etaSeconds(samplesOf(steps))).toBe(seconds);
  });

  it("keeps only the samples of the last half minute and the one before", () => {
    const samples = samplesOf(Array.from({ length: 600 }, (_, second) => [second * 1000, second]));
    expect(samples.length).toBeLessThanOrEqual(32);
    expect(etaSeconds(samples)).toBe(401);
  });

  it("begins anew in another phase", () => {
    expect(
      withSample(
        samplesOf([
          [0, 0],
          [5_000, 10],
        ]),
        at("constraints"),
        6_000,
      ),
    ).toEqual([{ at: 6_000, phase: "constraints", share: 0, read: 0 }]);
  });

  it("tells when the keys are made, with time for the comparison after them", () => {
    const keys = (worked: number) => at("constraints", { worked });
    const samples = [0, 0.25, 0.5].reduce<PaceSample[]>(
      (all, worked, n) => withSample(all, keys(worked), n * 5_000),
      [],
    );
    expect(etaSeconds(samples)).toBe(10);
    expect(secondsLeft(samples)).toEqual({ least: 10, most: 13 });
  });

  it("tells nothing while the schema is made, before the pace of rows is known", () => {
    expect(withSample([], at("schema", { worked: 0.5 }), 10_000)).toEqual([]);
  });
});

describe("tables", () => {
  const table = (name: string, state: "waiting" | "copying" | "indexing" | "done", total: number) => ({
    name,
    state,
    total,
    rows: 0,
  });

  it("those in work come first, then the largest waiting, then those done", () => {
    const tables = [
      table("done", "done", 9000),
      table("small", "waiting", 1),
      table("large", "waiting", 500),
      table("indexing", "indexing", 2),
      table("copying", "copying", 3),
    ];
    const names = tablesToShow(tables, 40).map(({ name }) => name);
    expect(names).toEqual(["copying", "indexing", "large", "small", "done"]);
  });

  it("no more than asked for", () => {
    const many = Array.from({ length: 5000 }, (_, i) => table(`t${i}`, "waiting", i));
    expect(tablesToShow(many, 40)).toHaveLength(40);
  });
});
