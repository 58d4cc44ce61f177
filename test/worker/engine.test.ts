import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import type { CopyReport } from "../../src/engine/contract/index.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { exitCodes } from "../../src/worker/protocol.ts";
import { memoryInCore } from "../core-files.ts";
import { connect, type Session } from "../databases/connect.ts";
import { borrowDatabase } from "../servers/index.ts";
import { asks, type PlayedOperator, type PlayedWork, playOperator } from "./operator.ts";
import { entry, startWorker, type WorkerProcess } from "./process.ts";
import { until } from "./until.ts";

/** The worker as it is in its pod, with the real engine between real databases; only the operator is played. */
const rows = 60_000;
const owner = "6f6d8f6a-0000-4000-8000-0000000000aa";

let mysql: Database;
let postgres: Database;
let tools: string;
let source: Session;
let target: Session;
const running: WorkerProcess[] = [];
const operators: PlayedOperator[] = [];
let count = 0;
/** The database that this test copies to; each has one of its own. */
let name = "";

beforeAll(async () => {
  tools = await pgTools();
  [mysql, postgres] = await Promise.all([borrowDatabase("mysql"), borrowDatabase("postgres")]);
  source = await connect("mysql", mysql.url);
  await source.query("SET SESSION cte_max_recursion_depth = 1000000");
  await source.query("CREATE TABLE customer (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(40) NOT NULL)");
  await source.query("INSERT INTO customer (name) VALUES ('Ada'), ('Grace'), ('Linus')");
  await source.query(`CREATE TABLE orders (id INT PRIMARY KEY AUTO_INCREMENT, customer_id INT NOT NULL, note VARCHAR(200),
    CONSTRAINT by_customer FOREIGN KEY (customer_id) REFERENCES customer (id))`);
  await source.query(`INSERT INTO orders (customer_id, note) WITH RECURSIVE n (i) AS
    (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT 1 + i % 3, REPEAT(CHAR(97 + i % 26), 120) FROM n`);
});

afterEach(async () => {
  for (const worker of running.splice(0)) {
    worker.signal("SIGKILL");
    await worker.ended;
  }
  for (const operator of operators.splice(0)) await operator.stop();
  await target?.end();
});

afterAll(async () => {
  await source?.end();
  await Promise.all([mysql?.stop(), postgres?.stop()]);
});

async function newTarget(): Promise<string> {
  count += 1;
  name = `t${count}`;
  const admin = await connect("postgres", postgres.adminUrl);
  await admin.query(`CREATE DATABASE ${name} OWNER app`);
  await admin.end();
  target = await connect("postgres", postgres.urlOf(name));
  return postgres.urlOf(name);
}

async function play(work: PlayedWork): Promise<PlayedOperator> {
  const operator = await playOperator({ owner, ...work });
  operators.push(operator);
  return operator;
}

function start(operator: PlayedOperator, flags: string[] = []): WorkerProcess {
  const worker = startWorker(entry, operator, { ROWFERRY_PG_BIN: tools }, flags);
  running.push(worker);
  return worker;
}

const one = async (session: Session, sql: string) => (await session.query(sql))[0]?.[0];
const left = () => one(target, "SELECT count(*) FROM pg_tables WHERE tablename = '_rowferry'");

async function expectWholeCopy(): Promise<void> {
  expect(await one(target, "SELECT count(*) || ' ' || count(DISTINCT id) FROM orders")).toBe(`${rows} ${rows}`);
  const sum = "SELECT SUM(id * 3 + customer_id * 7 + LENGTH(note)) FROM orders";
  expect(Number(await one(target, sum))).toBe(Number(await one(source, sum)));
  expect(await one(target, "SELECT count(*) FROM customer")).toBe("3");
  expect(await one(target, "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated")).toBe("1");
}

/** Keeps the copy from ending its big table until it is released: waits until the table is there, then locks it. */
async function holdCopy(): Promise<() => Promise<void>> {
  const session = await connect("postgres", postgres.urlOf(name));
  await until("the table orders in the target", async () => {
    const there = await session.query("SELECT 1 FROM pg_tables WHERE tablename = 'orders'");
    return there.length > 0;
  });
  await session.query("BEGIN");
  await session.query("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE");
  return () => session.end();
}

describe("MySQL to PostgreSQL", () => {
  it("copies, stores the result, and leaves no checkpoint behind", async () => {
    const operator = await play({ source: { url: mysql.url }, target: { url: await newTarget() } });
    const worker = start(operator);
    expect((await worker.ended).code, worker.output()).toBe(exitCodes.completed);
    await expectWholeCopy();
    expect(await left()).toBe("0");
    const outcome = operator.outcomes().at(-1);
    expect(outcome).toMatchObject({ outcome: "completed", reason: "Verified", summary: { tables: 2, rows: rows + 3 } });
    const { report } = JSON.parse(gunzipSync(Buffer.from(outcome?.archive ?? "", "base64")).toString()) as {
      report: CopyReport;
    };
    expect(report.tables.map(({ rows: counted }) => counted)).toContainEqual({ source: rows, target: rows });
  });

  it("goes on in another pod after SIGTERM, and no row is lost or doubled", async () => {
    const operator = await play({ source: { url: mysql.url }, target: { url: await newTarget() } });
    const first = start(operator);
    const release = await holdCopy();
    expect(memoryInCore(first.pid)).toBe(0);
    first.signal("SIGTERM");
    expect((await first.ended).code, first.output()).toBe(exitCodes.retry);
    await release();
    expect(await left()).toBe("1");
    const second = start(operator);
    expect((await second.ended).code, second.output()).toBe(exitCodes.completed);
    await expectWholeCopy();
    expect(await left()).toBe("0");
  });

  it("goes on in another pod after SIGKILL, and no row is lost or doubled", async () => {
    const operator = await play({ source: { url: mysql.url }, target: { url: await newTarget() } });
    const first = start(operator);
    const release = await holdCopy();
    first.signal("SIGKILL");
    expect((await first.ended).signal).toBe("SIGKILL");
    const second = start(operator);
    await asks(operator, "work", 2);
    await release();
    expect((await second.ended).code, second.output()).toBe(exitCodes.completed);
    await expectWholeCopy();
  });

  it("hands over in another pod the result that could not be stored, without copying again", async () => {
    const operator = await play({ source: { url: mysql.url }, target: { url: await newTarget() } });
    operator.always("result", 503);
    const first = start(operator);
    await asks(operator, "result");
    first.signal("SIGTERM");
    expect((await first.ended).code).toBe(exitCodes.retry);
    expect(await left()).toBe("1");
    operator.always("result", undefined);
    const second = start(operator);
    expect((await second.ended).code, second.output()).toBe(exitCodes.completed);
    expect(second.output()).toContain("by an earlier attempt");
    await expectWholeCopy();
    expect(await left()).toBe("0");
  });

  it("never copies again once the result is stored: the target may be in use", async () => {
    const work = { source: { url: mysql.url }, target: { url: await newTarget() } };
    const first = start(await play(work));
    expect((await first.ended).code, first.output()).toBe(exitCodes.completed);
    await target.query("DELETE FROM orders WHERE id > 10");
    // The pod was killed before it ended, and the operator before it noted the state; the options would empty the target.
    const options = optionsSchema.parse({ drop: ["public.orders", "public.customer"] });
    const operator = await play({ ...work, options, isStored: true });
    const second = start(operator);
    expect((await second.ended).code, second.output()).toBe(exitCodes.completed);
    expect(operator.outcomes()).toEqual([]);
    expect(await one(target, "SELECT count(*) FROM orders")).toBe("10");
  });

  it("removes the checkpoint that is left of a run whose result is stored", async () => {
    const work = { source: { url: mysql.url }, target: { url: await newTarget() } };
    const operator = await play(work);
    operator.always("result", 503);
    const first = start(operator);
    await asks(operator, "result");
    first.signal("SIGKILL");
    await first.ended;
    expect(await left()).toBe("1");
    const second = start(await play({ ...work, isStored: true }));
    expect((await second.ended).code, second.output()).toBe(exitCodes.completed);
    await expectWholeCopy();
    expect(await left()).toBe("0");
  });

  it("ends in order when the operator says that the run is over", async () => {
    const operator = await play({ source: { url: mysql.url }, target: { url: await newTarget() } });
    const worker = start(operator);
    const release = await holdCopy();
    operator.always("progress", 409);
    expect((await worker.ended).code, worker.output()).toBe(exitCodes.superseded);
    await release();
    const sessions = `SELECT count(*) FROM pg_stat_activity WHERE datname = '${name}' AND application_name LIKE 'rowferry%'`;
    await until("the worker's sessions to end", async () => (await one(target, sessions)) === "0");
  });
});

it("PostgreSQL to PostgreSQL copies likewise", async () => {
  const from = await newTarget();
  await target.query("CREATE TABLE part (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE)");
  await target.query("INSERT INTO part (name) SELECT 'part ' || i FROM generate_series(1, 5000) AS i");
  await target.end();
  const operator = await play({ source: { url: from }, target: { url: await newTarget() } });
  const worker = start(operator);
  expect((await worker.ended).code, worker.output()).toBe(exitCodes.completed);
  expect(await one(target, "SELECT count(*) || ' ' || max(name) FROM part")).toBe("5000 part 999");
  expect(await left()).toBe("0");
});

describe("what a user must fix fails the run for good, in words, and without a secret", () => {
  const wrong = (url: string) => url.replace(/:\/\/app:[^@]*@/, "://app:wr0ng-s3cret@");
  it.each<[string, () => Promise<Pick<PlayedWork, "source" | "target">>]>([
    [
      "a wrong password in the source",
      async () => ({ source: { url: wrong(mysql.url) }, target: { url: await newTarget() } }),
    ],
    [
      "a wrong password in the target",
      async () => ({ source: { url: mysql.url }, target: { url: wrong(await newTarget()) } }),
    ],
    [
      "a database that does not exist",
      async () => ({ source: { url: mysql.url }, target: { url: postgres.urlOf("nowhere") } }),
    ],
    [
      "a table of the target in the way, found before anything is written",
      async () => {
        const url = await newTarget();
        await target.query("CREATE TABLE orders (id int)");
        return { source: { url: mysql.url }, target: { url } };
      },
    ],
  ])("%s", async (_name, work) => {
    const operator = await play(await work());
    const worker = start(operator);
    expect((await worker.ended).code, worker.output()).toBe(exitCodes.failed);
    const outcome = operator.outcomes().at(-1);
    expect(outcome?.outcome).toBe("failed");
    expect(outcome?.message.length).toBeGreaterThan(20);
    const everything = worker.output() + JSON.stringify(operator.asked);
    for (const secret of ["wr0ng-s3cret", mysql.password, postgres.password]) expect(everything).not.toContain(secret);
  });
});

it("the process stays small with the flags that the chart gives it", async () => {
  const values = readFileSync(join(import.meta.dirname, "../../charts/rowferry/values.yaml"), "utf8");
  const command = /^worker:[\s\S]*?command: (\[.*\])$/m.exec(values)?.[1] ?? "[]";
  const flags = (JSON.parse(command) as string[]).filter((word) => word.startsWith("--"));
  const operator = await play({ source: { url: mysql.url }, target: { url: await newTarget() } });
  operator.always("result", 503);
  const worker = start(operator, flags);
  await asks(operator, "result");
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${worker.pid}/status`, "utf8"))?.[1]) / 1024;
  expect(peak).toBeGreaterThan(30);
  expect(peak).toBeLessThan(200);
});
