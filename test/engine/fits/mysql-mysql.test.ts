import { expect, test } from "vitest";
import {
  bytesOf,
  copied,
  flavours,
  type Pair,
  pair,
  pairs,
  useServers,
} from "../../support/engine/mysql-mysql-support.ts";
import { error } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Rows alone into columns of another character set, or of a narrower type: converted, or refused before one is written. */

const servers = useServers();
const data = { options: { jobs: 2, content: "data" as const } };

const rows = async ({ to }: Pair, sql: string) =>
  (await to.query({ sql, rowsAsArray: true }))[0] as unknown as (string | null)[][];
const count = async (where: Pair, table: string) =>
  Number((await rows(where, `SELECT COUNT(*) FROM ${table}`))[0]?.[0]);

test.each(pairs)("%s → %s: texts keep their characters in columns of other character sets", async (from, to) => {
  for (const local of [1, 0]) {
    const where = await pair(
      servers,
      from,
      to,
      `CREATE TABLE t (id int PRIMARY KEY, a varchar(30), b varchar(30) CHARACTER SET latin1, c text CHARACTER SET cp1251, d enum('ä','b') CHARACTER SET latin1, e varchar(9) CHARACTER SET utf16, s set('ö','x'));
       INSERT INTO t VALUES (1, 'Müller €', 'für €', 'привет', 'ä', 'ü😀', 'ö,x'), (2, '', '', '', 'b', '', ''), (3, NULL, NULL, NULL, NULL, NULL, NULL);
       CREATE TABLE n (n int); INSERT INTO n VALUES (12)`,
    );
    await where.to.query(
      "CREATE TABLE t (id int PRIMARY KEY, a varchar(30) CHARACTER SET latin1, b varchar(30) CHARACTER SET utf8mb4, c text CHARACTER SET utf8mb4, d enum('ä','b') CHARACTER SET utf8mb4, e varchar(9) CHARACTER SET utf8mb4, s set('ö','x') CHARACTER SET latin1); CREATE TABLE n (n varchar(9) CHARACTER SET utf16)",
    );
    await servers.of[to].admin.query(`SET GLOBAL local_infile = ${local}`);
    try {
      const { report } = await copied(where, { options: { ...data.options, verify: "checksum", exclude: ["n"] } });
      expect(report.verification).toMatchObject({ differences: [] });
      await copied(where, { owner: "owner-2", options: { ...data.options, include: ["n"] } });
    } finally {
      await servers.of[to].admin.query("SET GLOBAL local_infile = 1");
    }
    expect(await rows(where, "SELECT n FROM n")).toEqual([["12"]]);
    expect(await rows(where, "SELECT a, b, c, d, e, s FROM t ORDER BY id")).toEqual([
      ["Müller €", "für €", "привет", "ä", "ü😀", "ö,x"],
      ["", "", "", "b", "", ""],
      [null, null, null, null, null, null],
    ]);
  }
});

test("a text is converted also where each of its bytes would be a character of the target's set", async () => {
  const where = await pair(
    servers,
    "mysql",
    "mysql",
    "CREATE TABLE t (a varchar(30)); INSERT INTO t VALUES ('Müller')",
  );
  await where.to.query("CREATE TABLE t (a varchar(30) CHARACTER SET latin1)");
  await copied(where, data);
  expect(await rows(where, "SELECT a, HEX(a) FROM t")).toEqual([["Müller", "4DFC6C6C6572"]]);
});

test.each(pairs)(
  "%s → %s: characters that the target's set lacks are counted, and nothing is written",
  async (from, to) => {
    const where = await pair(
      servers,
      from,
      to,
      "CREATE TABLE t (id int PRIMARY KEY, a varchar(30), b varchar(9) CHARACTER SET cp1251); INSERT INTO t VALUES (1, 'Жук?', 'ok?'), (2, '€ ?', x'98'), (3, '日本', 'я')",
    );
    await where.to.query("CREATE TABLE t (id int PRIMARY KEY, a varchar(30) CHARACTER SET latin1, b varchar(9))");
    const failed = await error(run(where, data));
    expect(failed).toMatchObject({ code: "data_refused", retryable: false });
    expect(failed.message).toMatch(
      /table t, column a \(.*latin1\): 2 values do not fit \(characters that latin1 does not have\)/,
    );
    expect(failed.message).toMatch(/column b \(.*\): 1 value does not fit/);
    expect(await count(where, "t")).toBe(0);
  },
);

test.each(pairs)("%s → %s: values are neither cut nor rounded, and what fits is copied", async (from, to) => {
  const where = await pair(
    servers,
    from,
    to,
    `CREATE TABLE t (id int PRIMARY KEY, d decimal(14,4), c varchar(9), k varchar(9), x datetime(6), y time(3), n bigint, b varbinary(9), m text);
     INSERT INTO t VALUES (1, 1.2500, 'abc', 'a', '2020-01-01 10:00:00.120000', '10:00:00.500', 7, x'0000', 'm')`,
  );
  const narrow =
    "CREATE TABLE t (id int PRIMARY KEY, d decimal(10,2), c varchar(3), k char(9), x datetime(2), y time(1), n tinyint, b binary(2), m tinytext)";
  await where.to.query(narrow);
  await copied(where, { options: { ...data.options, verify: "checksum" } });
  const columns = ["id", "c", "k", "n", "b", "m"];
  expect(await bytesOf(where.to, "t", columns)).toEqual(await bytesOf(where.from, "t", columns));
  expect(await rows(where, "SELECT CAST(d AS CHAR), CAST(x AS CHAR), CAST(y AS CHAR) FROM t")).toEqual([
    ["1.25", "2020-01-01 10:00:00.12", "10:00:00.5"],
  ]);
  await where.to.query("TRUNCATE TABLE t");
  await where.from.query(
    `USE ${where.database}; INSERT INTO t VALUES (2, 1.2345, 'abc   ', 'a ', '2020-01-01 10:00:00.123', '10:00:00.555', 300, x'00', REPEAT('x', 256)), (3, 123456789.5, 'abc', 'b', NULL, NULL, NULL, NULL, NULL), (4, 2.345, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
  );
  const failed = await error(run(where, data));
  expect(failed).toMatchObject({ code: "data_refused", retryable: false });
  for (const [column, values] of Object.entries({ d: 3, c: 1, k: 1, x: 1, y: 1, n: 1, b: 1, m: 1 }))
    expect(failed.message).toMatch(new RegExp(`column ${column} \\([^)]*.*?: ${values} value`));
  expect(await count(where, "t")).toBe(0);
  expect(await rows(where, "SHOW TABLES LIKE '\\_rowferry'")).toEqual([]);
});

test.each(pairs)(
  "%s → %s: what DOUBLE(M,D) and FLOAT(M,D) would round is refused, and what fits is copied",
  async (from, to) => {
    const columns: [name: string, from: string, to: string, fits: string[], not: string[]][] = [
      ["a", "double", "double(5,2)", ["1.23", "-0.07", "999.99"], ["1.239", "1000", "-1e-9", "999.996", "1e300"]],
      ["b", "double(10,4)", "double(10,2)", ["-0.07", "1.5"], ["-0.0712"]],
      ["c", "float", "float(7,2)", ["0.1", "-99999.5", "1.23"], ["1.239", "1e5", "1e-9", "-0.001"]],
      ["d", "float", "double(8,3)", ["0.125"], ["0.1"]],
      ["e", "float(7,2)", "double(10,2)", ["1.23", "-0.07"], []],
      ["f", "float(7,4)", "float(7,1)", ["0.1", "5"], ["0.1001"]],
    ];
    for (const [name, type, into, fits, not] of columns) {
      const values = fits.map((value, at) => `(${at}, ${value})`).join(", ");
      const where = await pair(
        servers,
        from,
        to,
        `CREATE TABLE t (id int PRIMARY KEY, ${name} ${type}); INSERT INTO t VALUES ${values}`,
      );
      await where.to.query(`CREATE TABLE t (id int PRIMARY KEY, ${name} ${into})`);
      await copied(where, data);
      const near = fits.map((value, at) => `(id = ${at} AND ABS(${name} - ${value}) <= 1e-6 * ABS(${value}))`);
      const [[kept] = []] = await rows(where, `SELECT COUNT(*) FROM t WHERE ${near.join(" OR ")}`);
      expect([name, Number(kept)]).toEqual([name, fits.length]);
      await where.to.query("TRUNCATE TABLE t");
      if (not.length === 0) continue;
      await where.from.query(
        `USE ${where.database}; INSERT INTO t VALUES ${not.map((value, at) => `(${at + 9}, ${value})`).join(", ")}`,
      );
      const failed = await error(run(where, data));
      expect(failed).toMatchObject({ code: "data_refused", retryable: false });
      expect(failed.message).toMatch(
        new RegExp(
          `column ${name} \\(.*\\): ${not.length} values? do(?:es)? not fit \\(more than \\d+ digits before or \\d after`,
        ),
      );
      expect(await count(where, "t")).toBe(0);
    }
  },
);

test.each(flavours)("%s: halves of characters in ucs2 are counted, and nothing is written", async (flavour) => {
  const where = await pair(
    servers,
    flavour,
    flavour,
    "CREATE TABLE t (id int PRIMARY KEY, a varchar(10) CHARACTER SET ucs2); INSERT INTO t VALUES (1, x'D83D'), (2, x'D83DDE00'), (3, 'ok'), (4, x'D7FFE000'), (5, NULL)",
  );
  await where.to.query("CREATE TABLE t (id int PRIMARY KEY, a varchar(10))");
  const failed = await error(run(where, data));
  expect(failed).toMatchObject({
    code: "data_refused",
    message: expect.stringMatching(/column a .*: 2 values do not fit/),
  });
  expect(await count(where, "t")).toBe(0);
  await where.from.query("DELETE FROM t WHERE id < 3");
  await copied(where, data);
  expect(await bytesOf(where.to, "t", ["a"])).toEqual(["-", "6F6B", "ED9FBFEE8080"]);
});
