import { EngineError } from "./contract.ts";

/**
 * The time before there is anything to watch: catalogues are read, the fence is opened. A server that answered a login and then
 * nothing more would hold a run for ever; where one says nothing for as long as a run may stand still, it ends.
 */
export interface Beginning {
  /** Aborted when the time is up, or when `signal` is. */
  readonly signal: AbortSignal;
  /** Something was heard: the time begins anew. */
  heard(): void;
  /** From here on others watch. Repeatable. */
  over(): void;
  /** The error to tell instead of one that follows from the time being up. */
  explain(error: unknown): unknown;
}

const defaultSeconds = 600;

/** `stallSeconds` as in the options: 600 when it is left out, 0 for no limit. */
export function watchBeginning(signal: AbortSignal, stallSeconds: number = defaultSeconds): Beginning {
  const late = new AbortController();
  let ended = stallSeconds <= 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    clearTimeout(timer);
    if (ended) return;
    timer = setTimeout(() => late.abort(silent(stallSeconds)), stallSeconds * 1000);
    timer.unref();
  };
  wait();
  return {
    signal: AbortSignal.any([signal, late.signal]),
    heard: wait,
    over() {
      ended = true;
      clearTimeout(timer);
    },
    explain: (error) => (late.signal.aborted && !signal.aborted ? late.signal.reason : error),
  };
}

const silent = (seconds: number) =>
  new EngineError(
    "stalled",
    `nothing was heard for ${seconds} s of what is asked of both databases at the beginning: see whether they answer, and who holds locks there; then retry, or give a longer stall_timeout`,
    { retryable: true },
  );
