/** A name's pattern that a stranger writes: characters, and between them any one or any run of them. */
export type Wildcards = readonly (string | typeof one | typeof many)[];

export const one = Symbol("any character");
export const many = Symbol("any characters, or none");

/** Takes at most pattern × name steps, where a regular expression of the same may take for ever. Characters are code points. */
export function matchesWildcards(pattern: Wildcards, name: string): boolean {
  const text = [...name];
  let at = 0;
  let from = 0;
  // The last run of any characters, and up to where it reaches: only it ever has to grow.
  let run = -1;
  let reached = 0;
  while (from < text.length) {
    if (pattern[at] === many) {
      run = at++;
      reached = from;
    } else if (at < pattern.length && (pattern[at] === one || pattern[at] === text[from])) {
      at++;
      from++;
    } else if (run >= 0) {
      at = run + 1;
      from = ++reached;
    } else return false;
  }
  return pattern.slice(at).every((token) => token === many);
}
