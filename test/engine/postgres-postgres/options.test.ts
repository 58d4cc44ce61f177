import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reportSummary } from "../../../src/engine/report/text.ts";
import {
  copied,
  database,
  fingerprint,
  hooks,
  request,
  type Servers,
  schemaText,
  sql,
  startServers,
  transfer,
} from "../../support/engine/postgres-support.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const shop = `CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL); INSERT INTO item SELECT i, 'item ' || i FROM generate_series(1, 1000) i;
  CREATE TABLE sale (id serial PRIMARY KEY, item int REFERENCES item, at timestamptz DEFAULT '2020-01-01'); INSERT INTO sale (item) SELECT 1 + i % 1000 FROM generate_series(1, 5000) i;
  CREATE INDEX sale_at ON sale (at); CREATE VIEW sold AS SELECT name, count(*) AS n FROM sale JOIN item ON item.id = item GROUP BY name;
  CREATE VIEW names AS SELECT name FROM item; CREATE FUNCTION newest() RETURNS SETOF sale LANGUAGE sql AS 'SELECT * FROM public.sale LIMIT 1'`;

const relations = async (where: Parameters<typeof sql>[0]) =>
  (
    await sql<{ name: string }>(
      where,
      "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname !~ '^_rowferry' ORDER BY 1",
    )
  ).map(({ name }) => name);

describe("a selection of tables", () => {
  test("leaves out what needs an excluded table, and says why of each", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    const { report } = await copied(source, target, { options: { jobs: 2, exclude: ["sale"] } });
    expect(await relations(target)).toEqual(["item", "item_pkey", "names"]);
    expect(report.tables.map(({ source }) => source)).toEqual(["public.item"]);
    const out = report.inventory.filter(({ outcome }) => outcome === "not_applicable");
    expect(out.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
      "column public.sale.at",
      "column public.sale.id",
      "column public.sale.item",
      "column public.sold.n",
      "column public.sold.name",
      "constraint public.sale sale_item_fkey",
      "constraint public.sale sale_pkey",
      "function public.newest()",
      "index public.sale_at",
      "index public.sale_pkey",
      "sequence public.sale_id_seq",
      "table public.sale",
      "view public.sold",
    ]);
    expect(out.find(({ kind }) => kind === "view")?.note).toBe(
      "needs table public.sale, which is skipped by options.include or options.exclude",
    );
    expect(out.find(({ kind }) => kind === "table")?.note).toBe("skipped by options.include or options.exclude");
  });

  test("takes the partitions of a table that is included, and none of one that is excluded", async () => {
    const source = await database(
      servers.new,
      `CREATE TABLE log (at int, n int, PRIMARY KEY (at)) PARTITION BY RANGE (at); CREATE TABLE log_1 PARTITION OF log FOR VALUES FROM (0) TO (10);
       CREATE TABLE log_2 PARTITION OF log FOR VALUES FROM (10) TO (20); INSERT INTO log SELECT i, i FROM generate_series(0, 19) i; CREATE TABLE other (i int)`,
    );
    const [only, without] = [await database(servers.new), await database(servers.new)];
    await copied(source, only, { options: { jobs: 1, include: ["public.log"] } });
    expect(await sql(only, "SELECT count(*)::int AS n FROM log")).toEqual([{ n: 20 }]);
    expect(await relations(only)).not.toContain("other");
    await copied(source, without, { options: { jobs: 1, exclude: ["log"] } });
    expect(await relations(without)).toEqual(["other"]);
  });

  test("refuses a pattern that no table matches", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    await expect(
      transfer(request(source, target, { options: { jobs: 1, include: ["itme"] } }), hooks()),
    ).rejects.toMatchObject({ code: "option_unmatched", message: expect.stringContaining("itme") });
  });
});

describe("schema and rows apart", () => {
  test("the schema alone is the source's, without a row; the rows follow, past triggers and keys", async () => {
    const source = await database(
      servers.new,
      `${shop}; CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'; SELECT nextval('sale_id_seq');
       CREATE TABLE rings (id int PRIMARY KEY, next int REFERENCES rings, g int GENERATED ALWAYS AS (id * 2) STORED); INSERT INTO rings VALUES (1, 2), (2, 1);
       CREATE TRIGGER never BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION refuse(); CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM item`,
    );
    const target = await database(servers.new);
    const { report } = await copied(source, target, { options: { jobs: 2, content: "schema" } });
    expect(report.tables.length).toBeGreaterThan(2);
    expect(report.tables.every(({ rows }) => rows.source === 0 && rows.target === 0)).toBe(true);
    expect(reportSummary(report)).toContain(`Made ${report.tables.length} tables without rows, as requested.`);
    expect(await schemaText(target, servers.tools)).toBe(await schemaText(source, servers.tools));
    expect(
      await sql(target, "SELECT (SELECT count(*) FROM item)::int AS a, (SELECT count(*) FROM sale)::int AS b"),
    ).toEqual([{ a: 0, b: 0 }]);
    const data = await copied(source, target, { options: { jobs: 2, content: "data", verify: "checksum" } });
    expect(data.report.tables.map(({ rows }) => rows.target)).toEqual([1000, 2, 5000]);
    expect(data.report.verification).toMatchObject({ level: "checksum", differences: [], uncompared: [] });
    await sql(target, "REFRESH MATERIALIZED VIEW m");
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
    expect(await sql(target, "SELECT nextval('sale_id_seq')::int AS n")).toEqual([{ n: 5002 }]);
  });

  test("rows into tables that hold some are refused, unless these are named; nothing else is emptied", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new, `${shop}; CREATE TABLE mine (i int); INSERT INTO mine VALUES (1)`);
    await sql(target, "UPDATE item SET name = 'theirs'");
    const data = { jobs: 2, content: "data" as const };
    await expect(transfer(request(source, target, { options: data }), hooks())).rejects.toMatchObject({
      code: "target_not_empty",
      message: expect.stringMatching(/public\.item.*options\.drop/),
    });
    expect(await sql(target, "SELECT DISTINCT name FROM item")).toEqual([{ name: "theirs" }]);
    const mistyped = { ...data, drop: ["item", "public.sale", "public.nowhere"] };
    await expect(transfer(request(source, target, { options: mistyped }), hooks())).rejects.toMatchObject({
      code: "option_unmatched",
    });
    expect(await sql(target, "SELECT FROM pg_class WHERE relname = '_rowferry'")).toEqual([]);
    await copied(source, target, { options: { ...data, drop: ["item", "public.sale"] } });
    expect(await fingerprint(target)).toEqual({ ...(await fingerprint(source)), "public.mine": expect.anything() });
  });

  test("rows whose table is missing, or lacks a column, are refused by name", async () => {
    const source = await database(servers.new, "CREATE TABLE a (i int, j int); CREATE TABLE b (i int)");
    const target = await database(servers.new, "CREATE TABLE a (i int)");
    const options = { jobs: 1, content: "data" as const };
    await expect(transfer(request(source, target, { options }), hooks())).rejects.toMatchObject({
      code: "schema_differs",
      message: expect.stringContaining("public.b"),
    });
    await sql(target, "CREATE TABLE b (i bigint)");
    await expect(transfer(request(source, target, { options }), hooks())).rejects.toMatchObject({
      code: "schema_differs",
      message: expect.stringContaining("public.a.j"),
    });
  });

  test("rows that refer to rows which the target lacks fail the run by the key's name", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    await copied(source, target, { options: { jobs: 1, content: "schema" } });
    await expect(
      transfer(request(source, target, { options: { jobs: 1, content: "data", include: ["sale"] } }), hooks()),
    ).rejects.toMatchObject({ code: "foreign_key_violated", message: expect.stringContaining("sale_item_fkey") });
  });
});

describe("a target that is not empty", () => {
  test("loses the tables that are named, when these stand in the way, and no others", async () => {
    const source = await database(servers.new, shop);
    const target = await database(
      servers.new,
      "CREATE TABLE item (id serial PRIMARY KEY, mine int); CREATE TABLE mine (i int); INSERT INTO mine VALUES (7)",
    );
    const drop = ["public.item", "mine", "public.sale"];
    const options = { jobs: 2, drop: [...drop, "nowhere"] };
    await expect(transfer(request(source, target, { options }), hooks())).rejects.toMatchObject({
      code: "option_unmatched",
      message: expect.stringContaining('"nowhere"'),
    });
    expect(await relations(target)).toEqual(["item", "item_id_seq", "item_pkey", "mine"]);
    expect(await sql(target, "SELECT FROM pg_class WHERE relname = '_rowferry'")).toEqual([]);
    await copied(source, target, { options: { jobs: 2, drop } });
    expect(await sql(target, "SELECT i FROM mine")).toEqual([{ i: 7 }]);
    expect(await fingerprint(target)).toEqual({ ...(await fingerprint(source)), "public.mine": expect.anything() });
  });

  test.each(["all", "data"] as const)(
    "loses no table whose name has a dot for one in a schema of that name (content %s)",
    async (content) => {
      const both = `CREATE SCHEMA a; CREATE TABLE a.b (i int); CREATE TABLE public."a.b" (i int)`;
      const source = await database(servers.new, `${both}; INSERT INTO a.b VALUES (1)`);
      const target = await database(
        servers.new,
        `${both}; INSERT INTO a.b VALUES (6); INSERT INTO public."a.b" VALUES (7)`,
      );
      const options = { jobs: 1, content, exclude: ['public."a.b"'] };
      const named = (drop: string[]) => transfer(request(source, target, { options: { ...options, drop } }), hooks());
      await expect(named(['"a.b"'])).rejects.toMatchObject({ code: "target_not_empty" });
      await expect(named(["public.a.b"])).rejects.toMatchObject({
        code: "option_unmatched",
        message: expect.stringContaining('schema."a.b"'),
      });
      await named(["a.b"]);
      expect(await sql(target, 'SELECT (SELECT i FROM a.b) AS one, (SELECT i FROM public."a.b") AS other')).toEqual([
        { one: 1, other: 7 },
      ]);
    },
  );

  test("loses none for a name without its schema that means two, and is told to write the schema", async () => {
    const both = "CREATE SCHEMA a; CREATE TABLE a.t (i int); CREATE TABLE public.t (i int)";
    const source = await database(servers.new, both);
    const target = await database(servers.new, `${both}; INSERT INTO a.t VALUES (6); INSERT INTO public.t VALUES (7)`);
    for (const content of ["all", "data"] as const) {
      const options = { jobs: 1, content, drop: ["t"] };
      await expect(transfer(request(source, target, { options }), hooks())).rejects.toMatchObject({
        code: "option_invalid",
        message: expect.stringMatching(/"t", which is (a\.t and public\.t|public\.t and a\.t): .* with its schema/),
      });
    }
    expect(await sql(target, "SELECT i FROM a.t UNION ALL SELECT i FROM public.t")).toHaveLength(2);
  });

  test("keeps them all when one that is not named stands in the way, or when something else depends on one", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new, "CREATE TABLE item (mine int); CREATE TABLE sale (mine int)");
    const options = { jobs: 2, drop: ["item"] };
    await expect(transfer(request(source, target, { options }), hooks())).rejects.toMatchObject({
      code: "target_not_empty",
      message: expect.stringContaining("public.sale"),
    });
    expect(await relations(target)).toEqual(["item", "sale"]);
    await sql(target, "DROP TABLE sale; CREATE VIEW theirs AS SELECT mine FROM item");
    await expect(transfer(request(source, target, { options }), hooks())).rejects.toMatchObject({
      code: "dependents_exist",
      message: expect.stringContaining("theirs"),
    });
    expect(await relations(target)).toEqual(["item", "theirs"]);
  });
});

describe("limits", () => {
  test("the bandwidth is kept, and every row comes all the same", async () => {
    const source = await database(
      servers.new,
      "CREATE TABLE t (id int, t text); INSERT INTO t SELECT i, repeat(md5(i::text), 30) FROM generate_series(1, 4000) i",
    );
    const target = await database(servers.new);
    const begun = performance.now();
    await copied(source, target, { options: { jobs: 2, bandwidth: 2_000_000 } });
    // 3.9 MB; a quarter of a second's worth may be saved up.
    expect(performance.now() - begun).toBeGreaterThan(1_500);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("a statement that takes longer than it may ends the run, and says which option to raise", async () => {
    const source = await database(servers.new);
    const target = await database(servers.new);
    await sql(
      source,
      `CREATE FUNCTION slow(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
         IF pg_catalog.current_database() = '${target.database}' THEN PERFORM pg_catalog.pg_sleep(30); END IF; RETURN i; END $$;
       CREATE TABLE t (id int); INSERT INTO t VALUES (1); CREATE INDEX ON t (slow(id))`,
    );
    await expect(
      transfer(request(source, target, { options: { jobs: 1, statement_timeout: 2 } }), hooks()),
    ).rejects.toMatchObject({ code: "statement_timeout", message: expect.stringContaining("statement_timeout") });
  });

  test("tables are not locked where that was not wanted, and the report says what that means", async () => {
    const source = await database(servers.new, shop);
    const locks = async (source_locks: "none" | "require") => {
      const target = await database(servers.new);
      const { report } = await copied(source, target, { options: { jobs: 2, source_locks } });
      expect(await fingerprint(target)).toEqual(await fingerprint(source));
      expect(report.snapshot).toEqual({
        connections: 3,
        lsn: expect.stringMatching(/^[0-9A-F]+\/[0-9A-F]+$/),
        transactions: expect.stringMatching(/^\d+:\d+:[\d,]*$/),
      });
      return report.warnings.filter((warning) => warning.includes("source_locks"));
    };
    expect(await locks("none")).toEqual([expect.stringContaining("were not locked")]);
    expect(await locks("require")).toEqual([]);
  });

  test("values are compared where that was asked for, and one that differs fails the run by its key", async () => {
    const source = await database(
      servers.new,
      "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t SELECT i, 'v' || i FROM generate_series(1, 2000) i",
    );
    const target = await database(servers.new);
    const options = { jobs: 2, verify: "checksum" } as const;
    let changed = false;
    const using = hooks({
      // Somebody else's change, at a moment that is sure to be after the copy and before the comparison.
      progress({ phase }) {
        if (phase !== "verifying" || changed) return;
        changed = true;
        const change = "UPDATE public.t SET v = 'other' WHERE id = 1234";
        execFileSync(`${servers.tools}/psql`, [
          "-X",
          "-q",
          "-d",
          servers.new.urlOf(target.database, "admin"),
          "-c",
          change,
        ]);
      },
    });
    await expect(transfer(request(source, target, { options }), using)).rejects.toMatchObject({
      code: "verification_failed",
      report: { verification: { differences: [{ source: "public.t" }] }, tables: [{ rows: { source: 2000 } }] },
    });
    expect(using.heard.log.map(([, words]) => words).join("\n")).toMatch(/public\.t.*1234/s);
  });

  test("schemas cannot be renamed, and the fix is named", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    await expect(
      transfer(request(source, target, { options: { jobs: 1, schemas: { public: "shop" } } }), hooks()),
    ).rejects.toMatchObject({ code: "unsupported_option" });
  });
});
