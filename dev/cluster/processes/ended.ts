// Why a part of the cluster ended: the words of its log that name a cause, and the next step. Pure.
import { diskFull, type Failure, failure } from "../../terminal/failure.ts";

/** A stack trace's lines of Go, which follow the cause and would push it out of sight. */
const isFrame = (line: string): boolean =>
  /^\s|^goroutine \d+ |^created by |^\[signal |^exit status |^[\w./*()·-]+\(.*\)$/.test(line) || line.trim() === "";

/** The last lines that are no stack trace, in one. */
export const causeIn = (log: string): string =>
  log
    .split("\n")
    .filter((line) => !isFrame(line))
    .slice(-3)
    .join(" | ")
    .slice(-1_000);

const steps: [RegExp, string][] = [
  [
    /address already in use/i,
    "Another program took a port between two steps. Run the command again: each start chooses other ports.",
  ],
  [/no space left on device|disk quota exceeded/i, diskFull],
];

/** Less than this counts as a full disk: a log's last words may not have found room. */
const fullBytes = 1 << 20;

/** `log`: the part's; `freeBytes`: on the disk of the cluster's folder. */
export const endOf = (name: string, log: string, freeBytes: number): Failure => {
  const cause = causeIn(log);
  const known = freeBytes < fullBytes ? diskFull : steps.find(([words]) => words.test(log))?.[1];
  const next = known ?? "Read the end of its log above, fix the cause, and run the command again.";
  return failure(`${name} ended: ${cause || "its log is empty"}`, next);
};

/** etcd alone takes 128 MB before it holds anything, the demo's databases 300 more. */
const neededBytes = 256 << 20;

/** The error for a disk on which a start would fail halfway; undefined where there is room. */
export const tooSmall = (folder: string, freeBytes: number): Failure | undefined => {
  if (freeBytes >= neededBytes) return undefined;
  const mebibytes = (bytes: number): number => Math.floor(bytes / (1 << 20));
  return failure(
    `The disk of ${folder} has ${mebibytes(freeBytes)} MiB free; a cluster needs ${mebibytes(neededBytes)} MiB`,
    `${diskFull} Or set ROWFERRY_CACHE to a folder on another disk.`,
  );
};
