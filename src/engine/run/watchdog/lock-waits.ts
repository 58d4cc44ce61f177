import { type CopyHooks, EngineError } from "../../contract/index.ts";
import { diagnoseCalls } from "./diagnose-calls.ts";
import { type WaitingCall, withoutReplyListener, withReplyListener } from "./replies.ts";

/**
 * Says who holds a lock while a statement waits for it. Sessions that wait for an answer are known (replies.ts); once one has
 * waited for a while, its server is asked on a session of its own.
 */
interface LockWaitTimes {
  /** Milliseconds of waiting after which a server is asked. 1,500: a brief lock of MySQL's is waited for for 2 s. */
  firstMs?: number;
  /** Milliseconds between two reports of the same wait. 10,000. */
  againMs?: number;
}

interface Waiting {
  since: number;
  next: number;
  looks: number;
}

type Role = WaitingCall["role"];

interface Found {
  words: string;
  at: number;
  since: number;
}

/** An answer takes milliseconds. */
const answerMs = 5_000;
/** A statement that works, or waits for no lock, is looked at less and less often. */
const seldomMs = 30_000;
/** What was found is the cause of an error that follows within this time. */
const recentMs = 15_000;

/** Answers as `work` does. An error that follows from the wait names the holder too. */
export async function reportLockWaits<T>(
  log: CopyHooks["log"],
  work: () => Promise<T>,
  { firstMs = 1_500, againMs = 10_000 }: LockWaitTimes = {},
): Promise<T> {
  const calls = new Map<WaitingCall, Waiting>();
  const last = new Map<Role, Found>();
  const looking = new Set<Role>();
  const add = (call: WaitingCall) => {
    const since = performance.now();
    calls.set(call, { since, next: since + firstMs, looks: 0 });
  };

  const look = async (role: Role, due: readonly [WaitingCall, Waiting][]) => {
    const [[call] = []] = due;
    if (call === undefined) return;
    const ids = due.map(([{ id }]) => id);
    const { causes } = await diagnoseCalls(call, ids)(answerMs);
    const words = [...new Set(causes.filter(({ kind }) => kind === "lock").map(({ words }) => words))];
    const now = performance.now();
    const still = due.filter(([call, wait]) => calls.get(call) === wait);
    for (const [, wait] of still) {
      wait.looks++;
      wait.next = now + (words.length > 0 ? againMs : Math.min(seldomMs, firstMs * 2 ** wait.looks));
    }
    if (words.length === 0 || still.length === 0) return;
    const before = last.get(role);
    const since = Math.min(...still.map(([, wait]) => wait.since));
    // A lock that was not free in time is asked for again, by a statement of its own.
    const first = before !== undefined && now - before.at < recentMs ? before.since : since;
    last.set(role, { words: words.join("; "), at: now, since: first });
    for (const one of words) log("warning", `${one}; it has waited for ${Math.round((now - first) / 1000)} s`);
  };

  const timer = setInterval(() => {
    const now = performance.now();
    for (const role of ["source", "target"] as const) {
      const due = [...calls].filter(([call, { next }]) => call.role === role && next <= now);
      if (due.length === 0 || looking.has(role)) continue;
      looking.add(role);
      // Its own questions are no progress of the run.
      void withoutReplyListener(() => look(role, due))
        .catch(() => undefined)
        .finally(() => looking.delete(role));
    }
  }, firstMs / 5);
  timer.unref();
  try {
    return await withReplyListener(() => undefined, work, { add, delete: (call) => calls.delete(call) });
  } catch (error) {
    throw explained(error, last);
  } finally {
    clearInterval(timer);
  }
}

function explained(error: unknown, last: ReadonlyMap<Role, Found>): unknown {
  if (!(error instanceof EngineError) || !["lock_timeout", "stalled"].includes(error.code)) return error;
  const now = performance.now();
  const words = [...last]
    .filter(([role, { at }]) => (error.side === undefined || error.side === role) && now - at < recentMs)
    .map(([, found]) => found.words);
  if (words.length === 0 || error.message.includes("held up by")) return error;
  const { code, retryable, side, report } = error;
  return new EngineError(code, `${error.message}; ${words.join("; ")}`, {
    retryable,
    cause: error,
    ...(side === undefined ? {} : { side }),
    ...(report === undefined ? {} : { report }),
  });
}
