import { isAscii, isUtf8 } from "node:buffer";
import type { SourceColumn } from "../catalogue/tables.ts";
import { identifier } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";

/**
 * Ranges of a key of any type, in the server's own order: a bound is a value that stands in the table, found by a dive into
 * the index near a guess. The guess decides how even the parts are, never which rows are in them.
 */
interface KeySplit {
  session: Session;
  /** The table, quoted. */
  from: string;
  /** The key's columns in order; whole, and not nullable. */
  columns: readonly SourceColumn[];
  /** Rows that a part may have by the server's estimate. */
  most: number;
  mostParts: number;
}

/** SQL of a value of a column, and its text; of strings, their bytes in hex. */
interface Value {
  text: string;
  sql: string;
}

/** Rows whose columns before `at` have one value each, and whose column `at` is above `low` and up to `high`. */
interface Range {
  prefix: string[];
  at: number;
  low: Value | undefined;
  high: Value | undefined;
}

export const isWhole = ({ dataType }: SourceColumn): boolean =>
  /^(tinyint|smallint|mediumint|int|bigint)$/.test(dataType);
const isTime = ({ dataType }: SourceColumn): boolean => /^(date|datetime|timestamp)$/.test(dataType);
const isString = ({ dataType }: SourceColumn): boolean => /^(char|varchar|binary|varbinary)$/.test(dataType);

/** Whether ranges of the key can be found. */
export const canSplit = (column: SourceColumn): boolean => isWhole(column) || isTime(column) || isString(column);

/** Conditions that every row of the table fulfils exactly one of. */
export async function splitByKey(split: KeySplit): Promise<string[]> {
  const done: Range[] = [];
  const todo: Range[] = [{ prefix: [], at: 0, low: undefined, high: undefined }];
  for (let range = todo.pop(); range !== undefined; range = todo.pop()) {
    const full = done.length + todo.length + 1 >= split.mostParts;
    const parts = full || (await estimate(split, range)) <= split.most ? undefined : await divide(split, range);
    if (parts === undefined) done.push(range);
    else todo.push(...parts.reverse());
  }
  return done.map((range) => conditions(split, range).join(" AND "));
}

function conditions({ columns }: Pick<KeySplit, "columns">, { prefix, at, low, high }: Range): string[] {
  const name = identifier(columns[at]?.name ?? "");
  return [
    ...prefix,
    ...(low === undefined ? [] : [`${name} > ${low.sql}`]),
    ...(high === undefined ? [] : [`${name} <= ${high.sql}`]),
  ];
}

const where = (all: readonly string[]): string => (all.length === 0 ? "" : ` WHERE ${all.join(" AND ")}`);

const estimate = ({ session, from, columns }: KeySplit, range: Range): Promise<number> =>
  estimatedRows(session, from, conditions({ columns }, range));

/** By the server's statistics. */
export async function estimatedRows(session: Session, from: string, all: readonly string[]): Promise<number> {
  const [row = []] = await session.query(`EXPLAIN FORMAT=TRADITIONAL SELECT 1 FROM ${from}${where(all)}`);
  // `rows` stands before `Extra` (MariaDB) or before `filtered` and `Extra` (MySQL).
  return Number(row[session.server.maria ? row.length - 2 : row.length - 3] ?? 0);
}

/** Guesses on the way to a bound: each leaves the half where no rows are. */
const tries = 64;
/** How far from a half of the rows a bound may be. */
const enough = 0.25;

async function divide(split: KeySplit, range: Range): Promise<Range[] | undefined> {
  const { columns } = split;
  const column = columns[range.at];
  if (column === undefined || !canSplit(column)) return undefined;
  const name = identifier(column.name);
  const inside = conditions(split, range);
  const first = await edge(split, column, "MIN", inside);
  const last = await edge(split, column, "MAX", inside);
  if (first === undefined || last === undefined) return undefined;
  // Asked of the server: to a collation two texts may be one value.
  if ((await edge(split, column, "MIN", [...inside, `${name} > ${first.sql}`])) === undefined) {
    if (range.at + 1 >= columns.length) return undefined;
    const prefix = [...range.prefix, `${name} = ${first.sql}`];
    return [{ prefix, at: range.at + 1, low: undefined, high: undefined }];
  }
  const bound = await boundBetween(split, column, range, first, last);
  if (bound === undefined) return undefined;
  return [
    { ...range, high: bound },
    { ...range, low: bound },
  ];
}

/** A value that stands in the range and below its last, with about as many rows on either side by the server's estimate. */
async function boundBetween(
  split: KeySplit,
  column: SourceColumn,
  range: Range,
  first: Value,
  last: Value,
): Promise<Value | undefined> {
  const name = identifier(column.name);
  const inside = conditions(split, range);
  let [low, high] = [first.text, last.text];
  let best: { value: Value; off: number } | undefined;
  for (let count = 0; count < tries; count++) {
    const middle = middleOf(column, low, high);
    if (middle === undefined || middle === low || middle === high) break;
    const below = [...inside, `${name} <= ${sqlOf(column, middle)}`, `${name} < ${last.sql}`];
    const found = await edge(split, column, "MAX", below);
    // A guess is by bytes: to the server's order it may stand anywhere.
    const share = found === undefined ? 0 : await shareBelow(split, range, found);
    if (found !== undefined && Math.abs(share - 0.5) < (best?.off ?? 0.5))
      best = { value: found, off: Math.abs(share - 0.5) };
    if (best !== undefined && best.off < enough) break;
    if (share < 0.5) low = middle;
    else high = middle;
  }
  return best?.value;
}

/** Of both sides: the server says of no range that it holds more than half of its table. */
async function shareBelow(split: KeySplit, range: Range, bound: Value): Promise<number> {
  const below = await estimate(split, { ...range, high: bound });
  const above = await estimate(split, { ...range, low: bound });
  return below / Math.max(1, below + above);
}

async function edge(
  { session, from }: KeySplit,
  column: SourceColumn,
  which: "MIN" | "MAX",
  inside: readonly string[],
): Promise<Value | undefined> {
  const name = identifier(column.name);
  const wanted = isString(column) ? `HEX(${which}(${name}))` : `${which}(${name})`;
  const [[text] = []] = await session.query(`SELECT ${wanted} FROM ${from}${where(inside)}`);
  return text === null || text === undefined ? undefined : { text, sql: sqlOf(column, text) };
}

function sqlOf(column: SourceColumn, text: string): string {
  if (isWhole(column)) return text;
  if (isTime(column)) return `'${text}'`;
  const { characterSet, collation } = column;
  if (characterSet === null || characterSet === "binary") return `x'${text}'`;
  return `_${characterSet} x'${text}' COLLATE ${collation}`;
}

const earliest = Date.UTC(1000, 0, 1);

/** A guess between two values; undefined where there is none. */
function middleOf(column: SourceColumn, low: string, high: string): string | undefined {
  if (isWhole(column)) {
    const middle = (BigInt(low) + BigInt(high)) >> 1n;
    return String(middle);
  }
  if (isTime(column)) {
    // What is no date of the calendar (0000-00-00) stands before all of them.
    const [from = 0, to = 0] = [low, high].map((text) => {
      const at = Date.parse(`${text.slice(0, 19).replace(" ", "T")}${text.length < 19 ? "T00:00:00" : ""}Z`);
      return Number.isNaN(at) ? earliest : at;
    });
    if (to - from <= 1) return undefined;
    const text = new Date((from + to) / 2).toISOString();
    return column.dataType === "date" ? text.slice(0, 10) : text.slice(0, 19).replace("T", " ");
  }
  return middleBytes(column, low, high);
}

/** Digits of the guess after what both have in common. */
const guessBytes = 6;

/** Of text only letters, digits and the like are guessed, which every character set has at their place. */
function middleBytes({ characterSet }: SourceColumn, low: string, high: string): string | undefined {
  if (characterSet !== null && /^(utf16|utf16le|utf32|ucs2)$/.test(characterSet)) return undefined;
  const [from, to] = [Buffer.from(low, "hex"), Buffer.from(high, "hex")];
  const text = characterSet !== null && characterSet !== "binary";
  const [least, base] = text ? [0x20, 0x5f] : [0, 0x100];
  let common = 0;
  while (common < from.length && from[common] === to[common]) common++;
  const number = (bytes: Buffer) => {
    let sum = 0n;
    for (let at = common; at < common + guessBytes; at++) {
      const digit = Math.min(base - 1, Math.max(0, (bytes[at] ?? least) - least));
      sum = sum * BigInt(base) + BigInt(digit);
    }
    return sum;
  };
  let middle = (number(from) + number(to)) >> 1n;
  const digits: number[] = [];
  for (let at = 0; at < guessBytes; at++) {
    digits.unshift(Number(middle % BigInt(base)) + least);
    middle /= BigInt(base);
  }
  const guess = Buffer.concat([to.subarray(0, common), Buffer.from(digits)]);
  return text && !isText(guess, characterSet) ? undefined : guess.toString("hex").toUpperCase();
}

/** A guess that ends within a character would be refused; what both have in common may do so. */
const isText = (bytes: Buffer, characterSet: string): boolean =>
  /^utf8/.test(characterSet) ? isUtf8(bytes) : /^(latin1|cp1252)$/.test(characterSet) || isAscii(bytes);
