/**
 * Finds `expect` in what a poll calls. `until` tries again when its condition throws: an `expect` in there fails nothing as
 * long as a later look passes, so that a wrong answer in between is never seen.
 */

const poll = /\buntil\w*(?:<[^>()]*>)?\(/g;

/** The arguments of a call, up to its closing parenthesis. Strings are skipped. */
function argumentsAt(text: string, from: number): string {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? "";
    if ("\"'`".includes(character)) {
      const end = endOfString(text, at);
      if (end > at) at = end;
    } else if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character) && --depth === 0) return text.slice(from, at);
  }
  return text.slice(from);
}

/** The place of the closing quote, or `at` where there is none (a quote in a regular expression). */
function endOfString(text: string, at: number): number {
  const quote = text[at] ?? "";
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === quote) return end;
    else if (text[end] === "\n" && quote !== "`") return at;
  }
  return at;
}

/** The lines, from 1, of polls that contain an `expect`. */
export function expectingPolls(text: string): number[] {
  return [...text.matchAll(poll)]
    .filter((call) => /\bexpect[.(]/.test(argumentsAt(text, call.index + call[0].length)))
    .map((call) => text.slice(0, call.index).split("\n").length);
}
