import * as mysql from "../mysql/names.ts";
import * as postgres from "../postgres/names.ts";

/**
 * The few pieces of SQL by which rows are hashed and added up, as each engine writes them. A row's hash is that of
 * its columns' canonical texts; rows are added up as numbers of 64 bits, so that neither their order counts nor two
 * equal rows cancel each other.
 */
export interface Dialect {
  identifier(name: string): string;
  /** FROM, without rows of tables that inherit. */
  from(schema: string, table: string, partitioned: boolean): string;
  /** The hash, as hex, of pieces that are texts or NULL. */
  digest(pieces: readonly string[]): string;
  /** COUNT and SUM of the hashes; `readSum` reads the latter. */
  sum(digest: string): string;
  /** 0 to n - 1, from a hash in hex. */
  bucket(digest: string, n: number): string;
}

/** MD5 wherever both servers have it: MySQL has moved it out of the server (9.6). */
export type Hash = "md5" | "sha256";

/** An SQL expression for the hash, in hex, of a text or of bytes. */
export const hashed = {
  mysql: (hash: Hash, expression: string): string =>
    hash === "md5" ? `MD5(${expression})` : `SHA2(${expression}, 256)`,
  /** `utf8`: the text's bytes are hashed as they are; else those of its UTF-8. */
  postgresText: (hash: Hash, text: string, utf8: boolean): string => {
    if (hash === "md5" && utf8) return `pg_catalog.md5(${text})`;
    return hashed.postgresBytes(hash, `pg_catalog.convert_to(${text}, 'UTF8')`);
  },
  postgresBytes: (hash: Hash, bytes: string): string =>
    hash === "md5" ? `pg_catalog.md5(${bytes})` : `pg_catalog.encode(pg_catalog.sha256(${bytes}), 'hex')`,
};

const nothing = "'~'";

const mysqlDialect = (hash: Hash): Dialect => ({
  identifier: mysql.identifier,
  from: (schema, table) => `FROM ${mysql.qualified(schema, table)}`,
  // As bytes: pieces of several collations do not stand together in one text.
  digest: (pieces) =>
    hashed.mysql(
      hash,
      `CONCAT_WS(',', ${pieces.map((piece) => `IFNULL(CAST(${piece} AS BINARY), ${nothing})`).join(", ") || "''"})`,
    ),
  // A NULL would be left out of the sum in silence: it counts as a number that no others add up to.
  sum: (digest) => `COUNT(*), CAST(SUM(IFNULL(CAST(CONV(LEFT(${digest}, 16), 16, 10) AS UNSIGNED), ${lost})) AS CHAR)`,
  bucket: (digest, n) => `CAST(CONV(RIGHT(${digest}, 7), 16, 10) AS UNSIGNED) % ${n}`,
});

const postgresDialect = (hash: Hash): Dialect => ({
  identifier: postgres.identifier,
  from: (schema, table, partitioned) => `FROM ${partitioned ? "" : "ONLY "}${postgres.qualified(schema, table)}`,
  // All that is not in ASCII has been hashed by itself where the encoding is another.
  digest: (pieces) =>
    hashed.postgresText(
      hash,
      `pg_catalog.array_to_string(ARRAY[${pieces.join(", ")}]::pg_catalog.text[], ',', ${nothing})`,
      true,
    ),
  sum: (digest) =>
    `pg_catalog.count(*) AS rows, pg_catalog.sum(('x' || pg_catalog.left(${digest}, 16))::pg_catalog.bit(64)::pg_catalog.int8) AS sum`,
  bucket: (digest, n) => `(('x' || pg_catalog.right(${digest}, 7))::pg_catalog.bit(28)::pg_catalog.int8 % ${n})`,
});

export const createDialect = (engine: "mysql" | "postgres", hash: Hash): Dialect =>
  engine === "mysql" ? mysqlDialect(hash) : postgresDialect(hash);

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
