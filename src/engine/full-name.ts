/**
 * Names of nested objects in one text, for a person and as a key: no two lists of names give one text, since a name in
 * which the text could be taken apart otherwise is written in quotes, `a."b.c"`.
 */

const parting = /[ ."(),]/;

/** One name within such a text. */
export const part = (name: string): string => (parting.test(name) ? `"${name.replaceAll('"', '""')}"` : name);

/** From outside in: schema, table, column. */
export const fullName = (...names: readonly string[]): string => names.map(part).join(".");

/** The names that a full name stands for. */
export const namesOf = (text: string): string[] =>
  [...text.matchAll(/"((?:[^"]|"")*)"|[^."]+/g)].map(([whole, quoted]) => quoted?.replaceAll('""', '"') ?? whole);
