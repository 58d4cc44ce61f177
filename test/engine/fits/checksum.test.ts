import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import { run } from "../../support/engine/run.ts";
import { endPlaces, type Kind, place, startPlaces } from "../../support/engine/verify-places.ts";

/** Rows alone into columns of another type: equal values are not called different, and different ones are not called equal. */

beforeAll(startPlaces);
afterAll(endPlaces);

/** Types by the sort of server; values that differ from each other, in both sides' types. */
type Case = readonly [from: string, to: string, values: string];

const ofMysql: Record<string, Case> = {
  integer: ["int", "varchar(20)", "7; -12; 0"],
  unsigned: ["bigint unsigned", "char(20)", "18446744073709551615; 0"],
  zerofill: ["int(5) unsigned zerofill", "varchar(20)", "42; 0"],
  tiny: ["tinyint(1)", "text", "1; 0; -3"],
  year: ["year", "varchar(9)", "2020; 0"],
  decimal: ["decimal(12,4)", "varchar(20)", "1.2500; -0.1; 0"],
  filled: ["decimal(8,2) zerofill", "varchar(20)", "1.25; 0"],
  double: [
    "double",
    "varchar(40)",
    "0.1; 1e-5; 1e300; 0; 16777217; 1.7976931348623157e308; 123456789012345680; -1.2345678901234567e-300",
  ],
  scaled: ["double(10,2)", "varchar(40)", "1.5; 0"],
  date: ["date", "varchar(20)", "'2020-02-29'; '2020-01-01'"],
  datetime: ["datetime(3)", "varchar(40)", "'2020-02-29 12:00:00.100'; '2020-01-01'"],
  timestamp: ["timestamp", "text", "'2020-02-29 12:00:00'; '2020-02-29 12:00:01'"],
  time: ["time(2)", "varchar(20)", "'-838:59:59'; '10:00:00.5'"],
  label: ["enum('a','b b')", "varchar(20)", "'a'; 'b b'"],
  set: ["set('a','b')", "varchar(20)", "'a'; 'a,b'; ''"],
  text: ["varchar(20)", "char(20)", "'a'; ''"],
};
/** Of MySQL alone. */
const intoMysql: Record<string, Case> = {
  labels: ["enum('a','ö')", "enum('ö','b','a')", "'a'; 'ö'"],
  day: ["date", "datetime", "'2020-02-29'; '0000-00-00'"],
  moment: ["date", "datetime(3)", "'2020-02-29'; '2020-01-01'"],
  number: ["int", "decimal(12,2)", "7; -12"],
  decimals: ["decimal(12,2)", "int", "7.00; -12"],
  sign: ["int", "bigint unsigned", "7; 8"],
  second: ["datetime(6)", "datetime", "'2020-02-29 12:00:00'; '2020-02-29 12:00:01'"],
};
const intoPostgres: Record<string, Case> = {
  number: ["int", "numeric(12,2)", "7; -12"],
  numeric: ["int", "numeric", "7; -12"],
  day: ["date", "timestamp", "'2020-02-29'; '2020-01-01'"],
  second: ["datetime(6)", "timestamp(0)", "'2020-02-29 12:00:00'; '2020-02-29 12:00:01'"],
  midnight: ["datetime", "date", "'2020-02-29'; '2020-02-28'"],
  long: ["varchar(20)", "text", "'a'; 'a '"],
  single: ["float", "text", "1.1; 0.1; -1.17549e-38; 3.40282e38; 16777216; 1e-5"],
  filled9: ["varchar(20)", "char(9)", "'a'; 'b'"],
  bytes: ["varbinary(9)", "bytea", "x'00'; x''"],
};

const ofPostgres: Record<string, Case> = {
  integer: ["int", "varchar(20)", "7; -12; 0"],
  oid: ["oid", "varchar(20)", "7; 12"],
  decimal: ["numeric(12,4)", "varchar(20)", "1.2500; -0.1; 0"],
  numeric: ["numeric", "text", "1.2500; 1e30; 'NaN'"],
  real: ["real", "varchar(40)", "0.1; 1e-5; 1e30; 0; 16777216"],
  double: ["double precision", "varchar(40)", "0.1; 1e-5; 1e300; '-0'; 16777217; 1.7976931348623157e308"],
  boolean: ["boolean", "varchar(9)", "true; false"],
  date: ["date", "varchar(20)", "'2020-02-29'; 'infinity'; '0044-03-15 BC'"],
  timestamp: ["timestamp(3)", "varchar(40)", "'2020-02-29 12:00:00.100'; '2020-01-01'"],
  moment: ["timestamptz", "text", "'2020-02-29 12:00:00+00'; '2020-02-29 12:00:01+00'"],
  time: ["time(2)", "varchar(20)", "'24:00'; '10:00:00.5'"],
  zoned: ["timetz", "varchar(40)", "'10:00+00'; '10:00:00.5+02'"],
  interval: ["interval", "varchar(40)", "'1 day 00:00:01.5'; '-1 mon'"],
  uuid: ["uuid", "char(36)", "'00000000-0000-0000-0000-000000000001'; '00000000-0000-0000-0000-000000000002'"],
  inet: ["inet", "varchar(50)", "'10.0.0.1'; '::1/64'"],
  document: ["jsonb", "text", "'{\"a\": [1, 2.50]}'; '[]'"],
  array: ["int[]", "text", "'{1,NULL}'; '{}'"],
  text: ["varchar(20)", "text", "'a'; 'a '"],
  filled: ["varchar(20)", "char(9)", "'a'; 'b'"],
};
const withinPostgres: Record<string, Case> = {
  money: ["money", "text", "1.25; -3"],
  amount: ["numeric(10,2)", "money", "1.25; -3"],
  bytes: ["bytea", "text", "'\\x00'; ''"],
  bits: ["bit varying(9)", "text", "B'101'; B'0'"],
  padded: ["char(5)", "char(9)", "'a'; 'b'"],
  day: ["date", "timestamp", "'2020-02-29'; 'infinity'; '0044-03-15 BC'"],
  number: ["int", "numeric(12,2)", "7; -12"],
  fraction: ["numeric(9,0)", "int", "7; -12"],
  places: ["numeric(12,4)", "numeric(10,1)", "7.5; -12"],
  second: ["timestamp", "timestamp(0)", "'2020-02-29 12:00:00'; 'infinity'"],
  address: ["cidr", "inet", "'10.0.0.0/8'; '10.0.0.1/32'"],
  word: ["name", "varchar(63)", "'a'; 'b'"],
  letter: ['"char"', "text", "'a'; 'b'"],
  json: ["jsonb", "json", "'{\"a\": [1, 2.50]}'; '[]'"],
  point: ["point", "text", "'(1,2)'; '(1,3)'"],
  range: ["int4range", "text", "'[1,3)'; 'empty'"],
};
const outOfPostgres: Record<string, Case> = {
  number: ["int", "decimal(12,2)", "7; -12"],
  day: ["date", "datetime", "'2020-02-29'; '2020-01-01'"],
  whole: ["numeric(12,2)", "int", "7.00; -12"],
  second: ["timestamp", "datetime", "'2020-02-29 12:00:00'; '2020-02-29 12:00:01'"],
  bytes: ["bytea", "varbinary(9)", "'\\x00'; '\\x'"],
};

const of = (from: Kind, to: Kind): Record<string, Case> => {
  if (from === "postgres") return { ...ofPostgres, ...(to === "postgres" ? withinPostgres : outOfPostgres) };
  return { ...ofMysql, ...(to === "postgres" ? intoPostgres : intoMysql) };
};

const kinds: readonly Kind[] = ["mysql", "mariadb", "postgres"];
const pairs = kinds.flatMap((from) => kinds.map((to) => [from, to] as const));

/** The same rows in tables that are there, and into types that are named. */
const ways = [
  ...pairs.map((pair) => [...pair, "data"] as const),
  ...pairs
    .filter(([from, to]) => (from === "postgres") !== (to === "postgres"))
    .map((pair) => [...pair, "types"] as const),
];

test.each(ways)(
  "%s → %s, %s: a value that was copied into another type is equal, and any other is not",
  async (from, to, way) => {
    const [source, target] = [await place(from), await place(to)];
    const both = { source: source.endpoint, target: target.endpoint };
    const cases = Object.entries(of(from, to));
    const nullable = (kind: Kind) => (kind === "postgres" ? "" : " NULL");
    await source.run(
      cases
        .map(([name, [type, , values]]) => {
          const list = [...values.split("; "), "NULL"].map((value, at) => `(${at}, ${value})`);
          return `CREATE TABLE t_${name} (id int PRIMARY KEY, v ${type}${nullable(from)}); INSERT INTO t_${name} VALUES ${list.join(", ")}`;
        })
        .join("; "),
    );
    if (way === "data")
      await target.run(
        cases
          .map(([name, [, type]]) => `CREATE TABLE t_${name} (id int PRIMARY KEY, v ${type}${nullable(to)})`)
          .join("; "),
      );
    const types = Object.fromEntries(cases.map(([name, [, type]]) => [`t_${name}.v`, type]));
    const { copied, report } = await run(both, {
      options: { jobs: 2, verify: "counts", ...(way === "data" ? { content: "data" } : { types }) },
    });
    await copied.finish();
    expect(report.warnings).toEqual([]);
    const compared = async () => {
      const hooks = { signal: new AbortController().signal, progress: () => undefined, log: () => undefined };
      const { verification } = await verify({ ...both, options: { jobs: 2 } }, hooks);
      expect(verification.uncompared).toEqual([]);
      return verification.differences
        .map(({ source: name, differing }) => `${name.replace(/.*t_/, "")} ${differing}`)
        .sort();
    };
    expect(await compared()).toEqual([]);
    await target.run(
      cases
        .map(
          ([name]) =>
            `UPDATE t_${name} SET v = (SELECT v FROM (SELECT * FROM t_${name}) other WHERE id = 1) WHERE id = 0`,
        )
        .join("; "),
    );
    expect(await compared()).toEqual(cases.map(([name]) => `${name} 1`).sort());
  },
);
