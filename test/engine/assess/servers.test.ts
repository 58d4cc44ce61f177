import { afterAll, beforeAll, expect, test } from "vitest";
import { type Assessment, assess } from "../../../src/engine/assess/index.ts";
import type { CopyOptions, Endpoint } from "../../../src/engine/contract/index.ts";
import { assessmentSchema, boundAssessment } from "../../../src/resources/assessment.ts";
import { endpoint, error, mysqlAs, pair, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import * as postgres from "../../support/engine/postgres-support.ts";
import { run } from "../../support/engine/run.ts";

/** Assessments of real servers: what is found is what a copy would meet. */

let servers: Servers;
let pg: postgres.Servers;

beforeAll(async () => {
  [servers, pg] = await Promise.all([startServers("mysql"), postgres.startServers()]);
});
afterAll(async () => {
  await Promise.all([servers?.close(), pg?.stop()]);
});

async function look(source: Endpoint, target: Endpoint, options: Partial<CopyOptions> = {}): Promise<Assessment> {
  const found = await assess(
    { source, target, options: { jobs: 2, ...options } },
    { signal: new AbortController().signal, log: () => undefined },
  );
  // What is said has the schema, and its bounded part goes into a status.
  expect(assessmentSchema.parse(found)).toEqual(found);
  expect(JSON.stringify(boundAssessment(found)).length).toBeLessThanOrEqual(4096);
  return found;
}

const codes = ({ findings }: Assessment) => findings.map(({ severity, code }) => `${severity} ${code}`);

test("MySQL to PostgreSQL: each object is named with what becomes of it, and nothing is written", async () => {
  const both = await pair(
    servers,
    `CREATE TABLE parent (id INT AUTO_INCREMENT PRIMARY KEY, flag TINYINT(1), e ENUM('a','b'), KEY (flag));
     CREATE TABLE child (id INT PRIMARY KEY, p INT, CONSTRAINT owned FOREIGN KEY (p) REFERENCES parent (id));
     CREATE TABLE old (a INT) ENGINE = MyISAM; CREATE VIEW seen AS SELECT 1 AS one`,
  );
  const found = await look(both.source, both.target);
  expect(found).toMatchObject({
    type: "conversion",
    ready: true,
    source: { engine: "MySQL", tables: 3 },
    target: { engine: "PostgreSQL", empty: true, free: null },
  });
  expect(codes(found)).toContain("warning not_transactional");
  expect(codes(await look(both.source, both.target, { include: ["parent"] }))).not.toContain(
    "warning not_transactional",
  );
  expect(found.objects).toContainEqual(
    expect.objectContaining({ kind: "column", name: "parent.flag", outcome: "converted" }),
  );
  expect(found.objects).toContainEqual({ kind: "foreign key", name: "child.owned", outcome: "converted" });
  expect(found.objects.map(({ name }) => name)).toContain("seen");
  expect(found.estimate.seconds.most).toBeGreaterThanOrEqual(found.estimate.seconds.least);
  expect((await both.pg.query("SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace")).rowCount).toBe(0);
});

test("a user without rights hears which are missing, and what is lost without each", async () => {
  const both = await pair(servers, "CREATE TABLE t (id INT PRIMARY KEY); CREATE VIEW v AS SELECT id FROM t");
  const { database } = both.source;
  await servers.admin.query(
    `CREATE USER IF NOT EXISTS poor IDENTIFIED BY 'poor'; GRANT SELECT ON ${database}.* TO poor; CREATE DATABASE IF NOT EXISTS poor_target; GRANT SELECT ON poor_target.* TO poor`,
  );
  const poor: Endpoint = { ...both.source, user: "poor", password: "poor" };
  const asSource = await look(poor, both.target);
  expect(asSource.ready).toBe(true);
  expect(asSource.findings).toContainEqual(
    expect.objectContaining({
      severity: "warning",
      code: "right_missing",
      object: "RELOAD",
      fix: expect.stringContaining("LOCK TABLES"),
    }),
  );
  expect(codes(asSource)).toContain("warning unseen");
  const fixes = asSource.findings.flatMap(({ object, fix }) => (/^(view|trigger|event) /.test(object) ? [fix] : []));
  expect(fixes.sort()).toEqual(
    ["EVENT", "SHOW VIEW", "TRIGGER"].map((right) => `GRANT ${right} ON \`${database}\`.* TO 'poor'@'%'`),
  );
  expect(codes(await look(poor, both.target, { source_locks: "require" }))).toContain("blocker right_missing");
  const asTarget = await look(both.source, { ...poor, database: "poor_target" });
  expect(asTarget.ready).toBe(false);
  expect(asTarget.findings[0]).toMatchObject({ severity: "blocker", object: expect.stringContaining("INSERT") });
  expect(asTarget.findings[0]?.fix).toMatch(/^GRANT .*INSERT.* ON `poor_target`\.\* TO 'poor'@'%'$/);
});

test("tables in the way are named, unless they may be dropped; excluded ones are not", async () => {
  const both = await pair(servers, "CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY)");
  await both.pg.query("CREATE TABLE a (x int)");
  const found = await look(both.source, both.target);
  expect(found).toMatchObject({ ready: false, target: { empty: false } });
  expect(found.findings[0]).toMatchObject({ code: "target_not_empty", object: "public.a" });
  expect((await look(both.source, both.target, { drop: ["a"] })).ready).toBe(true);
  const without = await look(both.source, both.target, { exclude: ["a"] });
  expect(without.ready).toBe(true);
  expect(without.objects).toContainEqual(expect.objectContaining({ name: "a", outcome: "not_applicable" }));
  expect((await look(both.source, both.target, { content: "data" })).findings[0]).toMatchObject({
    code: "schema_differs",
    object: "the target's tables",
    reason: expect.stringContaining("public.b"),
  });
  expect(await error(look(both.source, both.target, { include: ["nothing"] }))).toMatchObject({
    code: "option_unmatched",
  });
});

test("a database in the option schemas that is not the source's is refused for either target, as the copy refuses it", async () => {
  const both = await pair(servers, "CREATE TABLE t (id INT PRIMARY KEY)");
  await servers.admin.query("CREATE DATABASE IF NOT EXISTS beside");
  for (const target of [both.target, { ...both.source, database: "beside" }])
    expect(await error(look(both.source, target, { schemas: { another: "x" } }))).toMatchObject({
      code: "option_unmatched",
      message: expect.stringContaining('the database "another"'),
    });
});

test("PostgreSQL to PostgreSQL: unreadable tables and hidden rows end it before it begins", async () => {
  const source = await postgres.database(
    pg.old,
    `CREATE TABLE open (id int PRIMARY KEY); CREATE TABLE closed (id int); CREATE TABLE guarded (id int); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
     DO $$ BEGIN CREATE ROLE weak LOGIN PASSWORD 'weak'; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
     GRANT SELECT ON open, guarded TO weak`,
  );
  const target = await postgres.database(pg.new);
  const whole = await look(postgres.endpoint(source), postgres.endpoint(target));
  expect(whole).toMatchObject({ type: "transfer", ready: true, source: { tables: 3 }, target: { empty: true } });
  expect(whole.objects).toContainEqual({ kind: "table", name: "public.open", outcome: "copied" });
  const weak = await look(postgres.endpoint(source, { name: "weak", password: "weak" }), postgres.endpoint(target));
  expect(codes(weak)).toEqual(expect.arrayContaining(["blocker right_missing", "blocker row_security"]));
  const same = postgres.endpoint(source);
  expect(await error(look(same, same))).toMatchObject({ code: "same_database" });
});

test("PostgreSQL to MySQL: names that MySQL does not tell apart, and keys that it lacks, are told", async () => {
  const source = await postgres.database(
    pg.new,
    `CREATE TABLE t (id int PRIMARY KEY, a text, "A" numeric, j jsonb, at timestamptz); CREATE UNIQUE INDEX partly ON t (a) WHERE id > 5; CREATE INDEX docs ON t USING gin (j);
     CREATE VIEW seen AS SELECT id FROM t`,
  );
  const admin = await mysqlAs(servers.source.adminUrl);
  await admin.query("CREATE DATABASE assess_target");
  await admin.end();
  const target = endpoint(servers.source.urlOf("assess_target", "admin"), "mysql");
  const found = await look(postgres.endpoint(source), target);
  expect(codes(found)).toEqual(expect.arrayContaining(["warning names_alike", "warning key_lost"]));
  expect(found.objects).toContainEqual(
    expect.objectContaining({ kind: "column", name: "public.t.at", outcome: "converted" }),
  );
  expect(found.objects).toContainEqual(
    expect.objectContaining({ kind: "index", name: "public.docs", outcome: "reported" }),
  );
  // It is the copy's own plan: what it says of an object is what the copy will.
  const { report } = await run({ source: postgres.endpoint(source), target });
  const said = new Map(found.objects.map(({ kind, name, outcome }) => [`${kind} ${name}`, outcome]));
  const other = report.inventory.filter(({ kind, name, outcome }) => said.get(`${kind} ${name}`) !== outcome);
  expect(other.map(({ kind, name, outcome, note }) => [kind, name, outcome, note])).toEqual([]);
});

test("MySQL to MySQL: all is copied, and a target that takes no writes is told", async () => {
  const both = await pair(servers, "CREATE TABLE t (id INT PRIMARY KEY, j JSON)");
  await servers.admin.query("CREATE DATABASE other_target");
  const target = endpoint(servers.source.urlOf("other_target", "admin"), "mysql");
  const found = await look(both.source, target);
  expect(found).toMatchObject({ type: "transfer", ready: true, target: { empty: true } });
  expect(new Set(found.objects.map(({ outcome }) => outcome))).toEqual(new Set(["copied"]));
  await servers.admin.query("SET GLOBAL read_only = 1");
  await servers.admin.query("CREATE USER plain IDENTIFIED BY 'plain'; GRANT ALL ON other_target.* TO plain");
  const plain = { ...target, user: "plain", password: "plain" };
  try {
    expect(codes(await look(both.source, plain))).toContain("blocker read_only");
    expect(await error(run({ source: both.source, target: plain }))).toMatchObject({ code: "read_only" });
    // Read-only for all but administrators: the copy goes on, into what may be a replica.
    expect(codes(await look(both.source, target))).toContain("warning read_only");
    await (await run({ source: both.source, target })).copied.finish();
  } finally {
    await servers.admin.query("SET GLOBAL read_only = 0");
  }
});

test("of a small database no row is read and nothing is written, as the servers' own counts say", async () => {
  const rows = "(1, 'a'), (2, 'b')";
  const both = await pair(servers, `CREATE TABLE t (id INT PRIMARY KEY, v TEXT); INSERT INTO t VALUES ${rows}`);
  const source = await postgres.database(
    pg.new,
    `CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES ${rows}`,
  );
  const inMysql = async () => {
    const [found] = await servers.admin.query(
      `SELECT COUNT_READ AS reads_, COUNT_WRITE AS writes_ FROM performance_schema.table_io_waits_summary_by_table WHERE OBJECT_SCHEMA = '${both.source.database}'`,
    );
    return found;
  };
  const inPostgres = () =>
    postgres.sql(
      source,
      "SELECT seq_tup_read, idx_tup_fetch, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables WHERE relname = 't'",
    );
  const before = [await inMysql(), await inPostgres()];
  expect(before).toMatchObject([[{}], [{ n_tup_ins: "2" }]]);
  await look(both.source, both.target);
  await look(postgres.endpoint(source), both.target);
  await look(postgres.endpoint(source), { ...both.source, database: both.source.database });
  expect([await inMysql(), await inPostgres()]).toEqual(before);
});

test("of a large one some rows are read, which are named, and the rates are the estimate's", async () => {
  const rows = (repeat: string) => `INSERT INTO big SELECT id, ${repeat} FROM ids`;
  const both = await pair(
    servers,
    `CREATE TABLE ids (id INT PRIMARY KEY); INSERT INTO ids VALUES ${Array.from({ length: 40 }, (_, id) => `(${id})`).join(", ")};
     CREATE TABLE big (id INT PRIMARY KEY, v LONGTEXT); ${rows("REPEAT('x', 1000000)")}; ANALYZE TABLE big`,
  );
  const source = await postgres.database(
    pg.new,
    `CREATE TABLE ids (id int PRIMARY KEY); INSERT INTO ids SELECT generate_series(1, 40); CREATE TABLE big (id int PRIMARY KEY, v text);
     ALTER TABLE big ALTER v SET STORAGE EXTERNAL; ${rows("repeat('x', 1000000)")}; ANALYZE big`,
  );
  const target = await postgres.database(pg.new);
  for (const [from, to, table] of [
    [both.source, both.target, `${both.source.database}.big`],
    [postgres.endpoint(source), postgres.endpoint(target), "public.big"],
    [postgres.endpoint(source), { ...both.source, database: "sys" }, "public.big"],
  ] as const) {
    const found = await look(from, to);
    const { samples, estimate } = found;
    expect(codes(found)).toContain("note room_unknown");
    const [sample = ""] = samples.filter((one) => one.includes(table));
    expect(sample).toMatch(/^the first \d+ rows of /);
    expect(Number(/first (\d+)/.exec(sample)?.[1])).toBeLessThan(40);
    expect(samples).toContainEqual(expect.stringContaining("1 MB of text that the target counted"));
    expect(estimate.basis).toMatch(/Measured: [\d,.]+ MB\/s from the source, [\d,.]+ MB\/s to the target/);
    expect(estimate.basis.length).toBeLessThanOrEqual(240);
  }
  const slow = await look(postgres.endpoint(source), postgres.endpoint(target), { bandwidth: 1_000_000 });
  expect(slow.estimate.seconds.least).toBeGreaterThanOrEqual(40);
});
