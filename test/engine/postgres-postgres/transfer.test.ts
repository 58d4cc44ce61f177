import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresScript } from "../../samples/index.ts";
import { inSource } from "../../support/engine/postgres-mysql-support.ts";
import {
  copied,
  database,
  endpoint,
  fingerprint,
  hooks,
  psql,
  request,
  type Servers,
  schemaText,
  sql,
  startServers,
  transfer,
} from "../../support/engine/postgres-support.ts";

const here = import.meta.dirname;

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

describe("a transfer", () => {
  test("carries one of each kind of thing over, byte for byte", async () => {
    const source = await database(servers.new);
    await psql(source, servers.tools, [join(here, "zoo.sql"), join(here, "zoo-18.sql")]);
    const target = await database(servers.new);
    const { report, heard } = await copied(source, target);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
    expect(await schemaText(target, servers.tools)).toBe(await schemaText(source, servers.tools));
    expect(report.inventory.filter(({ outcome }) => outcome !== "copied")).toEqual([]);
    const superuser = /^the target's user is a superuser, and the source brings code that may run with its rights/;
    expect(report.warnings).toEqual([1, 2, 3, 4, 5].map(() => expect.stringMatching(superuser)));
    expect(heard.last).toMatchObject({ phase: "finished", tables: { done: report.tables.length } });
    const large = "SELECT oid, md5(lo_get(oid)) FROM pg_largeobject_metadata ORDER BY 1";
    expect(await sql(target, large)).toEqual(await sql(source, large));
    const counters = `SELECT 'c', last_value, is_called FROM app.counter UNION ALL SELECT 'u', last_value, is_called FROM app.unused
      UNION ALL SELECT 'i', last_value, is_called FROM app.customer_id_seq`;
    expect(await sql(target, counters)).toEqual(await sql(source, counters));
    // Nothing of the run's own is left.
    expect(await sql(target, "SELECT relname FROM pg_class WHERE relname ~ '_rowferry'")).toEqual([]);
  });

  test("carries them from an older server to a newer one", async () => {
    const source = await database(servers.old);
    await psql(source, servers.tools, [join(here, "zoo.sql")]);
    const target = await database(servers.new);
    const { report } = await copied(source, target);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
    expect(report.inventory.filter(({ outcome }) => outcome !== "copied")).toEqual([]);
    const same = await database(servers.old);
    await copied(source, same);
    expect(await schemaText(same, servers.tools)).toBe(await schemaText(source, servers.tools));
    expect(report).toMatchObject({
      source: { version: expect.stringMatching(/^15\./) },
      target: { version: expect.stringMatching(/^18\./) },
    });
  });

  test("copies the film rental byte for byte", async () => {
    const source = await database(servers.new);
    await inSource(servers.new.urlOf(source.database, "admin"), postgresScript("rental"));
    const target = await database(servers.new);
    const { report } = await copied(source, target);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
    expect(await schemaText(target, servers.tools)).toBe(await schemaText(source, servers.tools));
    expect(report.inventory.filter(({ outcome }) => outcome !== "copied")).toEqual([]);
    expect(report.tables).toHaveLength(23);
    expect(report.tables.reduce((sum, { rows }) => sum + rows.source, 0)).toBe(11_921);
    expect(report.tables.find(({ source: name }) => name === "public.loan")?.rows).toEqual({
      source: 2400,
      target: 2400,
    });
    const counters =
      "SELECT last_value, is_called FROM ticket UNION ALL SELECT last_value, is_called FROM archive.never_used";
    expect(await sql(target, counters)).toEqual([
      { last_value: "1010", is_called: true },
      { last_value: "1", is_called: false },
    ]);
  });

  test("copies the record shop byte for byte", async () => {
    const source = await database(servers.new);
    await inSource(servers.new.urlOf(source.database, "admin"), postgresScript("shop"));
    const target = await database(servers.new);
    const { report } = await copied(source, target, { options: { jobs: 2, verify: "checksum" } });
    expect(report.verification).toMatchObject({ tables: 12, rows: 10_732, differences: [], uncompared: [] });
    expect(await schemaText(target, servers.tools)).toBe(await schemaText(source, servers.tools));
  });

  test.each([
    ["LATIN1", "caf\\351 \\377"],
    ["SQL_ASCII", "caf\\303\\251"],
    ["EUC_JP", "\\306\\374\\313\\334"],
  ])("carries texts out of a database in %s", async (encoding, octal) => {
    const name = `d${process.pid}_${encoding.toLowerCase()}`;
    await sql(
      { server: servers.old, database: "postgres" },
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C'`,
    );
    const source = { server: servers.old, database: name };
    const raw = `convert_from('${octal}'::bytea, '${encoding === "SQL_ASCII" ? "SQL_ASCII" : encoding}')`;
    await sql(
      source,
      `CREATE TABLE t (id int, t text, a text[]); INSERT INTO t SELECT i, ${raw} || i, ARRAY[${raw}, NULL] FROM generate_series(1, 1000) i`,
    );
    const [same, other] = [await database(servers.new), await database(servers.new)];
    await copied(source, same);
    const ours = await sql(same, "SELECT md5(string_agg(t || a::text, ',' ORDER BY id)) AS h FROM t");
    const utf8 =
      encoding === "SQL_ASCII"
        ? "string_agg(t || a::text, ',' ORDER BY id)::bytea"
        : "convert_to(string_agg(t || a::text, ',' ORDER BY id), 'UTF8')";
    expect(ours).toEqual(await sql(source, `SELECT md5(${utf8}) AS h FROM t`));
    await copied(same, other, { options: { jobs: 1, verify: "checksum" } });
  });

  test("names the rows' table where a text is no text of the target's encoding", async () => {
    const name = `d${process.pid}_ascii_broken`;
    await sql(
      { server: servers.old, database: "postgres" },
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'`,
    );
    const source = { server: servers.old, database: name };
    await sql(
      source,
      "CREATE TABLE broken (t text); INSERT INTO broken VALUES (convert_from('\\377'::bytea, 'SQL_ASCII'))",
    );
    await expect(transfer(request(source, await database(servers.new)), hooks())).rejects.toMatchObject({
      code: "unsupported_text",
      message: expect.stringMatching(/public\.broken.*UTF8/),
    });
  });

  test("lets several streams share a table, in ranges that meet without gap or overlap", async () => {
    const source = await database(
      servers.new,
      // Pages that are nine tenths empty: a table is split by its size.
      `CREATE TABLE t (id bigint PRIMARY KEY, words text, at timestamptz) WITH (fillfactor = 10);
       INSERT INTO t SELECT i, repeat(md5(i::text), 4), now() + i * interval '1 s' FROM generate_series(1, 42000) i;
       DELETE FROM t WHERE id % 7 = 0; CREATE INDEX ON t (at); CREATE INDEX ON t (left(words, 12))`,
    );
    const target = await database(servers.new);
    const parts: string[] = [];
    const using = hooks();
    const { report, finish } = await transfer(request(source, target, { options: { jobs: 3 } }), using);
    for (const { name } of await sql<{ name: string }>(target, "SELECT name FROM _rowferry WHERE kind = 'part'"))
      parts.push(name);
    await finish();
    expect(parts.length).toBeGreaterThanOrEqual(2);
    expect(report.tables).toEqual([{ source: "public.t", target: "public.t", rows: { source: 36000, target: 36000 } }]);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
    expect(await schemaText(target, servers.tools)).toBe(await schemaText(source, servers.tools));
  });

  test("carries an empty database over", async () => {
    const { report } = await copied(await database(servers.new), await database(servers.new));
    expect(report.tables).toEqual([]);
  });

  test("says who owns and who may, where the target knows the roles, and names them where it does not", async () => {
    await sql({ server: servers.old, database: "postgres" }, "CREATE ROLE stranger; CREATE ROLE friend");
    await sql({ server: servers.new, database: "postgres" }, "CREATE ROLE friend");
    const source = await database(
      servers.old,
      `CREATE TABLE one (i int); ALTER TABLE one OWNER TO stranger; GRANT SELECT ON one TO friend, stranger;
       CREATE TABLE two (i int); ALTER TABLE two OWNER TO friend; GRANT UPDATE ON two TO stranger;
       CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw; CREATE USER MAPPING FOR stranger SERVER far; CREATE USER MAPPING FOR friend SERVER far`,
    );
    const target = await database(servers.new);
    const { report } = await copied(source, target);
    expect(
      await sql(target, "SELECT tablename, tableowner FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"),
    ).toEqual([
      { tablename: "one", tableowner: "postgres" },
      { tablename: "two", tableowner: "friend" },
    ]);
    expect(await sql(target, "SELECT has_table_privilege('friend', 'one', 'SELECT') AS may")).toEqual([{ may: true }]);
    expect(report.warnings).toContain(
      'objects of role stranger belong to postgres in the target: the target has no role stranger (create the role in the target and run GRANT "stranger" TO "postgres" before the copy)',
    );
    expect(
      report.inventory.filter(({ outcome }) => outcome === "reported").map(({ kind, name }) => `${kind} ${name}`),
    ).toEqual(["user mapping far stranger", 'grants TABLE public."two"']);
  });

  test("leaves foreign keys with orphans not valid, and names them", async () => {
    const source = await database(
      servers.new,
      `CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE c (id int PRIMARY KEY, p int CONSTRAINT lost REFERENCES p, q int CONSTRAINT fine REFERENCES p);
       INSERT INTO p VALUES (1); SET session_replication_role = replica; INSERT INTO c VALUES (1, 1, 1), (2, 99, 1)`,
    );
    const target = await database(servers.new);
    const { report } = await copied(source, target);
    expect(await sql(target, "SELECT conname, convalidated FROM pg_constraint WHERE contype = 'f' ORDER BY 1")).toEqual(
      [
        { conname: "fine", convalidated: true },
        { conname: "lost", convalidated: false },
      ],
    );
    expect(report.inventory.filter(({ outcome }) => outcome === "reported")).toMatchObject([
      { kind: "constraint", name: "public.c lost", note: expect.stringContaining("99") },
    ]);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("reports what it does not carry: settings, rights and comment of the database itself, foreign tables' rows, subscriptions", async () => {
    const source = await database(
      servers.new,
      `CREATE EXTENSION postgres_fdw; CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw;
       CREATE FOREIGN TABLE remote (i int) SERVER elsewhere;
       CREATE SUBSCRIPTION sub CONNECTION 'host=127.0.0.1 password=x' PUBLICATION p WITH (connect = false)`,
    );
    const { database: name } = source;
    await sql(
      source,
      `ALTER DATABASE ${name} SET work_mem = '5MB'; COMMENT ON DATABASE ${name} IS 'hello';
       REVOKE ALL ON DATABASE ${name} FROM PUBLIC; GRANT CONNECT ON DATABASE ${name} TO pg_monitor`,
    );
    const target = await database(servers.new);
    const { report } = await copied(source, target);
    await sql(source, "ALTER SUBSCRIPTION sub SET (slot_name = NONE); DROP SUBSCRIPTION sub");
    expect(
      report.inventory
        .filter(({ outcome }) => outcome === "reported")
        .map(({ kind, name }) => `${kind} ${name}`)
        .sort(),
    ).toEqual(["comment database", "database setting work_mem", "grants database", "subscription sub"]);
    expect(report.inventory).toContainEqual(
      expect.objectContaining({ kind: "comment", definition: `COMMENT ON DATABASE "${name}" IS 'hello'` }),
    );
    expect(report.inventory.find(({ kind }) => kind === "grants")?.definition).toBe(
      `REVOKE ALL ON DATABASE "${name}" FROM PUBLIC; GRANT CONNECT ON DATABASE "${name}" TO "pg_monitor"`,
    );
    expect(report.inventory).toContainEqual({
      kind: "foreign table",
      name: "public.remote",
      outcome: "copied",
      note: "its rows live on another server and are not copied",
    });
    expect(report.inventory.find(({ name }) => name === "work_mem")?.definition).toBe(
      `ALTER DATABASE "${source.database}" SET "work_mem" TO '5MB'`,
    );
  });

  test("works for owners who are no superusers, over TLS that is checked", async () => {
    const source = await database(servers.old);
    const target = await database(servers.new);
    for (const where of [source, target]) {
      await sql(where, `ALTER DATABASE ${where.database} OWNER TO app; ALTER SCHEMA public OWNER TO app`);
    }
    await sql(
      source,
      `SET ROLE app; CREATE SCHEMA mine; CREATE TYPE mine.mood AS ENUM ('a', 'b');
       CREATE TABLE mine.t (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, m mine.mood, ms mine.mood[]);
       INSERT INTO mine.t (m, ms) SELECT 'b', '{a,b}' FROM generate_series(1, 1000);
       CREATE TABLE mine.many AS SELECT i, repeat('x', i % 3000) AS t FROM generate_series(1, 20000) i;
       CREATE FUNCTION mine.f() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'; CREATE VIEW mine.v AS SELECT mine.f() FROM mine.t;
       SELECT lo_from_bytea(77, 'hello'); COMMENT ON SCHEMA public IS 'ours'`,
    );
    const safe = (where: typeof source) => ({
      ...endpoint(where, { name: "app", password: where.server.password }),
      host: "localhost",
      tls: { mode: "verify-full" as const, ca: where.server.ca },
    });
    const { report } = await copied(source, target, { source: safe(source), target: safe(target) });
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
    expect(report.inventory.filter(({ outcome }) => outcome !== "copied")).toEqual([]);
    expect(await sql(target, "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'mine'")).toEqual([
      { tableowner: "app" },
    ]);
  });
});
