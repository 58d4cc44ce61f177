/**
 * Part of an idempotency key. Stripe keeps an answer for a day under its key, also one of an internal error of its own, so a key is of one hour:
 * `2026-03-01T12`.
 */
export const hourOf = (now: Date): string => now.toISOString().slice(0, 13);
