import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { random } from "../chaos/random.ts";
import { endLeftovers, runVariable } from "../leftovers.ts";
import { endingOf } from "./judge.ts";
import { type Mutant, mutate, partOf } from "./mutant.ts";
import { copyTree } from "./scratch.ts";
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
  told(outcome: Outcome, seconds: number): void;
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
  const { atOnce, signal, told } = options;
  // As a prefix, so that the runner of `npm test` finds them as its own.
  const run = `${process.env[runVariable] ?? randomUUID()}-mutants`;
  const end = () => void endLeftovers(run, 10_000);
  signal?.addEventListener("abort", end, { once: true });
  const outcomes: Outcome[] = [];
  try {
    const parts = Map.groupBy(mutants, ({ test }) => partOf(test.file));
    for (const [part, ofPart] of parts) {
      const startedAt = performance.now();
      const plain = await withoutFault(ofPart, `${run}-${part}-plain`, options);
      for (const outcome of plain) told(outcome, (performance.now() - startedAt) / 1000);
      outcomes.push(...plain);
      const red = new Set(plain.map(({ mutant }) => mutant));
      const left = ofPart.filter((mutant) => !red.has(mutant));
      const next = async (): Promise<void> => {
        signal?.throwIfAborted();
        const mutant = left.shift();
        if (mutant === undefined) return;
        const begun = performance.now();
        const outcome = await withFault(mutant, `${run}-${mutant.id}-fault`, options);
        signal?.throwIfAborted();
        outcomes.push(outcome);
        told(outcome, (performance.now() - begun) / 1000);
        return next();
      };
      await Promise.all(Array.from({ length: atOnce }, next));
    }
  } finally {
    signal?.removeEventListener("abort", end);
  }
  return outcomes;
}

/** Those whose test does not pass in an unchanged copy. */
async function withoutFault(mutants: readonly Mutant[], run: string, { log, signal }: Options): Promise<Outcome[]> {
  const copy = copyTree();
  try {
    const { report, output } = await runTests(
      copy.folder,
      mutants.map(({ test }) => test),
      run,
    );
    signal?.throwIfAborted();
    const red = mutants.flatMap((mutant) => {
      const ending = endingOf(report, mutant.test);
      if (ending === "passed") return [];
      const words = ending === "assertion" ? "it fails by an assertion" : ending.otherwise;
      return [{ mutant, killed: false, why: `without the fault its test does not pass: ${words}` }];
    });
    if (red.length > 0) log(output);
    return red;
  } finally {
    copy.remove();
  }
}

async function withFault(mutant: Mutant, run: string, { log }: Options): Promise<Outcome> {
  const copy = copyTree();
  try {
    const file = join(copy.folder, mutant.file);
    writeFileSync(`${file}.mutant`, mutate(readFileSync(file, "utf8"), mutant));
    renameSync(`${file}.mutant`, file);
    const { report, output } = await runTests(copy.folder, [mutant.test], run);
    const ending = endingOf(report, mutant.test);
    if (ending === "assertion") return { mutant, killed: true };
    log(output);
    const why = ending === "passed" ? "it survives: its test passes" : `its test fails otherwise: ${ending.otherwise}`;
    return { mutant, killed: false, why };
  } catch (error) {
    return { mutant, killed: false, why: error instanceof Error ? error.message : String(error) };
  } finally {
    copy.remove();
  }
}
