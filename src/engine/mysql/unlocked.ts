import type { CopyOptions } from "../contract.ts";
import { beginBetweenCommits, type LogPosition } from "./log-position.ts";
import type { Session } from "./session.ts";
import { beginTogether } from "./together.ts";

/** Snapshots without a lock: of all sessions where they are known to see one state, else of the first alone. */
export interface Unlocked {
  control: Session;
  readers: Session[];
  begin(sessions: readonly Session[]): Promise<void>;
  locks: CopyOptions["source_locks"];
}

export interface Begun {
  /** Those that read; the others were closed. */
  left: Session[];
  /** Of MySQL; of MariaDB each session knows its own. */
  position: LogPosition;
  tries: number;
  /** For the report. */
  warnings: string[];
}

export async function beginUnlocked({ control, readers, begin, locks }: Unlocked): Promise<Begun> {
  const together = readers.length > 1 ? await beginTogether(control, readers, begin) : undefined;
  if (together?.one) {
    const { tries } = together;
    return { left: readers, position: {}, tries, warnings: [unloggedWarning(readers.length)] };
  }
  const left = readers.slice(0, 1);
  await Promise.all(readers.slice(1).map((reader) => reader.end()));
  const warnings = together === undefined ? [] : [aloneWarning(locks, together.why)];
  const tries = together?.tries ?? 1;
  const [alone] = left;
  if (alone !== undefined && !control.server.maria)
    return { left, position: await beginBetweenCommits(alone, () => begin(left)), tries, warnings };
  await begin(left);
  return { left, position: {}, tries, warnings };
}

const aloneWarning = (locks: Unlocked["locks"], why: string): string =>
  locks === "none"
    ? `the source was read through one connection, since source_locks is none and ${why}`
    : `the source was read through one connection, since its user may neither FLUSH TABLES WITH READ LOCK nor LOCK TABLES, or waited too long for the lock, and ${why}: grant RELOAD or LOCK TABLES to read with several`;

const unloggedWarning = (connections: number): string =>
  `the source was read through ${connections} connections without a lock: its binary log shows that they see one state, but for what a session writes with sql_log_bin = 0`;
