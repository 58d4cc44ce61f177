import * as mysql from "../../mysql/driver/names.ts";
import { priorityOf } from "../../mysql/source/split.ts";
import * as postgres from "../../postgres/driver/names.ts";

/**
 * The few pieces of SQL by which rows are hashed and added up, as each engine writes them. A row's hash is that of
 * its columns' canonical texts; rows are added up as numbers of 64 bits, so that neither their order counts nor two
 * equal rows cancel each other.
 */
export interface ChecksumDialect {
  identifier(name: string): string;
  /** A value as text, whatever its type. */
  text(expression: string): string;
  /** SELECT, for a table of this storage engine. */
  select(storage: string | undefined): string;
  /** FROM, without rows of tables that inherit. */
  from(schema: string, table: string, partitioned: boolean): string;
  /** The hash, as hex, of the pieces one after another. */
  digest(pieces: readonly HashedColumn[]): string;
  /** COUNT and SUM of the hashes; `readSum` reads the latter. */
  sum(digest: string): string;
  /** 0 to n - 1, from a hash in hex. */
  bucket(digest: string, n: number): string;
}

/** A column's part of what is hashed: SQL of which all are NULL or none, and whether they may be. */
export interface HashedColumn {
  args: readonly string[];
  nullable: boolean;
}

/** MD5 wherever both servers have it: MySQL has moved it out of the server (9.6). */
export type Hash = "md5" | "sha256";

/** An SQL expression for the hash, in hex, of a text or of bytes. */
export const hashExpression = {
  mysql: (hash: Hash, expression: string): string =>
    hash === "md5" ? `MD5(${expression})` : `SHA2(${expression}, 256)`,
  /** `utf8`: the text's bytes are hashed as they are; else those of its UTF-8. */
  postgresText: (hash: Hash, text: string, utf8: boolean): string => {
    if (hash === "md5" && utf8) return `pg_catalog.md5(${text})`;
    return hashExpression.postgresBytes(hash, `pg_catalog.convert_to(${text}, 'UTF8')`);
  },
  postgresBytes: (hash: Hash, bytes: string): string =>
    hash === "md5" ? `pg_catalog.md5(${bytes})` : `pg_catalog.encode(pg_catalog.sha256(${bytes}), 'hex')`,
};

const nothing = "'~'";

/** What joins the pieces leaves NULLs out: one that may be NULL is told by its first argument. */
const argsOf = (pieces: readonly HashedColumn[], orNothing: (arg: string) => string): string[] =>
  pieces.flatMap(({ args: [first, ...others], nullable }) =>
    first === undefined ? [] : [nullable ? orNothing(first) : first, ...others],
  );

const mysqlDialect = (hash: Hash): ChecksumDialect => ({
  identifier: mysql.identifier,
  text: (expression) => expression,
  select: (storage) => `SELECT ${storage === undefined ? "" : priorityOf({ engine: storage })}`.trimEnd(),
  from: (schema, table) => `FROM ${mysql.qualified(schema, table)}`,
  // The comma's collation makes bytes of all, without conversion: pieces of several collations do not stand in one text.
  digest(pieces) {
    const args = argsOf(pieces, (arg) => `IFNULL(${arg}, ${nothing})`);
    return hashExpression.mysql(hash, `CONCAT_WS(_binary',' COLLATE \`binary\`, ${args.join(", ") || "''"})`);
  },
  // A NULL would be left out of the sum in silence: it counts as a number that no others add up to.
  sum: (digest) => `COUNT(*), CAST(SUM(IFNULL(CAST(CONV(LEFT(${digest}, 16), 16, 10) AS UNSIGNED), ${lost})) AS CHAR)`,
  bucket: (digest, n) => `CAST(CONV(RIGHT(${digest}, 7), 16, 10) AS UNSIGNED) % ${n}`,
});

/** A function of PostgreSQL takes 100. */
const mostArguments = 90;
const joined = (args: readonly string[]) => `pg_catalog.concat_ws(',', ${args.join(", ") || "''"})`;

const postgresDialect = (hash: Hash): ChecksumDialect => ({
  identifier: postgres.identifier,
  text: (expression) => `(${expression})::pg_catalog.text`,
  select: () => "SELECT",
  from: (schema, table, partitioned) => `FROM ${partitioned ? "" : "ONLY "}${postgres.qualified(schema, table)}`,
  // All that is not in ASCII has been hashed by itself where the encoding is another.
  digest(pieces) {
    const args = argsOf(pieces, (arg) => `COALESCE((${arg})::pg_catalog.text, ${nothing})`);
    const groups = Array.from({ length: Math.ceil(args.length / mostArguments) }, (_, at) =>
      joined(args.slice(at * mostArguments, (at + 1) * mostArguments)),
    );
    return hashExpression.postgresText(hash, groups.length === 1 ? (groups[0] as string) : joined(groups), true);
  },
  sum: (digest) =>
    `pg_catalog.count(*) AS rows, pg_catalog.sum(('x' || pg_catalog.left(${digest}, 16))::pg_catalog.bit(64)::pg_catalog.int8) AS sum`,
  bucket: (digest, n) => `(('x' || pg_catalog.right(${digest}, 7))::pg_catalog.bit(28)::pg_catalog.int8 % ${n})`,
});

export const createDialect = (engine: "mysql" | "postgres", hash: Hash): ChecksumDialect =>
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
