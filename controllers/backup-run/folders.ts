import type { BackupRun } from "../../src/resources/backup/run.ts";

/**
 * Where a run's parts are in its storage. Each pod writes to a folder of its own, so that one that was only cut off never
 * writes beside its successor; the run's status names the folder of the pod that completed it.
 */

/** `<namespace>/<run>.<8 digits of its uid>`. */
export const runFolder = ({ metadata }: BackupRun): string =>
  `${metadata.namespace}/${metadata.name.slice(0, 150)}.${metadata.uid.slice(0, 8)}`;

export const podFolder = (run: BackupRun, podUid: string): string => `${runFolder(run)}/${podUid}`;
