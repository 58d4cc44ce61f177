import { type Known, type KnownEntry, lostIndex, renamed } from "../../../contract/known.ts";
import { fullName } from "../../../contract/text/full-name.ts";
import { named } from "../../../contract/text/own-property.ts";
import { identifier, literal } from "../../../mysql/driver/names.ts";
import { type SourceIndex, type TableDefinition, tableName } from "../../../postgres/catalogue/catalogue.ts";
import { kind } from "../../../rows/copy-to-load/fields.ts";
import type { Names } from "../../unique-names.ts";
import type { ColumnPlan } from "../columns/column-plan.ts";
import { shares } from "../columns/key-lengths.ts";
import { characterBytes, keyBytes } from "../columns/types.ts";

/** An index of PostgreSQL as one of MySQL, or why it is not one. Pure. */
export interface IndexPlan {
  source: SourceIndex;
  name: string;
  /** As in CREATE TABLE, and after ADD in ALTER TABLE. */
  sql: string;
  primary: boolean;
  /** Columns of the source in its key, in order. */
  columns: string[];
  /** Stands over whole columns, so that foreign keys may refer to it. */
  whole: boolean;
  remarks: string[];
  /** The target has less of it than the source. */
  lesser: boolean;
  /** Columns that are made for it: hashes of what is too long for a key. */
  helpers: { name: string; sql: string }[];
  /** Over an expression: built alone, since the server may refuse it. */
  functional: boolean;
}

/** Expressions of indexes in MySQL's words, or why there are none. */
export type IndexExpressions = (expression: string, unique: boolean) => { sql: string } | { reason: string };

/** MySQL that has expressions in keys; MariaDB has none. */
const expressionsFrom = 80_013;

export const hasFunctional = ({ maria, version }: { maria: boolean; version: number }): boolean =>
  !maria && version >= expressionsFrom;

const methods: Record<string, string> = {
  gin: "MySQL has no GIN indexes",
  gist: "MySQL has no GiST indexes",
  spgist: "MySQL has no SP-GiST indexes",
  brin: "MySQL has no BRIN indexes",
};

/** Longer comments are cut. */
export const commentCharacters = { index: 1024, column: 1024, table: 2048 };

/** What a server keeps of a comment: so many characters, those beyond the basic plane as a question mark. */
export const cutComment = (comment: string, most: number): string =>
  [...comment]
    .slice(0, most)
    .map((one) => (one.length > 1 ? "?" : one))
    .join("");

export function planIndex(
  columns: readonly ColumnPlan[],
  index: SourceIndex,
  { indexes, columns: columnNames }: { indexes: Names; columns: Names },
  maria: boolean,
  translate: IndexExpressions,
): IndexPlan | { reported: string } {
  const refused = refusalOf(index);
  if (refused !== undefined) return { reported: refused };
  const spatial = index.method === "gist" ? spatialIndex(columns, index, indexes, maria) : undefined;
  if (spatial !== undefined) return spatial;
  if (index.method !== "btree" && index.method !== "hash")
    return { reported: named(methods, index.method) ?? `MySQL has no ${index.method} indexes` };
  const parts: Part[] = [];
  for (const key of index.keys) {
    const part = partOf(columns, index, key, translate);
    if ("reported" in part) return part;
    parts.push(part);
  }
  const functional = parts.some(({ expression }) => expression !== undefined);
  const never = parts.find(({ column }) => column?.type.unkeyed === "never")?.column;
  if (never !== undefined) return { reported: `MySQL cannot index the ${never.sql} of column ${never.source.name}` };
  const remarks: string[] = [];
  let lesser = false;
  const lose = (words: string) => {
    lesser = true;
    remarks.push(words);
  };
  const helpers: IndexPlan["helpers"] = [];
  const wishes = parts.map(({ column }) => (column === undefined ? 0 : wishOf(column)));
  const given = shares(wishes, keyBytes);
  let whole = !functional;
  const sql = parts.map(({ column, expression, descending }, at) => {
    const direction = descending ? " DESC" : "";
    if (column === undefined) return `(${expression})${direction}`;
    const name = identifier(column.name);
    const room = given[at] ?? 0;
    if ((wishes[at] ?? 0) <= room) return `${name}${direction}`;
    whole = false;
    if (!index.unique) {
      lose(`of column ${column.source.name} its beginning`);
      return `${name}(${column.type.unkeyed === "binary" ? room : Math.floor(room / characterBytes)})${direction}`;
    }
    const helper = columnNames.take(`${column.name}_hash`, `hash ${index.name} ${column.name}`);
    helpers.push({
      name: helper,
      sql: `${identifier(helper)} BINARY(32) GENERATED ALWAYS AS (UNHEX(SHA2(${name}, 256))) STORED INVISIBLE`,
    });
    remarks.push(`over a hash of column ${column.source.name}, which is too long for a key`);
    return identifier(helper);
  });
  const primary = index.primary && helpers.length === 0;
  if (index.primary && !primary) remarks.push("a unique index in place of the primary key");
  if (index.include.length > 0) lose(`without the included columns ${index.include.join(", ")}`);
  if (index.nullsNotDistinct) lose("NULLS NOT DISTINCT is lost: the target does not refuse a second NULL");
  if (index.unique) index.keys.flatMap(lostFolding).forEach(lose);
  if (index.constraint?.deferrable) lose("not deferrable: checked at once");
  if (index.method === "hash") remarks.push("a B-tree in place of a hash");
  const list = (maria && primary ? sql.map((part) => part.replace(/ DESC$/, "")) : sql).join(", ");
  const name = primary ? "PRIMARY" : indexes.take(index.name, `index ${index.schema}.${index.name}`);
  if (!primary && name !== index.name) remarks.push(renamed(name));
  const kept = cutComment(index.comment ?? "", commentCharacters.index);
  if (kept !== (index.comment ?? "")) remarks.push("its comment is shortened");
  const comment = index.comment === null ? "" : ` COMMENT ${literal(kept)}`;
  const head = primary ? "PRIMARY KEY" : `${index.unique ? "UNIQUE KEY" : "KEY"} ${identifier(name)}`;
  return {
    source: index,
    name,
    sql: `${head} (${list})${comment}`,
    primary,
    columns: parts.flatMap(({ column }) => (column === undefined ? [] : [column.source.name])),
    whole,
    remarks,
    lesser,
    helpers,
    functional,
  };
}

const lostFolding = ({ column, folding }: SourceIndex["keys"][number]): string[] =>
  folding === null
    ? []
    : [
        `collation ${folding} of ${column ?? "its expression"} is lost: the target takes for equal only what has the same bytes`,
      ];

/** SQL without its quoted names. */
const unquoted = (sql: string): string => sql.replace(/"(?:[^"]|"")*"/g, "");

const ofPeriods = ({ constraint }: SourceIndex): boolean =>
  constraint !== null && / WITHOUT OVERLAPS\)/.test(unquoted(constraint.definition));

/** Of a foreign key. */
export const refersToPeriods = (definition: string): boolean => /[(,] ?PERIOD /.test(unquoted(definition));

function refusalOf(index: SourceIndex): string | undefined {
  const { valid, constraint, predicate } = index;
  if (!valid) return "it is not valid in the source";
  if (ofPeriods(index)) return "MySQL has no keys WITHOUT OVERLAPS";
  if (constraint?.type === "x") return "MySQL has no exclusion constraints";
  return predicate === null ? undefined : "MySQL has no partial indexes";
}

/** A GiST index over one geometry, where the target takes it and uses it; undefined: it has another key. */
function spatialIndex(
  columns: readonly ColumnPlan[],
  index: SourceIndex,
  names: Names,
  maria: boolean,
): IndexPlan | { reported: string } | undefined {
  const [key] = index.keys;
  const column = columns.find(({ source }) => source.name === key?.column);
  if (index.keys.length !== 1 || column?.type.kind !== kind.shape) return undefined;
  if (column.nullable) return { reported: "MySQL's spatial indexes take no column that may be NULL" };
  if (!maria && !/ SRID \d+$/.test(column.sql))
    return { reported: "MySQL uses a spatial index only where its column has one SRID, which the source's has not" };
  const name = names.take(index.name, `index ${index.schema}.${index.name}`);
  const comment = cutComment(index.comment ?? "", commentCharacters.index);
  return {
    source: index,
    name,
    sql: `SPATIAL KEY ${identifier(name)} (${identifier(column.name)})${index.comment === null ? "" : ` COMMENT ${literal(comment)}`}`,
    primary: false,
    columns: [column.source.name],
    whole: false,
    remarks: [
      "a spatial index",
      ...(name === index.name ? [] : [renamed(name)]),
      ...(comment === (index.comment ?? "") ? [] : ["its comment is shortened"]),
      ...(index.include.length > 0 ? [`without the included columns ${index.include.join(", ")}`] : []),
    ],
    lesser: index.include.length > 0,
    helpers: [],
    functional: false,
  };
}

interface Part {
  /** Undefined: an expression. */
  column: ColumnPlan | undefined;
  expression?: string;
  descending: boolean;
}

function partOf(
  columns: readonly ColumnPlan[],
  index: SourceIndex,
  key: SourceIndex["keys"][number],
  translate: IndexExpressions,
): Part | { reported: string } {
  const { descending } = key;
  const column = columns.find(({ source }) => source.name === key.column);
  if (column !== undefined) return { column, descending };
  const found = translate(key.expression, index.unique);
  if ("reason" in found) return { reported: `its expression is not translated: ${found.reason}` };
  const plain = columns.find(({ name }) => identifier(name) === found.sql);
  return plain === undefined ? { column: undefined, expression: found.sql, descending } : { column: plain, descending };
}

/** Bytes of a key. */
function wishOf({ type }: ColumnPlan): number {
  if (type.unkeyed !== undefined) return Number.POSITIVE_INFINITY;
  return type.text?.characters === undefined ? type.bytes : type.text.characters * characterBytes;
}

const targetNameOf = ({ name, primary, source }: IndexPlan): Known =>
  primary || name === source.name ? {} : { targetName: name };

/** Entries for an index and the constraint that it carries. */
export function indexEntries(
  table: TableDefinition,
  index: SourceIndex,
  plan: IndexPlan | { reported: string },
): KnownEntry[] {
  const name = fullName(index.schema, index.name);
  const periods = ofPeriods(index);
  const accepted = periods ? "periods that overlap" : undefined;
  const { lostKey, ...rest }: Omit<KnownEntry, "kind" | "name"> =
    "reported" in plan
      ? {
          ...lostIndex(plan.reported, periods || index.unique, accepted),
          definition: index.constraint?.definition ?? index.definition,
        }
      : {
          outcome: "converted",
          ...(plan.remarks.length === 0 ? {} : { note: plan.remarks.join("; ") }),
          ...(plan.lesser ? { definition: index.definition } : {}),
          ...targetNameOf(plan),
        };
  const entries: KnownEntry[] = [{ kind: "index", name, ...rest, ...(lostKey ? { lostKey } : {}) }];
  if (index.constraint !== null)
    entries.push({ kind: "constraint", name: `${tableName(table)} ${index.constraint.name}`, ...rest });
  return entries;
}
