import type { Migration, MigrationState } from "../../../resources/migration.ts";
import type { RetryPrice } from "../../billing/pay-again.ts";
import { Problem } from "../../errors.ts";
import { shownState } from "./shown.ts";

/** What decides on the effect of a reset or a delete; what moves by itself, such as progress, does not. */
export interface SeenState {
  state: MigrationState | undefined;
  attempt: number;
  reset: number;
  /** Of the run that a reset would start. */
  price?: RetryPrice;
}

export function seenOf(migration: Pick<Migration, "metadata" | "spec" | "status">): SeenState {
  const { attempt, reset } = migration.spec;
  return { state: shownState(migration), attempt, reset };
}

/** Throws Problem `state_conflict` where it is not as somebody saw it who then agreed to the effect. */
export function checkSeen(live: Migration, seen: SeenState): void {
  const now = seenOf(live);
  const same = now.state === seen.state && now.attempt === seen.attempt && now.reset === seen.reset;
  if (!same) throw new Problem("state_conflict", "Its state has changed since it was looked at: look again.");
}
