import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyOptions } from "../../../src/engine/contract/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import {
  error,
  type Flavour,
  type Pair,
  pair,
  rows,
  type Servers,
  startServers,
} from "../../support/engine/mysql-support.ts";
import { assessed, run } from "../../support/engine/run.ts";

/** MySQL → PostgreSQL, into types that the user named or that are there: nothing is cut or rounded, and what fits is copied. */

const source = (values: string) =>
  `CREATE TABLE t (id int PRIMARY KEY, d decimal(14,4), f double, g float, c varchar(9), x datetime(6), z timestamp(3) NULL, n bigint, s varchar(20), w varchar(30), h varchar(20), b varbinary(9), bits bit(8), y time(3), e enum('a','bcd'));
   INSERT INTO t VALUES ${values}`;
const fit =
  "(1, 1.2500, 1.5, 0.5, 'abc', '2020-01-01 10:00:00.120', '2020-01-01 10:00:00.5', 7, '1.20', '2020-01-01 10:00', '0x', x'00', b'101', '10:00:00.500', 'a'), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";
const unfit =
  "(3, 1.2345, 1.2345, 1.1, 'abc  ', '2020-01-01 10:00:00.123', '2020-01-01 10:00:00.555', 9007199254740993, '1.005', '2020-01-01', 'infinity', x'0000', b'11111111', '10:00:00.55', 'bcd'), (4, 123456789.5, 0.1, NULL, 'abcd', NULL, NULL, NULL, '1e1', 'now', 'tomorrow', NULL, NULL, NULL, NULL)";
const types = {
  ...{
    d: "numeric(10,2)",
    f: "real",
    g: "numeric(10,2)",
    c: "varchar(3)",
    x: "timestamp(2)",
    z: "timestamptz(1)",
    n: "double precision",
  },
  ...{ s: "numeric(10,2)", w: "timestamp(0)", h: "text", b: "bytea", bits: "smallint", y: "time(1)", e: "varchar(2)" },
};
const counts = { d: 2, f: 2, g: 1, c: 2, x: 1, z: 1, n: 1, s: 2, w: 1, y: 1, e: 1 };

describe.each<Flavour>(["mariadb", "mysql"])("from %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const asTypes = Object.fromEntries(Object.entries(types).map(([column, type]) => [`t.${column}`, type]));
  const there = `CREATE DOMAIN public.three AS varchar(3); CREATE TABLE public.t (id int, ${Object.entries(types)
    .map(([column, type]) => `${column} ${column === "c" ? "public.three" : type}`)
    .join(", ")})`;
  const ways: [string, Partial<CopyOptions>, string][] = [
    ["named in options.types", { types: asTypes }, "SELECT 1"],
    ["of a table that is there", { content: "data" }, there],
  ];

  test("an interval without its smaller units is refused, for times and for texts", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE t (id int PRIMARY KEY, y time, c varchar(30)); INSERT INTO t VALUES (1, '-10:30:15', '1 day 02:30:00.5')",
    );
    const failed = (named: Record<string, string>) => error(run(both, { options: { jobs: 2, types: named } }));
    for (const [column, type] of [
      ["y", "interval hour"],
      ["y", "INTERVAL  Day to Minute"],
      ["c", "interval day"],
      ["c", "interval(0)"],
    ] as const)
      expect(await failed({ [`t.${column}`]: type })).toMatchObject({ code: "option_invalid" });
    expect(await failed({ "t.y": "interval hour to second", "t.c": "interval" })).toMatchObject({ code: "none" });
    expect(await rows(both.pg, "SELECT y, c FROM public.t")).toEqual([["-10:30:15", "1 day 02:30:00.5"]]);
  });

  test.each(ways)("values that fit are copied into narrower types %s", async (_, options, before) => {
    const both = await pair(servers, source(fit));
    await both.pg.query(before);
    const { copied } = await run(both, { options: { jobs: 2, ...options } });
    expect(
      await rows(both.pg, "SELECT d, f, g, c, x, z, n, s, w, h, b, bits, y, e FROM public.t WHERE id = 1"),
    ).toEqual([
      [
        ...["1.25", "1.5", "0.50", "abc", "2020-01-01 10:00:00.12", "2020-01-01 10:00:00.5+00", "7", "1.20"],
        ...["2020-01-01 10:00:00", "0x", "\\x00", "5", "10:00:00.5", "a"],
      ],
    ]);
    await copied.finish();
  });

  test.each(ways)(
    "a value that would be cut or rounded in a type %s fails the run before it writes",
    async (_, options, before) => {
      const both = await pair(servers, source(`${fit}, ${unfit}`));
      await both.pg.query(before);
      const failed = await error(run(both, { options: { jobs: 2, ...options } }));
      expect(failed).toMatchObject({ code: "data_refused", retryable: false });
      for (const [column, values] of Object.entries(counts).slice(0, 10))
        expect(failed.message).toMatch(new RegExp(`table t, column ${column} \\([^;]*: ${values} value`));
      expect(failed.message).toContain("and 1 more columns");
      expect(await rows(both.pg, "SELECT count(*) FROM pg_class WHERE relname = '_rowferry'")).toEqual([["0"]]);
      const left = await rows(both.pg, "SELECT count(*) FROM pg_class WHERE relname = 't'");
      expect(left).toEqual([[options.content === "data" ? "1" : "0"]]);
      if (options.content === "data") expect(await rows(both.pg, "SELECT count(*) FROM public.t")).toEqual([["0"]]);
    },
  );
});

describe.each<Flavour>(["mariadb", "mysql"])("from %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const odd = `CREATE TABLE t (id int PRIMARY KEY, a varchar(9) CHARACTER SET cp1251, b text CHARACTER SET cp1250, c char(9) CHARACTER SET tis620, d varchar(9) CHARACTER SET cp1251, e varchar(9));
       INSERT INTO t VALUES (1, x'98', x'8161', x'DB', 'я?', 'я?'), (2, x'D6983F', 'ž?', 'ก', NULL, NULL), (3, 'Ж?', NULL, NULL, '', '')`;
  const found = [
    ["a", "2 values have bytes that stand for no character of cp1251"],
    ["b", "1 value has bytes that stand for no character of cp1250"],
    ["c", "1 value has bytes that stand for no character of tis620"],
  ];
  const stray = (warnings: readonly string[]) => warnings.filter((words) => words.includes("stand for no character"));
  const verified = async (both: Pick<Pair, "source" | "target">) => {
    const hooks = { signal: new AbortController().signal, progress: () => undefined, log: () => undefined };
    return (await verify({ ...both, options: { jobs: 2 } }, hooks)).verification;
  };

  test("bytes that stand for no character are counted by their column, by assess and verify as well", async () => {
    const both = await pair(servers, odd);
    const { findings } = await assessed(both);
    expect(findings.filter(({ code }) => code === "bytes_without_character")).toEqual(
      found.map(([column, words]) => ({
        severity: "warning",
        code: "bytes_without_character",
        object: `t.${column}`,
        reason: `${words}, of the first 1,000 rows: each is copied as a question mark`,
        fix: "bytea in options.types keeps the bytes",
      })),
    );
    const { report, copied } = await run(both, { options: { jobs: 2, verify: "checksum" } });
    expect(stray(report.warnings)).toEqual(
      found.map(
        ([column, words]) =>
          `column t.${column}: ${words}; each is copied as a question mark; bytea in options.types keeps the bytes`,
      ),
    );
    expect(await rows(both.pg, "SELECT a, d FROM public.t ORDER BY id")).toEqual([
      ["?", "я?"],
      ["Ц??", null],
      ["Ж?", ""],
    ]);
    await copied.finish();
    expect(await verified(both)).toMatchObject({
      differences: [],
      uncompared: found.map(
        ([column, words]) => `${both.source.database}.t.${column}: ${words}; they are compared as question marks`,
      ),
    });
  });

  test("as bytea by options.types they are the source's bytes", async () => {
    const both = await pair(servers, odd);
    const types = { "t.a": "bytea", "t.b": "bytea", "t.c": "bytea" };
    const { report, copied } = await run(both, { options: { jobs: 2, verify: "checksum", types } });
    expect(stray(report.warnings)).toEqual([]);
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
    expect(await rows(both.pg, "SELECT a, b, c FROM public.t ORDER BY id")).toEqual([
      ["\\x98", "\\x8161", "\\xdb"],
      ["\\xd6983f", "\\x9e3f", "\\xa1"],
      ["\\xc63f", null, null],
    ]);
    await copied.finish();
    expect(await verified(both)).toMatchObject({ differences: [], uncompared: [] });
    await both.pg.query("UPDATE public.t SET a = '\\x3f' WHERE id = 1");
    expect((await verified(both)).differences).toMatchObject([{ differing: 1 }]);
  });
});
