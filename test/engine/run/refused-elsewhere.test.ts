import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copy } from "../../../src/engine/index.ts";
import * as mysql from "../../support/engine/mysql-mysql-support.ts";
import { type Flavour, pair, rows, startServers } from "../../support/engine/mysql-support.ts";
import * as postgres from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Indexes that the target refuses after the rows, in the directions with MySQL: see postgres-postgres/refused.test.ts. */

const signal = new AbortController().signal;
const silent = { signal, progress: () => undefined, measured: () => undefined, log: () => undefined };
const request = (both: Pick<mysql.Pair, "source" | "target">) => ({
  ...{ owner: "owner-1", ownerName: "the test", source: both.source, target: both.target, reset: false },
  options: { jobs: 2, on_object_error: "fail" as const },
});

/** MySQL has room for 64 indexes on a table, PostgreSQL for any number. */
const indexes = Array.from({ length: 66 }, (_, at) => `i${String(at).padStart(2, "0")}`);
const indexed = `CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL);
  ${indexes.map((name) => `CREATE INDEX ${name} ON t (a, b)`).join("; ")}; INSERT INTO t VALUES (1, 2, 3), (4, 5, 6)`;

describe.each<Flavour>(["mysql", "mariadb"])("PostgreSQL into %s", (flavour) => {
  let servers: postgres.Servers;
  beforeAll(async () => {
    servers = await postgres.startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("an index that the target refuses is reported, and all else is copied", async () => {
    const both = await postgres.pair(servers, indexed);
    const { report, copied } = await run(both);
    await copied.finish();
    const refused = report.inventory.filter(({ outcome }) => outcome === "reported");
    expect(refused.map(({ kind, name }) => [kind, name])).toEqual(
      ["i63", "i64", "i65"].map((name) => ["index", `public.${name}`]),
    );
    for (const { note, definition } of refused) {
      expect(note).toMatch(/Too many keys/);
      expect(definition).toMatch(/CREATE INDEX "i6/);
    }
    expect(report.warnings).toContainEqual(expect.stringMatching(/^index public\.i65 .*Too many keys/));
    const names = `SELECT COUNT(DISTINCT INDEX_NAME) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = '${both.name}'`;
    expect(await postgres.rows(servers.admin, names)).toEqual([["64"]]);
    expect(await postgres.rows(servers.admin, `SELECT * FROM ${both.name}.t ORDER BY id`)).toEqual([
      ["1", "2", "3"],
      ["4", "5", "6"],
    ]);
  });

  test("with on_object_error fail the run ends with the index's name", async () => {
    const both = await postgres.pair(servers, indexed);
    await expect(copy(request(both), silent)).rejects.toMatchObject({
      code: "schema_refused",
      message: expect.stringMatching(/index public\.i63.*Too many keys/s),
    });
  });

  test("keys are made before other indexes, and one that is refused ends the run", async () => {
    const both = await postgres.pair(servers, indexed.replace("CREATE INDEX i65", "CREATE UNIQUE INDEX i65"));
    const { report, copied } = await run(both);
    await copied.finish();
    const refused = report.inventory.filter(({ outcome }) => outcome === "reported");
    expect(refused.map(({ name }) => name)).toEqual(["public.i62", "public.i63", "public.i64"]);
    const unique = await postgres.pair(servers, indexed.replaceAll("CREATE INDEX", "CREATE UNIQUE INDEX"));
    await expect(run(unique)).rejects.toMatchObject({
      code: "schema_refused",
      message: expect.stringMatching(/index public\.i63.*Too many keys/s),
    });
  });
});

/** Their rows have the format that the server gives by itself, which in the target has room for keys of 767 bytes. */
const formless = `CREATE TABLE large (id int PRIMARY KEY, s varchar(300) NOT NULL, n int NOT NULL, filler varchar(600), KEY long_s (s), KEY of_n (n));
  INSERT INTO large SELECT n, n, n, REPEAT('f', 600) FROM (WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 900) SELECT n FROM c) numbers;
  ${Array.from({ length: 4 }, (_, at) => `INSERT INTO large SELECT id + 10000 * POW(2, ${at}), s, n, filler FROM large;`).join(" ")} ANALYZE TABLE large;
  CREATE TABLE small (id int PRIMARY KEY, s varchar(300) NOT NULL, KEY long_s (s)); INSERT INTO small VALUES (1, 'x')`;

describe.each<Flavour>(["mysql", "mariadb"])("%s into itself", (flavour) => {
  const servers = mysql.useServers();
  const pairWithout = async (schema: string) => {
    const { admin } = servers.of[flavour];
    await admin.query("SET GLOBAL innodb_default_row_format = dynamic");
    const both = await mysql.pair(servers, flavour, flavour, schema);
    await admin.query("SET GLOBAL innodb_default_row_format = compact");
    return both;
  };
  afterAll(() => servers.of[flavour].admin.query("SET GLOBAL innodb_default_row_format = dynamic"));

  test("an index that the target refuses is reported, and all else is copied", async () => {
    const both = await pairWithout(formless);
    const { report } = await mysql.copied(both);
    const refused = report.inventory.filter(({ outcome }) => outcome === "reported");
    expect(refused.map(({ kind, name }) => [kind, name]).sort()).toEqual([
      ["index", "large.long_s"],
      ["index", "small.long_s"],
    ]);
    const notes = Object.fromEntries(refused.map(({ name, note }) => [name, note]));
    expect(notes["large.long_s"]).toMatch(/did not take it: Index column size too large.*767 bytes/);
    expect(notes["small.long_s"]).toMatch(/did not take it/);
    for (const table of ["large", "small"])
      expect(await mysql.bytesOf(both.to, table, ["id", "s"])).toEqual(
        await mysql.bytesOf(both.from, table, ["id", "s"]),
      );
    const text = Object.values(await mysql.definitionsOf(both.to)).join();
    expect(text).toMatch(/KEY `of_n`/);
  });

  test("with on_object_error fail the run ends with the index's name", async () => {
    const both = await pairWithout(formless);
    await expect(copy(request(both), silent)).rejects.toMatchObject({
      code: "schema_refused",
      message: expect.stringMatching(/making (key|index) (large|small)\.long_s: .*767 bytes/s),
    });
  });

  test("a unique key that the target refuses is reported with what the target takes then, or ends the run by its name", async () => {
    const unique = formless
      .replaceAll("KEY long_s", "UNIQUE KEY long_s")
      .replaceAll(/POW\(2, (\d)\), s,/g, "POW(2, $1), CONCAT(s, '-', $1),");
    const both = await pairWithout(unique);
    const { report } = await mysql.copied(both);
    const refused = report.inventory.filter(({ outcome }) => outcome === "reported");
    expect(refused.map(({ kind, name }) => [kind, name]).sort()).toEqual([
      ["index", "large.long_s"],
      ["index", "small.long_s"],
    ]);
    for (const table of ["large", "small"])
      expect(report.warnings).toContainEqual(
        expect.stringMatching(
          new RegExp(
            `^index ${table}\\.long_s is not copied: the target's server did not take it.*, so the target does not refuse doubled values$`,
          ),
        ),
      );
    const again = await pairWithout(unique);
    await expect(copy(request(again), silent)).rejects.toMatchObject({
      code: "schema_refused",
      message: expect.stringMatching(/making (?:unique|index) (?:large|small)\.long_s: .*767 bytes/s),
    });
  });
});

/** More different words than PostgreSQL's full-text search takes of a text. */
const words =
  "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 200000) SELECT GROUP_CONCAT(CONCAT('w', n) SEPARATOR ' ') FROM c";
const tooLong = `SET SESSION group_concat_max_len = 100000000, SESSION cte_max_recursion_depth = 1000000; CREATE TABLE t (id int PRIMARY KEY, s longtext, FULLTEXT KEY words (s)); INSERT INTO t SELECT 1, (${words})`;

describe("MySQL into PostgreSQL", () => {
  let servers: Awaited<ReturnType<typeof startServers>>;
  beforeAll(async () => {
    servers = await startServers("mysql");
  });
  afterAll(() => servers?.close());

  test("an index that the target refuses is reported; with on_object_error fail the run ends with its name", async () => {
    const both = await pair(servers, tooLong);
    const { report, copied } = await run(both);
    await copied.finish();
    const refused = report.inventory.filter(({ outcome }) => outcome === "reported");
    expect(refused.map(({ kind, name, note }) => [kind, name, note])).toEqual([
      [
        "index",
        "t.words",
        expect.stringMatching(/^index t\.words could not be built: string is too long for tsvector/),
      ],
    ]);
    expect(report.warnings).toContain(refused[0]?.note);
    expect(await rows(both.pg, "SELECT count(*) FROM t WHERE length(s) > 1000000")).toEqual([["1"]]);
    const again = await pair(servers, tooLong);
    await expect(copy(request(again), silent)).rejects.toMatchObject({
      code: "schema_refused",
      message: expect.stringMatching(/^making index t\.words: string is too long for tsvector/),
    });
  });
});
