import type { Unseen } from "./hidden-objects.ts";
import type { SourceObject } from "./objects.ts";

/** What a MySQL table consists of. Shapes only. */

/** How a table is partitioned, from information_schema.PARTITIONS. */
interface SourcePartitions {
  /** `RANGE`, `RANGE COLUMNS`, `LIST`, `LIST COLUMNS`, `HASH`, `KEY`, `LINEAR …`, `SYSTEM_TIME`. */
  method: string;
  /** SQL; names of columns are quoted. Empty: the primary key's (KEY). */
  expression: string;
  /** Method and expression below each partition. */
  sub: string | undefined;
  /** In order; the bound is SQL as in `10`, `MAXVALUE`, `'2020-01-01',5`, `NULL,1,2`, `(1,'a'),(2,'b')`. */
  parts: { name: string; bound: string; comment: string }[];
}

/**
 * MariaDB's periods of application time, which its catalogue does not tell: a period shows there as a check of its name
 * (of the next free one, `p_1`, where a check has it), and a key WITHOUT OVERLAPS as one over the period's two columns. Only SHOW CREATE TABLE has both.
 */
export interface SourcePeriod {
  name: string;
  start: string;
  end: string;
}

export interface SourceColumn {
  name: string;
  /** Lower case, as in `varchar`. */
  dataType: string;
  /** With lengths and labels, as in `enum('a','b')`, `int(10) unsigned`. */
  columnType: string;
  nullable: boolean;
  /**
   * As the catalogue writes it; its meaning differs between MySQL and MariaDB (defaults.ts). A literal of bytes that are no
   * plain text is `0x…` (exact-bytes.ts).
   */
  default: string | null;
  /**
   * The default may hold other characters where it shows `?`, or more digits than the six that are shown (exact-defaults.ts), or be
   * written in a time zone that is not known (exact-instants.ts).
   */
  defaultInDoubt?: "characters" | "digits" | "instant";
  /** So may the labels in `columnType` (exact-labels.ts). */
  labelsInDoubt?: true;
  /** Of an ENUM or SET: two may be one label to a collation (alike-labels.ts). */
  labelsAlike?: true;
  /** Lower case: `auto_increment`, `default_generated`, `on update …`, `stored generated`, `invisible`. */
  extra: string;
  characters: number | null;
  precision: number | null;
  scale: number | null;
  /** Digits after the second. */
  fraction: number;
  characterSet: string | null;
  collation: string | null;
  comment: string;
  generation: string;
  /** Of a geometry column that takes one SRID only; null also where the server does not tell. */
  srid: number | null;
}

export interface SourceIndexPart {
  column: string | null;
  expression: string | null;
  /** Characters (bytes for binary) that are indexed; null: all. */
  prefix: number | null;
  descending: boolean;
}

export interface SourceIndex {
  name: string;
  unique: boolean;
  /** BTREE, HASH, FULLTEXT, SPATIAL, RTREE. */
  type: string;
  comment: string;
  /** The planner does not use it: INVISIBLE, MariaDB's IGNORED. */
  unused?: boolean;
  /** Of a full-text index: not the server's own. */
  parser?: string;
  /** MariaDB's WITHOUT OVERLAPS: the period, whose columns are the last parts. */
  period?: string;
  parts: SourceIndexPart[];
}

export interface SourceForeignKey {
  name: string;
  columns: string[];
  referencedSchema: string;
  referencedTable: string;
  referencedColumns: string[];
  /** As in `SET NULL`; empty when the server does not tell. */
  onUpdate: string;
  onDelete: string;
}

export interface SourceTable {
  name: string;
  engine: string;
  versioned: boolean;
  partitions: SourcePartitions | null;
  /** An estimate. */
  rows: number;
  dataBytes: number;
  indexBytes: number;
  /** The next value, in digits. */
  autoIncrement: string | null;
  comment: string;
  /** What its columns have that say nothing else; empty where the server does not tell. */
  collation: string;
  columns: SourceColumn[];
  indexes: SourceIndex[];
  foreignKeys: SourceForeignKey[];
  /** `period`: the period of MariaDB's that brings it, whose order it is. */
  checks: { name: string; clause: string; enforced: boolean; period?: string }[];
  /** MariaDB's, of application time. */
  periods?: SourcePeriod[];
}

export interface Catalogue {
  tables: SourceTable[];
  /** Names of the tables that were not to be read. */
  left: string[];
  /** What is not a table; without its definitions, which readDefinitions adds. */
  others: SourceObject[];
  /** What the user's rights do not let us see. */
  unseen: Unseen[];
}
