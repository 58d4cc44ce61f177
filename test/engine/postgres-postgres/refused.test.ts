import { afterAll, beforeAll, expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import { copy } from "../../../src/engine/index.ts";
import {
  copied,
  database,
  hooks,
  request,
  type Servers,
  sql,
  startServers,
} from "../../support/engine/postgres-support.ts";

/** Objects after the data that the target refuses. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

/** `odd` finds its table by a name without a schema: with an application's search_path, but in no maintenance of the server's. */
const odd = `CREATE TABLE allowed (yes boolean); INSERT INTO allowed VALUES (true);
  CREATE FUNCTION odd(n int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF (SELECT yes FROM allowed) THEN RETURN n; END IF; END $$;
  CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, UNIQUE (n, id))`;
const rows = "INSERT INTO t SELECT i, i FROM generate_series(1, 10) i";
const broken = `${odd}; CREATE INDEX t_n ON t (n); CREATE INDEX t_odd ON t (odd(n)); ALTER TABLE t CLUSTER ON t_odd;
  COMMENT ON INDEX t_odd IS 'odd'; CREATE MATERIALIZED VIEW m AS SELECT odd(n) AS n FROM t; CREATE MATERIALIZED VIEW m2 AS SELECT n FROM m;
  CREATE VIEW sums AS SELECT sum(n) FROM t; ${rows}`;

test("what is no key is named in the report with the target's words, and all else is copied", async () => {
  const [source, target] = [await database(servers.new, broken), await database(servers.new)];
  const { report } = await copied(source, target, { options: { jobs: 2 } });
  const refused = report.inventory.filter(({ outcome }) => outcome === "reported");
  expect(refused.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
    'comment INDEX public."t_odd"',
    "index public.t_odd",
    "materialized view data public.m",
    "materialized view data public.m2",
    "materialized view public.m",
    "materialized view public.m2",
  ]);
  expect(refused.find(({ kind }) => kind === "index")).toMatchObject({
    note: expect.stringContaining('relation "allowed" does not exist'),
    definition: expect.stringContaining("CREATE INDEX"),
  });
  expect(report.warnings).toContainEqual(
    expect.stringMatching(/^index public\.t_odd was not copied: relation "allowed" does not exist/),
  );
  const names = "SELECT relname FROM pg_class WHERE relkind = 'i' AND relnamespace = 'public'::regnamespace ORDER BY 1";
  expect((await sql(target, names)).map(({ relname }) => relname)).toEqual(["t_n", "t_n_id_key", "t_pkey"]);
  expect(await sql(target, "SELECT count(*)::int AS n FROM t")).toEqual([{ n: 10 }]);
  // Nothing is dropped without its id.
  expect(report.made.filter(({ name, id }) => name.includes("t_odd") && id !== undefined)).toEqual([]);
});

test("with on_object_error fail the run ends with the object's name", async () => {
  const [source, target] = [await database(servers.new, broken), await database(servers.new)];
  const failing = copy(request(source, target, { options: { jobs: 2, on_object_error: "fail" } }), hooks());
  await expect(failing).rejects.toMatchObject({
    message: expect.stringMatching(/t_odd.*relation "allowed" does not exist/s),
  });
});

test("a key that is refused ends the run", async () => {
  const unique = `${odd}; CREATE UNIQUE INDEX t_odd ON t (odd(n)); ${rows}`;
  const [source, target] = [await database(servers.new, unique), await database(servers.new)];
  await expect(copy(request(source, target), hooks())).rejects.toMatchObject({
    message: expect.stringMatching(/t_odd.*relation "allowed" does not exist/s),
  });
});

const [gone, lost] = [`gone_${process.pid}`, `lost " ${process.pid}`];
const named = (role: string) => `"${role.replaceAll('"', '""')}"`;
const guarded = `CREATE TABLE t (id int); INSERT INTO t VALUES (1); ALTER TABLE t ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own ON t TO ${named(gone)}, ${named(lost)} USING (id > 0); CREATE POLICY everyone ON t USING (id > 1)`;
const hidden = `${guarded}; CREATE POLICY less ON t AS RESTRICTIVE TO ${named(gone)} USING (id > 2)`;

async function withoutRoles(text: string) {
  const [source, target] = [await database(servers.old), await database(servers.new)];
  const there = await sql(source, "SELECT FROM pg_roles WHERE rolname = $1", [gone]);
  const roles = there.length > 0 ? [] : [gone, lost].map((role) => `CREATE ROLE ${named(role)}`);
  await sql(source, [...roles, text].join("; "));
  const look = async (options: object) => {
    const using = { signal: new AbortController().signal, log: () => undefined };
    const { findings } = await assess(request(source, target, { options: { jobs: 2, ...options } }), using);
    return findings.filter(({ object }) => object.startsWith("policy "));
  };
  return { source, target, lenient: await look({}), ending: await look({ on_object_error: "fail" }) };
}

test("a policy for roles that the target lacks is named before the copy and in its report", async () => {
  const { source, target, lenient, ending } = await withoutRoles(guarded);
  const reason = `the target has no role ${gone}, lost " ${process.pid}`;
  const fix = `create the role in the target before the copy: CREATE ROLE ${named(gone)}; CREATE ROLE ${named(lost)}`;
  const object = "policy public.t own";
  expect(lenient).toEqual([{ severity: "warning", code: "policy_lost", object, reason, fix }]);
  expect(ending).toEqual([{ severity: "blocker", code: "schema_refused", object, reason, fix }]);
  const { report } = await copied(source, target, { options: { jobs: 2 } });
  expect(report.inventory.filter(({ outcome }) => outcome === "reported")).toMatchObject([
    {
      kind: "policy",
      name: object.slice("policy ".length),
      note: expect.stringContaining(`role "${gone}" does not exist`),
    },
  ]);
  expect(await sql(target, "SELECT polname FROM pg_policy")).toEqual([{ polname: "everyone" }]);
  const failing = copy(
    request(source, await database(servers.new), { options: { jobs: 2, on_object_error: "fail" } }),
    hooks(),
  );
  await expect(failing).rejects.toMatchObject({ code: "schema_refused", message: expect.stringContaining(gone) });
});

test("a restrictive policy that the target refuses ends the run, since rows would be seen that it hides", async () => {
  const { source, lenient } = await withoutRoles(hidden);
  expect(lenient.map(({ severity, object }) => `${severity} ${object}`)).toEqual([
    "blocker policy public.t less",
    "warning policy public.t own",
  ]);
  const failing = copy(request(source, await database(servers.new)), hooks());
  await expect(failing).rejects.toMatchObject({ code: "schema_refused", message: expect.stringContaining(gone) });
});
