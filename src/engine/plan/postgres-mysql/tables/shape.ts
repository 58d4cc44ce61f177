import { items, type StatementToken, tokens, wordsOf } from "./statement.ts";

/** What a table is made of, as far as a server shows it again: from the statements that ask for it. Pure. */
export interface TableShape {
  columns: ColumnShape[];
  indexes: IndexShape[];
  /** Names. */
  checks: string[];
  foreignKeys: ForeignKeyShape[];
  /** 0 for none. */
  partitions: number;
}

export interface ColumnShape {
  name: string;
  /** In lower case but for what stands in quotes, without display widths. */
  type: string;
  /** Undefined where it cannot be asked for. */
  nullable: boolean | undefined;
  /** A literal without its quotes, "(…)" for any expression; undefined for none. */
  default: string | undefined;
  auto: boolean;
  generated: "" | "VIRTUAL" | "STORED";
  /** Undefined where none was named. */
  collation: string | undefined;
  comment: string;
}

export interface IndexShape {
  name: string;
  unique: boolean;
  /** As `name`, `name(10)`, `name DESC`; "(…)" for an expression. */
  keys: string[];
}

export interface ForeignKeyShape {
  name: string;
  columns: string[];
  /** In the same database. */
  table: string;
  referenced: string[];
  onDelete: string;
  onUpdate: string;
}

/** `create`: CREATE TABLE; `added`: what ALTER TABLE adds later, each without its ADD. */
export function requestedShape(create: string, added: readonly string[], maria: boolean): TableShape {
  const shape: TableShape = { columns: [], indexes: [], checks: [], foreignKeys: [], partitions: 0 };
  const whole = tokens(create);
  const body = whole.find(({ kind }) => kind === "group");
  for (const item of items(tokens(body?.text ?? ""))) take(shape, item, maria);
  for (const sql of added) take(shape, tokens(sql), maria);
  const by = wordsOf(whole).indexOf("PARTITION");
  if (by >= 0) shape.partitions = partitionsIn(whole.slice(by));
  // A key's columns take no NULL, whatever they were declared.
  const primary = shape.indexes.find(({ name }) => name === "PRIMARY")?.keys.map(bare) ?? [];
  for (const column of shape.columns) if (primary.includes(column.name)) column.nullable = false;
  return shape;
}

function take(shape: TableShape, item: readonly StatementToken[], maria: boolean): void {
  const [first] = item;
  if (first?.kind === "name") {
    shape.columns.push(columnOf(item, maria));
    return;
  }
  const words = wordsOf(item);
  if (words[0] === "CONSTRAINT") {
    const name = item[1]?.text ?? "";
    if (words[2] === "CHECK") shape.checks.push(checkOf(name, !words.includes("ENFORCED")));
    else shape.foreignKeys.push(foreignKeyOf(name, item));
    return;
  }
  const list = item.find(({ kind }) => kind === "group");
  const name = words[0] === "PRIMARY" ? "PRIMARY" : (item.find(({ kind }) => kind === "name")?.text ?? "");
  shape.indexes.push({
    name,
    unique: words[0] === "PRIMARY" || words[0] === "UNIQUE",
    keys: items(tokens(list?.text ?? "")).map(keyOf),
  });
}

/** As it is compared: one that is not enforced is another check. */
export const checkOf = (name: string, enforced: boolean): string => (enforced ? name : `${name} NOT ENFORCED`);

const keyOf = (part: readonly StatementToken[]): string => {
  const [column, after] = part;
  const direction = wordsOf(part).includes("DESC") ? " DESC" : "";
  if (column?.kind !== "name") return `(…)${direction}`;
  const length = after?.kind === "group" ? `(${after.text})` : "";
  return `${column.text}${length}${direction}`;
};

const bare = (key: string): string => key.replace(/\(\d+\)$|(?:\(\d+\))? DESC$/, "");

/** Words that end a column's type. */
const clauses = new Set(
  "COLLATE,CHARACTER,CHARSET,GENERATED,NOT,NULL,AUTO_INCREMENT,DEFAULT,COMMENT,INVISIBLE,SRID,CHECK,REF_SYSTEM_ID".split(
    ",",
  ),
);

function columnOf(item: readonly StatementToken[], maria: boolean): ColumnShape {
  const words = wordsOf(item);
  const end = words.findIndex((word, at) => at > 0 && clauses.has(word));
  const after = (clause: string) => {
    const at = words.indexOf(clause, 1);
    return at < 0 ? undefined : item[at + 1];
  };
  const generated = words.includes("GENERATED");
  const value = generated ? undefined : after("DEFAULT");
  return {
    name: item[0]?.text ?? "",
    type: usualType(typeText(item.slice(1, end < 0 ? item.length : end)), maria),
    nullable: generated && maria ? undefined : !words.includes("NOT"),
    default: value === undefined ? undefined : defaultText(value),
    auto: words.includes("AUTO_INCREMENT"),
    generated: !generated ? "" : words.includes("STORED") ? "STORED" : "VIRTUAL",
    collation: after("COLLATE")?.text,
    comment: unquoted(after("COMMENT")?.text ?? "''"),
  };
}

const typeText = (list: readonly StatementToken[]): string =>
  list.map(({ kind, text }, at) => (kind === "group" ? `(${text})` : `${at > 0 ? " " : ""}${text}`)).join("");

const defaultText = ({ kind, text }: StatementToken): string => {
  if (kind === "string") return unquoted(text);
  return kind === "group" || !/^-?[\d.]/.test(text) ? "(…)" : text;
};

const unquoted = (text: string): string =>
  text
    .slice(1, -1)
    .replaceAll("''", "'")
    .replaceAll(/\\([\s\S])/g, (_, one: string) => written[one] ?? one);

/** Letters that the server's own texts have after a backslash. */
const written: Record<string, string> = { "0": "\0", n: "\n", r: "\r", Z: "\u001a" };

/** One spelling of a type for both servers. */
export function usualType(sql: string, maria: boolean): string {
  const outside = sql
    .split(/('(?:[^'\\]|''|\\[\s\S])*(?:'|\\?$))/)
    .map((piece, at) =>
      at % 2 === 0
        ? piece.toLowerCase().replaceAll(/(?:(?<!\s)\s+)?([(,])\s*|(?<!\s)\s+(?=\))/g, "$1")
        : unquoted(piece),
    )
    .join("'");
  return outside
    .replace(/^(tinyint|smallint|mediumint|int|bigint)\(\d+\)/, (all, name: string) =>
      all === "tinyint(1)" ? all : name,
    )
    .replace(/^(?:numeric|dec)\b/, "decimal")
    .replace(/^integer\b/, "int")
    .replace(/^double precision/, "double")
    .replace(/^bool(?:ean)?$/, "tinyint(1)")
    .replace(/^decimal(?:\((\d+)\))?(?!\()/, (_, digits = "10") => `decimal(${digits},0)`)
    .replace(/^(datetime|timestamp|time)\(0\)/, "$1")
    .replace(/^(char|binary|bit)$/, "$1(1)")
    .replace(/^json$/, maria ? "longtext" : "json");
}

function foreignKeyOf(name: string, item: readonly StatementToken[]): ForeignKeyShape {
  const words = wordsOf(item);
  const [columns, referenced] = item.filter(({ kind }) => kind === "group");
  const names = (group: StatementToken | undefined) =>
    tokens(group?.text ?? "").flatMap(({ kind, text }) => (kind === "name" ? [text] : []));
  const rule = (event: string) => {
    const at = words.findIndex((word, index) => word === event && words[index - 1] === "ON");
    if (at < 0) return "NO ACTION";
    return words[at + 1] === "NO" || words[at + 1] === "SET"
      ? `${words[at + 1]} ${words[at + 2]}`
      : (words[at + 1] ?? "");
  };
  const after = item.slice(words.indexOf("REFERENCES"));
  return {
    name,
    columns: names(columns),
    table: after.filter(({ kind }) => kind === "name").at(-1)?.text ?? "",
    referenced: names(referenced),
    onDelete: rule("DELETE"),
    onUpdate: rule("UPDATE"),
  };
}

function partitionsIn(list: readonly StatementToken[]): number {
  const words = wordsOf(list);
  const count = words.indexOf("PARTITIONS");
  if (count >= 0) return Number(list[count + 1]?.text);
  const definitions = list.filter(({ kind }) => kind === "group").at(-1);
  return items(tokens(definitions?.text ?? "")).length;
}
