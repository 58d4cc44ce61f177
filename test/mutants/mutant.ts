import { partOf } from "../runner/parts.ts";

/** A changed line. */
export interface Edit {
  /** The changed file, as a path from the root of the repository. */
  file: string;
  /** Text on one line that occurs exactly once in the file. */
  find: string;
  replace: string;
}

/** A mutant: the tree with one line changed for the worse. A green run means something only if a test fails on it. */
export interface Mutant extends Edit {
  /** A short name of its own, for `npm run mutants -- ID`. */
  id: string;
  /** Changes of further lines, where another check would hide the fault. */
  also?: readonly Edit[];
  /** The test that must fail: its file, and its name with those of its groups, joined by " > ". */
  test: { file: string; name: string };
  /** What the fault would do to a user. */
  harm: string;
}

/** The part of the test suite, and vitest's project, that runs a test file. */
export function projectOf(file: string): string {
  const part = partOf(file);
  if (part === undefined) throw new Error(`${file} is in no part of the tests`);
  return part.name;
}

/** Its test starts no server, so that it is over in some seconds. */
export const isQuick = ({ test }: Mutant): boolean => projectOf(test.file) === "unit";

/** The file's text with the fault. Errors: that the mutant is stale, which means that the list must be brought up to date. */
export function mutate(text: string, { file, find, replace }: Edit, id: string): string {
  const times = text.split(find).length - 1;
  if (find.includes("\n") || times !== 1)
    throw new Error(
      `the mutant ${id} is stale: its line must occur once in ${file}, and occurs ${times} times. Correct the list: ${find}`,
    );
  return text.replace(find, () => replace);
}

/** All lines that a mutant changes. */
export const editsOf = ({ file, find, replace, also = [] }: Mutant): Edit[] => [{ file, find, replace }, ...also];
