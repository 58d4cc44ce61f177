import type { SourceColumn, SourceIndex, SourceTable } from "../mysql/catalogue.ts";
import { columnsOf } from "../mysql/partitions.ts";
import { fixedColumns } from "./expressions.ts";
import type { Field } from "./fields.ts";
import type { Shared } from "./folding.ts";
import { createNames, type Names } from "./names.ts";
import type { NamedType } from "./overrides.ts";
import type { TargetType } from "./types.ts";

/** Names that the tables of a run share, and the plans of columns and indexes. */

export interface ColumnPlan {
  source: SourceColumn;
  name: string;
  type: TargetType;
  /** DDL's type. */
  sql: string;
  nullable: boolean;
  identity: boolean;
  /** The lesson by which its type was chosen (`Lesson.wide`). */
  wide: number;
  /** The target computes it. */
  computed: boolean;
  /** Why it has the source's values, though its expression is translated. */
  plain?: string;
  /** SQL of its default in the target. */
  default?: string;
  /** It is computed, or has its default, by an expression that was translated. */
  translated?: boolean;
  /** The type is the user's choice (overrides.ts): no other is tried. */
  forced: boolean;
}

export interface IndexPlan {
  source: SourceIndex;
  name: string;
  /** Undefined: the constraint builds it. */
  create: string | undefined;
  /** Makes a constraint of the index, once all indexes of the table stand. */
  constraint?: string;
  comment?: string;
  /** Beside it, where the source is stricter; the table goes without where the rows do not allow it. */
  folded?: IndexVariant;
  /** Beside it too: what keeps the periods of a key WITHOUT OVERLAPS apart (periods.ts). */
  apart?: IndexVariant;
  /** In its place, where a key turns out to be too long for it. */
  hashed?: IndexVariant;
  /** Bytes that a key may have by the catalogue, when that is more than a B-tree takes. */
  tooLong?: number;
  /** How it differs from the source's. */
  remark?: string;
}

/** Another index for the same key (index-variants.ts). */
export interface IndexVariant {
  name: string;
  create: string;
  /** What it is, for the report. */
  words: string;
  /** What is lost without it. */
  lost: string;
}

/** What all tables of a run share. */
export interface Scheme {
  database: string;
  /** The target's schema. */
  schema: string;
  maria: boolean;
  /** Source table → target table. */
  tables: ReadonlyMap<string, string>;
  names: Names;
  /** Names given out already, by what they were given for, so that a second plan of a table finds the same. */
  given: Map<string, string>;
  /** `table\0column` of columns in foreign keys, on either side, in partition keys and in the expressions of generated columns: their types are decided by the catalogue alone. */
  joined: ReadonlySet<string>;
  /** What stands for dates that the target does not know (fields.ts). */
  zero: Field["zero"];
  /** Types that the user names, by column key. */
  forced: ReadonlyMap<string, NamedType>;
  /** As numbers: 80403, 101106; 180006. */
  sourceVersion: number;
  targetVersion: number;
  /** The target has ICU's collations. */
  icu: boolean;
  /** The target's schema with PostGIS; undefined: it has none. */
  postgis: string | undefined;
  /** The target has the extension btree_gist. */
  btreeGist: boolean;
  /** Objects to make before the tables, by name; planning a table may add to them. */
  shared: Map<string, Shared>;
  /** Columns, by key, whose translated expression the target refused, with its words (mending.ts). */
  refused: Map<string, string>;
  /** No row is copied: guesses have nothing to prove them. */
  rowless: boolean;
}

/** What the user's options say about names and types. */
export type Wishes = Pick<
  Scheme,
  "schema" | "zero" | "forced" | "rowless" | "sourceVersion" | "targetVersion" | "icu" | "postgis" | "btreeGist"
>;

export const columnKey = (table: string, column: string): string => `${table}\0${column}`;

/** Names of tables first, so that they stay as they are. `taken`: relations and types that are in the schema already. */
export function createScheme(
  database: string,
  maria: boolean,
  tables: readonly SourceTable[],
  taken: Iterable<string>,
  wishes: Wishes,
): Scheme {
  const names = createNames(taken);
  const targets = new Map(tables.map(({ name }) => [name, names.take(name, `table ${name}`)]));
  const joined = new Set<string>();
  for (const table of tables) {
    for (const { columns, referencedTable, referencedColumns } of table.foreignKeys) {
      for (const column of columns) joined.add(columnKey(table.name, column));
      for (const column of referencedColumns) joined.add(columnKey(referencedTable, column));
    }
  }
  for (const table of tables) for (const { name } of fixedColumns(table)) joined.add(columnKey(table.name, name));
  for (const { name, partitions } of tables)
    for (const column of columnsOf(partitions?.expression ?? "") ?? []) joined.add(columnKey(name, column));
  return {
    database,
    maria,
    tables: targets,
    names,
    given: new Map(),
    shared: new Map(),
    refused: new Map(),
    joined,
    ...wishes,
  };
}

/** The name for something that belongs to a table; the same at each call. */
export function nameFor(scheme: Scheme, identity: string, wanted: string): string {
  const known = scheme.given.get(identity);
  if (known !== undefined) return known;
  const name = scheme.names.take(wanted, identity);
  scheme.given.set(identity, name);
  return name;
}
