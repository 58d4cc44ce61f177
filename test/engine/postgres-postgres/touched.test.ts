import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reset } from "../../../src/engine/run/reset.ts";
import {
  copied,
  cutAfter,
  database,
  fingerprint,
  hooks,
  request,
  type Servers,
  sql,
  startServers,
  type Where,
} from "../../support/engine/postgres-support.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

/** `a` is large and is still being copied when the others are done. */
const shop = `CREATE TABLE a (id int PRIMARY KEY, v text); INSERT INTO a SELECT i, repeat(md5(i::text), 10) FROM generate_series(1, 60000) i; ANALYZE a;
  CREATE TABLE b (id int PRIMARY KEY, v text); INSERT INTO b SELECT i, 'b' || i FROM generate_series(1, 100) i;
  CREATE TABLE c (id int)`;

/** So slow that table a is still on its way when a cut run's progress, told five times a second, shows the others as done. */
const bandwidth = 10_000_000;

async function begun(tables: number): Promise<{ source: Where; target: Where }> {
  const [source, target] = [await database(servers.new, shop), await database(servers.new)];
  await cutAfter(source, target, tables, { options: { jobs: 2, bandwidth } });
  return { source, target };
}

describe("what others did in the target between two attempts", () => {
  test("a table that took the name of one of the run's is refused by name, and keeps its rows", async () => {
    const { source, target } = await begun(2);
    await sql(target, "DROP TABLE c; CREATE TABLE c (id int); INSERT INTO c VALUES (42)");
    await expect(copied(source, target)).rejects.toMatchObject({
      code: "target_not_empty",
      message: expect.stringMatching(/table "?public"?\."?c/),
    });
    expect(await sql(target, "SELECT id FROM c")).toEqual([{ id: 42 }]);
    await sql(target, "DROP TABLE c");
    await copied(source, target);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("a trigger on a table of the run's is refused by name before rows go through it", async () => {
    const { source, target } = await begun(2);
    await sql(
      target,
      `CREATE FUNCTION evil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.v := ''EVIL''; RETURN new; END';
       CREATE TRIGGER evil BEFORE INSERT ON a FOR EACH ROW EXECUTE FUNCTION evil(); ALTER TABLE a ENABLE ALWAYS TRIGGER evil`,
    );
    await expect(copied(source, target)).rejects.toMatchObject({
      code: "target_changed",
      message: expect.stringMatching(/public\.a \(trigger evil\)/),
    });
    await sql(target, "DROP TRIGGER evil ON a");
    await copied(source, target);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("a foreign key of others on a half-copied table is refused by name", async () => {
    const { source, target } = await begun(2);
    await sql(target, "ALTER TABLE a ADD PRIMARY KEY (id); CREATE TABLE app (a int REFERENCES a (id))");
    await expect(copied(source, target)).rejects.toMatchObject({
      code: "target_changed",
      message: expect.stringMatching(/\ba \(foreign key app_a_fkey of (?:public\.)?app\)/),
    });
    await sql(target, "DROP TABLE app; ALTER TABLE a DROP CONSTRAINT a_pkey");
    await copied(source, target);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("a column that was altered is refused by its table's name; a reset makes the table anew", async () => {
    const { source, target } = await begun(2);
    await sql(target, "ALTER TABLE b ALTER COLUMN v TYPE varchar(2) USING left(v, 2)");
    await expect(copied(source, target)).rejects.toMatchObject({
      code: "target_changed",
      message: expect.stringMatching(/public\.b \(its columns or checks\)/),
    });
    await copied(source, target, { reset: true });
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("rows in a table that would be emptied are refused by its name, and stay", async () => {
    const { source, target } = await begun(2);
    await sql(target, "INSERT INTO a VALUES (-1, 'theirs')");
    await expect(copied(source, target)).rejects.toMatchObject({
      code: "target_changed",
      message: expect.stringContaining("public.a (1 row)"),
    });
    expect(await sql(target, "SELECT v FROM a WHERE id = -1")).toEqual([{ v: "theirs" }]);
    await sql(target, "DELETE FROM a WHERE id = -1");
    await copied(source, target);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("an index on tables that would be made anew is refused by name, where the source's definitions changed meanwhile", async () => {
    const { source, target } = await begun(2);
    await sql(target, "CREATE INDEX theirs ON b (v)");
    await sql(source, "ALTER TABLE c ADD more int");
    await expect(copied(source, target)).rejects.toMatchObject({
      code: "target_changed",
      message: expect.stringContaining("public.b (index theirs)"),
    });
    await sql(target, "DROP INDEX theirs");
    await copied(source, target);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("a table that is gone is made again with the others", async () => {
    const { source, target } = await begun(2);
    await sql(target, "DROP TABLE c");
    await copied(source, target);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("nothing: a large table that was finished is kept, and its rows are there once", async () => {
    const { source, target } = await begun(3);
    const { report } = await copied(source, target);
    expect(report.resumed?.kept).toContain("public.a");
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });
});

describe("what the target does to new tables", () => {
  test("a trigger that an event trigger of the target's puts on them stops the copy before any row", async () => {
    const source = await database(servers.new, "CREATE TABLE one (v text); INSERT INTO one VALUES ('x')");
    const target = await database(
      servers.new,
      `CREATE SCHEMA aid; CREATE FUNCTION aid.evil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.v := ''EVIL''; RETURN new; END';
       CREATE FUNCTION aid.watch() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN IF to_regclass('public.one') IS NOT NULL THEN
         CREATE TRIGGER evil BEFORE INSERT ON public.one FOR EACH ROW EXECUTE FUNCTION aid.evil(); END IF; END$$;
       CREATE EVENT TRIGGER watch ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION aid.watch()`,
    );
    await expect(copied(source, target)).rejects.toMatchObject({ code: "target_changed" });
    expect(await sql(target, "SELECT * FROM one")).toEqual([]);
  });
});

describe("the report names what stands in the target otherwise than the source has it", () => {
  test("a routine and a view that were replaced between two attempts, an index and a constraint of others", async () => {
    const [source, target] = [
      await database(
        servers.new,
        `${shop}; CREATE FUNCTION price() RETURNS int LANGUAGE sql AS 'SELECT 1'; CREATE VIEW v AS SELECT id FROM b;
         CREATE SEQUENCE s INCREMENT 2; CREATE TABLE kind (k varchar(3) CHECK (k IN ('a', 'b c')))`,
      ),
      await database(servers.new),
    ];
    await cutAfter(source, target, 2, { options: { jobs: 2, bandwidth } });
    await sql(
      target,
      `CREATE OR REPLACE FUNCTION price() RETURNS int LANGUAGE sql AS 'SELECT 666'; CREATE OR REPLACE VIEW v AS SELECT id + 1 - 1 AS id FROM b;
       ALTER SEQUENCE s INCREMENT 3; CREATE INDEX mine ON kind (k); ALTER TABLE kind ADD CONSTRAINT only_mine UNIQUE (k)`,
    );
    const { report } = await copied(source, target);
    const reported = report.inventory.filter(({ outcome }) => outcome === "reported");
    expect(reported.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
      "constraint public.kind only_mine",
      "function public.price()",
      "index public.mine",
      "index public.only_mine",
      "sequence public.s",
      "view public.v",
    ]);
    expect(reported.find(({ kind }) => kind === "function")).toMatchObject({
      note: expect.stringContaining("SELECT 666"),
      definition: expect.stringContaining("SELECT 1"),
    });
    const ways = ["differs in the target", "is only in the target"];
    for (const { kind, name } of reported)
      expect(
        report.warnings.filter((words) => ways.some((way) => words.includes(`${kind} ${name} ${way}`))),
        name,
      ).not.toEqual([]);
    expect(
      report.inventory.find(({ kind, name }) => kind === "constraint" && name.startsWith("public.kind kind")),
    ).toMatchObject({
      outcome: "copied",
    });
  });
});

test("rows alone: a table that was finished and has others' rows by now is refused by name, and emptied when named", async () => {
  const [source, target] = [await database(servers.new, shop), await database(servers.new)];
  await copied(source, target, { options: { jobs: 1, content: "schema" } });
  const options = { jobs: 2, content: "data" as const };
  await sql(
    target,
    `CREATE FUNCTION evil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.v := ''EVIL''; RETURN new; END';
     CREATE TRIGGER evil BEFORE INSERT ON b FOR EACH ROW EXECUTE FUNCTION evil(); ALTER TABLE b ENABLE ALWAYS TRIGGER evil`,
  );
  await expect(copied(source, target, { options })).rejects.toMatchObject({ code: "target_has_triggers" });
  await sql(target, "ALTER TABLE b ENABLE TRIGGER evil");
  await cutAfter(source, target, 2, { options: { ...options, bandwidth } });
  await sql(target, "INSERT INTO b VALUES (-1, 'mine')");
  await expect(copied(source, target, { options })).rejects.toMatchObject({
    code: "target_not_empty",
    message: expect.stringContaining("rows in public.b that"),
  });
  expect(await sql(target, "SELECT count(*)::int AS n FROM b WHERE id = -1")).toEqual([{ n: 1 }]);
  await copied(source, target, { options: { ...options, drop: ["b"] } });
  expect(await fingerprint(target)).toEqual(await fingerprint(source));
});

test("rows alone: a reset of a run that was cut says that its rows stay", async () => {
  const [source, target] = [await database(servers.new, shop), await database(servers.new)];
  await copied(source, target, { options: { jobs: 1, content: "schema" } });
  await cutAfter(source, target, 2, { options: { jobs: 2, content: "data", bandwidth } });
  const { heard: _, ...quiet } = hooks();
  const { owner, ownerName, target: at } = request(source, target);
  expect(await reset({ owner, ownerName, target: at }, quiet)).toEqual({
    ...{ dropped: 0, absent: 0 },
    left: [
      "rows that this run copied into tables that it did not make are left in the target: empty these tables yourself",
    ],
  });
  expect(await sql(target, "SELECT count(*)::int AS n FROM b")).toEqual([{ n: 100 }]);
});

test("rights that the target gives on all that is made in it are not those of the copy's objects", async () => {
  const [source, target] = [
    await database(
      servers.new,
      `CREATE TABLE t (id serial); CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'; CREATE TYPE e AS ENUM ('a'); CREATE SCHEMA more;
       CREATE VIEW more.v AS SELECT id FROM t; GRANT SELECT ON more.v TO PUBLIC; REVOKE ALL ON FUNCTION f() FROM PUBLIC`,
    ),
    await database(
      servers.new,
      `ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC; ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO PUBLIC;
       ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO PUBLIC; ALTER DEFAULT PRIVILEGES REVOKE USAGE ON TYPES FROM PUBLIC`,
    ),
  ];
  await copied(source, target);
  const rights = `SELECT * FROM (SELECT relname AS name, COALESCE(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner)) AS acl
      FROM pg_class WHERE relname IN ('t', 't_id_seq', 'v')
    UNION ALL SELECT proname, COALESCE(proacl, acldefault('f', proowner)) FROM pg_proc WHERE proname = 'f'
    UNION ALL SELECT typname, COALESCE(typacl, acldefault('T', typowner)) FROM pg_type WHERE typname = 'e'
    UNION ALL SELECT nspname, COALESCE(nspacl, acldefault('n', nspowner)) FROM pg_namespace WHERE nspname = 'more') x ORDER BY name`;
  const explode = `SELECT name, a.grantee::regrole::text AS to, a.privilege_type AS may FROM (${rights}) r, aclexplode(acl) a ORDER BY 1, 2, 3`;
  expect(await sql(target, explode)).toEqual(await sql(source, explode));
});
