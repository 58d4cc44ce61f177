import type { Metadata } from "../state/types.ts";

/** Stripe's rule: named keys are replaced, an empty value removes its key, the others stay. */
export const withMetadata = (before: Metadata, change: Metadata | undefined): Metadata =>
  Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== ""));
