import type { Part } from "./parts.ts";

/** Files that one process of vitest runs, one after the other. */
export interface Job {
  part: Part;
  files: readonly string[];
  /** Rough, on a quiet machine. */
  seconds: number;
  /** For people: `engine 2/25`. */
  name: string;
}

/** A process costs two seconds of processor time to start; the lanes end at nearly the same time, since the short parts run last. */
const jobSeconds = 80;

/** Rough seconds of a file: as the part's line says, or an equal share of what its slow files leave. */
export function secondsOf(part: Part, files: readonly string[]): (file: string) => number {
  const known = (file: string) => part.slow?.[file.replace(/^test\/[^/]+\//, "").replace(/\.test\.ts$/, "")];
  const slow = files.map(known).filter((seconds) => seconds !== undefined);
  const left = Math.max(0, part.seconds - slow.reduce((sum, seconds) => sum + seconds, 0));
  const share = Math.max(1, left / Math.max(1, files.length - slow.length));
  return (file) => known(file) ?? share;
}

/**
 * A part's files in jobs of about the same length: the longest file first, each into the job that has least. `all` are the
 * files of the complete part, of which `files` may be a choice.
 */
export function jobsOf(
  part: Part,
  files: readonly string[],
  all: readonly string[],
  processes = part.processes,
): Job[] {
  const seconds = secondsOf(part, all);
  const sum = (list: readonly string[]) => list.reduce((total, file) => total + seconds(file), 0);
  const count = Math.min(files.length, processes ?? Math.max(1, Math.round(sum(files) / jobSeconds)));
  const bins = Array.from({ length: count }, (): { files: string[]; seconds: number } => ({ files: [], seconds: 0 }));
  for (const file of longestFirst(files, seconds)) {
    const bin = bins.reduce((least, other) => (other.seconds < least.seconds ? other : least));
    bin.files.push(file);
    bin.seconds += seconds(file);
  }
  const name = (at: number) => (count === 1 ? part.name : `${part.name} ${at + 1}/${count}`);
  return bins.map((bin, at) => ({ part, ...bin, name: name(at) }));
}

const longestFirst = (files: readonly string[], seconds: (file: string) => number): string[] =>
  [...files].sort((one, other) => seconds(other) - seconds(one) || (one < other ? -1 : 1));

export type Lane = "main" | "beside";

/** Hands out jobs, the longest first. */
export interface Queue {
  /** The next job of a lane; `ready` says whether a part may start. `wait`: those that are left may not. Undefined: none is left. */
  next(lane: Lane, ready: (part: Part) => boolean): Job | "wait" | undefined;
  isEmpty(lane: Lane): boolean;
}

/**
 * Jobs of parts that run `beside` have a lane of their own, which takes the others' work when it has none left. While programs are
 * being built for them, this lane waits: the build uses its share of the machine.
 */
export function queue(jobs: readonly Job[]): Queue {
  const left = [...jobs].sort((one, other) => other.seconds - one.seconds);
  const take = (fits: (job: Job) => boolean): Job | undefined => {
    const at = left.findIndex(fits);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const isBeside = ({ part }: Job) => part.beside === true;
  return {
    isEmpty: (lane) => !left.some((job) => isBeside(job) === (lane === "beside")),
    next(lane, ready) {
      const own = lane === "beside" && left.some(isBeside);
      const mine = (job: Job) => isBeside(job) === own;
      return take((job) => mine(job) && ready(job.part)) ?? (left.some(mine) ? "wait" : undefined);
    },
  };
}
