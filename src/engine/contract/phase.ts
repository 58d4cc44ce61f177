import type { Phase } from "./index.ts";

/**
 * What a phase says. `reached`: both servers have answered and the target's fence stands, so the watchdog of the copy has taken
 * over, and something may be written. `rows`: its progress counts rows.
 */
const facts: Record<Phase, { reached: boolean; rows: boolean }> = {
  connecting: { reached: false, rows: false },
  schema: { reached: true, rows: false },
  copying: { reached: true, rows: true },
  constraints: { reached: true, rows: true },
  verifying: { reached: true, rows: true },
  finished: { reached: true, rows: true },
};

export const hasReached = (phase: Phase | undefined): boolean => phase !== undefined && facts[phase].reached;
export const countsRows = (phase: Phase): boolean => facts[phase].rows;
