import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyOptions } from "../../../src/engine/contract/index.ts";
import { error, type Flavour } from "../../support/engine/mysql-support.ts";
import {
  inSource,
  type Pair,
  pair,
  rows,
  type Servers,
  startServers,
} from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

describe.each<Flavour>(["mysql", "mariadb"])("options of a copy from PostgreSQL to %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const tables = async ({ name }: Pair) =>
    (
      await rows(
        servers.admin,
        `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${name}' AND TABLE_NAME <> '_rowferry' ORDER BY BINARY TABLE_NAME`,
      )
    ).map(([table]) => table);
  const all = (both: Pair, table: string) => rows(servers.admin, `SELECT * FROM ${both.name}.${table} ORDER BY 1`);
  const with_ = (options: Partial<CopyOptions>) => ({ options: { jobs: 2, ...options } });

  test("include and exclude choose tables; what depends on the others is named, and a pattern that matches nothing is refused", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE b (id int PRIMARY KEY); CREATE TABLE a_one (id int PRIMARY KEY); CREATE TABLE a_two (id int PRIMARY KEY, up int REFERENCES b)",
    );
    const refused = await error(run(both, with_({ include: ["a_*", "nope"] })));
    expect(refused).toMatchObject({ code: "option_unmatched" });
    expect(refused.message).toContain('"nope"');
    expect(await rows(servers.admin, `SHOW TABLES FROM ${both.name}`)).toEqual([]);
    const { report } = await run(both, with_({ include: ["a_*"], exclude: ["public.a_one"] }));
    expect(await tables(both)).toEqual(["a_two"]);
    const outcome = (name: string) => report.inventory.find((entry) => entry.name === name)?.outcome;
    expect(["public.b", "public.a_one", "public.a_two"].map(outcome)).toEqual([
      "not_applicable",
      "not_applicable",
      "converted",
    ]);
    expect(report.inventory.find(({ kind }) => kind === "constraint")).toBeDefined();
    expect(report.inventory.find(({ name }) => name.includes("a_two_up_fkey"))).toMatchObject({
      outcome: "reported",
      note: expect.stringContaining("not part of this copy"),
      definition: expect.stringContaining("REFERENCES"),
    });
  });

  test("a view alone may be left out by its name", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE t (id int PRIMARY KEY); CREATE VIEW seen AS SELECT id FROM t; CREATE VIEW unseen AS SELECT id FROM t",
    );
    const { report } = await run(both, with_({ exclude: ["public.unseen"] }));
    expect(await tables(both)).toEqual(["seen", "t"]);
    expect(report.inventory.find(({ kind, name }) => kind === "view" && name === "public.unseen")).toMatchObject({
      outcome: "not_applicable",
    });
  });

  test("a sequence goes with the only table that draws from it, though it belongs to none", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY); CREATE SEQUENCE gone; CREATE SEQUENCE shared; CREATE SEQUENCE alone;
       CREATE TABLE left_out (id int DEFAULT nextval('gone'), d date, n int DEFAULT nextval('shared')) PARTITION BY RANGE (d);
       CREATE TABLE left_out_1 PARTITION OF left_out FOR VALUES FROM ('2020-01-01') TO ('2021-01-01'); CREATE TABLE u (id int PRIMARY KEY DEFAULT nextval('shared'))`,
    );
    const { report } = await run(both, with_({ include: ["t", "u"] }));
    const sequences = report.inventory.filter(({ kind }) => kind === "sequence");
    expect(Object.fromEntries(sequences.map(({ name, outcome }) => [name, outcome]))).toEqual({
      "public.gone": "not_applicable",
      "public.shared": "converted",
      "public.alone": "reported",
    });
  });

  test("schemas come under a prefix, or into one space of names where that is wished; what then collides gets another name", async () => {
    const both = await pair(
      servers,
      'CREATE TABLE t (id int); INSERT INTO t VALUES (1); CREATE SCHEMA other; CREATE TABLE other.t (id int); INSERT INTO other.t VALUES (2); CREATE SCHEMA "odd one"; CREATE TABLE "odd one".u (id int)',
    );
    const { report } = await run(both, with_({ schemas: { public: "main_", "odd one": "" } }));
    expect(await tables(both)).toEqual(["main_t", "other_t", "u"]);
    expect(await all(both, "other_t")).toEqual([["2"]]);
    const merged = await run(both, {
      ...with_({ schemas: { other: "", "odd one": "" } }),
      reset: true,
      made: report.made,
      madeIn: report.target,
    });
    const names = merged.report.tables.map(({ source, target }) => [source, target.split(".")[1]]);
    expect(new Set(names.map(([, name]) => name)).size).toBe(3);
    expect(names).toContainEqual(["public.t", "t"]);
    const other = names.find(([source]) => source === "other.t")?.[1] ?? "";
    expect(await all(both, `\`${other}\``)).toEqual([["2"]]);
  });

  test("tables in the way are dropped only where they are named, and never from under another's foreign key", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY); INSERT INTO a VALUES (7)",
    );
    await servers.admin.query(
      `USE ${both.name}; CREATE TABLE a (mine text); CREATE TABLE b (mine int PRIMARY KEY); CREATE VIEW c AS SELECT 1`,
    );
    const refused = await error(run(both, with_({ drop: ["a"] })));
    expect(refused).toMatchObject({ code: "target_not_empty" });
    expect(refused.message).toContain('"b"');
    expect(refused.message).not.toContain('"a"');
    expect(await rows(servers.admin, `SHOW TABLES FROM ${both.name}`)).toEqual([["a"], ["b"], ["c"]]);
    expect(await error(run(both, with_({ drop: ["a", "b", "nope"] })))).toMatchObject({ code: "option_unmatched" });
    await servers.admin.query(
      `CREATE TABLE ${both.name}.d (up int, FOREIGN KEY (up) REFERENCES ${both.name}.b (mine))`,
    );
    expect(await error(run(both, with_({ drop: ["a", "b"] })))).toMatchObject({ code: "dependents_exist" });
    await servers.admin.query(`DROP TABLE ${both.name}.d`);
    await run(both, with_({ drop: ["a", `${both.name}.b`] }));
    expect(await all(both, "a")).toEqual([["7"]]);
    expect(await tables(both)).toEqual(["a", "b", "c"]);
  });

  test("a column takes the type that is named, keeps its value, and a type that cannot hold it fails the run by the table", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, flag boolean, v text, n numeric, b bytea, at timestamptz, u uuid);
       INSERT INTO t VALUES (1, true, 'short', 1.50, '\\x00ff', '2020-01-01 10:00:00+02', '123e4567-e89b-12d3-a456-426614174000')`,
    );
    const types = { "t.v": "VARCHAR(10)", "public.t.n": "DECIMAL(10,2)", "t.b": "VARBINARY(8)", "t.flag": "INT" };
    const { report } = await run(both, with_({ types }));
    expect(await rows(servers.admin, `SELECT id, flag, v, n, HEX(b), at, u FROM ${both.name}.t`)).toEqual([
      ["1", "1", "short", "1.50", "00FF", "2020-01-01 08:00:00.000000", "123e4567-e89b-12d3-a456-426614174000"],
    ]);
    expect(report.inventory.find(({ name }) => name === "public.t.v")?.note).toContain("as options.types says");
    const code = async (wish: Record<string, string>) =>
      (await error(run(both, { owner: "owner-2", ...with_({ types: wish, drop: ["t"] }) }))).code;
    await run(both, { reset: true, made: report.made, madeIn: report.target }).then(({ copied }) => copied.finish());
    expect(await code({ "t.nope": "TEXT" })).toBe("option_unmatched");
    expect(await code({ "t.id": "INT, x INT) --" })).toBe("option_invalid");
    expect(await code({ "t.v": "VARCHAR(2)" })).toBe("data_refused");
  });

  test("the schema alone comes with every index and constraint, and without a row; then the rows alone follow", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE up (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, v varchar(20) UNIQUE);
       CREATE TABLE big (id int PRIMARY KEY, up int REFERENCES up, t text, n int CHECK (n > 0)); CREATE INDEX big_n ON big (n); CREATE INDEX big_t ON big (t);
       INSERT INTO up (v) SELECT 'v' || i FROM generate_series(1, 100) i;
       INSERT INTO big SELECT i, 1 + i % 100, repeat(md5(i::text), 10), i FROM generate_series(1, 20000) i`,
    );
    const { report, copied } = await run(both, with_({ content: "schema" }));
    await copied.finish();
    expect(report.tables.map(({ rows: counted }) => counted)).toEqual([
      { source: 0, target: 0 },
      { source: 0, target: 0 },
    ]);
    const indexes = () =>
      rows(
        servers.admin,
        `SELECT DISTINCT INDEX_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = '${both.name}' AND INDEX_NAME NOT LIKE '%fkey' ORDER BY BINARY INDEX_NAME`,
      );
    expect(await indexes()).toEqual([["PRIMARY"], ["big_n"], ["big_t"], ["up_v_key"]]);
    expect(report.inventory.filter(({ note }) => /target did not|target made/.test(note ?? ""))).toEqual([]);
    expect(
      await rows(
        servers.admin,
        `SELECT CONSTRAINT_NAME FROM information_schema.TABLE_CONSTRAINTS WHERE TABLE_SCHEMA = '${both.name}' AND CONSTRAINT_TYPE IN ('CHECK', 'FOREIGN KEY') ORDER BY 1`,
      ),
    ).toEqual([["big_n_check"], ["big_up_fkey"]]);
    const filled = await run(both, { owner: "owner-2", ...with_({ content: "data", verify: "checksum" }) });
    expect(filled.report.verification?.differences).toEqual([]);
    expect(filled.report.tables.map(({ rows: counted }) => counted.target).sort()).toEqual([100, 20000]);
    expect(filled.report.made).toEqual([]);
    await filled.copied.finish();
    await servers.admin.query(`INSERT INTO ${both.name}.up (v) VALUES ('next')`);
    expect(await rows(servers.admin, `SELECT MAX(id) FROM ${both.name}.up`)).toEqual([["101"]]);
    const again = await error(run(both, { owner: "owner-3", ...with_({ content: "data" }) }));
    expect(again).toMatchObject({ code: "target_not_empty", message: expect.stringContaining('"up"') });
    await run(both, { owner: "owner-3", ...with_({ content: "data", drop: ["up", "big"] }) });
    expect(await rows(servers.admin, `SELECT COUNT(*) FROM ${both.name}.up`)).toEqual([["100"]]);
  });

  test("rows alone go by the columns' names into what is there, or are refused with the reason before anything is changed", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (a int, name text, price numeric(10,2), made timestamp(3), twice int GENERATED ALWAYS AS (a * 2) STORED, j jsonb);
       INSERT INTO t VALUES (1, 'größe  ', 1.50, '2020-01-01 10:00:00.123', DEFAULT, '{"a": 1}')`,
    );
    const data = (more: Partial<CopyOptions> = {}) => ({ owner: "owner-1", ...with_({ content: "data", ...more }) });
    const refused = async (create: string, code: string, words: string) => {
      await servers.admin.query(`USE ${both.name}; DROP TABLE IF EXISTS t; ${create}`);
      expect(await error(run(both, data()))).toMatchObject({ code, message: expect.stringContaining(words) });
      expect(await rows(servers.admin, `SHOW TABLES FROM ${both.name} LIKE '\\_rowferry'`)).toEqual([]);
    };
    await refused("", "schema_differs", "no table t");
    await refused("CREATE TABLE t (a int, name text)", "schema_differs", "price, made, twice, j");
    const columns = "name varchar(100), price decimal(12,2), twice int, j json";
    await refused(`CREATE TABLE t (a int, made datetime, ${columns})`, "data_refused", "column made");
    await refused(`CREATE TABLE t (a int, made datetime(3), x int NOT NULL, ${columns})`, "schema_differs", "x");
    await refused(
      `CREATE TABLE t (a int, made datetime(3), ${columns}); CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 2`,
      "target_has_triggers",
      "(g)",
    );
    await servers.admin.query(
      `USE ${both.name}; DROP TABLE t; CREATE TABLE p (id int PRIMARY KEY) ENGINE=InnoDB;
       CREATE TABLE t (extra int DEFAULT 5, J json, made datetime(6), price decimal(12,2), name varchar(100) CHARACTER SET latin1, a bigint,
         twice int GENERATED ALWAYS AS (a * 2) VIRTUAL, FOREIGN KEY (extra) REFERENCES p (id))`,
    );
    const { report, copied } = await run(both, data());
    expect(await rows(servers.admin, `SELECT extra, j, made, price, name, a, twice FROM ${both.name}.t`)).toEqual([
      ["5", '{"a": 1}', "2020-01-01 10:00:00.123000", "1.50", "größe  ", "1", "2"],
    ]);
    expect(report.warnings.join("\n")).toMatch(/1 rows of table t have no parent in p/);
    await copied.finish();
    // What the column that is there does not take fails by the server's own words, and leaves the table empty.
    await servers.admin.query(
      `USE ${both.name}; DELETE FROM t; ALTER TABLE t MODIFY name varchar(3) CHARACTER SET utf8mb4`,
    );
    expect(await error(run(both, data()))).toMatchObject({
      code: "data_refused",
      message: expect.stringContaining("name"),
    });
    expect(await rows(servers.admin, `SELECT COUNT(*) FROM ${both.name}.t`)).toEqual([["0"]]);
    await servers.admin.query(
      `ALTER TABLE ${both.name}.t MODIFY name varchar(7) CHARACTER SET utf8mb4, MODIFY price decimal(12,1)`,
    );
    expect(await error(run(both, data()))).toMatchObject({ code: "none" });
  });

  test("one stream, a limit of bytes and one of time do what they say", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE t (id int, v text); INSERT INTO t SELECT i, repeat('x', 500) FROM generate_series(1, 4000) i",
    );
    const started = performance.now();
    const { report, copied } = await run(both, with_({ jobs: 1, bandwidth: 2_000_000 }));
    // 2 MB at 2 MB/s, a quarter of a second of it saved up.
    expect(performance.now() - started).toBeGreaterThan(700);
    expect(report.tables[0]?.rows).toEqual({ source: 4000, target: 4000 });
    await copied.finish();
    await inSource(
      servers.source.urlOf(both.name, "admin"),
      "INSERT INTO t SELECT i, repeat('x', 500) FROM generate_series(1, 40000) i",
    );
    const late = await error(
      run(both, { owner: "owner-2", ...with_({ statement_timeout: 1, bandwidth: 5_000_000, drop: ["t"] }) }),
    );
    expect(late).toMatchObject({ code: "statement_timeout" });
  });

  test("locks on the source are taken where that is asked for, and none where that is, which is said", async () => {
    const both = await pair(servers, "CREATE TABLE t (id int); INSERT INTO t VALUES (1)");
    const { report } = await run(both, with_({ source_locks: "none" }));
    expect(report.snapshot).toEqual({
      connections: expect.any(Number),
      lsn: expect.stringMatching(/^[0-9A-F]+\/[0-9A-F]+$/),
      transactions: expect.stringMatching(/^\d+:\d+:[\d,]*$/),
    });
    const unlocked = expect.stringContaining("were not locked");
    expect(report.warnings).toContainEqual(unlocked);
    const again = await run(both, {
      ...with_({ source_locks: "require" }),
      reset: true,
      made: report.made,
      madeIn: report.target,
    });
    expect(again.report.tables[0]?.rows).toEqual({ source: 1, target: 1 });
    expect(again.report.warnings).not.toContainEqual(unlocked);
    await inSource(servers.source.urlOf(both.name, "admin"), "INSERT INTO t VALUES (2)");
  });
});
