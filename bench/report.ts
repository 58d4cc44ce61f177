// The bench's result as one object, and as lines for a person.
import { type Measured, median } from "./measure.ts";
import { runners, targets } from "./runners.ts";
import type { Direction } from "./servers.ts";

type Facts = { rows: number; rounds: number; jobs: number; versions: Record<string, string>; beside?: string };

export type Result = Facts & {
  /** Rowferry's median time by the other's; null where either failed. */
  ratios: Record<string, number | null>;
  /** Of the worker and its children, the largest of all rounds on the big table. */
  peak_memory_mib: Record<string, number | null>;
  /** Medians in seconds, by direction and program; null where it failed. */
  seconds: Record<string, Record<string, number | null>>;
  tables200: Pick<Result, "ratios" | "seconds" | "peak_memory_mib">;
  /** Why there is a null, by `direction/program (shape)`. */
  failures: Record<string, string>;
};

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

export const peakOf = ({ peakMib }: Measured): number | null =>
  peakMib.length === 0 ? null : Math.round(Math.max(...peakMib));

/** A program that failed once has no figure, whatever it did in the rounds before. */
const medianOf = (measured: Measured, name: string): number | null => {
  const seconds = measured.failures[name] === undefined ? measured.seconds[name] : undefined;
  return seconds === undefined ? null : rounded(median(seconds));
};

const figures = (
  measured: ReadonlyMap<Direction, ReadonlyMap<string, Measured>>,
  shape: string,
  beside: string | undefined,
): Pick<Result, "ratios" | "seconds" | "peak_memory_mib"> => {
  const found: ReturnType<typeof figures> = { ratios: {}, seconds: {}, peak_memory_mib: {} };
  for (const [direction, shapes] of measured) {
    const its = shapes.get(shape) ?? { seconds: {}, failures: {}, peakMib: [] };
    const able = runners[direction].filter(({ general }) => general || shape === "orders");
    const others = beside === undefined ? able : [{ name: "beside" }];
    const ours = medianOf(its, "rowferry");
    const seconds: Record<string, number | null> = { rowferry: ours };
    for (const { name } of others) {
      const theirs = medianOf(its, name);
      seconds[name] = theirs;
      found.ratios[`${direction}/${name}`] = ours === null || theirs === null ? null : rounded(ours / theirs);
    }
    found.seconds[direction] = seconds;
    found.peak_memory_mib[direction] = peakOf(its);
  }
  return found;
};

export const resultOf = (measured: ReadonlyMap<Direction, ReadonlyMap<string, Measured>>, facts: Facts): Result => {
  const failures: Record<string, string> = {};
  for (const [direction, shapes] of measured) {
    for (const [shape, its] of shapes) {
      for (const [name, words] of Object.entries(its.failures)) failures[`${direction}/${name} (${shape})`] = words;
    }
  }
  return {
    ...figures(measured, "orders", facts.beside),
    tables200: figures(measured, "many", facts.beside),
    failures,
    ...facts,
  };
};

/** Every figure in a line of its own, the ratios with their targets. */
export const lines = ({ ratios, seconds, peak_memory_mib, tables200, failures, rows, rounds }: Result): string[] => {
  const number = (value: number | null, digits: number) =>
    (value === null ? "failed" : value.toFixed(digits)).padStart(8);
  const line = (name: string, ratio: number | null) => {
    const target = targets[name];
    const verdict = ratio === null ? "" : ratio <= (target ?? 0) ? "  met" : "  MISSED";
    return `  ${name.padEnd(24)}${number(ratio, 2)}${target === undefined ? "" : `   at most ${target.toFixed(2)}${verdict}`}`;
  };
  const times = (all: Result["seconds"]) =>
    Object.entries(all).flatMap(([direction, its]) =>
      Object.entries(its).map(([name, value]) => `  ${`${direction} ${name}`.padEnd(24)}${number(value, 1)}`),
    );
  return [
    `Rowferry's time by the other's, ${rows} rows, ${rounds} rounds:`,
    ...Object.entries(ratios).map(([name, ratio]) => line(name, ratio)),
    "The same with 200 small tables:",
    ...Object.entries(tables200.ratios).map(([name, ratio]) => `  ${name.padEnd(24)}${number(ratio, 2)}`),
    "Seconds, medians:",
    ...times(seconds),
    "Seconds with 200 small tables:",
    ...times(tables200.seconds),
    "Peak memory, MiB (at most 256):",
    ...Object.entries(peak_memory_mib).map(([name, mib]) => `  ${name.padEnd(24)}${number(mib, 0)}`),
    ...Object.entries(failures).map(([name, words]) => `${name} failed: ${words}`),
  ];
};
