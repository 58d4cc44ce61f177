import type { CopyOptions } from "../../contract/index.ts";
import type { Session } from "../driver/session.ts";
import { beginBetweenCommits, type LogPosition } from "./log-position.ts";

/** Connections that read. */
const most = 1;

/**
 * A snapshot without a lock: the first session reads alone. Nothing that a server shows proves that several sessions see one
 * state. MySQL's `gtid_executed` and the end of its log move at another moment than rows become visible. MariaDB takes a
 * snapshot together with its place in the binary log, but a session that writes with `sql_log_bin = 0` is not in that log, and
 * InnoDB's counter of transactions moves before such a commit becomes visible: 1 of 4,889 openings that looked equal was torn.
 */
export async function beginUnlocked({ control, readers, begin, locks, cause }: Unlocked) {
  const left = readers.slice(0, most);
  await Promise.all(readers.slice(most).map((reader) => reader.end()));
  const [alone] = left;
  const start = () => begin(left);
  let position: LogPosition = {};
  // Of MariaDB each session knows its own.
  if (alone === undefined || control.server.maria) await start();
  else position = await beginBetweenCommits(alone, start);
  return { left, position, warnings: readers.length > most ? [aloneWarning(locks, cause)] : [] };
}

interface Unlocked {
  control: Session;
  readers: readonly Session[];
  begin(sessions: readonly Session[]): Promise<void>;
  locks: CopyOptions["source_locks"];
  /** Why nothing was locked where the user may; undefined: the user may not. */
  cause?: string | undefined;
}

const aloneWarning = (locks: Unlocked["locks"], cause: string | undefined): string => {
  const states = "and without a lock several connections may see different states";
  if (locks === "none")
    return `the source was read through one connection, since options.source_locks is none, ${states}`;
  return cause === undefined
    ? `the source was read through one connection, since its user may neither FLUSH TABLES WITH READ LOCK nor LOCK TABLES, ${states}: GRANT LOCK TABLES on the database, or RELOAD ON *.*, to read with several`
    : `the source was read through one connection, since ${cause}, ${states}: copy it again when no statement or transaction runs long and none is left prepared (XA RECOVER), to read with several`;
};
