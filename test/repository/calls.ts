/** Reads calls and functions out of the text of a file that the formatter has laid out. No parser: strings are skipped. */

/** The arguments of a call, up to its closing parenthesis. `from`: behind the opening one. */
export function argumentsAt(text: string, from: number): string {
  for (const { at, depth } of code(text, from)) if (depth < 0) return text.slice(from, at);
  return text.slice(from);
}

/**
 * The functions that a file declares, by name: what stands from their name to their end. Several may have one name, in different
 * blocks.
 */
export function functionsIn(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const match of text.matchAll(declaration)) {
    const name = match[1] ?? match[2] ?? "";
    const from = match.index + match[0].length;
    found.set(name, [
      ...(found.get(name) ?? []),
      text.slice(from, endOfDeclaration(text, from, match[1] !== undefined)),
    ]);
  }
  return found;
}

/** `function name` or `const name = async`, `const name = (`, with a type between the name and the sign. */
const declaration =
  /\bfunction\*? (\w+)|\b(?:const|let) (\w+)(?:: [^\n=]*(?:=>[^\n=]*)*)? = (?=async\b|\(|<|function\b|\w+ =>)/g;

/** The names that a piece of code uses, outside of strings; not those of properties. */
export function namesIn(text: string): Set<string> {
  let plain = "";
  for (const { character } of code(text, 0)) plain += character;
  return new Set([...plain.matchAll(/(?<![.\w])[A-Za-z_]\w*(?!\w*:)/g)].map(([name]) => name));
}

/** A declaration of a function ends with the brace behind which its line ends, another one with its semicolon. */
function endOfDeclaration(text: string, from: number, isFunction: boolean): number {
  for (const { at, character, depth } of code(text, from)) {
    if (depth < 0) return at;
    if (depth > 0) continue;
    if (isFunction ? character === "}" && /^(?:\n|$)/.test(text.slice(at + 1, at + 2)) : character === ";")
      return at + 1;
  }
  return text.length;
}

/** The characters outside of strings, with how many brackets are open behind each. */
function* code(text: string, from: number): Generator<{ at: number; character: string; depth: number }> {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? "";
    if ("\"'`".includes(character)) {
      const end = endOfString(text, at);
      if (end > at) {
        at = end;
        continue;
      }
    }
    if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth -= 1;
    yield { at, character, depth };
  }
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
