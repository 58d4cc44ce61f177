import { paymentFinalizer } from "../../src/resources/payment.ts";
import { longestWait } from "./expiry.ts";
import type { Observed } from "./observed.ts";

/** How long a Migration is kept after its end: as long as its payment is open in any case. Pure. */

/** Why it is to be deleted now, or the milliseconds until it is looked at again; undefined: it is kept. */
export function retention(
  { migration, finishedKept, isSurplus }: Observed,
  now: Date,
): { why: string } | { wait: number } | undefined {
  const { spec, status, metadata } = migration;
  if (metadata.finalizers?.includes(paymentFinalizer) || status?.finishedAt === undefined) return undefined;
  const seconds = spec.ttlSecondsAfterFinished;
  const kept = seconds === undefined ? finishedKept : seconds * 1000;
  const wait = kept === undefined ? undefined : Date.parse(status.finishedAt) + kept - now.getTime();
  if (kept !== undefined && wait !== undefined && wait <= 0)
    return { why: `A Migration is deleted ${kept / 1000} seconds after its end here.` };
  if (isSurplus) return { why: "Its namespace keeps no more finished Migrations than those that ended after it." };
  return wait === undefined ? undefined : { wait: Math.min(wait, longestWait) };
}
