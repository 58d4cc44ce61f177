import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, mysqlAs } from "../../support/engine/mysql-support.ts";
import * as postgres from "../../support/engine/postgres-support.ts";

/** Values that are nearly the same: no form in which they are compared may take them for it. */

type Engine = "mysql" | "mariadb" | "postgres" | "postgres-old";
/** A column's type, and the two values as each engine's SQL writes them. */
interface Miss {
  my: string;
  pg: string;
  /** The source's value, the same in the target, and another one. */
  one: [my: string, pg: string];
  other: [my: string, pg: string];
  /** Engines whose type does not tell the two apart. */
  not?: readonly Engine[];
}

const same = (one: string, other: string): Pick<Miss, "one" | "other"> => ({ one: [one, one], other: [other, other] });
const bin = "COLLATE utf8mb4_bin";

const misses: Record<string, Miss> = {
  "a blank at the end": { my: `VARCHAR(20) ${bin}`, pg: "varchar(20)", ...same("'a'", "'a '") },
  "a blank at the end of a text": { my: `TEXT ${bin}`, pg: "text", ...same("'a'", "'a '") },
  case: { my: "VARCHAR(20)", pg: "varchar(20)", ...same("'straße'", "'Straße'") },
  "an accent": { my: "VARCHAR(20)", pg: "text", ...same("'resume'", "'résumé'") },
  "a composed letter": {
    my: "VARCHAR(20)",
    pg: "text",
    one: ["_utf8mb4 x'c3a9'", "U&'\\00e9'"],
    other: ["_utf8mb4 x'65cc81'", "U&'e\\0301'"],
  },
  "NULL and nothing": { my: "VARCHAR(20)", pg: "varchar(20)", ...same("''", "NULL") },
  "NULL and its word": { my: "TEXT", pg: "text", ...same("'NULL'", "NULL") },
  "NULL and the sign for it": { my: "TEXT", pg: "text", ...same("'~'", "NULL") },
  "a text of many characters": {
    my: `LONGTEXT ${bin}`,
    pg: "text",
    one: ["REPEAT('0123456789', 20000)", "repeat('0123456789', 20000)"],
    other: ["CONCAT(REPEAT('0123456789', 19999), '012345678 ')", "repeat('0123456789', 19999) || '012345678 '"],
  },
  "a text and its hash": {
    my: "TEXT",
    pg: "text",
    one: ["REPEAT('x', 2000)", "repeat('x', 2000)"],
    other: ["SHA2(REPEAT('x', 2000), 256)", "encode(sha256(repeat('x', 2000)::bytea), 'hex')"],
  },
  "bytes that end in zero": {
    my: "VARBINARY(20)",
    pg: "bytea",
    one: ["x'00ff'", "'\\x00ff'"],
    other: ["x'00ff00'", "'\\x00ff00'"],
  },
  "no bytes and NULL": { my: "BLOB", pg: "bytea", one: ["x''", "'\\x'"], other: ["NULL", "NULL"] },
  "bytes of a UTF-16 surrogate": {
    my: "VARBINARY(20)",
    pg: "bytea",
    one: ["x'eda080'", "'\\xeda080'"],
    other: ["x'efbfbd'", "'\\xefbfbd'"],
  },
  "the sign of zero": {
    my: "DOUBLE",
    pg: "float8",
    one: ["-0e0", "'-0'"],
    other: ["0e0", "0"],
    not: ["mariadb"],
  },
  "the sign of a float's zero": {
    my: "FLOAT",
    pg: "float4",
    one: ["-0e0", "'-0'"],
    other: ["0e0", "0"],
    not: ["mariadb"],
  },
  "a double's last bit": {
    my: "DOUBLE",
    pg: "float8",
    ...same("0.1e0", "0.10000000000000002e0"),
  },
  "a large double's last bit": {
    my: "DOUBLE",
    pg: "float8",
    ...same("9007199254740993e0", "9007199254740994e0"),
    not: [],
  },
  "a small double's last bit": { my: "DOUBLE", pg: "float8", ...same("5e-324", "1e-323") },
  "a float's last bit": { my: "FLOAT", pg: "float4", ...same("16777215", "16777214") },
  "a decimal's last digit": { my: "DECIMAL(30,10)", pg: "numeric(30,10)", ...same("1.0000000000", "1.0000000001") },
  "digits after the point": { my: "DECIMAL(10,2)", pg: "numeric(10,2)", ...same("1.1", "1.01") },
  "a power of ten": { my: "DECIMAL(10,0)", pg: "numeric(10,0)", ...same("100", "10") },
  "the greatest number": { my: "BIGINT", pg: "bigint", ...same("9223372036854775807", "9223372036854775806") },
  "an hour": { my: "TIMESTAMP", pg: "timestamptz", ...same("'2024-03-31 01:30:00'", "'2024-03-31 02:30:00'") },
  "an hour of a local time": {
    my: "DATETIME(6)",
    pg: "timestamp",
    ...same("'2024-03-31 01:30:00'", "'2024-03-31 02:30:00'"),
  },
  "a microsecond": {
    my: "DATETIME(6)",
    pg: "timestamp(6)",
    ...same("'2024-01-01 00:00:00.100000'", "'2024-01-01 00:00:00.100001'"),
  },
  "a tenth and a hundredth": {
    my: "DATETIME(2)",
    pg: "timestamp(2)",
    ...same("'2024-01-01 00:00:00.1'", "'2024-01-01 00:00:00.01'"),
  },
  "midnight at the end of a day": { my: "TIME", pg: "time", ...same("'24:00:00'", "'00:00:00'") },
  "a year": { my: "DATE", pg: "date", ...same("'0999-01-01'", "'1999-01-01'") },
  "a truth": { my: "TINYINT(1)", pg: "boolean", one: ["1", "true"], other: ["0", "false"] },
  "a truth that is none": { my: "TINYINT(1)", pg: "boolean", one: ["0", "false"], other: ["NULL", "NULL"] },
  "bits with zeros before": {
    my: "BIT(9)",
    pg: "bit(9)",
    one: ["b'10'", "B'000000010'"],
    other: ["b'100'", "B'000000100'"],
  },
  "a number and its text in JSON": { my: "JSON", pg: "jsonb", ...same(`'{"a": 1}'`, `'{"a": "1"}'`) },
  "a number of 17 digits in JSON": {
    my: "JSON",
    pg: "jsonb",
    ...same("'[12345678901234567]'", "'[12345678901234568]'"),
  },
  "a fraction in JSON": { my: "JSON", pg: "jsonb", ...same("'[0.1]'", "'[0.10000000000000002]'") },
  "JSON's null and NULL": { my: "JSON", pg: "jsonb", ...same("'null'", "NULL") },
  "a missing key and null in JSON": { my: "JSON", pg: "jsonb", ...same(`'{"a": null}'`, "'{}'") },
  "the order of an array in JSON": { my: "JSON", pg: "jsonb", ...same("'[1, 2]'", "'[2, 1]'") },
  "a blank in JSON's text": { my: "JSON", pg: "jsonb", ...same(`'["a"]'`, `'["a "]'`) },
};
const names = Object.keys(misses);

/** Two neighbours: what one loses, the other has not gained. */
const pairOf = "CREATE TABLE neighbours (id int PRIMARY KEY, a varchar(20), b varchar(20), c varchar(20))";

const directions: [Engine, Engine][] = [
  ["mysql", "mysql"],
  ["mysql", "mariadb"],
  ["mariadb", "mysql"],
  ["postgres-old", "postgres"],
  ["mysql", "postgres"],
  ["mariadb", "postgres-old"],
  ["postgres", "mysql"],
  ["postgres-old", "mariadb"],
];

const servers = new Map<Engine, Database>();
beforeAll(async () => {
  const kinds: Engine[] = ["mysql", "mariadb", "postgres", "postgres-old"];
  await Promise.all(kinds.map(async (kind) => servers.set(kind, await borrowDatabase(kind))));
});
afterAll(async () => {
  await Promise.all([...servers.values()].map((server) => server.stop()));
});

const isMysql = (engine: Engine) => engine === "mysql" || engine === "mariadb";

let made = 0;
/** A database with a table for each near miss: rows 1 and 3 have the first value, row 2 the second where it is asked for. */
async function fill(engine: Engine, second: "one" | "other", blind: (name: string) => boolean): Promise<Endpoint> {
  const server = servers.get(engine) as Database;
  const at = isMysql(engine) ? 0 : 1;
  const tables = names.map((key, index) => {
    const { my, pg, one, other } = misses[key] as Miss;
    const first = blind(key) ? other : one;
    const middle = second === "one" ? first : other;
    return `CREATE TABLE t${index} (id int PRIMARY KEY, v ${at === 0 ? my : pg}); INSERT INTO t${index} VALUES (1, ${first[at]}), (2, ${middle[at]}), (3, ${first[at]})`;
  });
  const neighbours =
    second === "one"
      ? "('a', 'b', 'c'), ('a,1', 'b', NULL), ('1', '', '~')"
      : "('ab', '', 'c'), ('a', '1,b', NULL), ('1', '~', '')";
  const rows = neighbours.split("), (").map((row, index) => `(${index + 1}, ${row.replace(/[()]/g, "")})`);
  const all = [...tables, pairOf, `INSERT INTO neighbours VALUES ${rows.join(", ")}`];
  if (!isMysql(engine)) {
    return postgres.endpoint(await postgres.database(server, `SET TimeZone = 'UTC'; ${all.join("; ")}`));
  }
  const name = `d${++made}`;
  const admin = await mysqlAs(server.adminUrl);
  await admin.query(
    `CREATE DATABASE ${name} CHARACTER SET utf8mb4; USE ${name}; SET SESSION time_zone = '+00:00', sql_mode = ''; ${all.join("; ")}`,
  );
  await admin.end();
  return endpoint(server.urlOf(name, "admin"), "mysql");
}

describe.each(directions)("%s → %s", (from, to) => {
  const blind = (name: string) => misses[name]?.not?.some((engine) => [from, to].includes(engine)) === true;
  const compare = async (second: "one" | "other") => {
    const [source, target] = [await fill(from, "one", blind), await fill(to, second, blind)];
    const report = await verify(
      { source, target, options: { jobs: 2 } },
      { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
    );
    expect(report.verification.uncompared).toEqual([]);
    return new Map(report.verification.differences.map(({ source: table, keys }) => [table.split(".")[1], keys]));
  };

  test("what is the same is found to be", async () => {
    expect([...(await compare("one"))]).toEqual([]);
  });

  test("what is nearly the same is found to differ, by its key", async () => {
    const found = await compare("other");
    for (const [index, name] of names.entries()) {
      expect([name, found.get(`t${index}`)]).toEqual([
        name,
        blind(name) ? undefined : [{ key: '{"id":"2"}', what: "different" }],
      ]);
    }
    expect(found.get("neighbours")?.map(({ key }) => key)).toEqual(['{"id":"1"}', '{"id":"2"}', '{"id":"3"}']);
  });
});
