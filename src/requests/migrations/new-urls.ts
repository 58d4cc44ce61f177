import { isDeepStrictEqual } from "node:util";
import { sealFields } from "../../guard/envelope.ts";
import { forMigration } from "../../guard/sealed-for.ts";
import type { Migration } from "../../resources/migration.ts";
import { runTypeOf } from "../../resources/run-type.ts";
import { Problem } from "../errors.ts";
import type { World } from "../world.ts";
import { placesMark, serversMark, urlDigest, urlDigests } from "./view/places.ts";
import type { NewUrls } from "./view/shapes.ts";
import { type CheckedPair, checkPair } from "./view/urls.ts";

/**
 * Other URLs for a Migration that failed, checked and sealed as at a create. Always both: who may retry a migration need not know its URLs, and
 * must not lead a stored source into a database of their own.
 */

const sides = ["source", "target"] as const;
export type DatabaseSide = (typeof sides)[number];

export interface Renewed {
  databases: Pick<Migration["spec"], DatabaseSide>;
  annotations: Record<string, string>;
  /** Sides whose new URL names another database than before, or perhaps does. */
  moved: DatabaseSide[];
}

/** Throws Problem `url_refused`, `invalid`, `state_conflict`. */
export async function renewed(
  world: Pick<World, "sealingKey" | "secret" | "settings" | "now">,
  live: Migration,
  { source_url, target_url }: NewUrls,
): Promise<Renewed> {
  if (source_url === undefined || target_url === undefined) throw bothNeeded(source_url === undefined);
  refuseSecrets(live);
  const { source_ca, target_ca } = live.spec.options ?? {};
  const pair = checkPair({ source_url, target_url, options: { source_ca, target_ca } }, world.settings.guard);
  refuseOtherType(live, pair);
  const now = { source: urlDigest(world.secret, pair.source), target: urlDigest(world.secret, pair.target) };
  const before = urlDigests(live);
  const purpose = forMigration(live.metadata, { ...live.spec, source: {}, target: {} });
  const urls = { source: source_url.trim(), target: target_url.trim() };
  const sealed = await sealFields(await world.sealingKey(), purpose, urls, world.now());
  return {
    databases: { source: { sealedUrl: sealed.source }, target: { sealedUrl: sealed.target } },
    annotations: { ...placesMark(now), ...serversMark(world.secret, pair) },
    moved: sides.filter((side) => !isDeepStrictEqual(before?.[side], now[side])),
  };
}

const bothNeeded = (isSourceMissing: boolean) =>
  new Problem(
    "invalid",
    "Give both source_url and target_url: the stored URLs cannot be read again, and neither is ever combined with another database.",
    { errors: [{ field: isSourceMissing ? "source_url" : "target_url", message: "is required beside the other URL" }] },
  );

function refuseSecrets({ spec }: Migration): void {
  if (sides.every((side) => spec[side].sealedUrl !== undefined)) return;
  throw new Problem(
    "state_conflict",
    "Secrets in Kubernetes hold the connection URLs of this migration: change them there, and retry without URLs.",
  );
}

const kindOf = {
  transfer: "Source and target must use the same engine",
  conversion: "Source and target must use different engines",
};

function refuseOtherType(live: Migration, { type }: CheckedPair): void {
  const before = runTypeOf(live);
  if (before === undefined || before === type) return;
  throw new Problem(
    "invalid",
    `${kindOf[before]}, as in the original migration. For other engines, create a new migration.`,
    {
      errors: [{ field: "target_url", message: `is of another engine than the original migration allows (${before})` }],
    },
  );
}
