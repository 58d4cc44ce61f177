import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import { labels } from "../../src/resources/group.ts";
import type { Candidate } from "../jobs/candidate.ts";

/** A BackupRun or a Restore: each runs as one Job, once. */
export type Subject = BackupRun | Restore;

export const isOver = ({ status }: Subject): boolean => status?.state === "completed" || status?.state === "failed";

export const isDeleting = ({ metadata }: Subject): boolean => metadata.deletionTimestamp !== undefined;

/** Whether its pod has work left after its result is stored: the record of a conversion is dropped from the target. */
export const isResultFollowed = (subject: Subject): boolean => subject.kind === "Restore" && subject.spec.convert;

const isScheduled = (subject: Subject): boolean =>
  subject.kind === "Restore" ? subject.spec.verification : subject.spec.trigger === "Schedule";

export function candidateOf(subject: Subject): Candidate {
  const { kind, metadata, status } = subject;
  const { name, namespace, uid, generation, creationTimestamp } = metadata;
  const hasJob = status?.job !== undefined;
  const active = !isOver(subject);
  return {
    ...{ kind, name, namespace, uid, generation },
    account: metadata.labels?.[labels.account],
    isScheduled: isScheduled(subject),
    isRunning: hasJob && active,
    isWaiting: !hasJob && active && !isDeleting(subject),
    since: status?.queuedAt === undefined ? Date.parse(creationTimestamp) + 999 : Date.parse(status.queuedAt),
    run: 1,
    isSeen: () => hasJob || !active,
  };
}

/** The queue's key of a pass over an object of this kind. */
export const subjectKey = ({
  kind,
  metadata,
}: {
  kind: string;
  metadata: { namespace?: string; name: string };
}): string => `${kind}:${metadata.namespace}/${metadata.name}`;
