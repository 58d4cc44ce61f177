import { printable } from "../postgres/names.ts";
import type { Session } from "./session.ts";

/**
 * A consistent snapshot covers rows only: a table that is renamed, or whose partitions or columns change, is read by
 * its new definition without an error. A transaction that has touched a table keeps its definition (a metadata lock):
 * who wants to change it waits. Who only writes rows does not, until somebody waits to change the table.
 */

/** Tables touched by one statement. */
const batch = 100;
const watchEveryMs = 5_000;

/** Touches every table (names quoted) in the session's transaction. Waits at most `seconds` for one; errors: `lock_timeout`. */
export async function hold(session: Session, tables: readonly string[], seconds: number): Promise<void> {
  await session.query(`SET SESSION lock_wait_timeout = ${seconds}`);
  for (let at = 0; at < tables.length; at += batch) {
    const touches = tables.slice(at, at + batch).map((table) => `(SELECT 1 FROM ${table} LIMIT 0)`);
    await session.query(touches.join(" UNION ALL "));
  }
  await session.query("SET SESSION lock_wait_timeout = DEFAULT");
}

/**
 * Calls `waits` once when a session has waited for a table of the database for so many seconds: behind it the table's
 * readers and writers wait too. Only a user with PROCESS sees other users' sessions. Answers with how to stop.
 */
export function watchWaiting(
  control: Session,
  database: string,
  seconds: number,
  waits: (words: string) => void,
): () => void {
  let asking = false;
  const look = async () => {
    for (const [id, , , schema, , time, state, statement] of await control.query("SHOW PROCESSLIST")) {
      if (schema !== database || !state?.startsWith("Waiting for table metadata lock")) continue;
      if (Number(time) < seconds) continue;
      clearInterval(timer);
      waits(
        `session ${id} has waited for ${time} s to use a table that is being copied (${printable(statement ?? "")})`,
      );
      return;
    }
  };
  const timer = setInterval(
    () => {
      if (asking) return;
      asking = true;
      // A control session that is lost is found by whoever needs it.
      look()
        .catch(() => clearInterval(timer))
        .finally(() => {
          asking = false;
        });
    },
    Math.min(watchEveryMs, (seconds * 1000) / 4),
  );
  timer.unref();
  return () => clearInterval(timer);
}
