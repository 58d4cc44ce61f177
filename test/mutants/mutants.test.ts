import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { chosenSeed } from "../seed.ts";
import { endingOf } from "./judge.ts";
import { mutants } from "./list/index.ts";
import { editsOf, isQuick, type Mutant, mutate } from "./mutant.ts";
import { isThere, namesIn } from "./named.ts";
import { type Outcome, play, sample } from "./play.ts";

/** The list is as long and as true as it should be, and some of it is played; `npm run mutants` plays all. */

const root = resolve(import.meta.dirname, "../..");

describe("the list", () => {
  test("has at least 48 mutants, each with an id of its own and a line that occurs once", () => {
    expect(mutants.length).toBeGreaterThanOrEqual(48);
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
    const texts = mutants.flatMap((mutant) =>
      editsOf(mutant).map((edit) => {
        const text = readFileSync(join(root, edit.file), "utf8");
        return { id: mutant.id, changes: mutate(text, edit, mutant.id) !== text };
      }),
    );
    expect(texts.filter(({ changes }) => !changes)).toEqual([]);
  });

  test("names tests that are there", async () => {
    const names = await namesIn(mutants.map(({ test: { file } }) => file));
    expect(
      mutants.filter((mutant) => !isThere(mutant.test, names)).map(({ id, test: { name } }) => [id, name]),
    ).toEqual([]);
  });
});

test("a line that is gone, or occurs twice, is a stale mutant", () => {
  const mutant = { ...(mutants[0] as Mutant), find: "a === b" };
  expect(mutate("if (a === b) return;", { ...mutant, replace: "a" }, "x")).toBe("if (a) return;");
  for (const text of ["if (a !== b) return;", "a === b || a === b", ""])
    expect(() => mutate(text, mutant, "x")).toThrow(/is stale/);
});

describe("a test that failed", () => {
  const named = { file: "src/x.test.ts", name: "group > one" };
  const result = (title: string, status: string, failure?: string) => ({
    ancestorTitles: ["group"],
    title,
    status,
    ...(failure === undefined ? {} : { failureMessages: [failure] }),
  });
  const reportOf = (...assertionResults: object[]) =>
    JSON.stringify({ testResults: [{ name: "/copy/src/x.test.ts", message: "the file's", assertionResults }] });
  const other = result("two", "skipped");

  test.each([
    ["passed", reportOf(result("one", "passed"), other), "passed"],
    [
      "failed by an assertion",
      reportOf(result("one", "failed", "AssertionError: expected 1 to be 2\n    at x"), other),
      "assertion",
    ],
    [
      "failed by a promise that did not reject",
      reportOf(result("one", "failed", 'Error: promise resolved "{\n}" instead of rejecting\n    at x')),
      "assertion",
    ],
    [
      "failed by another error",
      reportOf(result("one", "failed", "TypeError: x is undefined\n    at x")),
      "TypeError: x is undefined",
    ],
    [
      "took too long",
      reportOf(result("one", "failed", "Error: Test timed out in 5000ms.")),
      "Error: Test timed out in 5000ms.",
    ],
    ["was not found", reportOf(other), "no test of this name was run: the file's"],
    [
      "failed with another",
      reportOf(result("one", "failed", "AssertionError: x"), result("two", "failed", "x")),
      "another test failed: group > two",
    ],
    ["has a namesake", reportOf(result("one", "passed"), result("one", "passed")), "2 tests have this name"],
    ["is in a file that was not run", JSON.stringify({ testResults: [] }), "src/x.test.ts was not run"],
    ["left no report", undefined, "vitest wrote no readable report"],
  ])("one that %s", (_what, report, expected) => {
    const ending = endingOf(report, named);
    expect(typeof ending === "string" ? ending : ending.otherwise).toBe(expected);
  });
});

test("a sample follows from its seed", () => {
  const some = sample(mutants, 5, 1);
  expect(some).toHaveLength(5);
  expect(sample(mutants, 5, 1)).toEqual(some);
  expect(sample(mutants, 5, 2)).not.toEqual(some);
  expect(sample(mutants, 1000, 1)).toEqual(mutants);
});

describe("played", () => {
  const chosen = sample(mutants.filter(isQuick), 5, chosenSeed());
  const [known] = mutants.filter(({ id }) => id === "tie-is-allowed") as [Mutant];
  const harmless: Mutant = { ...known, id: "harmless", replace: "refused >= 0 && allowed <= refused" };
  const lost: Mutant = { ...known, id: "lost", test: { ...known.test, name: "allow and refuse > nothing" } };
  const written: string[] = [];
  let outcomes: Outcome[];
  beforeAll(async () => {
    const [report, log] = [() => undefined, (text: string) => written.push(text)];
    outcomes = await play([...chosen, harmless, lost], { atOnce: 2, report, log });
  });
  const of = (some: readonly Mutant[]) => outcomes.filter(({ mutant }) => some.includes(mutant));

  test("a sample of those without servers is killed by the tests that are named", () => {
    expect(
      of(chosen).filter(({ killed }) => !killed),
      written.join("\n"),
    ).toEqual([]);
    expect(of(chosen)).toHaveLength(5);
  });

  test("a fault that its test does not notice survives, and a fault without a test counts as failed", () => {
    expect(of([harmless])).toMatchObject([{ killed: false, why: expect.stringContaining("survives") }]);
    expect(of([lost])).toMatchObject([{ killed: false, why: expect.stringContaining("no test of this name") }]);
    expect(outcomes).toHaveLength(7);
  });
});
