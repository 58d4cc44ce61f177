import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyOptions } from "../../../src/engine/contract/index.ts";
import { error, type Flavour, pair, rows, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Texts and numbers of MySQL into other types of PostgreSQL, named or there: what these write otherwise is counted and named, or refused. */

const uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
const columns = {
  i: "int",
  n: "numeric(10,1)",
  m: "numeric",
  f: "double precision",
  b: "boolean",
  y: "time",
  z: "timestamp(2)",
  u: "uuid",
  v: "interval",
  r: "int4range",
  a: "inet",
};

describe.each<Flavour>(["mariadb", "mysql"])("from %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const ways = (types: Record<string, string>): [Partial<CopyOptions>, string][] => [
    [{ types: Object.fromEntries(Object.entries(types).map(([name, type]) => [`t.${name}`, type])) }, "SELECT 1"],
    [
      { content: "data" },
      `CREATE TABLE public.t (id int PRIMARY KEY, ${Object.entries(types)
        .map(([name, type]) => `${name} ${type}`)
        .join(", ")})`,
    ],
  ];

  test("a text that the target's type writes otherwise is counted by its column", async () => {
    const names = Object.keys(columns);
    const own = [
      [
        "7",
        "-1.5",
        "1.10",
        "0.25",
        "t",
        "09:00:00",
        "2020-01-01 10:00:00.5",
        uuid,
        "1 year -3 days +04:05:06.7",
        "[-1,5)",
        "::1",
      ],
      ["-12", "0.0", "0", "-3", "f", "23:59:59.5", "2020-01-01 10:00:00", uuid, "00:00:00", "empty", "10.0.0.0/8"],
    ];
    const other = [
      [
        "007",
        "1.50",
        "01.1",
        "1.0",
        "yes",
        "12:00",
        "2020-01-01 10:00",
        uuid.toUpperCase(),
        "P1D",
        "[1,5]",
        "10.0.0.1/32",
      ],
      [
        "+5",
        "-0.0",
        "-0",
        "0.00001",
        "true",
        "09:00:00.50",
        "2020-01-01T10:00:00",
        `{${uuid}}`,
        "10:00",
        "(1,2)",
        "::0/128",
      ],
      [
        "-0",
        "1",
        "+1",
        "-01",
        "T",
        "12:00:00.0",
        "2020-01-01",
        uuid.replaceAll("-", ""),
        "1 day 0:00",
        "[01,2)",
        "FE80::1",
      ],
    ];
    const source = (list: readonly string[][]) =>
      `CREATE TABLE t (id int PRIMARY KEY, ${names.map((name) => `${name} varchar(40)`).join(", ")});
       INSERT INTO t VALUES ${list.map((row, at) => `(${at}, ${row.map((value) => `'${value}'`).join(", ")})`).join(", ")}, (99${", NULL".repeat(names.length)})`;
    for (const [options, before] of ways(columns)) {
      const both = await pair(servers, source([...own, ...other]));
      await both.pg.query(before);
      const { report, copied } = await run(both, { options: { jobs: 2, ...options } });
      const said = report.warnings.filter((words) => words.includes("written otherwise"));
      expect(said).toHaveLength(names.length);
      for (const [at, name] of names.entries())
        expect(said[at]).toMatch(
          new RegExp(`^column t\\.${name} \\(varchar\\(40\\) → .*: 3 texts are written otherwise`),
        );
      expect(report.changed_columns).toBe(names.length);
      expect(await rows(both.pg, "SELECT i, n FROM public.t WHERE id = 2")).toEqual([["7", "1.5"]]);
      await copied.finish();

      const same = await pair(servers, source(own));
      await same.pg.query(before);
      const kept = await run(same, { options: { jobs: 2, verify: "checksum", ...options } });
      expect(kept.report).not.toHaveProperty("changed_columns");
      expect(kept.report.verification).toMatchObject({ differences: [] });
      await kept.copied.finish();
    }
  });

  test("texts into tsvector are refused before a row is written, since it loses words", async () => {
    const source = "CREATE TABLE t (id int PRIMARY KEY, w text); INSERT INTO t VALUES (1, 'the cat the dog')";
    for (const [options, before] of ways({ w: "tsvector" })) {
      const both = await pair(servers, source);
      await both.pg.query(before);
      const failed = await error(run(both, { options: { jobs: 1, ...options } }));
      expect(failed.message).toContain("tsvector");
      expect(["option_invalid", "schema_differs"]).toContain(failed.code);
    }
  });

  test("a document with a key twice is refused for jsonb by its column", async () => {
    const source = (value: string) =>
      `CREATE TABLE t (id int PRIMARY KEY, j text); INSERT INTO t VALUES (1, '{"a": [2], "b": 1}'), (2, NULL), ${value}`;
    for (const [options, before] of ways({ j: "jsonb" })) {
      const both = await pair(servers, source(`(3, '{"b":1,"a":2,"a":3}')`));
      await both.pg.query(before);
      expect(await error(run(both, { options: { jobs: 2, ...options } }))).toMatchObject({
        code: "data_refused",
        message: expect.stringContaining("column t.j holds a key that is there twice"),
      });
      const fitting = await pair(servers, source("(3, '[]')"));
      await fitting.pg.query(before);
      const { report, copied } = await run(fitting, { options: { jobs: 2, verify: "checksum", ...options } });
      expect(report.verification).toMatchObject({ differences: [] });
      expect(await rows(fitting.pg, "SELECT j FROM public.t WHERE id = 1")).toEqual([['{"a": [2], "b": 1}']]);
      await copied.finish();
    }
  });

  test.each(["json", "jsonb"])(
    "texts, ENUM and SET are documents for %s, or are refused as texts that are none",
    async (type) => {
      for (const [column, fits, none] of [
        ["set('1','true')", "'true'", "'1,true'"],
        ["enum('{}','a')", "'{}'", "'a'"],
        ["varchar(20)", "'[1]'", "'a'"],
      ] as const) {
        const source = (value: string) =>
          `CREATE TABLE t (id int PRIMARY KEY, j ${column}); INSERT INTO t VALUES (1, ${value})`;
        for (const [options, before] of ways({ j: type })) {
          const both = await pair(servers, source(none));
          await both.pg.query(before);
          expect(await error(run(both, { options: { jobs: 1, ...options } }))).toMatchObject({
            code: "data_refused",
            message: expect.stringContaining("column t.j holds a text that is no JSON, which the type "),
          });
          const fitting = await pair(servers, source(fits));
          await fitting.pg.query(before);
          const { report, copied } = await run(fitting, { options: { jobs: 1, ...options } });
          expect(await rows(fitting.pg, "SELECT j FROM public.t")).toEqual([[fits.slice(1, -1)]]);
          const note = report.inventory.find(({ name }) => name === "t.j")?.note;
          if (options.content === undefined) expect(note).toContain("each text has to be a JSON document");
          await copied.finish();
        }
      }
    },
  );

  test("whole numbers of a decimal or a double become integers", async () => {
    const source =
      "CREATE TABLE t (id int PRIMARY KEY, d decimal(20,2), f double, g float); INSERT INTO t VALUES (1, 2.00, 1e15, 1e7), (2, -9007199254740993.00, -0.0, 16777216), (3, NULL, NULL, NULL)";
    for (const [options, before] of ways({ d: "bigint", f: "bigint", g: "int" })) {
      const both = await pair(servers, source);
      await both.pg.query(before);
      const { report, copied } = await run(both, { options: { jobs: 2, verify: "checksum", ...options } });
      expect(report.verification).toMatchObject({ differences: [] });
      expect(await rows(both.pg, "SELECT d, f, g FROM public.t ORDER BY id")).toEqual([
        ["2", "1000000000000000", "10000000"],
        ["-9007199254740993", "0", "16777216"],
        [null, null, null],
      ]);
      await copied.finish();
    }
  });

  test("a span that is no time of a day, and bytes that are no text, are refused by their column before a row is written", async () => {
    const source = (values: string) =>
      `CREATE TABLE t (id int PRIMARY KEY, y time, b varbinary(9)); INSERT INTO t VALUES (1, '24:00:00', 'é'), (2, '00:00:00', ''), (3, NULL, NULL)${values}`;
    for (const [options, before] of ways({ y: "time", b: "text" })) {
      const both = await pair(servers, source(", (4, '-10:00:00', x'ff'), (5, '24:00:01', x'c3')"));
      await both.pg.query(before);
      const failed = await error(run(both, { options: { jobs: 2, ...options } }));
      expect(failed).toMatchObject({ code: "data_refused", retryable: false });
      for (const column of ["y", "b"])
        expect(failed.message).toMatch(new RegExp(`table t, column ${column} \\([^;]*: 2 values do not fit`));
      const fitting = await pair(servers, source(""));
      await fitting.pg.query(before);
      const { copied } = await run(fitting, { options: { jobs: 2, ...options } });
      expect(await rows(fitting.pg, "SELECT y, b FROM public.t ORDER BY id")).toEqual([
        ["24:00:00", "é"],
        ["00:00:00", ""],
        [null, null],
      ]);
      await copied.finish();
    }
  });

  test("a text that the target's type refuses is named by its column", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE t (id int PRIMARY KEY, c varchar(20)); INSERT INTO t VALUES (1, '10.0.0.1/8')",
    );
    expect(await error(run(both, { options: { jobs: 2, types: { "t.c": "cidr" } } }))).toMatchObject({
      code: "data_refused",
      message: expect.stringContaining("table t, column c: "),
    });
  });
});
