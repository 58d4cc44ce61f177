import { argumentsAt } from "./calls.ts";

/** Finds assertions that hold for too much. Lines count from 1. */

const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length;

/** Lines that expect any error at all: a test that fails for another reason than the one in its name passes them. */
export const bareThrows = (text: string): number[] =>
  [...text.matchAll(/(?<!\bnot\s*)\.\s*(?:toThrow|toThrowError)\(\s*(?:Error)?\s*\)/g)].map(({ index }) =>
    lineAt(text, index + 1),
  );

const concurrent = /\b(?:describe|suite|it|test)(?:\.\w+)*\.concurrent\b(?:\.\w+)*(?:<[^()]*>)?\(/g;
const single = /(?<!\.)\b(?:it|test)\b(?:\.\w+)*(?:<[^()]*>)?\(/g;

/**
 * Lines of tests that run beside others of their file without the `expect` of their context. vitest counts the assertions of the
 * imported one for whichever test began last.
 */
export function sharedExpects(text: string): number[] {
  return [...text.matchAll(concurrent)].flatMap((match) => {
    const { call, from } = lastCall(text, match.index + match[0].length);
    if (!/^(?:describe|suite)/.test(match[0])) return takesExpect(call) ? [] : [lineAt(text, match.index)];
    return [...call.matchAll(single)]
      .filter((test) => !takesExpect(lastCall(call, test.index + test[0].length).call))
      .map((test) => lineAt(text, from + test.index));
  });
}

const takesExpect = (call: string): boolean => /\{[^{}]*\bexpect\b[^{}]*\}\s*\)\s*=>/.test(call);

/** The arguments of a call, or of the one that it returns a function for: `each(table)("name", …)`. */
function lastCall(text: string, from: number): { call: string; from: number } {
  const call = argumentsAt(text, from);
  const after = from + call.length + 1;
  return text[after] === "(" ? lastCall(text, after + 1) : { call, from };
}
