/**
 * Reads JSON from a stranger: RFC 8259 and no more, with what JSON.parse lets pass refused: a name twice in an object, of which
 * readers take different ones, the name that sets an object's prototype, and nesting without a bound.
 */

export class JsonError extends Error {
  /** From 1, in characters. */
  readonly line: number;
  readonly column: number;
  constructor(message: string, text: string, at: number) {
    const before = text.slice(0, at).split("\n");
    const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1];
    super(`line ${line}, column ${column}: ${message}`);
    this.name = "JsonError";
    this.line = line;
    this.column = column;
  }
}

const deepest = 32;
const space = /[ \t\n\r]*/y;
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;

/** Throws JsonError, whose message quotes nothing of the text but a field's name. */
export function parseJson(text: string): unknown {
  let at = 0;

  const fail = (message: string, where = at): never => {
    throw new JsonError(message, text, where);
  };
  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  }
  function expect(sign: string): void {
    take(space);
    if (text[at] !== sign) fail(at >= text.length ? `the text ends where ${sign} is expected` : `${sign} is expected`);
    at += 1;
  }
  /** Whether another element follows; takes the comma, or the closing sign. */
  function more(closing: string): boolean {
    take(space);
    if (text[at] === closing) {
      at += 1;
      return false;
    }
    if (text[at] !== ",") fail(`, or ${closing} is expected`);
    at += 1;
    return true;
  }
  const empty = (closing: string): boolean => {
    take(space);
    if (text[at] !== closing) return false;
    at += 1;
    return true;
  };

  function object(depth: number): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    if (empty("}")) return found;
    do {
      take(space);
      const start = at;
      const name = JSON.parse(take(string) ?? fail("a field's name in double quotes is expected")) as string;
      if (name === "__proto__") fail("a field may not be named __proto__", start);
      if (Object.hasOwn(found, name)) fail(`the field ${shown(name)} is repeated: send it once`, start);
      expect(":");
      found[name] = value(depth);
    } while (more("}"));
    return found;
  }

  function array(depth: number): unknown[] {
    const found: unknown[] = [];
    if (empty("]")) return found;
    do found.push(value(depth));
    while (more("]"));
    return found;
  }

  function value(depth: number): unknown {
    take(space);
    const sign = text[at];
    if (sign === "{" || sign === "[") {
      if (depth >= deepest) fail(`the nesting is deeper than ${deepest} levels`);
      at += 1;
      return sign === "{" ? object(depth + 1) : array(depth + 1);
    }
    const start = at;
    const token = take(sign === '"' ? string : /[-\d]/.test(sign ?? "") ? number : word);
    if (token === undefined)
      return fail(at >= text.length ? "the text ends where a value is expected" : "no JSON value");
    const found: unknown = JSON.parse(token);
    if (typeof found === "number" && !Number.isFinite(found)) fail("the number is too large", start);
    return found;
  }

  const found = value(0);
  take(space);
  if (at < text.length) fail("there is text after the JSON value");
  return found;
}

/** A name as a message may quote it. */
export const shown = (name: string): string => {
  const plain = name.replace(/[^\x20-\x7e]/g, "?");
  return plain.length <= 60 ? plain : `${plain.slice(0, 59)}…`;
};
