import { type KeyNames, withQuotedKeys } from "../catalogue/shown-keys.ts";

/**
 * The text of SHOW CREATE TABLE, taken apart: columns, keys and constraints one by one, the options, the partitions. The
 * servers write it in one form whatever was typed; it is read under the pinned sql_mode (backticks, backslash escapes).
 */
export interface Definition {
  items: Item[];
  /** In order, as in `ENGINE` and `InnoDB`; flags have an empty value. */
  options: Option[];
  /** From PARTITION BY on, without the comment around it; empty without. */
  partitions: string;
  /** What is not, or may not be, as it is shown (exact-text.ts). */
  doubts?: { item: Item; outcome: "converted" | "reported"; note: string }[];
}

export interface Item {
  /** `other`: of a server that is newer than this list. */
  kind:
    | "column"
    | "primary"
    | "unique"
    | "key"
    | "fulltext"
    | "spatial"
    | "vector"
    | "foreign"
    | "check"
    | "period"
    | "other";
  /** Undone of quotes; empty for what has no name. */
  name: string;
  /** The whole item, as in `` `id` int NOT NULL ``. */
  text: string;
}

export interface Option {
  key: string;
  /** As written, quotes included. */
  value: string;
}

/** A piece of SQL: quoted text, a quoted name, a comment, or what is between them. */
interface Piece {
  quoted: boolean;
  text: string;
}

/** A quoted piece that has no end is one, too: else a search would begin anew at each of its quotes. */
const pieces = /'(?:[^'\\]|''|\\[\s\S])*(?:'|\\?$)|`(?:[^`]|``)*`|"(?:[^"\\]|""|\\[\s\S])*(?:"|\\?$)/g;

/** Cuts SQL into quoted and other pieces. */
export function piecesOf(sql: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const match of sql.matchAll(pieces)) {
    if (match.index > at) found.push({ quoted: false, text: sql.slice(at, match.index) });
    found.push({ quoted: true, text: match[0] });
    at = match.index + match[0].length;
  }
  if (at < sql.length) found.push({ quoted: false, text: sql.slice(at) });
  return found;
}

/** Replaces outside of quotes, in the whole text: `pattern` may not match a quote. */
export const outside = (sql: string, change: (text: string) => string): string =>
  piecesOf(sql)
    .map(({ quoted, text }) => (quoted ? text : change(text)))
    .join("");

/** The text of executable comments, without what makes them comments. */
export const unwrapped = (text: string): string =>
  outside(text, (between) => between.replace(/\/\*M?!\d*\s*/g, "").replace(/(?:(?<!\s)\s+)?\*\//g, ""));

/** What is not in quotes. */
export const bare = (text: string): string =>
  piecesOf(text)
    .map((piece) => (piece.quoted ? "''" : piece.text))
    .join("");

/** Of `words` outside of quotes, or -1. */
export function positionOf(text: string, words: string | RegExp): number {
  let at = 0;
  for (const piece of piecesOf(text)) {
    const found = piece.quoted ? -1 : typeof words === "string" ? piece.text.indexOf(words) : piece.text.search(words);
    if (found >= 0) return at + found;
    at += piece.text.length;
  }
  return -1;
}

/** Where the expression that starts there ends: before an attribute that may follow, outside of brackets and quotes. */
export function endOfDefault(text: string, start: number): number {
  let depth = 0;
  let at = start;
  for (const { quoted, text: piece } of piecesOf(text.slice(start))) {
    if (!quoted) {
      for (let index = 0; index < piece.length; index++) {
        if (piece[index] === "(") depth++;
        else if (piece[index] === ")") depth--;
        else if (depth === 0 && /^ (?:COMMENT|ON UPDATE|CHECK|INVISIBLE|REF_SYSTEM_ID)\b/.test(piece.slice(index)))
          return at + index;
      }
    }
    at += piece.length;
  }
  return text.length;
}

const quotedName = "`((?:[^`]|``)*)`";
const headers: [Item["kind"], RegExp][] = [
  ["column", new RegExp(`^${quotedName}`)],
  ["primary", /^PRIMARY KEY/],
  ["unique", new RegExp(`^UNIQUE KEY ${quotedName}`)],
  ["fulltext", new RegExp(`^FULLTEXT KEY ${quotedName}`)],
  ["spatial", new RegExp(`^SPATIAL KEY ${quotedName}`)],
  ["vector", new RegExp(`^VECTOR KEY ${quotedName}`)],
  ["key", new RegExp(`^KEY ${quotedName}`)],
  ["foreign", new RegExp(`^CONSTRAINT ${quotedName} FOREIGN KEY`)],
  ["check", new RegExp(`^CONSTRAINT ${quotedName} CHECK`)],
  ["check", /^CHECK/],
  ["period", new RegExp(`^PERIOD FOR (?:SYSTEM_TIME|${quotedName})`)],
  ["other", new RegExp(`^[^\`(]*${quotedName}`)],
  ["other", /^/],
];

/** `foreignKeys`: as the catalogue has them, since MariaDB does not quote their names. Throws on what is no table's text. */
export function parseDefinition(shown: string, foreignKeys: readonly KeyNames[] = []): Definition {
  const sql = withQuotedKeys(shown, foreignKeys);
  const open = /^CREATE TABLE `(?:[^`]|``)*` \(/.exec(sql);
  if (open === null) throw new Error(`not the text of a table: ${sql.slice(0, 80)}`);
  const { parts, end } = splitList(sql, open[0].length);
  const items = parts.map((text) => itemOf(text.trim()));
  const tail = sql.slice(end);
  const found = positionOf(tail, /(?:\/\*!\d+\s+)?PARTITION BY /);
  const at = found < 0 ? tail.length : found;
  const partitions = tail.slice(at).trim();
  return {
    items,
    options: optionsOf(tail.slice(0, at)),
    partitions: partitions
      .replace(/^\/\*!\d+\s+/, "")
      .replace(/(?:(?<!\s)\s+)?\*\/$/, "")
      // MySQL closes its comment around this one word of a partition's key.
      .replace(/ \*\/ \/\*!\d+ (ALGORITHM = \d) \*\/ \/\*!\d+ /g, " $1 ")
      .trim(),
  };
}

/** The parts of a list between brackets that starts at `from`, and where the text goes on after its end. */
export function splitList(sql: string, from: number): { parts: string[]; end: number } {
  const parts: string[] = [];
  let depth = 0;
  let start = from;
  let at = from;
  for (const { quoted, text } of piecesOf(sql.slice(from))) {
    if (!quoted) {
      for (let index = 0; index < text.length; index++) {
        const letter = text[index];
        if (letter === "(") depth++;
        else if (letter === ")" && depth-- === 0) {
          parts.push(sql.slice(start, at + index));
          return { parts, end: at + index + 1 };
        } else if (letter === "," && depth === 0) {
          parts.push(sql.slice(start, at + index));
          start = at + index + 1;
        }
      }
    }
    at += text.length;
  }
  throw new Error("a list without an end");
}

function itemOf(text: string): Item {
  for (const [kind, header] of headers) {
    const found = header.exec(text);
    if (found !== null) return { kind, name: (found[1] ?? "").replaceAll("``", "`"), text };
  }
  throw new Error("every text has a header");
}

const optionPattern =
  /(WITH SYSTEM VERSIONING|TABLESPACE (?:`(?:[^`]|``)*`)|STORAGE \w+|DEFAULT CHARSET|(?:DATA|INDEX) DIRECTORY|`(?:[^`]|``)*`|\w+)(?:\s*=\s*('(?:[^'\\]|''|\\[\s\S])*'|`(?:[^`]|``)*`|\((?:[^)]*)\)|[^\s']+))?/g;

/** Options, also those in executable comments. */
function optionsOf(text: string): Option[] {
  const plain = outside(text, (between) => between.replace(/\/\*M?!\d*|\*\//g, " "));
  return [...plain.matchAll(optionPattern)].map(([, key = "", value = ""]) => ({ key, value }));
}

export const optionText = ({ key, value }: Option): string => (value === "" ? key : `${key}=${value}`);
