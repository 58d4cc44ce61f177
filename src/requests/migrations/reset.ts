import { inUnits, moneyText } from "../../billing/money.ts";
import { clean, counted } from "../../guard/text.ts";
import { hasReached, type Migration } from "../../resources/migration.ts";
import { dueRun, mostRuns } from "../../resources/run.ts";
import { priceAgain, type RetryPrice } from "../billing/pay-again.ts";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";
import { findLive } from "./find.ts";
import { digestFor, wasDone } from "./keys/action-key.ts";
import { actedOn, checkUrls, raiseRun } from "./raise.ts";
import { tooOften } from "./retry.ts";
import { readMade } from "./view/archive.ts";
import { checkSeen, type SeenState, seenOf } from "./view/precondition.ts";
import type { ResetResponse } from "./view/shapes.ts";
import { listed } from "./view/shown.ts";

/** The preview names at most so many objects. */
const mostNamed = 500;

interface ResetInput {
  id: string;
  confirm: boolean;
  idempotencyKey?: string;
  /** Act only where it still is as it was seen. */
  seen?: SeenState;
}

/**
 * Drops from the target what the Migration made there, and runs it again, from any state; a run in progress is stopped first. Without
 * `confirm` it changes nothing and tells what it would do. Throws Problem `not_found`, `other_team`, `state_conflict` where its URLs are no longer kept or it is not as it was
 * `seen`, `limit_reached`.
 */
export async function resetMigration(
  world: World,
  caller: Caller,
  { id, confirm, idempotencyKey, seen }: ResetInput,
): Promise<ResetResponse> {
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  if (!confirm) return (await previewReset(world, caller, { id, ...key })).answer;
  const migration = await raiseRun(world, caller, {
    id,
    action: "reset",
    ...key,
    ...(seen?.price === undefined ? {} : { agreed: seen.price }),
    next(live) {
      if (seen !== undefined) checkSeen(live, seen);
      // One that was asked for and has not begun does what this one would.
      if (dueRun(live).why === "reset") return undefined;
      if (live.spec.reset >= mostRuns) throw tooOften();
      return { spec: { ...live.spec, reset: live.spec.reset + 1 } };
    },
  });
  return actedOn(
    world,
    migration,
    "The migration's tables and objects in the target are being dropped, then it runs again: poll it until its status is completed or failed.",
  );
}

/** What a reset would do to the Migration as it was seen. Throws as `reset` does. */
export async function previewReset(
  world: World,
  caller: Caller,
  { id, idempotencyKey }: Pick<ResetInput, "id" | "idempotencyKey">,
): Promise<{
  answer: ResetResponse & Required<Pick<ResetResponse, "preview">>;
  seen: SeenState & Required<Pick<SeenState, "price">>;
  /** No run has written to the target. */
  isUntouched: boolean;
}> {
  const migration = await findLive(world, caller, id);
  refuseOtherBody(migration, digestFor(world, caller, `/api/migrations/${id}/reset`, idempotencyKey));
  checkUrls(migration);
  const price = await priceAgain(world, migration);
  const seen = { ...seenOf(migration), price };
  const { state } = seen;
  const running = state === "in_progress" || (state === "pending" && migration.status?.job !== undefined);
  const made = await readMade(world, caller, migration, migration.status?.madeIn, mostNamed);
  // What a run made that did not complete is recorded in the target alone.
  const isUntouched = hasWrittenNothing(migration, state);
  const whole = isUntouched || (state === "completed" && made !== undefined);
  const total = made?.total ?? 0;
  const drops = (made?.first ?? []).map(({ kind, name }) => ({
    kind: clean(kind, 64),
    name: clean(name.join("."), 512),
  }));
  const answer = {
    message: [
      words(running, { isUntouched, whole, count: total }),
      ...priceMessages(price),
      'Nothing was changed. To reset, call again with "confirm": true.',
    ].join(" "),
    migration: listed(migration, world.settings.currency),
    preview: {
      ...{ stops_run: running, drops, total: whole ? total : null },
      ...{ amount: inUnits(price.amount, price.currency), currency: price.currency },
    },
  };
  return { answer, seen, isUntouched };
}

/** It never started, or its first run ended at or before the check that precedes the first write. */
export function hasWrittenNothing({ status }: Pick<Migration, "status">, state: SeenState["state"]): boolean {
  if (status?.startedAt === undefined) return true;
  const { run, assessment, progress } = status;
  const hasPassedCheck = assessment?.ready === true || hasReached(progress);
  return state === "failed" && run === 1 && !hasPassedCheck;
}

function words(
  running: boolean,
  { isUntouched, whole, count }: { isUntouched: boolean; whole: boolean; count: number },
): string {
  const stop = running ? "The run in progress would be stopped. " : "";
  const drop = isUntouched
    ? "Nothing would be dropped, since no run has written to the target"
    : whole
      ? `${counted(count, "object")} that the migration made in the target would be dropped, with all rows in them, also those that others wrote since`
      : "Every object that the migration made in the target would be dropped, with all rows in them, also those that others wrote since. The complete list is only in the target, in the table _rowferry";
  return `${stop}${drop}. Then the copy would start again.`;
}

/** Sentences for a person, before they agree; none where the run is covered. */
export const priceMessages = ({ amount, currency }: RetryPrice): string[] =>
  amount === 0
    ? []
    : [
        `The next run costs ${moneyText(amount, currency)}. It starts once the payment is authorized at checkout_url, and is charged only if the copy completes.`,
      ];

function refuseOtherBody(migration: Migration, digest: string | undefined): void {
  if (digest !== undefined && wasDone(migration, digest))
    throw new Problem(
      "idempotency_key_reused",
      "This Idempotency-Key was used for a reset with another body: use a new key.",
    );
}
