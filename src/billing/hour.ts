/**
 * Part of the idempotency key of a request that changes nothing when it is repeated: `2026-03-01T12`. If kept errors have used up all numbers of a
 * key (stripe-keys.ts), the next hour has new ones.
 */
export const hourOf = (now: Date): string => now.toISOString().slice(0, 13);
