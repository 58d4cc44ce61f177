import { isOverQuote, overQuoteReasons, wrongStatistics } from "../../billing/limit.ts";
import type { Migration, MigrationState } from "../../resources/migration.ts";
import { dueRun, mostRuns } from "../../resources/run.ts";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";
import { bodyDigest } from "./keys/idempotency.ts";
import { type DatabaseSide, type Renewed, renewed } from "./new-urls.ts";
import { actedOn, raiseRun } from "./raise.ts";
import { refuseTooLong } from "./too-long.ts";
import type { ActedAgain, NewUrls } from "./view/shapes.ts";
import { shownState } from "./view/shown.ts";

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

interface RetryInput {
  id: string;
  idempotencyKey?: string;
  /** In place of those that it has. */
  urls?: NewUrls;
}

/**
 * Runs a failed Migration again. With a URL of another database it starts anew, as a reset does: rows and records of the copy before never count
 * for this one. Throws Problem `not_found`, `other_team`, `state_conflict`, `limit_reached`, `url_refused`, `invalid`, `idempotency_key_reused`.
 */
export async function retry(
  world: World,
  caller: Caller,
  { id, idempotencyKey, urls = {} }: RetryInput,
): Promise<ActedAgain> {
  const hasUrls = Object.keys(urls).length > 0;
  let moved: DatabaseSide[] = [];
  const migration = await raiseRun(world, caller, {
    id,
    action: "retry",
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(hasUrls ? { body: bodyDigest(world.secret, urls) } : {}),
    async next(live) {
      refuseUnlessFailed(live);
      if (!hasUrls) return { spec: raised(live) };
      const fresh = await renewed(world, live, urls);
      moved = fresh.moved;
      const spec = raised(live, fresh);
      refuseTooLong({ metadata: { ...live.metadata.annotations, ...fresh.annotations }, spec });
      return { spec, annotations: fresh.annotations };
    },
  });
  const answer = actedOn(
    world,
    migration,
    "The migration is queued again: poll it until its status is completed or failed.",
  );
  return { ...answer, message: [answer.message, ...startsAnew(moved)].join(" ") };
}

function refuseUnlessFailed(live: Migration): void {
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
}

/** Throws Problem `limit_reached`. */
function raised(live: Migration, fresh?: Renewed): Migration["spec"] {
  const number = fresh !== undefined && fresh.moved.length > 0 ? "reset" : "attempt";
  const last = dueRun(live)[number];
  if (last >= mostRuns) throw tooOften();
  return { ...live.spec, ...fresh?.databases, [number]: last + 1 };
}

/** For the caller: what becomes of the copy before. */
function startsAnew(moved: readonly DatabaseSide[]): string[] {
  if (moved.length === 0) return [];
  const which = moved.map((side) => `${side}_url`).join(" and ");
  const names = moved.length === 1 ? "names another database" : "name other databases";
  const before = moved.includes("target")
    ? "Tables and objects in the former target stay there."
    : "The copy's tables and objects in the target are dropped first.";
  return [`The copy starts anew, since ${which} ${names}. ${before}`];
}

export const tooOften = () =>
  new Problem("limit_reached", `A migration runs at most ${mostRuns} times: create a new one.`);
