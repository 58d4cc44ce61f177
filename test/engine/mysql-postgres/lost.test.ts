import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import { type Flavour, type Pair, pair, rows, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** MySQL → PostgreSQL: what a copy that was verified once left out, or changed, without a word. */
describe.each<Flavour>(["mysql", "mariadb"])("of %s nothing is lost without a name:", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const check = ({ source, target }: Pair) =>
    verify(
      { source, target, options: { jobs: 2 } },
      { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
    );

  test("the expression default of a TINYINT(1) that no value proves to be a boolean, and verify sees where it is gone", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, flag tinyint(1) DEFAULT (1 + 2), plain tinyint(1) DEFAULT 1, proven tinyint(1) DEFAULT (1 < 0));
       INSERT INTO t (id, flag, plain) VALUES (1, NULL, NULL)`,
    );
    const { report, copied } = await run(both);
    await copied.finish();
    await both.pg.query("INSERT INTO t (id) VALUES (2)");
    expect(report.inventory.filter(({ kind }) => kind === "default").map(({ name }) => name)).toEqual([]);
    expect(await rows(both.pg, "SELECT flag, plain, proven FROM t ORDER BY id")).toEqual([
      [null, null, "f"],
      ["3", "1", "f"],
    ]);
    await both.pg.query("DELETE FROM t WHERE id = 2");
    const first = await check(both);
    expect(first.inventory.filter(({ outcome }) => outcome === "reported")).toEqual([]);
    expect(first.equal).toBe(true);
    await both.pg.query("ALTER TABLE t ALTER flag DROP DEFAULT");
    const found = await check(both);
    expect(found.equal).toBe(false);
    expect(found.inventory.filter(({ outcome }) => outcome === "reported")).toEqual([
      expect.objectContaining({
        name: expect.stringMatching(/\.t\.flag$/),
        note: "it has a default in the source, none in the target",
      }),
    ]);
  });

  test("a default of another value, which verify names", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, n int unsigned DEFAULT 7, d decimal(10,2) DEFAULT 1.50, z int(5) zerofill DEFAULT 42, f double DEFAULT 0.1,
         b tinyint(1) DEFAULT 1, t varchar(20) DEFAULT 'plain', u varchar(20) DEFAULT 'it''s \\\\', e enum('a','b') DEFAULT 'b', p int DEFAULT (1 + 2), y varchar(40) DEFAULT (upper('x')))`,
    );
    const { copied } = await run(both);
    await copied.finish();
    expect((await check(both)).equal).toBe(true);
    await both.pg.query("ALTER TABLE t ALTER n SET DEFAULT 8, ALTER d SET DEFAULT 1.05, ALTER t SET DEFAULT 'other'");
    const found = await check(both);
    expect(found.equal).toBe(false);
    expect(found.inventory.flatMap(({ outcome, note }) => (outcome === "reported" ? [note] : []))).toEqual([
      "its default is 7 in the source and 8 in the target",
      "its default is 1.5 in the source and 1.05 in the target",
      "its default is plain in the source and other in the target",
    ]);
  });

  test("the present time by default, which is cut to the column's seconds and never in the future", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, a timestamp DEFAULT CURRENT_TIMESTAMP, b datetime DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
         c datetime(2) DEFAULT CURRENT_TIMESTAMP(2) ON UPDATE CURRENT_TIMESTAMP(2), d timestamp(6) DEFAULT CURRENT_TIMESTAMP(6)); INSERT INTO t (id) VALUES (0)`,
    );
    const { copied } = await run(both);
    await copied.finish();
    // The time of a transaction stands still: many transactions hit both halves of a second.
    for (let id = 1; id <= 40; id++) await both.pg.query(`INSERT INTO t (id) VALUES (${id})`);
    for (let id = 1; id <= 40; id++) await both.pg.query(`UPDATE t SET id = -id WHERE id = ${id}`);
    expect(
      await rows(
        both.pg,
        "SELECT count(*) FROM t WHERE id <> 0 AND (a > d OR a < d - interval '1 s' OR b > now() OR c > LOCALTIMESTAMP)",
      ),
    ).toEqual([["0"]]);
    const early = await rows(both.pg, `SELECT count(*) FROM t WHERE id <> 0 AND date_trunc('second', d) <> a`);
    expect(early).toEqual([["0"]]);
  });

  test("an index that is not used, a full-text parser, a range without numbers below 0, and comments of partitions", async () => {
    const mysql = flavour === "mysql";
    const own = mysql
      ? "KEY aside (v) INVISIBLE, FULLTEXT KEY words (`t\n)ext`, v) WITH PARSER ngram"
      : "KEY aside (v) IGNORED, FULLTEXT KEY words (`t\n)ext`, v)";
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, v varchar(20), \`t\n)ext\` varchar(20), n int unsigned, ${own});
       CREATE TABLE split (id int PRIMARY KEY) PARTITION BY RANGE (id)
         (PARTITION p0 VALUES LESS THAN (10) COMMENT = "it's first", PARTITION p1 VALUES LESS THAN MAXVALUE)`,
    );
    const { report } = await run(both);
    const of = (name: string) => report.inventory.find((entry) => entry.name === name);
    expect(of("t.aside")?.note).toBe("INVISIBLE in the source; here the planner uses it");
    expect(of("t.n")?.note).toMatch(/→ bigint; UNSIGNED in the source; here numbers below 0 are not refused$/);
    expect(of("t.words")?.note).toMatch(mysql ? /its parser ngram is not copied/ : /instead of MATCH$/);
    expect(of("t.words")?.outcome).toBe(mysql ? "reported" : "converted");
    expect(
      await rows(both.pg, "SELECT obj_description('split_p0'::regclass), obj_description('split_p1'::regclass)"),
    ).toEqual([["it's first", null]]);
  });

  test("ON UPDATE CURRENT_TIMESTAMP of a table with a stored column: an update that changes nothing moves no time", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, v int, twice int AS (v * 2) STORED, thrice int AS (v * 3) VIRTUAL, at timestamp(6) NULL ON UPDATE CURRENT_TIMESTAMP(6));
       INSERT INTO t (id, v, at) VALUES (1, 1, '2020-01-01 00:00:00')`,
    );
    const { copied } = await run(both);
    await copied.finish();
    expect(
      await rows(both.pg, "SELECT attgenerated FROM pg_attribute WHERE attrelid = 't'::regclass AND attname = 'twice'"),
    ).toEqual([["s"]]);
    await both.pg.query("UPDATE t SET v = 1 WHERE id = 1");
    expect(await rows(both.pg, "SELECT at < '2020-01-02' FROM t")).toEqual([["t"]]);
    await both.pg.query("UPDATE t SET v = 2 WHERE id = 1");
    expect(await rows(both.pg, "SELECT at > '2020-01-02', twice, thrice FROM t")).toEqual([["t", "4", "6"]]);
  });
});
