import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mysqlAs } from "../../support/engine/mysql-support.ts";
import { type Pair, pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { type Ran, run } from "../../support/engine/run.ts";
import { sqlFile } from "../../support/sql-file.ts";

/** What becomes of keys, defaults, sequences, partitions and names, asked of the target by what it does. */

const long = "n".repeat(63);

const schema = sqlFile(import.meta, "objects.sql");

describe.each(["mysql", "mariadb", "mariadb-11"] as const)("objects of PostgreSQL in %s", (flavour) => {
  let servers: Servers;
  let both: Pair;
  let ran: Ran;
  const ask = (sql: string) => rows(servers.admin, sql.replaceAll("@", `${both.name}.`));
  const fails = (sql: string) => servers.admin.query(sql.replaceAll("@", `${both.name}.`));
  const entry = (kind: string, name: string) =>
    ran.report.inventory.find((one) => one.kind === kind && one.name === name);

  beforeAll(async () => {
    servers = await startServers(flavour);
    await servers.admin.query("SET SESSION sql_mode = 'STRICT_ALL_TABLES'");
    both = await pair(servers, schema);
    ran = await run(both, { options: { jobs: 2, verify: "checksum" } });
  });
  afterAll(() => servers?.close());

  test("every value is there, under whatever name", () => {
    expect(ran.report.verification?.differences).toEqual([]);
    expect(ran.report.tables.filter(({ rows: { source, target } }) => source !== target)).toEqual([]);
  });

  test("sequences go on where they were; 0 and what is negative stays", async () => {
    expect(await ask("SELECT id FROM @numbers ORDER BY id")).toEqual([["-5"], ["0"], ["7"]]);
    await fails("INSERT INTO @numbers (big) VALUES (1)");
    expect(await ask("SELECT MAX(id) FROM @numbers")).toEqual([["42"]]);
    await fails("INSERT INTO @always (n) VALUES (3)");
    expect(await ask("SELECT MAX(id) FROM @always")).toEqual([["3"]]);
    expect(entry("default", "public.numbers.big")).toMatchObject({
      outcome: "reported",
      definition: expect.stringContaining("GENERATED ALWAYS AS IDENTITY"),
    });
    for (const table of ["share_a", "share_b"])
      expect(entry("default", `public.${table}.id`)).toMatchObject({
        outcome: "reported",
        note: expect.stringContaining("several columns"),
      });
    expect(entry("sequence", "public.shared")).toMatchObject({
      outcome: "reported",
      definition: expect.stringContaining("CREATE SEQUENCE"),
    });
  });

  test("defaults and generated columns do what they did; the rest is named with its text", async () => {
    await fails("INSERT INTO @defaults (id) VALUES (2)");
    expect(
      await ask(
        "SELECT at > UTC_TIMESTAMP() - INTERVAL 1 HOUR, day IS NOT NULL, LENGTH(u), s, n, b, HEX(y), bits + 0, CAST(arr AS CHAR), next, loud, huge = -1e300, tiny = 5e-324 FROM @defaults WHERE id = 2",
      ),
    ).toEqual([["1", "1", "36", "it's", "1.50", "1", "00FF", "5", "[]", "2", "it's!", "1", "1"]]);
    expect(entry("generated column", "public.defaults.twice")?.definition).toContain("next");
    expect(entry("default", "public.defaults.odd")).toMatchObject({
      outcome: "reported",
      definition: expect.stringContaining("random"),
    });
    expect(
      await ask(
        `SELECT COLUMN_COMMENT FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '${both.name}' AND TABLE_NAME = 'defaults' AND COLUMN_NAME = 's'`,
      ),
    ).toEqual([["it's"]]);
    expect(
      await ask(
        `SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${both.name}' AND TABLE_NAME = 'defaults'`,
      ),
    ).toEqual([["all"]]);
  });

  test("foreign keys in circles and to themselves hold; what they cannot do is named", async () => {
    await expect(fails("INSERT INTO @tree VALUES (3, 99, NULL)")).rejects.toMatchObject({ errno: 1452 });
    await expect(fails("INSERT INTO @a VALUES (2, 99)")).rejects.toMatchObject({ errno: 1452 });
    expect(entry("constraint", "public.tree tree_up")?.note).toContain("not deferrable");
    expect(entry("constraint", "public.tree tree_default")).toMatchObject({
      outcome: "reported",
      note: expect.stringContaining("SET DEFAULT is not MySQL's"),
      definition: expect.stringContaining("SET DEFAULT"),
    });
  });

  test("a parent has its own rows only", async () => {
    expect(await ask("SELECT id FROM @parent")).toEqual([["1"]]);
    expect(await ask("SELECT id, extra FROM @child")).toEqual([["2", "3"]]);
    expect(entry("table", "public.child")?.note).toContain("inherits public.parent");
  });

  test("partitions are made where both servers put rows alike, else a plain table, named", async () => {
    const parts = (table: string) =>
      ask(
        `SELECT PARTITION_NAME, TABLE_ROWS FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = '${both.name}' AND TABLE_NAME = '${table}' AND PARTITION_NAME IS NOT NULL ORDER BY PARTITION_ORDINAL_POSITION`,
      ).then((found) => found.map(([name]) => name));
    expect(await parts("by_month")).toEqual(["by_month_1", "by_month_2", "by_month_rest"]);
    expect(await ask("SELECT COUNT(*) FROM @by_month PARTITION (by_month_1)")).toEqual([["2"]]);
    expect(await ask("SELECT COUNT(*) FROM @by_month PARTITION (by_month_2)")).toEqual([["1"]]);
    if (flavour === "mysql") {
      expect(await parts("by_kind")).toEqual([]);
      expect(entry("partitions", "public.by_kind")).toMatchObject({
        outcome: "reported",
        note: expect.stringContaining("no default partition"),
      });
    } else expect(await parts("by_kind")).toEqual(["by_kind_a", "by_kind_rest"]);
    expect(await parts("by_hash")).toEqual([]);
    expect(entry("partitions", "public.by_hash")?.note).toContain("foreign keys");
    expect(entry("partitions", "public.by_year")).toMatchObject({
      outcome: "reported",
      definition: expect.stringContaining("RANGE"),
    });
  });

  test("names that the server does not tell apart get another, which the report says", async () => {
    expect(await ask("SELECT * FROM @Fold")).toEqual([["1", "2", "3", "4", "5", "6"]]);
    expect(await ask("SELECT * FROM @fold")).toEqual([["7"]]);
    expect(entry("column", "public.Fold.a")?.note).toMatch(/as a_[0-9a-f]{8}/);
    const keys = await ask(
      `SELECT CONSTRAINT_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = '${both.name}' AND TABLE_NAME = 'accents'`,
    );
    expect(keys).toHaveLength(2);
    const far =
      ran.report.tables.find(({ source }) => source === `${long.slice(1)}.${long}`)?.target.split(".")[1] ?? "";
    expect(far).toHaveLength(64);
    expect(await ask(`SELECT id FROM @${far}`)).toEqual([["1"]]);
  });

  test("uniqueness is kept whole or its loss is named", async () => {
    await expect(fails("INSERT INTO @lenient VALUES (REPEAT('x', 5000), 2)")).rejects.toMatchObject({ errno: 1062 });
    await fails("INSERT INTO @lenient VALUES (REPEAT('x', 4999), 2), (NULL, 1), (NULL, NULL)");
    const live = entry("index", "public.live_mail");
    if (live?.outcome === "reported") expect(live.note).toContain("does not refuse doubled values");
    else await expect(fails("INSERT INTO @live VALUES (4, 0, 'a')")).rejects.toMatchObject({ errno: 1062 });
  });

  test("an index on an expression is one where the server has such, or is named", async () => {
    const named = ["both_of", "hash_of", ...(flavour === "mysql" ? [] : ["day_of", "size_of"])];
    for (const index of named)
      expect(entry("index", `public.${index}`)).toMatchObject({
        outcome: "reported",
        definition: expect.stringContaining(index),
      });
    expect(entry("index", "public.hash_of")?.note).toContain("does not refuse doubled values");
    if (flavour !== "mysql") return;
    expect(entry("index", "public.both_of")?.note).toContain("MySQL refuses");
    expect(entry("index", "public.size_of")).toMatchObject({ outcome: "converted" });
    await expect(fails("INSERT INTO @computed (id, a) VALUES (3, 0)")).rejects.toMatchObject({ errno: 1062 });
    const [plan] = await ask(
      "EXPLAIN FORMAT=TREE SELECT id FROM @computed FORCE INDEX (day_of) WHERE CAST(at AS DATE) = DATE'2020-01-02'",
    );
    expect(plan?.[0]).toContain("day_of");
  });

  test("tables of a thousand columns take their rows; materialised views are tables", async () => {
    expect(await ask("SELECT c1, c1000 FROM @wide_int")).toEqual([["1", "2"]]);
    expect(await ask("SELECT c1, LENGTH(c999) FROM @wide_text")).toEqual([["a", "100000"]]);
    expect(await ask("SELECT id, c400 FROM @wide_short")).toEqual([["1", "z"]]);
    expect(await ask("SELECT n FROM @summed")).toEqual([["2"]]);
    expect(await ask("SELECT COUNT(*) FROM @never")).toEqual([["0"]]);
    expect(entry("table", "public.nothing")).toMatchObject({
      outcome: "reported",
      definition: expect.stringContaining("nothing"),
    });
    expect(entry("table", "public.unlogged")?.note).toContain("no unlogged tables");
  });

  test("a row that no page of the server holds ends the run with the fix", async () => {
    const wide = await pair(
      servers,
      `DO $$ BEGIN EXECUTE 'CREATE TABLE wide (' || (SELECT string_agg(format('c%s varchar(100)', i), ', ') FROM generate_series(1, 400) i) || ')';
       EXECUTE 'INSERT INTO wide VALUES (' || (SELECT string_agg('repeat(''é'', 90)', ', ') FROM generate_series(1, 400) i) || ')'; END $$`,
    );
    await expect(run(wide)).rejects.toMatchObject({
      code: "row_too_large",
      message: expect.stringContaining("options.types"),
    });
  });
});

test("a server that folds the names of tables gets names that differ otherwise", async () => {
  const servers = await startServers("mariadb", "postgres", ["--local-infile=1", "--lower-case-table-names=1"]);
  try {
    const both = await pair(
      servers,
      'CREATE TABLE "Tab" (id int); CREATE TABLE tab (id int); INSERT INTO "Tab" VALUES (1); INSERT INTO tab VALUES (2)',
    );
    const { report } = await run(both, { options: { jobs: 1, verify: "checksum" } });
    expect(report.verification?.differences).toEqual([]);
    const targets = report.tables.map(({ target }) => target.toLowerCase());
    expect(new Set(targets).size).toBe(2);
    const admin = await mysqlAs(servers.target.adminUrl);
    expect(
      await rows(
        admin,
        `SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${both.name}' AND TABLE_NAME LIKE 'tab%'`,
      ),
    ).toEqual([["2"]]);
    await admin.end();
  } finally {
    await servers.close();
  }
});
