import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { Slots } from "../jobs/slots.ts";
import { isRun } from "./observed.ts";
import { candidateOf, type Subject, subjectKey } from "./subject.ts";

/** A BackupSchedule has one run at a time: the one that has a Job, else the oldest. Of two that see each other one goes on. */
interface OneAtATime {
  /** The run of the same schedule that this one waits for, if it could start now. */
  first(subject: Subject): BackupRun | undefined;
  /** Keys of the runs that waited for this one, which has ended or is gone. */
  waited(before: Subject | undefined, after: Subject | undefined): string[];
}

const byCreation = ({ metadata: a }: BackupRun, { metadata: b }: BackupRun): number =>
  Date.parse(a.creationTimestamp) - Date.parse(b.creationTimestamp) || (a.name < b.name ? -1 : 1);

const goesOn = (subject: Subject): boolean => candidateOf(subject).isRunning || candidateOf(subject).isWaiting;

/** `runs`: by `namespace/schedule`. */
export function createOneAtATime(runs: { by(key: string): readonly BackupRun[] }, slots: Slots): OneAtATime {
  const others = ({ metadata, spec }: BackupRun): BackupRun[] =>
    spec.schedule === undefined
      ? []
      : runs.by(`${metadata.namespace}/${spec.schedule}`).filter((run) => run.metadata.uid !== metadata.uid);
  return {
    first(subject) {
      if (!isRun(subject) || !candidateOf(subject).isWaiting) return undefined;
      return others(subject).find((run) => {
        const { isRunning, isWaiting } = candidateOf(run);
        return isRunning || (isWaiting && (slots.isStarting(run.metadata.uid) || byCreation(run, subject) < 0));
      });
    },
    waited(before, after) {
      if (before?.kind !== "BackupRun" || !goesOn(before) || (after !== undefined && goesOn(after))) return [];
      return others(before)
        .filter((run) => candidateOf(run).isWaiting)
        .map(subjectKey);
    },
  };
}
