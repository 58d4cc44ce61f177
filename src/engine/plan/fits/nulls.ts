import type { Check } from "./types.ts";
import type { Doubt } from "./values.ts";

/** NULL into columns that are there and take none: looked for in the source before a row is written. Pure. */

export const nullChecks = (source: { nullable: boolean }, target: { notNull: boolean }): Check[] =>
  source.nullable && target.notNull ? [{ check: "null" }] : [];

/** A value that the copy makes NULL; `sql`: true for it, in the words of the source's server. */
export const becomesNull = (words: string, sql: string): Doubt["misfits"][number] => ({
  check: { check: "null", words },
  sql,
});
