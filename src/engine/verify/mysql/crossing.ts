import { isJsonAlias, type SourceColumn, type SourceTable, unescaped } from "../../mysql/catalogue/catalogue.ts";
import { bytesOfHex, hexOf } from "../../mysql/catalogue/exact-bytes.ts";
import { nearestCollation } from "../../mysql/definitions/collations.ts";
import { comparable } from "../../mysql/definitions/compare-definitions.ts";
import { type Definition, endOfDefault, outside, piecesOf, positionOf } from "../../mysql/definitions/definition.ts";
import { type Traits, type TranslatedTable, translate } from "../../mysql/definitions/dialect.ts";
import type { ComparedObject, Particular } from "../same-engine.ts";

/**
 * A table's particulars in words that MySQL and MariaDB have in common: what is compared is what a copy would give to the
 * target with what stands there. Expressions, which each server writes in its own way, are not decided where they differ. Pure.
 */
export interface Crossing {
  /** The source's items as the target is given them; undefined: of the target, whose own text counts. */
  translated: TranslatedTable | undefined;
  /** Undefined: left out, since the target's server has no such thing. */
  textOf(kind: "column" | "key", name: string): string | undefined;
  /** Why, for what is left out. */
  left(kind: "column" | "key", name: string): string;
}

const keys = new Set(["primary", "unique", "key", "fulltext", "spatial", "vector", "other"]);

/** `toward`: the target, where `definition` is of the source. */
export function crossingOf(definition: Definition, server: Traits["server"], toward: Traits | undefined): Crossing {
  const translated = toward && translate(definition, server, toward);
  const find = (kind: "column" | "key", name: string) =>
    definition.items.find((item) =>
      kind === "column"
        ? item.kind === "column" && item.name === name
        : keys.has(item.kind) && (item.kind === "primary" ? "PRIMARY" : item.name) === name,
    );
  return {
    translated,
    textOf(kind, name) {
      const item = find(kind, name);
      if (item === undefined) return "";
      return translated === undefined ? item.text : translated.items.find(({ source }) => source === item)?.text;
    },
    left(kind, name) {
      const item = find(kind, name);
      return translated?.notes.find((note) => note.item === item)?.note ?? "the target's server has no such thing";
    },
  };
}

const typePattern = /^`(?:[^`]|``)*` (\w+)((?:\((?:'(?:[^'\\]|''|\\[\s\S])*'(?!')|[^()'])*\))?)/;

/** Of a column's text, by what both servers know of it. */
export function crossColumn(
  text: string,
  table: SourceTable,
  column: SourceColumn,
  toward: Traits | undefined,
): Particular[] {
  const plain = comparable(text);
  const [whole = "", word = "", size = ""] = typePattern.exec(plain) ?? [];
  const rest = plain.slice(whole.length);
  const flat = flatten(rest);
  const isJson = word === "json" || isJsonAlias(table, column);
  const { value, expression } = defaultOf(plain, digitsOf(word));
  const computed = /(?:GENERATED ALWAYS )?\bAS (?=\()/.exec(flat);
  const settled = (aspect: string, value: string): Particular => ({ aspect, value, settled: true, shown: true });
  const told = (aspect: string, value: string): Particular => ({ aspect, value });
  const set =
    isJson || !/char|text|enum|set/.test(word)
      ? ""
      : (column.characterSet ?? / CHARACTER SET (\w+)/.exec(flat)?.[1] ?? "");
  const collation = column.collation ?? / COLLATE (\w+)/.exec(flat)?.[1] ?? "";
  const near = toward === undefined ? undefined : nearestCollation(collation, (name) => toward.collations.has(name));
  return [
    settled("type", isJson ? "json" : typeOf(word, size, flat)),
    settled("nullability", /(?:^| )NOT NULL\b/.test(flat) ? "NOT NULL" : "NULL"),
    settled("default", value),
    told("default expression", expression),
    settled("AUTO_INCREMENT", / AUTO_INCREMENT\b/.test(flat) ? "yes" : ""),
    settled("ON UPDATE", moment(/ ON UPDATE ([\w()]+)/i.exec(flat)?.[1] ?? "") ?? ""),
    settled("visibility", / INVISIBLE\b/.test(flat) ? "INVISIBLE" : ""),
    settled("character set", set.replace(/^utf8$/, "utf8mb3")),
    settled("collation", set === "" ? "" : (near ?? collation)),
    // A column of which the servers compute other values is a plain one in a copy.
    told("generation", computed === null ? "" : / VIRTUAL\b/.test(flat) ? "VIRTUAL" : "STORED"),
    told("expression", bare(column.generation)),
  ];
}

function typeOf(word: string, size: string, flat: string): string {
  const sign = `${/^[^(]*\bunsigned\b/i.test(flat) ? " unsigned" : ""}${/^[^(]*\bzerofill\b/i.test(flat) ? " zerofill" : ""}`;
  const name = word === "geomcollection" ? "geometrycollection" : word;
  const shown = /^(?:tinyint|smallint|mediumint|int|bigint|year)$/.test(name) ? "" : size;
  return `${name}${shown}${sign}`;
}

/** With nothing in its quotes. */
const flatten = (text: string): string =>
  piecesOf(text)
    .map(({ quoted, text: piece }) => (quoted ? "''" : piece))
    .join("");

/** Undefined: it is not the present time. */
const moment = (text: string): string | undefined => {
  const found = /^(?:current_timestamp|now|localtimestamp)(?:\((\d*)\))?$/i.exec(text);
  return found === null ? undefined : `current_timestamp(${found[1] ?? ""})`;
};

/** In how many digits the servers show a number of the type; 0: it is no number. */
const digitsOf = (word: string): number =>
  word === "float" ? 6 : /int$|^(?:decimal|double|year)$/.test(word) ? 15 : 0;

/** `precision`: of digitsOf. A literal's value, however it is quoted; or an expression in one form. */
function defaultOf(text: string, precision: number): { value: string; expression: string } {
  const at = positionOf(text, " DEFAULT ");
  if (at < 0) return { value: "", expression: "" };
  const start = at + " DEFAULT ".length;
  let value = text.slice(start, endOfDefault(text, start)).trim();
  while (value.startsWith("(") && closes(value)) value = value.slice(1, -1).trim();
  value = value.replace(/^-\(([\d.e]+)\)$/i, "-$1");
  if (/^NULL$/i.test(value)) return { value: "", expression: "" };
  const now = moment(value);
  if (now !== undefined) return { value: now, expression: "" };
  const float = /^(-?\d[-+.\de]*) \+ 0e0$/i.exec(value)?.[1];
  const quoted = /^'((?:[^'\\]|''|\\[\s\S])*)'$/.exec(value)?.[1];
  if (/^`(?:[^`]|``)*` (?:var)?binary\b/.test(text)) {
    const bytes = quoted === undefined ? bytesOfHex(value) : Buffer.from(unescaped(quoted));
    if (bytes !== undefined) return { value: hexOf(bytes), expression: "" };
  }
  const number = float ?? quoted ?? value;
  if (precision > 0 && /^-?\d+(?:\.\d*)?(?:e[-+]?\d+)?$/i.test(number)) {
    const digits = number.replace(/\D/g, "").length;
    return {
      value: digits > 15 && precision === 15 ? number : String(Number(Number(number).toPrecision(precision))),
      expression: "",
    };
  }
  // Letters that the server shows by `?` may be any: the copy writes them as an expression.
  if (!value.includes("?") && (quoted !== undefined || /^[bx]'[^']*'$/i.test(value))) return { value, expression: "" };
  return { value: "an expression", expression: bare(value) };
}

/** Whether the first bracket is closed by the last character. */
function closes(text: string): boolean {
  let depth = 0;
  let at = 0;
  for (const { quoted, text: piece } of piecesOf(text)) {
    for (const letter of quoted ? "" : piece) {
      at++;
      if (letter === "(") depth++;
      else if (letter === ")" && --depth === 0) return at === text.length;
    }
    if (quoted) at += piece.length;
  }
  return false;
}

/** Without what the servers put in, or leave out, each in its own way. */
export const bare = (text: string): string =>
  outside(comparable(text).replaceAll("`", ""), (between) => between.toLowerCase().replace(/[\s()]/g, ""));

/** How many partitions of which method. */
export const partitionsOf = (text: string): string => {
  const flat = flatten(text.replaceAll("`", "'"));
  const method = /^PARTITION BY ((?:LINEAR )?\w+(?: COLUMNS)?)/i.exec(flat)?.[1] ?? "";
  const named = flat.match(/[(,]\s*PARTITION\b/g)?.length;
  return method === ""
    ? ""
    : `${method.toUpperCase().replace(" COLUMNS", "")}, ${named ?? /PARTITIONS (\d+)/.exec(flat)?.[1] ?? 1}`;
};

/** Where they begin and end, and their names: expressions among them are written by each server in its own way. */
export const boundsOf = (text: string): string => bare(text.replace(/ ALGORITHM = \d/, ""));

const storage = new Set(
  "ROW_FORMAT,KEY_BLOCK_SIZE,STATS_PERSISTENT,STATS_AUTO_RECALC,STATS_SAMPLE_PAGES,CHECKSUM,DELAY_KEY_WRITE,PACK_KEYS,AVG_ROW_LENGTH,MAX_ROWS,MIN_ROWS".split(
    ",",
  ),
);

/** Options that both servers have; not all that one takes, the other shows again. */
export const crossOptions = (options: Definition["options"]): Particular[] => [
  {
    aspect: "options",
    value: options
      .filter(({ key }) => storage.has(key))
      .map(({ key, value }) => `${key}=${value}`.toUpperCase())
      .sort()
      .join(" "),
  },
];

/** What stands behind an index's columns. */
export function crossKey(text: string): Particular[] {
  const plain = comparable(text);
  const hidden = / (?:INVISIBLE|IGNORED)\b/.test(flatten(plain));
  return [
    { aspect: "visibility", value: hidden ? "INVISIBLE" : "", settled: true },
    { aspect: "comment", value: / COMMENT '((?:[^'\\]|''|\\[\s\S])*)'/.exec(plain)?.[1] ?? "", settled: true },
  ];
}

/** A column's own check has another name on the other kind of server: those of a table that are left over stand for each other. */
export function pairChecks(ours: readonly ComparedObject[], theirs: readonly ComparedObject[]): void {
  const left = (some: readonly ComparedObject[], others: readonly ComparedObject[]) => {
    const names = new Set(others.flatMap(({ kind, name }) => (kind === "check" ? [name] : [])));
    return some.filter(({ kind, name }) => kind === "check" && !names.has(name));
  };
  const free = left(theirs, ours);
  for (const one of left(ours, theirs)) {
    const at = free.findIndex(({ of }) => of === one.of);
    const [other] = at < 0 ? [] : free.splice(at, 1);
    if (other !== undefined) other.name = one.name;
  }
}
