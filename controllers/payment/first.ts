import type { Account } from "../../src/resources/account.ts";
import type { Migration } from "../../src/resources/migration.ts";

/**
 * The order in which a new leader looks at everything once. A queue is first in, first out, and each look at Stripe takes a moment: those for whom a
 * person waits must not stand behind thousands of old ones, in the order of their names.
 */

const newestFirst = <T>(all: Iterable<T>, at: (one: T) => string | undefined): T[] =>
  [...all].toSorted((a, b) => (at(b) ?? "").localeCompare(at(a) ?? ""));

export const migrationsFirst = (all: Iterable<Migration>): Migration[] =>
  newestFirst(all, ({ spec }) => spec.payment?.checkout?.expiresAt);

export const subscribersFirst = (all: Iterable<Account>): Account[] =>
  newestFirst(all, ({ spec }) => spec.billing?.askedAt);
