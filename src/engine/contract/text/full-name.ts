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

/**
 * The names of a text that a person wrote, each in quotes or plain, a plain one without a dot: `a.b`, `a."b.c"`, `my table`.
 * Undefined: none that can be read in one way, as `"a` or `a.`. Pure.
 */
export function readName(text: string): string[] | undefined {
  const found: string[] = [];
  for (let rest = text; ; ) {
    const [whole, quoted, plain = ""] = /^(?:"((?:[^"]|"")*)"|([^".][^.]*))(?=\.|$)/s.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    found.push(quoted?.replaceAll('""', '"') ?? plain);
    if (whole.length === rest.length) return found;
    rest = rest.slice(whole.length + 1);
  }
}

/** Whether a person's text means what is called so, from outside in; `least`: as many of the last names must be written. */
export function means(text: string, names: readonly string[], least = 1): boolean {
  const written = readName(text);
  if (written === undefined || written.length < least || written.length > names.length) return false;
  const last = names.slice(-written.length);
  return written.every((name, at) => name === last[at]);
}

/** For a person whose name was not found. */
export const dotFix = 'and a name that has a dot in double quotes, as in schema."a.b"';
