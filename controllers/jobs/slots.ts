import { type Admission, admission, admissionMark, type Line } from "./admission.ts";
import type { Candidate } from "./candidate.ts";
import type { JobCreation, Slot } from "./observed.ts";

/**
 * Who may start, from pass to pass: what `admission` says of the cache, with what this process knows beyond it. It promises:
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

export interface SlotsOptions extends Pick<Line, "limits" | "isTeam"> {
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
  /** Until something changes that counts for it: of ten thousand that wait each pass asks. */
  let slots: Admission | undefined;
  const present = (): Admission => {
    slots ??= admission(candidates(), { ...line, starting, stuck });
    return slots;
  };

  return {
    look(uid) {
      if (stuck.delete(uid)) slots = undefined;
      return present()(uid);
    },
    refusal(candidate, now) {
      const found = refusalOf(candidate);
      // A clock that was set back must not keep it waiting.
      return found !== undefined && found.at <= now && now < found.until ? found.made : undefined;
    },
    starts(uid, run) {
      starting.set(uid, run);
      slots = undefined;
    },
    failed(uid) {
      starting.delete(uid);
      slots = undefined;
    },
    refused(candidate, made, now) {
      const times = (refusalOf(candidate)?.times ?? 0) + 1;
      const until = now + Math.min(wait.most, wait.least * 2 ** Math.min(times - 1, 10));
      refusals.set(candidate.uid, { of: jobOf(candidate), made, times, at: now, until });
      starting.delete(candidate.uid);
      slots = undefined;
    },
    cannot(uid) {
      if (stuck.has(uid)) return false;
      stuck.add(uid);
      slots = undefined;
      return true;
    },
    changed(before, after) {
      const uid = (after ?? before)?.uid ?? "";
      const run = starting.get(uid);
      const seen = run !== undefined && (after === undefined || after.isSeen(run)) && starting.delete(uid);
      if (after === undefined || !after.isWaiting) {
        stuck.delete(uid);
        refusals.delete(uid);
      }
      if (seen || admissionMark(before, line.isTeam) !== admissionMark(after, line.isTeam)) slots = undefined;
    },
    next() {
      const { free } = present();
      const mayStart = ({ uid }: Candidate) => !stuck.has(uid) && (starting.has(uid) || free.has(uid));
      return [...candidates()].filter((one) => one.isWaiting && mayStart(one));
    },
  };
}
