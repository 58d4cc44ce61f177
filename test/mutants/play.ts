import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { random } from "../chaos/random.ts";
import { endLeftovers, runVariable } from "../leftovers.ts";
import { endingOf } from "./judge.ts";
import { editsOf, type Mutant, mutate, projectOf } from "./mutant.ts";
import { type Copy, copyTree } from "./scratch.ts";
import { runTests } from "./vitest.ts";

/** Runs each mutant's test without the fault, where it must pass, and with it, where it must fail by an assertion. */

export interface Outcome {
  mutant: Mutant;
  killed: boolean;
  /** Why it does not count as killed. */
  why?: string;
}

interface Options {
  /** Mutants at the same time. */
  atOnce: number;
  signal?: AbortSignal;
  report(outcome: Outcome, seconds: number): void;
  /** All that a run wrote whose mutant was not killed. */
  log(text: string): void;
}

/** `count` of the mutants, chosen by the seed, in the list's order. */
export function sample(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const { below } = random(seed);
  const left = [...mutants];
  const chosen = new Set<Mutant>();
  while (chosen.size < count && left.length > 0) for (const one of left.splice(below(left.length), 1)) chosen.add(one);
  return mutants.filter((mutant) => chosen.has(mutant));
}

export async function play(mutants: readonly Mutant[], options: Options): Promise<Outcome[]> {
  const { atOnce, signal } = options;
  // As a prefix, so that the runner of `npm test` finds them as its own.
  const outer = process.env[runVariable];
  const id = outer ?? randomUUID();
  const run = `${id}-mutants`;
  const end = () => void endLeftovers(run, 10_000);
  signal?.addEventListener("abort", end, { once: true });
  const outcomes: Outcome[] = [];
  const add = (outcome: Outcome, since: number) => {
    signal?.throwIfAborted();
    outcomes.push(outcome);
    options.report(outcome, (performance.now() - since) / 1000);
  };
  const copies = Array.from({ length: Math.min(atOnce, mutants.length) }, copyTree);
  try {
    for (const [part, ofPart] of Map.groupBy(mutants, ({ test }) => projectOf(test.file))) {
      const startedAt = performance.now();
      const red = await withoutFault(copies[0] as Copy, ofPart, `${run}-${part}-plain`, options);
      for (const outcome of red) add(outcome, startedAt);
      const left = ofPart.filter((mutant) => !red.some((outcome) => outcome.mutant === mutant));
      const playIn = async (copy: Copy): Promise<void> => {
        signal?.throwIfAborted();
        const mutant = left.shift();
        if (mutant === undefined) return;
        const since = performance.now();
        add(await withFault(copy, mutant, `${run}-${mutant.id}-fault`, options), since);
        return playIn(copy);
      };
      await Promise.all(copies.map(playIn));
    }
  } finally {
    signal?.removeEventListener("abort", end);
    // Servers that overwrite their environment are found by the mark of the whole run.
    if (outer === undefined) await endLeftovers(id, 10_000);
    for (const copy of copies) copy.remove();
  }
  return outcomes;
}

/** Those whose test does not pass in an unchanged copy. */
async function withoutFault(
  { folder }: Copy,
  mutants: readonly Mutant[],
  run: string,
  { log, signal }: Options,
): Promise<Outcome[]> {
  const tests = mutants.map(({ test }) => test);
  const { report, output } = await runTests(folder, tests, run);
  signal?.throwIfAborted();
  const red = mutants.flatMap((mutant) => {
    const ending = endingOf(report, mutant.test);
    if (ending === "passed") return [];
    const how = ending === "assertion" ? "an assertion fails" : ending.otherwise;
    return [{ mutant, killed: false, why: `its test fails without the fault: ${how}` }];
  });
  if (red.length > 0) log(output);
  return red;
}

async function withFault({ folder }: Copy, mutant: Mutant, run: string, { log }: Options): Promise<Outcome> {
  const before = new Map<string, string>();
  try {
    for (const edit of editsOf(mutant)) {
      const file = join(folder, edit.file);
      const text = readFileSync(file, "utf8");
      if (!before.has(file)) before.set(file, text);
      writeFileSync(file, mutate(text, edit, mutant.id));
    }
    const { report, output } = await runTests(folder, [mutant.test], run);
    const ending = endingOf(report, mutant.test);
    if (ending === "assertion") return { mutant, killed: true };
    log(output);
    const why =
      ending === "passed"
        ? "it survives: its test passes"
        : `its test fails, but not by an assertion: ${ending.otherwise}`;
    return { mutant, killed: false, why };
  } catch (error) {
    return { mutant, killed: false, why: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const [file, text] of before) writeFileSync(file, text);
  }
}
