import type { SourceColumn, SourceIndex } from "../../../mysql/catalogue/catalogue.ts";
import type { TypePart } from "../../../postgres/catalogue/type-parts.ts";
import type { MysqlToCopyField } from "../../../rows/mysql-to-copy/fields.ts";
import type { Names } from "../../unique-names.ts";
import type { Shared } from "./folding.ts";
import type { TargetType } from "./types.ts";

/** What the planning of tables is given, and what it makes of columns and indexes. Shapes, and the key of a column. */

/** A type that the target knows. */
export interface NamedType {
  /** As in DDL, with its length. */
  sql: string;
  /** The type alone, as the server calls it: `character varying`, `integer`, `text[]`. */
  base: string;
  /** Below a domain, as format_type writes it; a length may stand at its end. */
  written: string;
  /** Of an enumeration. */
  labels?: readonly string[] | null | undefined;
  /** Of a composite type or an array of a user's type, where they are known. */
  parts?: readonly TypePart[] | undefined;
}

export interface ColumnPlan {
  source: SourceColumn;
  name: string;
  type: TargetType;
  /** DDL's type. */
  sql: string;
  nullable: boolean;
  identity: boolean;
  /** The observed type by which its type was chosen (`ObservedType.wide`). */
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
  zero: MysqlToCopyField["zero"];
  /** Types that the user names, by column key. */
  forced: ReadonlyMap<string, NamedType>;
  /** As numbers: 80403, 101106; 180006. */
  sourceVersion: number;
  targetVersion: number;
  /** The target has ICU's collations. */
  icu: boolean;
  /** The target's schema with PostGIS, where the database has the extension and the user may use it. */
  postgis: string | undefined;
  /** The target has the extension btree_gist; its operator classes are found by their types, whatever their schema. */
  btreeGist: boolean;
  /** Objects to make before the tables, by name; planning a table may add to them. */
  shared: Map<string, Shared>;
  /** Columns, by key, whose translated expression the target refused, with its words (copy/create-table.ts). */
  refused: Map<string, string>;
  /** No row is copied: guesses have nothing to prove them. */
  rowless: boolean;
}

/** What of the target decides how tables are planned; none of it is ever created there. */
export type TargetTraits = Pick<Scheme, "targetVersion" | "icu" | "postgis" | "btreeGist">;

export const columnKey = (table: string, column: string): string => `${table}\0${column}`;
