import { refuse } from "./refusal.ts";

/**
 * Tokens of SQL as the servers print it: MySQL's and MariaDB's SHOW CREATE and information_schema, PostgreSQL's
 * pg_get_expr and pg_get_viewdef. Comments and what these never print are refused.
 */

export type Dialect = "mysql" | "postgres";

export type Token =
  | { is: "word"; text: string; upper: string; at: number }
  /** A quoted name, its quotes undone. */
  | { is: "name"; text: string; at: number }
  | { is: "string"; text: string; at: number; charset?: string }
  | { is: "number"; text: string; at: number }
  /** `0x4d`, `x'4d'` as hex digits; `b'101'` as bits. */
  | { is: "hex" | "bits"; text: string; at: number }
  | { is: "symbol"; text: string; at: number }
  | { is: "end"; text: ""; at: number };

const space = /\s+/y;
const word = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const number = /(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const mysqlSymbols = /->>|->|<=>|<<|>>|<=|>=|<>|!=|:=|\|\||&&|[-+*/%=<>!~|&^(),.@:]/y;
const postgresSymbol = /::|[-+*/<>=~!@#%^&|`?]+|[(),.[\]:;]/y;

const letters: Record<string, string> = { "0": "\0", n: "\n", r: "\r", t: "\t", Z: "\u001a", b: "\b" };

/** Errors: Refusal for what is no token of the dialect. */
export function tokenize(sql: string, dialect: Dialect): Token[] {
  if (sql.includes("\0")) refuse("its text holds a NUL character");
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(sql)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  /** Reads from behind the opening quote to behind the closing one. */
  const quoted = (quote: string, backslash: boolean): string => {
    let text = "";
    for (;;) {
      const character = sql[at];
      if (character === undefined) refuse("a quote in its text does not end");
      at++;
      if (character === quote) {
        if (sql[at] !== quote) return text;
        at++;
        text += quote;
      } else if (character === "\\" && backslash) {
        const next = sql[at++] ?? "";
        // \% and \_ keep their backslash: they mean something to LIKE.
        text += next === "%" || next === "_" ? `\\${next}` : (letters[next] ?? next);
      } else text += character;
    }
  };
  while (at < sql.length) {
    if (take(space) === undefined) tokens.push(next(sql[at] as string, at));
  }
  tokens.push({ is: "end", text: "", at });
  return tokens;

  function next(character: string, start: number): Token {
    if (sql.startsWith("/*", at) || (dialect === "postgres" && sql.startsWith("--", at))) refuse("it holds a comment");
    const digit = take(/0x[0-9a-fA-F]+/y);
    if (digit !== undefined) {
      if (dialect === "postgres") refuse(`the number ${digit} is not understood`);
      return { is: "hex", text: digit.slice(2), at: start };
    }
    if (/[0-9]/.test(character) || (character === "." && /[0-9]/.test(sql[at + 1] ?? ""))) {
      const text = take(number) as string;
      if (/[\p{L}_$]/u.test(sql[at] ?? "")) refuse(`${text}${sql[at]} is not understood`);
      return { is: "number", text, at: start };
    }
    if (character === "'") {
      at++;
      return { is: "string", text: quoted("'", dialect === "mysql"), at: start };
    }
    const nameQuote = dialect === "mysql" ? "`" : '"';
    if (character === nameQuote) {
      at++;
      return { is: "name", text: quoted(nameQuote, false), at: start };
    }
    const text = take(word);
    if (text !== undefined) return worded(text, start);
    const symbol = dialect === "mysql" ? take(mysqlSymbols) : postgresOperator();
    return { is: "symbol", text: symbol ?? refuse(`${JSON.stringify(character)} is not understood`), at: start };
  }

  /** A word, or the literal that it begins. */
  function worded(text: string, start: number): Token {
    const upper = text.toUpperCase();
    if (sql[at] !== "'" || !prefixed(text)) return { is: "word", text, upper, at: start };
    at++;
    if (upper === "X") return { is: "hex", text: quoted("'", false), at: start };
    if (upper === "B") return { is: "bits", text: quoted("'", false), at: start };
    if (upper === "E") return { is: "string", text: escapeString(), at: start };
    return { is: "string", text: quoted("'", true), charset: text.slice(1).toLowerCase(), at: start };
  }

  function prefixed(text: string): boolean {
    if (/^[xXbB]$/.test(text)) return true;
    return dialect === "mysql" ? /^_[a-z0-9]+$/i.test(text) : /^[eE]$/.test(text);
  }

  /** PostgreSQL prints E'' for strings with a backslash; every backslash is doubled there. */
  function escapeString(): string {
    const text = quoted("'", false);
    if (/(^|[^\\])(\\\\)*\\[^\\]/.test(text)) refuse("an escape in a string is not understood");
    return text.replaceAll("\\\\", "\\");
  }

  /** An operator ends with + or - only where it has one of ~ ! @ # % ^ & | ` ? (PostgreSQL's own rule). */
  function postgresOperator(): string | undefined {
    let text = take(postgresSymbol);
    if (text === undefined || text.length === 1) return text;
    while (text.length > 1 && /[-+]$/.test(text) && !/[~!@#%^&|`?]/.test(text)) {
      text = text.slice(0, -1);
      at--;
    }
    if (text.includes("--") || text.includes("/*")) refuse("it holds a comment");
    return text;
  }
}
