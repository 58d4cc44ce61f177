import { EngineError } from "../../contract/index.ts";
import { defaultStallTimeout } from "../../contract/option-defaults.ts";
import { withoutReplyListener } from "./replies.ts";

/**
 * Ends a run that makes no progress, with the cause in words. Progress is what the run itself has moved, or what the
 * servers do for it: an index that is built moves no row of ours. So, once nothing has moved for a while, the servers
 * are asked; a statement that works there counts, one that waits does not.
 */

/** What a server says of a run's sessions. */
export interface Diagnosis {
  /** A statement of the run's is at work. */
  working: boolean;
  /** Differs whenever the server got on with the run's statements. */
  mark: string;
  /** What the run waits for there, in words; the likeliest first. */
  causes: Cause[];
}

export interface Cause {
  /** The likeliest over both servers is told first: `lock` holds up the rest, `client` is only what follows from another. */
  kind: "lost" | "lock" | "disk" | "throttled" | "waiting" | "client";
  /** Half a sentence: `on the target database, ALTER TABLE waits for …`. */
  words: string;
}

/** Ends by itself within so many milliseconds. */
export type Diagnose = (withinMs: number) => Promise<Diagnosis>;

interface WatchdogOptions {
  /** Any number that changes whenever something was moved or finished. */
  progress(): number;
  /** One for each server; one that rejects counts as silent. */
  diagnose: readonly Diagnose[];
  /** Seconds, as in CopyOptions; 0 for never. */
  stallTimeout?: number | undefined;
  /** Called at most once: its error is what the run rejects with. */
  fail(error: EngineError): void;
  /** Milliseconds of a clock that never goes back. */
  now(): number;
}

interface Watchdog {
  stop(): void;
}

const order: Cause["kind"][] = ["lost", "disk", "lock", "throttled", "waiting", "client"];
/** Looks in the time after which a run counts as stalled. */
const looks = 8;
const mostMs = 15_000;
/** An answer takes milliseconds; a server that needs longer has a trouble that is worth being told. */
const answerMs = 10_000;

export function createWatchdog({ progress, diagnose, stallTimeout, fail, now }: WatchdogOptions): Watchdog {
  const limit = (stallTimeout ?? defaultStallTimeout) * 1000;
  if (limit <= 0) return { stop: () => undefined };
  const within = Math.min(answerMs, Math.max(1_000, limit / 4));
  let moved = progress();
  let marks = "";
  let since = now();
  let looking = false;
  let stopped = false;

  const look = async () => {
    if (progress() !== moved) {
      moved = progress();
      since = now();
      return;
    }
    // Servers are asked only where something is amiss, and at least twice before the end.
    if (now() - since < limit / 4) return;
    const found = await withoutReplyListener(() => Promise.all(diagnose.map((ask) => ask(within).catch(silent))));
    if (stopped) return;
    const mark = found.map(({ mark }) => mark).join("\n");
    if (progress() !== moved || mark !== marks || found.some(({ working }) => working)) {
      moved = progress();
      // The first look has nothing to compare with.
      if (marks !== "" || found.some(({ working }) => working)) since = now();
      marks = mark;
      return;
    }
    if (now() - since < limit) return;
    stop();
    fail(stalled(Math.round((now() - since) / 1000), found));
  };
  const timer = setInterval(
    () => {
      if (looking) return;
      looking = true;
      void look().finally(() => {
        looking = false;
      });
    },
    Math.min(mostMs, limit / looks),
  );
  timer.unref();
  const stop = () => {
    stopped = true;
    clearInterval(timer);
  };
  return { stop };
}

/** Without words of its own: whoever diagnoses says more, where there is more to say. */
const silent = (error: unknown): Diagnosis => ({
  working: false,
  mark: "silent",
  causes: [
    { kind: "lost", words: `a server does not answer: ${error instanceof Error ? error.message : String(error)}` },
  ],
});

function stalled(seconds: number, found: readonly Diagnosis[]): EngineError {
  const causes = found.flatMap(({ causes }) => causes).sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const clear = causes.filter(({ kind }) => kind !== "client");
  const told = (clear.length > 0 ? clear : causes).slice(0, 3).map(({ words }) => words);
  const why = told.length > 0 ? told.join("; ") : "neither server says what it waits for";
  return new EngineError(
    "stalled",
    `nothing has moved for ${seconds} s: ${why}. Remove the cause and retry, or give a longer stall_timeout`,
    { retryable: !causes.some(({ kind }) => kind === "disk") },
  );
}
