import * as mysql from "../mysql/names.ts";
import * as postgres from "../postgres/names.ts";

/**
 * The few pieces of SQL by which rows are hashed and added up, as each engine writes them. A row's hash is the MD5 of
 * its columns' canonical texts; rows are added up as numbers of 64 bits, so that neither their order counts nor two
 * equal rows cancel each other.
 */
export interface Dialect {
  identifier(name: string): string;
  /** FROM, without rows of tables that inherit. */
  from(schema: string, table: string, partitioned: boolean): string;
  /** MD5, as hex, of pieces that are texts or NULL. */
  digest(pieces: readonly string[]): string;
  /** COUNT and SUM of the hashes; `readSum` reads the latter. */
  sum(digest: string): string;
  /** 0 to n - 1, from an MD5 in hex. */
  bucket(digest: string, n: number): string;
}

const nothing = "'~'";

export const mysqlDialect: Dialect = {
  identifier: mysql.identifier,
  from: (schema, table) => `FROM ${mysql.qualified(schema, table)}`,
  digest: (pieces) =>
    `MD5(CONCAT_WS(',', ${pieces.map((piece) => `IFNULL(${piece}, ${nothing})`).join(", ") || "''"}))`,
  // A NULL would be left out of the sum in silence: it counts as a number that no others add up to.
  sum: (digest) => `COUNT(*), CAST(SUM(IFNULL(CAST(CONV(LEFT(${digest}, 16), 16, 10) AS UNSIGNED), ${lost})) AS CHAR)`,
  bucket: (digest, n) => `CAST(CONV(RIGHT(${digest}, 7), 16, 10) AS UNSIGNED) % ${n}`,
};

/** PostgreSQL's hashes are the same on every encoding only if the texts are: `utf8` where they have to be converted. */
export const postgresDialect: Dialect = {
  identifier: postgres.identifier,
  from: (schema, table, partitioned) => `FROM ${partitioned ? "" : "ONLY "}${postgres.qualified(schema, table)}`,
  digest: (pieces) =>
    `pg_catalog.md5(pg_catalog.array_to_string(ARRAY[${pieces.join(", ")}]::pg_catalog.text[], ',', ${nothing}))`,
  sum: (digest) =>
    `pg_catalog.count(*) AS rows, pg_catalog.sum(('x' || pg_catalog.left(${digest}, 16))::pg_catalog.bit(64)::pg_catalog.int8) AS sum`,
  bucket: (digest, n) => `(('x' || pg_catalog.right(${digest}, 7))::pg_catalog.bit(28)::pg_catalog.int8 % ${n})`,
};

const lost = "1000000000000000000000000000000";

export interface Sum {
  rows: number;
  /** Modulo 2^64. */
  hash: bigint;
}

/** Throws where a server could not hash a row (it would say NULL). */
export function readSum(rows: string | null | undefined, sum: string | null | undefined): Sum {
  const total = BigInt(sum ?? 0);
  if (total >= BigInt(lost)) throw new Error("the server could not hash a row: its max_allowed_packet is too small");
  return { rows: Number(rows ?? 0), hash: BigInt.asUintN(64, total) };
}
