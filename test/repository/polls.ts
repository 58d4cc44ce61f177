import { argumentsAt, functionsIn, namesIn } from "./calls.ts";

/**
 * Finds `expect` in what a poll calls. `until` tries again when its condition throws: an `expect` in there fails nothing as
 * long as a later look passes, so that a wrong answer in between is never seen.
 */

const poll = /\buntil\w*(?:<[^>()]*>)?\(/g;
const expects = (code: string): boolean => /\bexpect[.(]/.test(code);

/** The lines, from 1, of polls that reach an `expect`, directly or by functions of the same file. */
export function expectingPolls(text: string): number[] {
  const functions = functionsIn(text);
  const reaches = (code: string, seen: ReadonlySet<string>): boolean =>
    expects(code) ||
    [...namesIn(code)].some(
      (name) => !seen.has(name) && functions.get(name)?.some((body) => reaches(body, new Set([...seen, name]))),
    );
  return [...text.matchAll(poll)]
    .filter((call) => reaches(argumentsAt(text, call.index + call[0].length), new Set()))
    .map((call) => text.slice(0, call.index).split("\n").length);
}
