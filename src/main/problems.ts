import type { Logger } from "pino";
import { failureOf } from "../api/problem.ts";
import { ClusterError } from "../cluster/index.ts";

/** An outage repeats the same words many times a second; they are logged when they change, and every half minute. */
const quiet = 30_000;

/** Answers what logs the problems of one kind of work. `over`: whether nobody wants to hear of them any more. */
export function createProblems({
  log,
  over,
  now,
}: {
  log: Logger;
  over: () => boolean;
  now: () => number;
}): (what: string) => (error: unknown) => void {
  const told = new Map<string, { words: string; at: number }>();
  return (what) => (error) => {
    if (over()) return;
    const words = error instanceof Error ? error.message : String(error);
    const last = told.get(what);
    if (last?.words === words && now() - last.at < quiet) return;
    told.set(what, { words, at: now() });
    // A refusal of the API server needs no stack.
    if (error instanceof ClusterError) log.warn({ code: error.code, status: error.status }, `${what}: ${words}`);
    else log.warn({ failure: failureOf(error) }, what);
  };
}
