import { before } from "./before.ts";
import { connecting } from "./connecting.ts";
import { copying } from "./copying.ts";
import { result } from "./result.ts";
import type { RunCodeEntry } from "./types.ts";

/**
 * The registry of run codes: every error that ends a run has one, and `docs/run-errors.md`, made from here, explains each
 * under a heading of its name. A code never changes its meaning; words may.
 */
export const runCodeGroups = {
  "Connection and rights": connecting,
  "Before the first write": before,
  "While copying": copying,
  "At the end": result,
} as const satisfies Record<string, Record<string, RunCodeEntry>>;

const registry = { ...connecting, ...before, ...copying, ...result };
const entries: Readonly<Record<string, RunCodeEntry>> = registry;

/** Codes of a connection URL that the guard does not accept (src/guard/url.ts) also end a run. */
export type RunCode = keyof typeof registry | `url_${string}`;

/** Whether the code is of a copy that is refused before it writes. */
export const isBeforeFirstWrite = (code: RunCode): boolean => Object.hasOwn(before, code);

/** What an error is unless the place that makes it says more. */
export const isRetryable = (code: RunCode): boolean =>
  Object.hasOwn(entries, code) && entries[code]?.retryable === "yes";
