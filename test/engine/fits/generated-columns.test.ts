import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { InventoryEntry } from "../../../src/engine/contract/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { copied, pair as mysqlPair, pairs, useServers } from "../../support/engine/mysql-mysql-support.ts";
import {
  error,
  type Flavour,
  type Servers as IntoPostgres,
  pair as intoPostgres,
  rows,
  startServers as startIntoPostgres,
} from "../../support/engine/mysql-support.ts";
import {
  type Servers as IntoMysql,
  pair as intoMysql,
  startServers as startIntoMysql,
} from "../../support/engine/postgres-mysql-support.ts";
import {
  copied as copiedPostgres,
  database,
  type Servers as Postgres,
  sql,
  startServers as startPostgres,
} from "../../support/engine/postgres-support.ts";
import { run } from "../../support/engine/run.ts";

const hooks = { signal: new AbortController().signal, log: () => undefined, progress: () => undefined };

/** Rows alone, where one side computes a column that the other has plain, or computes otherwise: filled, refused or named. */

const data = { options: { jobs: 2, content: "data" as const } };
const checksum = { options: { ...data.options, verify: "checksum" as const } };
const twice =
  "CREATE TABLE a (id int PRIMARY KEY, w int GENERATED ALWAYS AS (id * 2) STORED); INSERT INTO a (id) VALUES (1), (2)";
const plain = "CREATE TABLE a (id int PRIMARY KEY, w int); INSERT INTO a VALUES (1, 5), (2, NULL)";
const bare = "CREATE TABLE a (id int PRIMARY KEY, w int)";
const other = "CREATE TABLE a (id int PRIMARY KEY, w int GENERATED ALWAYS AS (id * 3) STORED)";
const same = "CREATE TABLE a (id int PRIMARY KEY, w int GENERATED ALWAYS AS (id + id) STORED)";
const list = "SELECT id, w FROM a ORDER BY id";

const refused = { code: "schema_differs", message: expect.stringMatching(/table a .*\bw is generated in the target/) };
/** The report's words: an entry and a warning. */
function expectNamed({ inventory, warnings }: { inventory: readonly InventoryEntry[]; warnings: readonly string[] }) {
  const entry = inventory.find(({ kind }) => kind === "generated column");
  expect(entry).toMatchObject({ name: expect.stringMatching(/a\.w$/), outcome: "reported" });
  expect(entry?.note).toMatch(/by an expression of its own, and the target computes other values by it/);
  expect(warnings).toContainEqual(expect.stringMatching(/^generated column .*a\.w: /));
}

describe("between MySQL and MariaDB", () => {
  const servers = useServers();
  const read = async ({ to }: { to: { query(sql: object): Promise<unknown[]> } }, sql = list) =>
    (await to.query({ sql, rowsAsArray: true }))[0];

  test.each(pairs)("%s → %s: a plain column takes the values that the source computed", async (from, to) => {
    const where = await mysqlPair(servers, from, to, twice);
    await where.to.query(bare);
    const { report } = await copied(where, checksum);
    expect(await read(where)).toEqual([
      [1, 2],
      [2, 4],
    ]);
    expect(report.verification?.differences).toEqual([]);
    await where.to.query("UPDATE a SET w = 7 WHERE id = 1");
    const after = await verify({ source: where.source, target: where.target, options: { jobs: 2 } }, hooks);
    expect(after.verification.differences).toHaveLength(1);
  });

  test.each(pairs)("%s → %s: another expression is named, and a plain source is refused", async (from, to) => {
    const where = await mysqlPair(servers, from, to, twice);
    await where.to.query(other);
    expectNamed((await copied(where, data)).report);
    await where.to.query(`DROP TABLE a; ${other}`);
    expect(await error(run(where, { ...checksum, owner: "owner-2" }))).toMatchObject({ code: "verification_failed" });
    await where.to.query(`DROP TABLE a; DROP TABLE IF EXISTS _rowferry; ${same}`);
    const { report } = await copied(where, { ...checksum, owner: "owner-3" });
    expect([report.warnings, report.inventory.filter(({ kind }) => kind === "generated column")]).toEqual([[], []]);
    await where.to.query("DROP TABLE a; CREATE TABLE a (id int PRIMARY KEY)");
    expect((await copied(where, { ...data, owner: "owner-4" })).report.inventory).toContainEqual(
      expect.objectContaining({ kind: "column", name: "a.w", outcome: "not_applicable" }),
    );
    await where.from.query(`DROP TABLE a; ${plain}`);
    await where.to.query(`DROP TABLE a; ${other}`);
    expect(await error(run(where, { ...data, owner: "owner-5" }))).toMatchObject(refused);
    expect(await read(where)).toEqual([]);
  });

  test("a view of the table's name is not filled", async () => {
    const where = await mysqlPair(servers, "mysql", "mysql", plain);
    await where.to.query("CREATE TABLE b (id int PRIMARY KEY, w int); CREATE VIEW a AS SELECT * FROM b");
    expect(await error(run(where, data))).toMatchObject({
      code: "schema_differs",
      message: expect.stringContaining("has no table a, whose rows were to be copied, but a view of that name"),
    });
    expect(await read(where, "SELECT * FROM b")).toEqual([]);
  });
});

describe.each<Flavour>(["mysql", "mariadb"])("from %s to PostgreSQL", (flavour) => {
  let servers: IntoPostgres;
  beforeAll(async () => {
    servers = await startIntoPostgres(flavour);
  });
  afterAll(() => servers?.close());

  test("a plain source is refused before a row is written, and another expression is named", async () => {
    const both = await intoPostgres(servers, plain);
    await both.pg.query(other);
    expect(await error(run(both, checksum))).toMatchObject({
      ...refused,
      message: expect.stringMatching(/table public\.a .*\bw is generated in the target/),
    });
    expect(await rows(both.pg, list)).toEqual([]);

    const computed = await intoPostgres(servers, twice);
    await computed.pg.query(other);
    const { report, copied } = await run(computed, data);
    expectNamed(report);
    await copied.finish();
    await computed.pg.query(`DROP TABLE a; ${other}`);
    expect(await error(run(computed, { ...checksum, owner: "owner-2" }))).toMatchObject({
      code: "verification_failed",
    });
  });

  test("what both compute alike is said nowhere, and a plain column takes the source's values", async () => {
    for (const there of [same, bare]) {
      const both = await intoPostgres(servers, twice);
      await both.pg.query(there);
      const { report } = await run(both, checksum);
      expect(await rows(both.pg, list)).toEqual([
        ["1", "2"],
        ["2", "4"],
      ]);
      expect([report.warnings, report.inventory.filter(({ kind }) => kind === "generated column")]).toEqual([[], []]);
    }
  });
});

describe("between PostgreSQL servers", () => {
  let servers: Postgres;
  beforeAll(async () => {
    servers = await startPostgres();
  });
  afterAll(() => servers?.stop());

  const both = async (there: string, source = twice) => {
    const [from, to] = [await database(servers.new, source), await database(servers.new, there)];
    return { from, to, report: (await copiedPostgres(from, to, checksum)).report };
  };

  test.each(["STORED", "VIRTUAL"])("a plain column takes the values that the source computed (%s)", async (how) => {
    const { to, report } = await both(bare, twice.replace("STORED", how));
    expect(await sql(to, list)).toEqual([
      { id: 1, w: 2 },
      { id: 2, w: 4 },
    ]);
    expect([report.warnings, report.inventory.filter(({ kind }) => kind === "generated column")]).toEqual([[], []]);
    expect(report.verification?.differences).toEqual([]);
  });

  test("a value that does not fit into the plain column is refused, and another expression is named", async () => {
    const wide = twice.replace("(2)", "(2), (40000)");
    const small = bare.replace("w int", "w smallint");
    await expect(both(small, wide)).rejects.toMatchObject({
      code: "data_refused",
      message: expect.stringMatching(/table public\.a.*\bw\b/s),
    });
    const [from, to] = [await database(servers.new, twice), await database(servers.new, other)];
    const { warnings } = (await copiedPostgres(from, to, data)).report;
    expect(warnings).toEqual([
      expect.stringMatching(/^generated column public\.a\.w: .* are not those of the source/),
      "1 source object was not copied or was changed: 1 generated column (see the report)",
    ]);
  });

  test("partitions and columns beside take theirs as well", async () => {
    const tree = (w: string) =>
      `CREATE TABLE a (id int, w int${w}, v text, PRIMARY KEY (id)) PARTITION BY HASH (id); CREATE TABLE a0 PARTITION OF a FOR VALUES WITH (MODULUS 2, REMAINDER 0); CREATE TABLE a1 PARTITION OF a FOR VALUES WITH (MODULUS 2, REMAINDER 1)`;
    const rows = "INSERT INTO a (id, v) SELECT i, 'v' || i FROM generate_series(1, 100) i";
    const { to, report } = await both(tree(""), `${tree(" GENERATED ALWAYS AS (id * 2) STORED")}; ${rows}`);
    expect(await sql(to, "SELECT count(*)::int AS n FROM a WHERE w = id * 2 AND v = 'v' || id")).toEqual([{ n: 100 }]);
    expect(report.warnings).toEqual([]);
  });
});

describe.each<Flavour>(["mysql", "mariadb"])("from PostgreSQL to %s", (flavour) => {
  let servers: IntoMysql;
  beforeAll(async () => {
    servers = await startIntoMysql(flavour);
  });
  afterAll(() => servers?.close());

  test("another expression is named at every level, a plain source is refused, a plain target filled", async () => {
    const both = await intoMysql(servers, twice);
    await servers.admin.query(`USE ${both.name}; ${other}`);
    const { report, copied } = await run(both, data);
    expectNamed(report);
    await copied.finish();
    for (const there of [same, bare]) {
      await servers.admin.query(`USE ${both.name}; DROP TABLE a; ${there}`);
      const { report, copied } = await run(both, { ...checksum, owner: "owner-2" });
      expect([report.warnings, report.verification?.differences]).toEqual([[], []]);
      await copied.finish();
    }
    const from = await intoMysql(servers, plain);
    await servers.admin.query(`USE ${from.name}; ${other}`);
    expect(await error(run(from, data))).toMatchObject(refused);
  });
});
