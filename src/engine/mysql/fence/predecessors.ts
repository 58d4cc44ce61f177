import { type Endpoint, EngineError } from "../../contract/index.ts";
import { endAll, predecessorPatienceMs } from "../../run/fence/succession.ts";
import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { connectTarget, errorNumber } from "../driver/write-session.ts";

/**
 * The sessions of a worker, so that its successor can end them. Each holds a lock of the server's (GET_LOCK) under a name
 * that is written down before the session does anything: the server itself tells whether the session still lives and under
 * which number, also when numbers were given out anew. A lock is let go only after what the session did is rolled back.
 */

/** Killed or gone already. */
const noSuchThread = 1094;

/** Ends the sessions behind the locks and waits until they are gone. Errors: `predecessor_alive`, retryable. */
export async function endSessions(
  session: Session,
  locks: readonly string[],
  patienceMs: number = predecessorPatienceMs,
): Promise<void> {
  let left = locks;
  let why: unknown;
  await endAll(async () => {
    const alive: string[] = [];
    for (const lock of left) {
      const [[id] = []] = await session.query(`SELECT IS_USED_LOCK(${literal(lock)})`);
      if (id === null || id === undefined || Number(id) === session.threadId) continue;
      alive.push(lock);
      try {
        await session.run(`KILL CONNECTION ${Number(id)}`);
      } catch (error) {
        if (errorNumber(error) !== noSuchThread) why = error;
      }
    }
    left = alive;
    return { left: left.length, why };
  }, patienceMs);
}

/** What a run waits, at most, for the end of its own sessions. */
const closingMs = 5_000;

/**
 * Ends what is left of a run's own sessions, which may still wait on the server for a lock and go on when they have it,
 * though nobody hears of it any more. By `session`, or a new one where that is lost. Never rejects.
 */
export async function endOpened(target: Endpoint, session: Session | undefined, locks: readonly string[]) {
  if (locks.length === 0) return;
  const within = async (one: Session) => {
    const timer = setTimeout(() => one.destroy(), closingMs);
    try {
      await endSessions(one, locks, closingMs);
    } finally {
      clearTimeout(timer);
    }
  };
  const anew = async () => {
    const one = await connectTarget(target, { program: "rowferry", signal: AbortSignal.timeout(closingMs) });
    await within(one).finally(() => one.end());
  };
  await (session === undefined ? anew() : within(session).catch(anew)).catch(() => undefined);
}

/** Takes the lock of a new session. Errors: `database_error` where the server has no such locks. */
export async function takeLock(session: Session, lock: string): Promise<void> {
  const [[taken] = []] = await session.query(`SELECT GET_LOCK(${literal(lock)}, 0)`);
  if (taken !== "1") throw noLocks();
}

export const noLocks = () =>
  new EngineError("database_error", "the target gives no named locks (GET_LOCK), which guard its sessions");
