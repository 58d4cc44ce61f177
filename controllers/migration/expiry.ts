import { expiredUrl } from "../../src/resources/database.ts";
import type { Migration } from "../../src/resources/migration.ts";
import type { StateReason } from "../jobs/observed.ts";
import { isWaiting } from "./run.ts";

/**
 * How long a sealed URL stands in a spec: until some time after the run ended, which whoever made the Migration may shorten for a completed
 * one. Then nothing can open it, and nothing can run.
 */

type Side = "source" | "target";
const sides: readonly Side[] = ["source", "target"];

/** Milliseconds; timers and clocks bear no more. */
export const longestWait = 12 * 3_600_000;
const day = 86_400_000;

/** A failed one's are needed by a retry. `installed`: milliseconds; undefined: for ever. */
function keptOf({ spec, status }: Migration, installed: number | undefined): number | undefined {
  if (spec.urlsKeptDays === undefined || status?.state !== "completed") return installed;
  return Math.min(spec.urlsKeptDays * day, installed ?? Number.POSITIVE_INFINITY);
}

/** What is due of a Migration that ended: URLs to take out now, or when to look again. Nothing where none is sealed. */
export function expiry(
  migration: Migration,
  installed: number | undefined,
  now: Date,
): { due: Side[] } | { wait: number } | undefined {
  const { spec, status } = migration;
  const kept = keptOf(migration, installed);
  const sealed = sides.filter((side) => spec[side].sealedUrl !== undefined && spec[side].sealedUrl !== expiredUrl);
  if (kept === undefined || sealed.length === 0 || status?.finishedAt === undefined) return undefined;
  const wait = Date.parse(status.finishedAt) + kept - now.getTime();
  return wait <= 0 ? { due: sealed } : { wait: Math.min(wait, longestWait) };
}

/** Why a run that is to start cannot: a URL of its was taken out. */
export function withoutUrl(migration: Migration): StateReason | undefined {
  const gone = sides.filter((side) => migration.spec[side].sealedUrl === expiredUrl);
  if (gone.length === 0 || !isWaiting(migration)) return undefined;
  return {
    reason: "SealedUrlExpired",
    message: `The connection URL of ${gone.map((side) => `the ${side}`).join(" and ")} is not kept any more: it is removed some time after a Migration ended. Create a new Migration with both URLs.`,
  };
}
