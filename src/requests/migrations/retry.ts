import { isOverQuote, overQuoteReasons, wrongStatistics } from "../../billing/limit.ts";
import type { MigrationState } from "../../resources/migration.ts";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";
import { actedOn, raise } from "./raise.ts";
import type { ActedAgain } from "./shapes.ts";
import { shownState } from "./shown.ts";

/** A spec's `attempt` and `reset` go no higher. */
export const mostRuns = 1000;

/** Whether an error's code says that the source is larger than the migration's payment covers. */
export const hasOutgrown = (code: string): boolean =>
  [...Object.values<string>(overQuoteReasons), wrongStatistics].includes(code);

const instead: Record<Exclude<MigrationState, "failed">, string> = {
  awaiting_payment:
    "It awaits payment: authorize it at its checkout link. POST /api/migrations/{id}/checkout returns the open link, or a new one.",
  pending: "It is pending: it runs by itself.",
  in_progress: "It is in progress: wait until it has ended.",
  completed: "It is completed: reset it to copy again.",
};

/** Runs a failed Migration again. Throws Problem `not_found`, `other_team`, `state_conflict`, `limit_reached`. */
export async function retry(world: World, caller: Caller, id: string, idempotencyKey?: string): Promise<ActedAgain> {
  const migration = await raise(world, caller, {
    id,
    action: "retry",
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    next(live) {
      const state = shownState(live);
      if (state !== "failed")
        throw new Problem(
          "state_conflict",
          `Only a failed migration can be retried. ${state === undefined ? "" : instead[state]}`.trim(),
        );
      if (isOverQuote(live.status))
        throw new Problem(
          "state_conflict",
          live.status?.result?.reason === wrongStatistics
            ? "The source is larger than it was measured, and a retry keeps the old price. Run ANALYZE TABLE on the tables of a MySQL or MariaDB source, get a new estimate and create a new migration."
            : "The source is larger than this migration's payment covers, and a retry keeps the old price. Get a new estimate and create a new migration.",
        );
      if (live.spec.attempt >= mostRuns) throw tooOften();
      return { ...live.spec, attempt: live.spec.attempt + 1 };
    },
  });
  return actedOn(world, migration, "The migration is queued again: poll it until its status is completed or failed.");
}

export const tooOften = () =>
  new Problem("limit_reached", `A migration runs at most ${mostRuns} times: create a new one.`);
