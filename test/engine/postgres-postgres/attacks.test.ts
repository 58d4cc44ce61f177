import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EngineError } from "../../../src/engine/contract/index.ts";
import { literal } from "../../../src/engine/postgres/driver/names.ts";
import { causeOf, openFence } from "../../../src/engine/postgres/fence/fence.ts";
import {
  copied,
  database,
  endpoint,
  hooks,
  psql,
  request,
  type Servers,
  sql,
  startServers,
  transfer,
} from "../../support/engine/postgres-support.ts";

let servers: Servers;
const low = `low_${process.pid}`;
beforeAll(async () => {
  servers = await startServers();
  await sql({ server: servers.new, database: "postgres" }, `CREATE ROLE ${low} LOGIN PASSWORD 'low'`);
});
afterAll(() => servers?.stop());

const mine = { owner: "me", ownerName: "Migration shop/me" };
const columns = "id bigint, kind text, name text, epoch bigint, body text";

describe("a table _rowferry that someone planted", () => {
  test("runs none of its owner's code, and is named", async () => {
    const where = await database(
      servers.new,
      `CREATE SCHEMA ${low}; CREATE TABLE ${low}._rowferry (${columns});
       CREATE FUNCTION ${low}.evil() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN ALTER ROLE ${low} SUPERUSER; RETURN NULL; END$$;
       CREATE TRIGGER t BEFORE UPDATE ON ${low}._rowferry FOR EACH STATEMENT EXECUTE FUNCTION ${low}.evil();
       GRANT ALL ON ${low}._rowferry TO PUBLIC; ALTER TABLE ${low}._rowferry OWNER TO ${low}; ALTER SCHEMA ${low} OWNER TO ${low}`,
    );
    await expect(openFence(endpoint(where), mine)).rejects.toMatchObject({
      code: "target_in_use",
      message: expect.stringMatching(/low_\d+"\."_rowferry".*another owner.*a trigger.*drop or rename/),
    });
    expect(await sql(where, `SELECT rolsuper FROM pg_roles WHERE rolname = '${low}'`)).toEqual([{ rolsuper: false }]);
  });

  test.each([
    ["a rule", "CREATE RULE r AS ON UPDATE TO _rowferry DO ALSO SELECT 1"],
    ["row-level security", "ALTER TABLE _rowferry ENABLE ROW LEVEL SECURITY"],
    ["a default", "ALTER TABLE _rowferry ALTER body SET DEFAULT now()::text"],
    ["a constraint", "ALTER TABLE _rowferry ADD CHECK (length(name) > 0)"],
    ["inheritance", "CREATE TABLE child () INHERITS (_rowferry)"],
    ["an index on an expression", "CREATE INDEX ON _rowferry (lower(name))"],
    ["rights of others", "GRANT TRIGGER ON _rowferry TO PUBLIC"],
    ["other columns", "ALTER TABLE _rowferry ALTER name TYPE varchar"],
  ])("is refused with %s on it, though its owner is the user", async (what, change) => {
    const where = await database(servers.new);
    const fence = await openFence(endpoint(where), mine);
    await fence.close();
    await sql(where, change);
    await expect(openFence(endpoint(where), mine)).rejects.toMatchObject({
      code: "target_in_use",
      message: expect.stringContaining(what),
    });
  });

  test("is not made possible by the place: a superuser's stands in no schema of a lesser role, and others may not write it", async () => {
    const where = await database(
      servers.new,
      `DROP SCHEMA public; CREATE SCHEMA ${low} AUTHORIZATION ${low}; ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO ${low}`,
    );
    const fence = await openFence(endpoint(where), mine);
    expect(
      await sql(
        where,
        `SELECT relnamespace::regnamespace::text AS schema, has_table_privilege('${low}', oid, 'INSERT, TRIGGER') AS open FROM pg_class WHERE relname = '_rowferry'`,
      ),
    ).toEqual([{ schema: "_rowferry", open: false }]);
    await fence.drop();
    await fence.close();
  });
});

describe("a user's table whose name is like the fence's", () => {
  test("is copied with its rows, sequence and index", async () => {
    const source = await database(
      servers.new,
      "CREATE TABLE _rowferry_x (i serial PRIMARY KEY); INSERT INTO _rowferry_x DEFAULT VALUES; INSERT INTO _rowferry_x DEFAULT VALUES",
    );
    const left = await openFence(endpoint(source), mine);
    await left.close();
    const target = await database(servers.new);
    const { report } = await copied(source, target);
    expect(report.inventory.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
      expect.arrayContaining(["table public._rowferry_x", "sequence public._rowferry_x_i_seq"]),
    );
    expect(await sql(target, "SELECT nextval('_rowferry_x_i_seq')::int AS n")).toEqual([{ n: 3 }]);
    expect(await sql(target, "SELECT to_regclass('_rowferry') AS t")).toEqual([{ t: null }]);
  });

  test("is told to be the source's, when it has the very name", async () => {
    const source = await database(servers.new, "CREATE TABLE _rowferry (a int)");
    const target = await database(servers.new);
    await expect(transfer(request(source, target), hooks())).rejects.toMatchObject({
      code: "reserved_name",
      message: expect.stringContaining("the source database has a table"),
    });
  });
});

describe("a reset", () => {
  const orders = "CREATE TABLE orders (id int PRIMARY KEY, v text); INSERT INTO orders VALUES (1, 'from source')";

  test("leaves an application's table that took a copied one's name, and names both", async () => {
    const source = await database(servers.new, orders);
    const target = await database(servers.new);
    const { report } = await copied(source, target);
    expect(report.made.map(({ id }) => id)).toEqual(report.made.map(() => expect.stringMatching(/^\d+:\d+$/)));
    await sql(
      target,
      "ALTER TABLE orders RENAME TO archive; ALTER INDEX orders_pkey RENAME TO archive_pkey; CREATE TABLE orders (id int, v text); INSERT INTO orders VALUES (7, 'precious')",
    );
    const using = hooks();
    await expect(
      transfer(request(source, target, { reset: true, made: report.made, madeIn: report.target }), using),
    ).rejects.toMatchObject({
      code: "target_not_empty",
    });
    expect(await sql(target, "SELECT id, v FROM orders")).toEqual([{ id: 7, v: "precious" }]);
    expect(await sql(target, "SELECT v FROM archive")).toEqual([{ v: "from source" }]);
    expect(using.heard.log).toContainEqual([
      "warning",
      'table "public"."orders" was left in the target: it is not the one that the copy made, but took its name later',
    ]);
  });

  test("runs nothing that a list says, and drops nothing by a name without its id", async () => {
    const source = await database(servers.new, orders);
    const target = await database(servers.new);
    const { report } = await copied(source, target);
    await sql(
      target,
      "CREATE SCHEMA keep; CREATE TABLE keep.precious (i int); CREATE FUNCTION keep.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    );
    const planted = [
      { kind: "sql", name: ["SCHEMA keep CASCADE"] },
      { kind: "schema cascade", name: ["keep"] },
      { kind: "table", name: ["keep", "precious"] },
      { kind: "table", name: ["keep", "precious"], id: "1259:1" },
      { kind: "function", name: ["keep", "f", "); DROP SCHEMA keep CASCADE; --"] },
      { kind: "function", name: ["keep", "f"], id: "1' OR true" },
    ];
    const { report: again } = await copied(source, target, {
      reset: true,
      made: [...report.made, ...planted],
      madeIn: report.target,
    });
    expect(again.tables).toHaveLength(1);
    expect(await sql(target, "SELECT to_regclass('keep.precious')::text AS t, keep.f() AS f")).toEqual([
      { t: "keep.precious", f: 1 },
    ]);
  });

  test("finds again every kind of thing that a copy made", async () => {
    const source = await database(servers.new);
    await psql(source, servers.tools, [new URL("./zoo.sql", import.meta.url).pathname]);
    const target = await database(servers.new);
    const { report } = await copied(source, target);
    const again = await copied(source, target, { reset: true, made: report.made, madeIn: report.target });
    expect(again.report.inventory).toEqual(report.inventory);
    expect(again.heard.log.filter(([, message]) => message.includes("was left in the target"))).toEqual([]);
  });

  test("takes objects that need each other together, but not while another's hangs on one of them", async () => {
    const source = await database(
      servers.new,
      `CREATE VIEW ring AS SELECT 1 AS a; CREATE FUNCTION of_ring() RETURNS SETOF ring LANGUAGE plpgsql AS 'BEGIN END';
       CREATE OR REPLACE VIEW ring AS SELECT a FROM of_ring(); CREATE TABLE t (i int)`,
    );
    const target = await database(servers.new);
    const { report } = await copied(source, target);
    await sql(target, "CREATE VIEW others AS SELECT * FROM ring");
    const again = () => copied(source, target, { reset: true, made: report.made, madeIn: report.target });
    await expect(again()).rejects.toMatchObject({
      code: "dependents_exist",
      message: expect.stringContaining("ring"),
    });
    expect(await sql(target, "SELECT to_regclass('others')::text AS v, to_regproc('of_ring')::text AS f")).toEqual([
      { v: "others", f: "of_ring" },
    ]);
    await sql(target, "DROP VIEW others");
    const { report: last, heard } = await again();
    expect(last.inventory).toEqual(report.inventory);
    expect(heard.log.filter(([, message]) => message.includes("was left in the target"))).toEqual([]);
  });
});

describe("code that comes from the source", () => {
  const code = `CREATE FUNCTION ok(i int) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true'; CREATE TABLE t (i int CONSTRAINT asks CHECK (ok(i)));
    CREATE DOMAIN d AS int CONSTRAINT asks_too CHECK (ok(VALUE)); CREATE INDEX by_code ON t (ok(i)); CREATE TABLE g (i int, o boolean GENERATED ALWAYS AS (ok(i)) STORED);
    CREATE FUNCTION definer() RETURNS int SECURITY DEFINER LANGUAGE sql AS 'SELECT 1';
    CREATE FUNCTION e() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; CREATE EVENT TRIGGER watcher ON sql_drop EXECUTE FUNCTION e()`;

  test("is named in the report when it may run as the target's superuser", async () => {
    const source = await database(servers.new, code);
    const { report } = await copied(source, await database(servers.new));
    const words = report.warnings.filter((warning) => warning.includes("superuser")).join("\n");
    for (const name of ["asks calls public.ok", "asks_too", "by_code", "g calls", "public.definer", "watcher"])
      expect(words.replaceAll('"', "")).toContain(name);
    expect(words).toContain("name a user in the target that is no superuser");
  });

  test("is not warned of under the database's plain owner", async () => {
    const source = await database(servers.new, code.replace(/CREATE EVENT TRIGGER.*$/, ""));
    const target = await database(servers.new);
    await sql(target, `ALTER DATABASE ${target.database} OWNER TO app; GRANT ALL ON SCHEMA public TO app`);
    const app = endpoint(target, { name: "app", password: servers.new.password });
    const { report } = await copied(source, target, { target: app });
    expect(report.warnings.filter((warning) => warning.includes("superuser"))).toEqual([]);
  });
});

test("an error that a successor caused is told as that, and any other as it was", async () => {
  const target = endpoint(await database(servers.new));
  const cut = new EngineError("server_shutdown", "the target database ended the session", { retryable: true });
  const first = await openFence(target, mine);
  expect(await causeOf(cut, { target, owner: mine.owner }, first)).toBe(cut);
  const second = await openFence(target, mine);
  expect(await causeOf(cut, { target, owner: mine.owner }, first)).toMatchObject({
    code: "superseded",
    retryable: false,
  });
  await Promise.all([first.close(), second.close()]);
});

test("a text with a NUL is refused in words, before it reaches the server", () => {
  expect(() => literal("a\0b")).toThrow(
    expect.objectContaining({ code: "unsupported_text", retryable: false, message: expect.stringContaining("NUL") }),
  );
});
