/**
 * Part of an idempotency key whose request may be done twice: `2026-03-01T12`. Where the errors that Stripe keeps have used up all numbers of a
 * key, there are new ones after an hour, and not after a day.
 */
export const hourOf = (now: Date): string => now.toISOString().slice(0, 13);
