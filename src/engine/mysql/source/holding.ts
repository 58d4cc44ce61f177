import { printable } from "../../contract/text/printable.ts";
import { withoutReplyListener } from "../../run/watchdog/replies.ts";
import type { Session } from "../driver/session.ts";

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

interface Watch {
  database: string;
  /** Seconds that another session may wait for us. */
  blockingTimeout: number;
  /** Connection ids of those that read. */
  readers: readonly number[];
  /** Tables are locked for us, by LOCK TABLES. */
  locked: boolean;
  /** Ends the statements of these readers, which are read again. Undefined: what was read cannot be. */
  interrupt?: ((threads: readonly number[], ...why: Parameters<Waits>) => void) | undefined;
}

/** Words on who waits, and what to do. */
export type Waits = (words: string, advice: string) => void;

/**
 * Calls `waits` once when a session has waited for us for so many seconds: for a table of the database, behind which the
 * table's readers and writers wait too; or to flush tables, behind which all do who write to the server. Only a user
 * with PROCESS sees other users' sessions. Our statements for which a flush waits are interrupted first, once for each
 * flush. Answers with how to stop.
 */
export function watchWaiting(control: Session, watch: Watch, waits: Waits): () => void {
  const { blockingTimeout } = watch;
  let asking = false;
  /** The flush for which readers were interrupted last, and how long it had waited then. */
  let given: { id: number; seconds: number } | undefined;
  const look = async () => {
    const threads = (await control.query("SHOW PROCESSLIST")).map(
      ([id, , , schema, command, time, state, statement]): Thread => ({
        id: Number(id),
        schema,
        command: command ?? "",
        seconds: Number(time),
        state: state ?? "",
        statement: printable(statement ?? ""),
      }),
    );
    const found = waitingToUse(threads, watch) ?? waitingToFlush(threads, watch);
    const before = given;
    given = found?.flush && before;
    if (found === undefined) return;
    const { why, flush } = found;
    const isSame = flush !== undefined && flush.id === before?.id;
    if (isSame && flush.seconds < before.seconds + blockingTimeout) return;
    if (watch.interrupt !== undefined && flush !== undefined && !isSame) {
      given = flush;
      watch.interrupt(flush.inTheWay, ...why);
      return;
    }
    clearInterval(timer);
    waits(...why);
  };
  const timer = setInterval(
    () => {
      if (asking) return;
      asking = true;
      // A control session that is lost is found by whoever needs it.
      // Its own questions are no sign that the run moves.
      withoutReplyListener(look)
        .catch(() => clearInterval(timer))
        .finally(() => {
          asking = false;
        });
    },
    Math.min(watchEveryMs, (blockingTimeout * 1000) / 4),
  );
  timer.unref();
  return () => clearInterval(timer);
}

interface Thread {
  id: number;
  schema: string | null | undefined;
  command: string;
  /** Since the statement began. */
  seconds: number;
  state: string;
  statement: string;
}

interface Found {
  why: Parameters<Waits>;
  /** Of a flush that waits for statements of ours alone. */
  flush?: { id: number; seconds: number; inTheWay: number[] };
}

function waitingToUse(threads: readonly Thread[], { database, blockingTimeout }: Watch): Found | undefined {
  const found = threads.find(
    (one) =>
      one.schema === database &&
      one.state.startsWith("Waiting for table metadata lock") &&
      one.seconds >= blockingTimeout,
  );
  return (
    found && {
      why: [
        `session ${found.id} has waited for ${found.seconds} s to use a table that the copy locks until all rows are copied (${found.statement})`,
        "change tables of the source database before the copy or after it",
      ],
    }
  );
}

/**
 * MySQL's FLUSH TABLES WITH READ LOCK lets nobody write any more, and then waits for every table in use: for those that
 * are locked for us, which we ourselves cannot read then, not even when it has given up; and for what we read since before.
 */
function waitingToFlush(threads: readonly Thread[], { blockingTimeout, readers, locked }: Watch): Found | undefined {
  const isWaiting = ({ state }: Thread) => state.startsWith("Waiting for table flush");
  const waiting = threads.filter((one) => isWaiting(one) && one.seconds >= blockingTimeout);
  const flusher = waiting.find(({ id }) => !readers.includes(id));
  const inTheWay = (one: Thread) =>
    readers.includes(one.id) && one.command !== "Sleep" && !isWaiting(one) && one.seconds >= (flusher?.seconds ?? 0);
  const advice = "flush the source server's tables, or back it up by a lock, before the copy or after it";
  const ours = threads.filter(inTheWay).map(({ id }) => id);
  if (flusher !== undefined && (locked || ours.length > 0))
    return {
      why: [
        `session ${flusher.id} has waited for ${flusher.seconds} s to flush tables that are being copied, and all who write to the source wait for it (${flusher.statement})`,
        advice,
      ],
      ...(locked ? {} : { flush: { id: flusher.id, seconds: flusher.seconds, inTheWay: ours } }),
    };
  const [own] = waiting;
  return own === undefined || !locked
    ? undefined
    : {
        why: [
          `another session flushed tables that are locked for the copy, which has waited for ${own.seconds} s to read them (${own.statement})`,
          advice,
        ],
      };
}
