import type { GuardPolicy } from "../guard/policy.ts";
import type { ProbeCall } from "./protocol.ts";

/**
 * Between the prober and a child: one line of JSON on the child's stdin, and lines of JSON from it on descriptor 3. Neither its
 * arguments nor its environment hold anything of a call. When stdin ends the child ends too.
 */
export interface ChildWork {
  call: ProbeCall;
  guard: GuardPolicy;
  /** Milliseconds in which the child answers by itself, and after which a server ends a statement; a little later the child is killed. */
  deadlineMs: number;
  /** pg_dump's major version; undefined where there is none. */
  pgDump: number | undefined;
  /** Bytes of heap of the worker that would copy. */
  workerHeap: number;
  /** For pg_dump alone, in a child that may start it: its variables are set after the start. */
  tools?: { path: string; folder: string | undefined; libraries: string | undefined; tmp: string };
}

export const responseDescriptor = 3;

/** One line each. `reached`: a session was opened. `fault`: an error of our own, by its name and where it was made. */
export type Message = { ready: true } | { reached: "source" | "target" } | { fault: string } | { answer: unknown };
