import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { openReading, sizeOf } from "../../src/engine/run/open-database.ts";
import { parseDatabaseUrl } from "../../src/guard/url.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { exitCodes } from "../../src/worker/protocol.ts";
import { connect } from "../databases/connect.ts";
import { borrowDatabase } from "../servers/index.ts";
import { type PlayedOperator, playOperator } from "./operator.ts";
import { entry, startWorker, type WorkerProcess } from "./process.ts";
import { until } from "./until.ts";

/** The worker measures the source before the first write and counts what it reads, and refuses what is larger than the operator allows. */
let mysql: Database;
let mariadb: Database;
let postgres: Database;
let tools: string;
const running: WorkerProcess[] = [];
const operators: PlayedOperator[] = [];

beforeAll(async () => {
  tools = await pgTools();
  [mysql, mariadb, postgres] = await Promise.all([
    borrowDatabase("mysql"),
    borrowDatabase("mariadb"),
    borrowDatabase("postgres"),
  ]);
  for (const [engine, { url }] of [
    ["mysql", mysql],
    ["postgres", postgres],
  ] as const) {
    const session = await connect(engine, url);
    await session.query("CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL)");
    await session.query("INSERT INTO item VALUES (1, 'Ada'), (2, 'Grace'), (3, 'Linus')");
    await session.end();
  }
});

afterEach(async () => {
  for (const worker of running.splice(0)) {
    worker.signal("SIGKILL");
    await worker.ended;
  }
  for (const operator of operators.splice(0)) await operator.stop();
});

afterAll(async () => {
  await Promise.all([mysql?.stop(), mariadb?.stop(), postgres?.stop()]);
});

/** As the prober measures it for a quote. */
async function quoted(url: string): Promise<number> {
  const opened = await openReading(parseDatabaseUrl(url), {
    role: "source",
    program: "test",
    signal: new AbortController().signal,
  });
  try {
    return await sizeOf(opened);
  } finally {
    await opened.session.end();
  }
}

async function run(
  source: string,
  target: string,
  mostBytes: number,
  owner: string,
  { reached = false, finished = 0 }: { reached?: boolean; finished?: number } = {},
) {
  const databases = { source: { url: source }, target: { url: target } };
  const operator = await playOperator({ owner, ...databases, mostBytes, reached, finished });
  operators.push(operator);
  const worker = startWorker(entry, operator, { ROWFERRY_PG_BIN: tools });
  running.push(worker);
  return { code: (await worker.ended).code, output: worker.output(), outcome: operator.outcomes().at(-1) };
}

let count = 0;
async function newTarget(): Promise<string> {
  count += 1;
  const admin = await connect("postgres", postgres.adminUrl);
  await admin.query(`CREATE DATABASE limit${count} OWNER app`);
  await admin.end();
  return postgres.urlOf(`limit${count}`);
}

async function tablesOf(url: string): Promise<string[]> {
  const session = await connect("postgres", url);
  try {
    const rows = await session.query(
      "SELECT tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1",
    );
    return rows.map(([name]) => String(name));
  } finally {
    await session.end();
  }
}

describe.each(["mysql", "postgres"] as const)("a source of %s", (engine) => {
  const sourceUrl = () => (engine === "mysql" ? mysql : postgres).url;
  const owner = `6f6d8f6a-0000-4000-8000-0000000001${engine === "mysql" ? "aa" : "bb"}`;

  it("fails before the first write if it is larger than the limit, and no other pod tries", async () => {
    const size = await quoted(sourceUrl());
    const target = await newTarget();
    const { code, output, outcome } = await run(sourceUrl(), target, size - 1, owner);
    expect(code, output).toBe(exitCodes.failed);
    expect(outcome).toMatchObject({ outcome: "failed", reason: "source_too_large", report: { size } });
    expect(outcome?.message).toContain(`${size} bytes`);
    expect(await tablesOf(target)).toEqual([]);
  });

  it("is copied if it has not changed since it was quoted", async () => {
    const target = await newTarget();
    const { code, output } = await run(sourceUrl(), target, Math.ceil((await quoted(sourceUrl())) * 1.1), owner);
    expect(code, output).toBe(exitCodes.completed);
    expect(await tablesOf(target)).toEqual(["item"]);
  });
});

it("stops a copy that reads far more than statistics say that the source has, also in a pod that continues the run", async () => {
  const url = mysql.urlOf("stale");
  const admin = await connect("mysql", mysql.adminUrl);
  await admin.query("CREATE DATABASE stale");
  await admin.query("GRANT ALL ON stale.* TO app");
  await admin.query(
    "CREATE TABLE stale.item (id INT PRIMARY KEY, text LONGTEXT) STATS_PERSISTENT=1 STATS_AUTO_RECALC=0",
  );
  await admin.query(
    "INSERT INTO stale.item SELECT n, REPEAT(SHA2(n, 256), 2000) FROM (WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 200) SELECT n FROM s) AS t",
  );
  await admin.end();
  const size = await quoted(url);
  expect(size).toBeLessThan(100_000);
  for (const reached of [false, true]) {
    const owner = `6f6d8f6a-0000-4000-8000-0000000003${reached ? "aa" : "bb"}`;
    const { code, output, outcome } = await run(url, await newTarget(), size, owner, { reached });
    expect(code, output).toBe(exitCodes.failed);
    expect(outcome).toMatchObject({ outcome: "failed", reason: "source_statistics_wrong" });
  }
});

it("counts the tables that all pods of a run finished, and ends the run where they are far more than was paid for", async () => {
  const url = await fill(mysql, "portioned", [
    "CREATE TABLE item (id INT PRIMARY KEY, text LONGTEXT)",
    `INSERT INTO item ${longTexts(mysql, 10)}`,
    "ANALYZE TABLE item",
  ]);
  const owner = "6f6d8f6a-0000-4000-8000-0000000007aa";
  const most = 4 * (await quoted(url));
  const first = await run(url, await newTarget(), most, owner, { reached: true, finished: most * 8 });
  expect(first.code, first.output).toBe(exitCodes.failed);
  expect(first.outcome).toMatchObject({ outcome: "failed", reason: "source_statistics_wrong" });
  const second = await run(url, await newTarget(), most, owner, { reached: true, finished: most * 4 });
  expect(second.code, second.output).toBe(exitCodes.completed);
  expect(second.outcome?.report.finished).toBeGreaterThan(most * 4 + 600_000);
});

it("counts a quarter of what a pod that is cut read of a table that it did not finish", async () => {
  const url = await fill(mysql, "cut", [
    "CREATE TABLE item (id INT PRIMARY KEY, text LONGTEXT)",
    `INSERT INTO item ${longTexts(mysql, 300)}`,
    "ANALYZE TABLE item",
  ]);
  const databases = { source: { url }, target: { url: await newTarget() } };
  const options = optionsSchema.parse({ bandwidth: 1_000_000 });
  const owner = "6f6d8f6a-0000-4000-8000-0000000009aa";
  const played = await playOperator({ owner, ...databases, options, mostBytes: 4 * (await quoted(url)) });
  operators.push(played);
  const worker = startWorker(entry, played, { ROWFERRY_PG_BIN: tools });
  running.push(worker);
  await until("some rows to be read", () => played.progress().some(({ progress }) => (progress?.rows.done ?? 0) > 30));
  worker.signal("SIGTERM");
  expect((await worker.ended).code, worker.output()).toBe(exitCodes.retry);
  const last = played.progress().at(-1);
  expect(last).toMatchObject({ isLast: true, progress: { tables: { done: 0 } } });
  expect(last?.finished).toBeGreaterThan((30 * 64_000) / 4);
});

/** `rows` rows of 64 kB of text that compresses well. Numbers by a join: the servers' limits of recursion differ. */
function longTexts(server: Database, rows: number): string {
  const text =
    server === postgres ? "repeat(md5((a.n * 10 + b.n)::text), 2000)" : "REPEAT(SHA2(a.n * 10 + b.n, 256), 1000)";
  return `SELECT a.n * 10 + b.n, ${text} FROM (${numbers(rows / 10)}) AS a CROSS JOIN (${numbers(10)}) AS b`;
}
const numbers = (below: number) => Array.from({ length: below }, (_, n) => `SELECT ${n} AS n`).join(" UNION ALL ");

async function fill(server: Database, name: string, statements: readonly string[]): Promise<string> {
  const engine = server === postgres ? "postgres" : "mysql";
  const admin = await connect(engine, server.adminUrl);
  await admin.query(`CREATE DATABASE ${name}${engine === "postgres" ? " OWNER app" : ""}`);
  if (engine === "mysql") await admin.query(`GRANT ALL ON ${name}.* TO app`);
  await admin.end();
  const url = server.urlOf(name, "admin");
  const session = await connect(engine, url);
  for (const statement of statements) await session.query(statement);
  if (engine === "postgres") await session.query("GRANT SELECT ON ALL TABLES IN SCHEMA public TO app");
  await session.end();
  return server.urlOf(name);
}

it("stops a copy from a PostgreSQL server that reports too small a size", async () => {
  const url = await fill(postgres, "lying", [
    "CREATE TABLE item (id INT PRIMARY KEY, text TEXT)",
    `INSERT INTO item ${longTexts(postgres, 1500)}`,
    "CREATE OR REPLACE FUNCTION pg_catalog.pg_database_size(name) RETURNS bigint LANGUAGE sql AS 'SELECT 8192::bigint'",
  ]);
  const size = await quoted(url);
  expect(size).toBe(8192);
  const { code, output, outcome } = await run(url, await newTarget(), size, "6f6d8f6a-0000-4000-8000-0000000004aa");
  expect(code, output).toBe(exitCodes.failed);
  expect(outcome).toMatchObject({ outcome: "failed", reason: "source_statistics_wrong" });
  expect(outcome?.message).not.toContain("ANALYZE TABLE");
});

it("counts large objects", async () => {
  const url = await fill(postgres, "objects", [
    "CREATE TABLE item (id INT PRIMARY KEY)",
    "SELECT lo_from_bytea(0, decode(repeat(md5(n::text), 62500), 'hex')) FROM generate_series(1, 90) AS n",
    "DO $$ DECLARE o oid; BEGIN FOR o IN SELECT oid FROM pg_largeobject_metadata LOOP EXECUTE format('ALTER LARGE OBJECT %s OWNER TO app', o); END LOOP; END $$",
  ]);
  const target = postgres.urlOf("objects_copy");
  await fill(postgres, "objects_copy", []);
  const options = { reached: true };
  const { code, output, outcome } = await run(url, target, 100_000, "6f6d8f6a-0000-4000-8000-0000000008aa", options);
  expect(code, output).toBe(exitCodes.failed);
  expect(outcome).toMatchObject({ outcome: "failed", reason: "source_statistics_wrong" });
});

it.each([
  [
    "an empty compressed table",
    "emptied",
    "",
    ["CREATE TABLE nothing (id INT PRIMARY KEY) ROW_FORMAT=COMPRESSED"],
    1200,
  ],
  ["an enum's value", "valued", ", kind ENUM('compressed')", [], 300],
])("does not take %s for compression of the tables", async (_what, name, column, more, rows) => {
  const url = await fill(mysql, name, [
    `CREATE TABLE item (id INT PRIMARY KEY, text LONGTEXT${column}) STATS_PERSISTENT=1 STATS_AUTO_RECALC=0`,
    ...more,
    `INSERT INTO item (id, text) ${longTexts(mysql, rows)}`,
  ]);
  const paid = 4 << 20;
  expect(await quoted(url)).toBeLessThan(paid);
  const owner = `6f6d8f6a-0000-4000-8000-00000005${String(rows).padStart(4, "0")}`;
  const { code, output, outcome } = await run(url, await newTarget(), paid, owner);
  expect(code, output).toBe(exitCodes.failed);
  expect(outcome).toMatchObject({ outcome: "failed", reason: "source_statistics_wrong" });
});

describe.each([
  ["MySQL's compressed rows", () => mysql, "id INT PRIMARY KEY, text LONGTEXT", "ROW_FORMAT=COMPRESSED"],
  ["MariaDB's compressed columns", () => mariadb, "id INT PRIMARY KEY, text LONGTEXT COMPRESSED", ""],
  ["PostgreSQL's TOAST", () => postgres, "id INT PRIMARY KEY, text TEXT", ""],
] as const)("a source of %s, whose text has many times its size,", (_name, server, columns, options) => {
  it.each(["mysql", "postgres"] as const)("is copied to %s", async (engine) => {
    const from = server();
    const rows = from === postgres ? 1500 : 300;
    count += 1;
    const url = await fill(from, `packed${count}`, [
      `CREATE TABLE item (${columns}) ${options}`,
      `INSERT INTO item ${longTexts(from, rows)}`,
      from === postgres ? "SELECT 1" : "ANALYZE TABLE item",
    ]);
    const size = await quoted(url);
    expect(rows * 64_000).toBeGreaterThan(4 * Math.max(size, 1 << 20));
    const target = engine === "postgres" ? await newTarget() : await fill(mysql, `unpacked${count}`, []);
    const owner = `6f6d8f6a-0000-4000-8000-00000006${String(count).padStart(4, "0")}`;
    // As the operator allows it: autovacuum may add a page meanwhile.
    const { code, output } = await run(url, target, Math.ceil(size * 1.1), owner);
    expect(code, output).toBe(exitCodes.completed);
  });
});
