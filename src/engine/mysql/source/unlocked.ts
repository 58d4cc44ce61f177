import type { CopyOptions } from "../../contract/index.ts";
import type { Session } from "../driver/session.ts";
import { beginBetweenCommits, type LogPosition } from "./log-position.ts";

/**
 * A snapshot without a lock: the first session reads alone. Nothing that a server shows proves that several sessions see one
 * state. MySQL's `gtid_executed` and the end of its log move at another moment than rows become visible. MariaDB takes a
 * snapshot together with its place in the binary log, but a session that writes with `sql_log_bin = 0` is not in that log, and
 * InnoDB's counter of transactions moves before such a commit becomes visible: 1 of 4,889 openings that looked equal was torn.
 */
export interface Unlocked {
  control: Session;
  readers: readonly Session[];
  begin(sessions: readonly Session[]): Promise<void>;
  locks: CopyOptions["source_locks"];
  /** Why nothing was locked where the user may; undefined: the user may not. */
  cause?: string | undefined;
}

export interface StartedSnapshot {
  /** The one that reads; the others were closed. */
  left: Session[];
  /** Of MySQL; of MariaDB each session knows its own. */
  position: LogPosition;
  /** For the report. */
  warnings: string[];
}

/** Sessions that read. */
const most = 1;

export async function beginUnlocked({ control, readers, begin, locks, cause }: Unlocked): Promise<StartedSnapshot> {
  const left = readers.slice(0, most);
  await Promise.all(readers.slice(most).map((reader) => reader.end()));
  const warnings = readers.length > most ? [aloneWarning(locks, cause)] : [];
  const [alone] = left;
  if (alone !== undefined && !control.server.maria)
    return { left, position: await beginBetweenCommits(alone, () => begin(left)), warnings };
  await begin(left);
  return { left, position: {}, warnings };
}

const aloneWarning = (locks: Unlocked["locks"], cause: string | undefined): string => {
  const states = "and without a lock several connections may see different states";
  if (locks === "none")
    return `the source was read through one connection, since options.source_locks is none, ${states}`;
  return cause === undefined
    ? `the source was read through one connection, since its user may neither FLUSH TABLES WITH READ LOCK nor LOCK TABLES, ${states}: GRANT LOCK TABLES on the database, or RELOAD ON *.*, to read with several`
    : `the source was read through one connection, since ${cause}, ${states}: copy it again when no statement or transaction runs long and none is left prepared (XA RECOVER), to read with several`;
};
