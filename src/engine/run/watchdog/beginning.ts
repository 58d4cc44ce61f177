import { EngineError } from "../../contract/index.ts";
import { defaultStallTimeout } from "../../contract/option-defaults.ts";
import { diagnoseCalls } from "./diagnose-calls.ts";
import { type WaitingCall, withoutReplyListener, withReplyListener } from "./replies.ts";

/**
 * The time before there is anything to watch: catalogues are read, the fence is opened. A server that answered a login and then
 * nothing more would hold a run for ever; where one says nothing for as long as a run may stand still, it ends. A query that the
 * server works on is no silence: each of a catalogue may take minutes where there are tens of thousands of tables.
 */
interface Beginning {
  /** Aborted when the time is up, or when `signal` is. */
  readonly signal: AbortSignal;
  /** Something was heard: the time begins anew. */
  heard(): void;
  /** Each answer to what `work` asks the servers is heard, and so is a server that works on one. */
  hear<T>(work: () => T): T;
  /** From here on others watch. Repeatable. */
  over(): void;
  /** The error to tell instead of one that follows from the time being up. */
  explain(error: unknown): unknown;
}

/** In the time after which silence ends a run. */
const looks = 4;
/** An answer takes milliseconds. */
const mostAnswerMs = 10_000;

/** Whether a server works on what one of these sessions asked; rejects or is false where it does not answer `withinMs`. */
type IsAtWork = (waiting: readonly WaitingCall[], withinMs: number) => Promise<boolean>;

/** `stallTimeout`: seconds, as in CopyOptions; 0 for no limit. */
export function watchBeginning(
  signal: AbortSignal,
  stallTimeout: number = defaultStallTimeout,
  isAtWork: IsAtWork = askServers,
): Beginning {
  const late = new AbortController();
  const waiting = new Set<WaitingCall>();
  let ended = stallTimeout <= 0;
  let timer: NodeJS.Timeout | undefined;
  let looked = 0;
  const everyMs = (stallTimeout * 1000) / looks;
  const wait = () => {
    looked = 0;
    again();
  };
  const again = () => {
    clearTimeout(timer);
    if (ended) return;
    timer = setTimeout(look, everyMs);
    timer.unref();
  };
  const look = () => {
    looked++;
    if (looked === looks) return late.abort(silent(stallTimeout));
    again();
    if (waiting.size === 0) return;
    const before = [...waiting];
    const within = Math.min(mostAnswerMs, everyMs);
    withoutReplyListener(() => isAtWork(before, within)).then(
      (working) => {
        // One that was answered meanwhile has been heard.
        if (working && before.some((one) => waiting.has(one))) wait();
      },
      () => undefined,
    );
  };
  wait();
  return {
    signal: AbortSignal.any([signal, late.signal]),
    heard: wait,
    hear: (work) => withReplyListener(wait, work, waiting),
    over() {
      ended = true;
      clearTimeout(timer);
    },
    explain: (error) => (late.signal.aborted && !signal.aborted ? late.signal.reason : error),
  };
}

const askServers: IsAtWork = async (waiting, withinMs) => {
  const found = await Promise.all(waiting.map((call) => diagnoseCalls(call, [call.id])(withinMs)));
  return found.some(({ working }) => working);
};

const silent = (seconds: number) =>
  new EngineError(
    "stalled",
    `no progress for ${seconds} s in the first queries of both databases: check that they respond and that nobody holds locks there, then retry or set a longer stall_timeout`,
    { retryable: true },
  );
