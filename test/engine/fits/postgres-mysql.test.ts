import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyOptions } from "../../../src/engine/contract/index.ts";
import { error, type Flavour } from "../../support/engine/mysql-support.ts";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** PostgreSQL → MySQL, into types that the user named or that are there: nothing is cut or rounded, and what fits is copied. */

const source = (values: string) =>
  `CREATE TABLE t (id int PRIMARY KEY, d numeric(14,4), n numeric, f double precision, c text, k varchar(9), l varchar(30), x timestamp, z timestamptz, y time, i bigint, b bytea, u uuid, m boolean, s varchar(9));
   INSERT INTO t VALUES ${values}`;
const fit =
  "(1, 1.2500, 3.5, 2.5, 'abc', 'a', 'Müller €', '2020-01-01 10:00:00.12', '2020-01-01 10:00:00.5+00', '10:00:00.5', 7, '\\x00', '00000000-0000-0000-0000-000000000001', true, '1.20'), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";
const unfit =
  "(3, 1.2345, 3.25, 0.125, 'abc  ', 'a ', 'ok', '2020-01-01 10:00:00.123', '2020-01-01 10:00:00.555', '10:00:00.55', 300, '\\x0001', NULL, false, '1.005'), (4, 123456789.5, NULL, NULL, 'abcd', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";
const types = {
  ...{ d: "decimal(10,2)", n: "decimal(10,1)", c: "varchar(3)", k: "char(9)", l: "varchar(30) character set latin1" },
  ...{
    x: "datetime(2)",
    z: "timestamp(1)",
    y: "time(1)",
    i: "tinyint",
    b: "varbinary(1)",
    u: "char(36)",
    m: "tinyint(1)",
  },
};
const named = { ...types, f: "decimal(10,2)", s: "decimal(10,2)" };
const counts = { d: 2, n: 1, c: 2, k: 1, x: 1, z: 1, y: 1, i: 1, b: 1 };

describe.each<Flavour>(["mariadb", "mysql"])("into %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const asTypes = Object.fromEntries(Object.entries(named).map(([column, type]) => [`t.${column}`, type]));
  const there = `CREATE TABLE t (id int PRIMARY KEY, f double, s varchar(9), ${Object.entries(types)
    .map(([column, type]) => `${column} ${type}${column === "z" ? " NULL" : ""}`)
    .join(", ")})`;
  const ways: [string, Partial<CopyOptions>, string][] = [
    ["named in options.types", { types: asTypes }, "SELECT 1"],
    ["of a table that is there", { content: "data" }, there],
  ];

  test.each(ways)("values that fit are copied into narrower types %s", async (_, options, before) => {
    const both = await pair(servers, source(fit));
    await servers.admin.query(`USE ${both.name}; ${before}`);
    const { copied } = await run(both, { options: { jobs: 2, ...options } });
    const list = "d, n, f + 0, c, k, l, x, z, y, i, HEX(b), u, m, s";
    expect(await rows(servers.admin, `SELECT ${list} FROM ${both.name}.t WHERE id = 1`)).toEqual([
      [
        ...[
          "1.25",
          "3.5",
          options.content === "data" ? "2.5" : "2.50",
          "abc",
          "a",
          "Müller €",
          "2020-01-01 10:00:00.12",
        ],
        ...["2020-01-01 10:00:00.5", "10:00:00.5", "7", "00", "00000000-0000-0000-0000-000000000001", "1", "1.20"],
      ],
    ]);
    await copied.finish();
  });

  test.each(ways)(
    "a value that would be cut or rounded in a type %s fails the run before it writes",
    async (_, options, before) => {
      const both = await pair(servers, source(`${fit}, ${unfit}`));
      await servers.admin.query(`USE ${both.name}; ${before}`);
      const failed = await error(run(both, { options: { jobs: 2, ...options } }));
      expect(failed).toMatchObject({ code: "data_refused", retryable: false });
      const wrong = Object.entries({ ...counts, ...(options.content === "data" ? {} : { f: 1 }) });
      for (const [column, values] of wrong)
        expect(failed.message).toMatch(new RegExp(`table public\\.t, column ${column} \\([^;]*: ${values} value`));
      if (options.content !== "data") expect(failed.message).toContain("and 1 more columns");
      const left = await rows(servers.admin, `SHOW TABLES FROM ${both.name}`);
      expect(left).toEqual(options.content === "data" ? [["t"]] : []);
      if (left.length > 0) expect(await rows(servers.admin, `SELECT COUNT(*) FROM ${both.name}.t`)).toEqual([["0"]]);
    },
  );

  test("rows alone: a boolean fits each number that takes 0 and 1, and a text as PostgreSQL writes it", async () => {
    const types = ["int unsigned", "tinyint unsigned", "bigint", "decimal(1,0)", "decimal(3,2)", "varchar(1)"];
    const columns = (type: (at: number) => string) => types.map((_, at) => `c${at} ${type(at)}`).join(", ");
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, ${columns(() => "boolean")});
       INSERT INTO t SELECT n, ${types.map(() => "n = 1").join(", ")} FROM generate_series(0, 1) n; INSERT INTO t VALUES (2)`,
    );
    await servers.admin.query(`CREATE TABLE ${both.name}.t (id int PRIMARY KEY, ${columns((at) => types[at] ?? "")})`);
    const { copied } = await run(both, { options: { jobs: 2, content: "data" } });
    const list = types.map((type, at) => (type === "varchar(1)" ? `c${at}` : `c${at} + 0`)).join(", ");
    const written = (value: string) =>
      types.map((type) =>
        type === "varchar(1)" ? (value === "1" ? "t" : "f") : type === "decimal(3,2)" ? `${value}.00` : value,
      );
    expect(await rows(servers.admin, `SELECT ${list} FROM ${both.name}.t ORDER BY id`)).toEqual([
      written("0"),
      written("1"),
      types.map(() => null),
    ]);
    await copied.finish();
  });

  test("a character that the target's set lacks is refused, not replaced", async () => {
    const both = await pair(servers, "CREATE TABLE t (l text); INSERT INTO t VALUES ('日本')");
    const latin = { "t.l": "varchar(30) collate latin1_swedish_ci" };
    expect(await error(run(both, { options: { jobs: 1, types: latin } }))).toMatchObject({
      code: "data_refused",
      message: expect.stringMatching(/column l \(.*: 1 value does not fit \(characters that latin1 does not have\)/),
    });
    expect(await rows(servers.admin, `SHOW TABLES FROM ${both.name}`)).toEqual([]);
  });

  test.each([
    ["double precision", "double(5,2)", ["1.23", "-0.07"], ["1.239", "1000", "1e-9"]],
    ["real", "double(5,2)", ["0.1", "-7.25"], ["1.239"]],
    ["real", "float(7,2)", ["0.1", "-7.25"], ["1.239", "100000"]],
    ["numeric", "double(5,2)", ["1.23", "999.99"], ["1.239", "1000"]],
    ["integer", "double(5,2)", ["999"], ["1000"]],
    ["text", "double(5,2)", ["'1.23'"], ["'1.239'", "'1000'"]],
  ])("%s into %s is not rounded", async (type, into, fits, not) => {
    const schema = (list: readonly string[]) =>
      `CREATE TABLE t (id int PRIMARY KEY, v ${type}); INSERT INTO t VALUES ${list.map((value, at) => `(${at}, ${value})`).join(", ")}`;
    // A table that is there takes only numbers of the source's sort.
    const ways = [{ types: { "t.v": into } }, ...(/real|double/.test(type) ? [{ content: "data" as const }] : [])];
    for (const options of ways) {
      const copy = async (list: readonly string[]) => {
        const both = await pair(servers, schema(list));
        if ("content" in options)
          await servers.admin.query(`CREATE TABLE ${both.name}.t (id int PRIMARY KEY, v ${into})`);
        return { both, failed: await error(run(both, { options: { jobs: 2, ...options } })) };
      };
      const { both, failed } = await copy([...fits, ...not]);
      const never = type === "real" && into.startsWith("float") && "content" in options;
      expect(failed.code).toBe(never ? "schema_differs" : "data_refused");
      if (never) continue;
      expect(failed.message).toContain(`${not.length} value${not.length === 1 ? " does" : "s do"} not fit`);
      const fitting = await copy(fits);
      expect(fitting.failed.code).toBe("none");
      expect(both.name).not.toBe(fitting.both.name);
      const there = await rows(servers.admin, `SELECT v + 0 FROM ${fitting.both.name}.t ORDER BY id`);
      expect(there.map(([value]) => Number(value).toFixed(2))).toEqual(
        fits.map((value) => Number(value.replaceAll("'", "")).toFixed(2)),
      );
    }
  });

  test("a named type that would make other values of a text is refused before anything is written", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE t (id int PRIMARY KEY, u uuid, c text, b bit(3), v varbit(5)); INSERT INTO t VALUES (1, '00000000-0000-0000-0000-000000000001', '5', b'101', b'010')",
    );
    const failed = (types: Record<string, string>) => error(run(both, { options: { jobs: 2, types } }));
    for (const [column, type, words] of [
      ["u", "binary(16)", "char(36)"],
      ["u", "year", "char(36)"],
      ["c", "bit(8)", "longtext"],
      ["c", "year", "longtext"],
      ["c", "point", "longtext"],
      ...(flavour === "mysql" ? [["c", "json", "longtext"]] : []),
    ] as [string, string, string][])
      expect(await failed({ [`t.${column}`]: type })).toMatchObject({
        code: "option_invalid",
        message: expect.stringMatching(
          new RegExp(`type ${type.replace(/[()]/g, ".")}, .* as ${words.replace(/[()]/g, ".")}`, "i"),
        ),
      });
    for (const [column, type] of [
      ["b", "int"],
      ["b", "bit(2)"],
      ["b", "decimal(5,2)"],
      ["v", "bit(5)"],
      ["v", "bigint"],
    ] as const)
      expect(await failed({ [`t.${column}`]: type })).toMatchObject({ code: "option_invalid" });
    // Shorter values would be filled up.
    for (const type of ["binary(40)", "binary(2)"])
      expect(await failed({ "t.c": type })).toMatchObject({ code: "data_refused" });
    const kept = { "t.u": "binary(36)", "t.c": "varbinary(1)", "t.b": "bit(3)", "t.v": "varchar(5)" };
    expect(await failed(kept)).toMatchObject({ code: "none" });
    expect(
      await rows(servers.admin, `SELECT CONVERT(u USING ascii), CONVERT(c USING ascii), b + 0, v FROM ${both.name}.t`),
    ).toEqual([["00000000-0000-0000-0000-000000000001", "5", "5", "010"]]);
  });
});
