import { isDeepStrictEqual } from "node:util";
import { kinds } from "../../cluster/index.ts";
import { expiredUrl } from "../../resources/database.ts";
import type { Migration } from "../../resources/migration.ts";
import { dueRun } from "../../resources/run.ts";
import { payAgain, type RetryPrice } from "../billing/pay-again.ts";
import { underCeilings } from "../ceilings.ts";
import { Problem } from "../errors.ts";
import { change } from "../update-with-retry.ts";
import type { Caller, World } from "../world.ts";
import { linkOf, withPayment } from "./checkout.ts";
import { findMigration, notFound } from "./find.ts";
import { digestFor, wasDone, withAction } from "./keys/action-key.ts";
import { marks } from "./view/marks.ts";
import type { ActedAgain } from "./view/shapes.ts";
import { listed, shownState } from "./view/shown.ts";
import { untilCached } from "./view/wait-for-cache.ts";

interface Raise {
  id: string;
  /** Which action, as the end of its path. */
  action: "retry" | "reset";
  idempotencyKey?: string;
  /** Digest of the request's body, where it has one that counts. */
  body?: string;
  /** The price that the caller agreed to: another one is refused. */
  agreed?: RetryPrice;
  /** The spec with one number raised; undefined where it is raised already. Throws Problem where the state does not allow it. */
  next(migration: Migration): Raised | undefined | Promise<Raised | undefined>;
}

interface Raised {
  spec: Migration["spec"];
  /** To add, or to replace those of the same name. */
  annotations?: Record<string, string>;
}

/**
 * Raises `attempt` or `reset`, on what the API server has now and nothing older, so that of two at once each sees the other's. What pays for the next
 * run is decided anew, and written with the raise, as is the key: one key never raises twice. Answers the Migration as it is then.
 */
export async function raiseRun(
  world: World,
  caller: Caller,
  { id, action, idempotencyKey, body, agreed, next }: Raise,
): Promise<Migration> {
  const { metadata } = await findMigration(world, caller, id);
  const digest = digestFor(world, caller, `/api/migrations/${id}/${action}`, idempotencyKey);
  const write = async (live: Migration): Promise<Migration | undefined> => {
    if (live.metadata.uid !== metadata.uid || live.metadata.deletionTimestamp !== undefined) throw notFound();
    if (digest !== undefined && wasDone(live, digest, body)) return undefined;
    const { spec, annotations: marked } = (await next(live)) ?? {};
    checkUrls({ spec: spec ?? live.spec });
    const { run } = dueRun({ ...live, spec: spec ?? live.spec });
    const paid = await payAgain(world, live, run, agreed);
    const isPaidAsBefore = paid === undefined || isDeepStrictEqual(paid, live.spec.payment);
    if (spec === undefined && isPaidAsBefore) return undefined;
    const changed = { ...live, spec: spec ?? live.spec };
    const again = isPaidAsBefore ? changed : withPayment(changed, paid);
    const annotations = {
      ...live.metadata.annotations,
      ...marked,
      ...(digest === undefined ? {} : { [marks.actions]: withAction(live, digest, body) }),
    };
    return { ...again, metadata: { ...again.metadata, annotations } };
  };
  const raised = await underCeilings(world, caller, { waiting: 1 }, () =>
    change(world, kinds.migrations, metadata.namespace, metadata.name, write),
  );
  if (raised === undefined) throw notFound();
  const { namespace, name, generation } = raised.metadata;
  await untilCached(
    world,
    () => (world.caches.migrations.get(namespace, name)?.metadata.generation ?? 0) >= generation,
  );
  await world.fresh.everywhere(kinds.migrations, raised.metadata.resourceVersion);
  return raised;
}

/** The answer to a retry or a reset: with price and link where a person must authorize a payment first. */
export function actedOn(world: Pick<World, "settings">, migration: Migration, message: string): ActedAgain {
  const { payment } = migration.spec;
  const shown = listed(migration, world.settings.currency);
  if (payment?.by !== "hold" || shownState(migration) !== "awaiting_payment") return { message, migration: shown };
  const due = "The migration awaits payment. Open `checkout_url` and authorize the payment. The run then starts.";
  return { message: due, migration: shown, ...linkOf(payment) };
}

/** The operator takes sealed URLs out of a Migration: 30 days after it ended, by default. Throws Problem `state_conflict`. */
export function checkUrls({ spec }: Pick<Migration, "spec">): void {
  if ([spec.source, spec.target].some(({ sealedUrl }) => sealedUrl === expiredUrl))
    throw new Problem(
      "state_conflict",
      "The connection URLs of this migration were removed after it ended, as `keep_urls_days` or the installation says. Create a new migration, or retry a failed one with `source_url` and `target_url`.",
    );
}
