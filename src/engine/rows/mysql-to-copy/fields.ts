/**
 * How the bytes of one column become COPY text, and what is looked for on the way. The numbers in `kind` are what
 * the row loop switches on.
 */
export const kind = {
  /** As they are: numbers, uuid, addresses. */
  raw: 0,
  /** Escaped for COPY; NUL bytes are left out and counted. */
  text: 1,
  bytea: 2,
  /** DATE, DATETIME, TIMESTAMP: dates that the target does not know become NULL, or another date, and are counted. */
  date: 3,
  /** From here on a writer of its own is called. */
  boolean: 4,
  unsigned: 5,
  time: 6,
  bit1: 7,
  bits: 8,
  enumeration: 9,
  set: 10,
  json: 11,
  /** SRID (4 bytes) and WKB → WKB as bytea. */
  geometry: 12,
  /** SRID (4 bytes) and WKB → PostGIS's EWKB, in hexadecimal. */
  ewkb: 13,
} as const;

export type MysqlToCopyFieldKind = (typeof kind)[keyof typeof kind];

/** What the row loop must know of a column. */
export interface MysqlToCopyField {
  kind: MysqlToCopyFieldKind;
  /** NULL may be written: otherwise a date that becomes NULL breaks the guess. */
  nullable: boolean;
  /** BIT(n): n. */
  bits?: number;
  /** What stands for a date that the target does not know: this text, or the run fails. Left out: NULL. */
  zero?: { text: Buffer } | "fail";
  /** EWKB: the number that the geometry must have (shape-check.ts); left out: any. */
  shape?: number;
  /** ENUM: '' is one of its labels. */
  emptyLabel?: boolean;
  /** JSON (json-check.ts): the document may be none by PostgreSQL's grammar; nothing else is looked for. */
  grammar?: true | "text";
  json?: true;
}

/** What was found while a column was written. Counters only grow. */
export interface MysqlToCopyFindings {
  /** NUL bytes left out of text. */
  nuls: number;
  /** Dates that do not exist. */
  dates: number;
  /** Geometries whose SRID is not 0, and the first such SRID. */
  srids: number;
  srid: number;
  /** A value was there (only for columns whose guess needs evidence: booleans). */
  seen: boolean;
  /** What broke the guess about the column's type, in words that quote no value; the table must be copied again. */
  broken: string | undefined;
}

export const noFindings = (): MysqlToCopyFindings => ({
  nuls: 0,
  dates: 0,
  srids: 0,
  srid: 0,
  seen: false,
  broken: undefined,
});
