import type { Standing } from "./admission.ts";
import type { Candidate } from "./candidate.ts";
import { createLines, type Lines, type LinesOptions } from "./job-queue.ts";
import type { JobCreation, Slot } from "./observed.ts";

/**
 * Who may start, from pass to pass: what the lines say of the cache, with what this process knows beyond it. It promises:
 * whoever was let start holds its slot until the cache shows its Job or its end; whoever was let and cannot start holds none until its
 * next look, when it has its place in the line again; and a Job that is refused again and again is asked for ever more rarely, so that
 * thousands of them burden nobody.
 */
export interface Slots {
  /** At the beginning of a pass over one that waits. */
  look(uid: string): Slot;
  /** What came of asking for the Job of the run that is due, while it is too early to ask again. */
  refusal(candidate: Candidate, now: number): JobCreation | undefined;
  /** The Job of this run is about to be made. */
  starts(uid: string, run: number): void;
  /** Whether it was let start, and is not seen with a Job yet. */
  isStarting(uid: string): boolean;
  /** It is not known to be made: the next pass finds out. */
  failed(uid: string): void;
  /** It was not made. */
  refused(candidate: Candidate, made: JobCreation, now: number): void;
  /** A pass ends that had a slot and could not use it. Answers whether it held one until now, which others may take. */
  cannot(uid: string): boolean;
  /** To be told of every change of a candidate that the cache sees. */
  changed(before: Candidate | undefined, after: Candidate | undefined): void;
  /** Those that wait and may start now. */
  next(): Candidate[];
}

interface SlotsOptions extends LinesOptions {
  candidates: () => Iterable<Candidate>;
}

/** Milliseconds until a Job is asked for again: doubled each time from the least to the most. */
const wait = { least: 5000, most: 60_000 };

interface Refusal {
  /** What was refused: a run of a generation. */
  of: string;
  made: JobCreation;
  times: number;
  at: number;
  until: number;
}

const jobOf = ({ run, generation }: Candidate): string => `${run} ${generation}`;

export function createSlots({ candidates, ...line }: SlotsOptions): Slots {
  /** Let start, and not seen with a Job yet: uid → run. Keeps the limits while the cache is behind. */
  const starting = new Map<string, number>();
  const stuck = new Set<string>();
  const refusals = new Map<string, Refusal>();
  const refusalOf = (candidate: Candidate): Refusal | undefined => {
    const found = refusals.get(candidate.uid);
    return found?.of === jobOf(candidate) ? found : undefined;
  };
  /** Of the cache, those that count for who may start, by uid. */
  const known = new Map<string, Candidate>();
  let lines: Lines | undefined;

  const standing = ({ uid, isRunning, isWaiting }: Candidate): Standing =>
    isRunning || starting.has(uid) ? "runs" : isWaiting && !stuck.has(uid) ? "waits" : undefined;

  /** Nobody needs them before the first pass, nor to hear of changes until then. */
  function present(): Lines {
    if (lines !== undefined) return lines;
    lines = createLines(line);
    for (const candidate of candidates()) note(candidate);
    return lines;
  }

  function note(candidate: Candidate): void {
    const { uid, isRunning, isWaiting } = candidate;
    if (isRunning || isWaiting || starting.has(uid)) known.set(uid, candidate);
    else known.delete(uid);
    lines?.put(candidate, standing(candidate));
  }

  /** What this process knows of it has changed, or whose its namespace is. */
  function noteAgain(uid: string): void {
    const candidate = known.get(uid);
    if (candidate !== undefined) note(candidate);
  }

  return {
    look(uid) {
      stuck.delete(uid);
      const all = present();
      noteAgain(uid);
      return all.slotOf(uid);
    },
    refusal(candidate, now) {
      const found = refusalOf(candidate);
      // A clock that was set back must not keep it waiting.
      return found !== undefined && found.at <= now && now < found.until ? found.made : undefined;
    },
    starts(uid, run) {
      starting.set(uid, run);
      noteAgain(uid);
    },
    isStarting: (uid) => starting.has(uid),
    failed(uid) {
      starting.delete(uid);
      noteAgain(uid);
    },
    refused(candidate, made, now) {
      const times = (refusalOf(candidate)?.times ?? 0) + 1;
      const until = now + Math.min(wait.most, wait.least * 2 ** Math.min(times - 1, 10));
      refusals.set(candidate.uid, { of: jobOf(candidate), made, times, at: now, until });
      starting.delete(candidate.uid);
      noteAgain(candidate.uid);
    },
    cannot(uid) {
      if (stuck.has(uid)) return false;
      stuck.add(uid);
      noteAgain(uid);
      return true;
    },
    changed(before, after) {
      const uid = (after ?? before)?.uid ?? "";
      const run = starting.get(uid);
      if (run !== undefined && (after === undefined || after.isSeen(run))) starting.delete(uid);
      if (after === undefined || !after.isWaiting) {
        stuck.delete(uid);
        refusals.delete(uid);
      }
      if (lines === undefined) return;
      if (after !== undefined) note(after);
      else if (known.delete(uid)) lines.remove(uid);
    },
    next: () => [...present().free().values()],
  };
}
