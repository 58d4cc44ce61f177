// The bench's result as one object, and as lines for a person.
import { type Measured, median } from "./measure.ts";
import { runners, targets } from "./runners.ts";
import type { Direction } from "./servers.ts";

export type Result = {
  /** Rowferry's median time by the other's; null where either did not run. */
  ratios: Record<string, number | null>;
  /** Of the worker and its children, the largest of all rounds. */
  peak_memory_mib: Record<string, number | null>;
  tables200: { ratios: Record<string, number | null>; seconds: Record<string, Record<string, number>> };
  seconds: Record<string, Record<string, number>>;
  failures: Record<string, string>;
  rows: number;
  rounds: number;
  jobs: number;
  versions: Record<string, string>;
};

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

/** `direction/program` → ratio, for the programs that `names` holds or that have run. */
export const ratiosOf = (
  direction: Direction,
  measured: Measured | undefined,
  big: boolean,
): [string, number | null][] =>
  runners[direction]
    .filter(({ general }) => big || general)
    .map(({ name }) => {
      const [ours, theirs] = [measured?.seconds["rowferry"], measured?.seconds[name]];
      return [`${direction}/${name}`, ours && theirs ? rounded(median(ours) / median(theirs)) : null];
    });

export const mediansOf = (measured: Measured): Record<string, number> =>
  Object.fromEntries(Object.entries(measured.seconds).map(([name, seconds]) => [name, rounded(median(seconds))]));

export const peakOf = (measured: Measured): number | null =>
  measured.peakMib.length === 0 ? null : Math.round(Math.max(...measured.peakMib));

/** One line a ratio, with its target. */
export const lines = ({ ratios, peak_memory_mib, tables200, failures }: Result): string[] => {
  const line = (name: string, ratio: number | null, target?: number) => {
    const verdict = target === undefined || ratio === null ? "" : ratio <= target ? "  met" : "  MISSED";
    const aim = target === undefined ? "" : `   at most ${target.toFixed(2)}${verdict}`;
    return `  ${name.padEnd(24)}${ratio === null ? " absent" : ratio.toFixed(2).padStart(7)}${aim}`;
  };
  return [
    "Rowferry's time by the other's:",
    ...Object.entries(ratios).map(([name, ratio]) => line(name, ratio, targets[name])),
    "The same with 200 small tables:",
    ...Object.entries(tables200.ratios).map(([name, ratio]) => line(name, ratio)),
    "Peak memory, MiB (at most 256):",
    ...Object.entries(peak_memory_mib).map(
      ([name, mib]) => `  ${name.padEnd(24)}${mib === null ? " absent" : String(mib).padStart(7)}`,
    ),
    ...Object.entries(failures).map(([name, words]) => `${name} failed: ${words}`),
  ];
};
