/** What the comparison must know of a table on either side, as its own catalogue tells it. */

import type { XmlParts } from "../../postgres/catalogue/xml-parts.ts";

export interface MysqlType {
  engine: "mysql";
  maria: boolean;
  /** The server makes 0 of −0.0, as MariaDB before 11 does. */
  unsignedZero: boolean;
  /** Lower case, as in `varchar`. */
  name: string;
  /** As in `int(10) unsigned zerofill`. */
  full: string;
  /** Characters, of bytes where the type is binary; null: none. */
  length: number | null;
  /** Bits of a BIT. */
  precision: number;
  scale: number;
  /** Digits after the second. */
  fraction: number;
  characterSet: string | null;
  nullable: boolean;
  /** MariaDB's JSON: a longtext that json_valid() checks. */
  json: boolean;
  /** The end of a row of a system-versioned table: for a present row the last time that its server knows. */
  rowEnd?: boolean;
}

export interface PostgresType {
  engine: "postgres";
  /** Of the base type, where it is a domain. */
  name: string;
  schema: string;
  /** `e` enum, `c` composite, `b` base, `r` range, `m` multirange. */
  kind: string;
  array: boolean;
  /** Characters of varchar(n) and char(n), bits of bit(n); null: not bounded. */
  length: number | null;
  /** Digits after the point of numeric(p,s); null: not fixed. */
  scale: number | null;
  nullable: boolean;
  /** Of an array or a composite type that holds xml. */
  xml?: XmlParts;
}

export type ColumnType = MysqlType | PostgresType;

export interface TableType {
  columns: ReadonlyMap<string, ColumnType>;
  /** Columns of the primary key, else of a unique one without NULLs; undefined: rows have no name. */
  key: readonly string[] | undefined;
  /** An estimate. */
  rows: number;
  /** Rows are those of its partitions. */
  partitioned: boolean;
  /** LOCK TABLE takes it, and its rows are its own. */
  lockable: boolean;
  /** MySQL's storage engine, as in `InnoDB`; undefined: PostgreSQL. */
  storage?: string | undefined;
}

/** `[schema, table]` → what is known; a table that is not there is not in it. */
export type Tables = ReadonlyMap<string, TableType>;

export const tableKey = (schema: string, table: string): string => `${schema}\0${table}`;
