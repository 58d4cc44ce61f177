import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { openReading, sizeOf } from "../../src/engine/opened.ts";
import { parseDatabaseUrl } from "../../src/guard/url.ts";
import { exitCodes } from "../../src/worker/protocol.ts";
import { connect } from "../databases/connect.ts";
import { borrowDatabase } from "../servers/index.ts";
import { type PlayedOperator, playOperator } from "./operator.ts";
import { startWorker, type WorkerProcess } from "./process.ts";

/** The worker measures the source before the first write and counts what it reads, and refuses what is larger than the operator allows. */
const entry = join(import.meta.dirname, "../../src/main/worker.ts");
let mysql: Database;
let postgres: Database;
let tools: string;
const running: WorkerProcess[] = [];
const operators: PlayedOperator[] = [];

beforeAll(async () => {
  tools = await pgTools();
  [mysql, postgres] = await Promise.all([borrowDatabase("mysql"), borrowDatabase("postgres")]);
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
  await Promise.all([mysql?.stop(), postgres?.stop()]);
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

async function run(source: string, target: string, mostBytes: number, owner: string, reached = false) {
  const operator = await playOperator({ owner, source: { url: source }, target: { url: target }, mostBytes, reached });
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
    const { code, output } = await run(sourceUrl(), target, await quoted(sourceUrl()), owner);
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
    const { code, output, outcome } = await run(url, await newTarget(), size, owner, reached);
    expect(code, output).toBe(exitCodes.failed);
    expect(outcome).toMatchObject({ outcome: "failed", reason: "source_statistics_wrong" });
  }
});
