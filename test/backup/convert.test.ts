import { randomUUID } from "node:crypto";
import type mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { restoreBackup } from "../../src/backup/index.ts";
import type { Endpoint } from "../../src/engine/contract/index.ts";
import { copy } from "../../src/engine/index.ts";
import { foundRuns } from "../../src/engine/run/reset.ts";
import { type Conversion, convert, convertedText, storedConversion } from "../../src/worker/convert.ts";
import { borrowDatabase } from "../servers/index.ts";
import { endpoint as endpointOf, mysqlAs } from "../support/engine/mysql-support.ts";
import { database, endpoint, sql, startServers, type Where } from "../support/engine/postgres-support.ts";
import { backup, codeOf, hooks, type Kept, newPlace } from "./support.ts";

/** Restores into another engine: each by way of a database of the backup's engine, which plays the pod's throw-away server. */

let postgres: Database;
let stopPostgres: () => Promise<void>;
let server: Database;
let admin: mysql.Connection;
beforeAll(async () => {
  const [servers, borrowed] = await Promise.all([
    startServers(),
    // As the pod's own one is started.
    borrowDatabase("mysql", { args: ["--disable-log-bin", "--local-infile=1", "--event-scheduler=OFF"] }),
  ]);
  [postgres, stopPostgres, server] = [servers.new, servers.stop, borrowed];
  admin = await mysqlAs(server.adminUrl);
});
afterAll(async () => {
  await admin?.end();
  await server?.stop();
  await stopPostgres?.();
});

let made = 0;
async function mysqlDatabase(text = ""): Promise<{ name: string; endpoint: Endpoint }> {
  const name = `c${++made}`;
  await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4; USE ${name}; ${text}`);
  return { name, endpoint: endpointOf(server.urlOf(name, "admin"), "mysql") };
}

interface More {
  owner?: string;
  allowNotEmpty?: boolean;
  signal?: AbortSignal;
  /** Hears of the copy's rows. */
  rows?(done: number): void;
}

async function converted(kept: Kept, own: Endpoint, target: Endpoint, more: More = {}) {
  const { owner = randomUUID(), allowNotEmpty = false, signal, rows } = more;
  const { heard, ...hook } = hooks(signal);
  const percents: number[] = [];
  const { storage, folder, key, run } = kept;
  const conversion: Conversion = {
    work: { owner, ownerName: "Restore team/back", allowNotEmpty, options: { jobs: 2 } },
    ...{ server: own, target, engine: { copy, foundRuns } },
    hooks: {
      ...hook,
      progress(progress) {
        hook.progress(progress);
        percents.push(progress.bytes.total > 0 ? progress.bytes.done / progress.bytes.total : 0);
        rows?.(progress.rows.done);
      },
    },
    restore: (into, using) =>
      restoreBackup({
        ...using,
        ...{ storage, folder, target: into, identities: [key.identity], expect: { run: run.id }, jobs: 2 },
      }),
  };
  return { copied: await convert(conversion), heard, percents };
}

const shop = `
CREATE TABLE customers (id int AUTO_INCREMENT PRIMARY KEY, name varchar(50), active tinyint(1));
CREATE TABLE orders (id int PRIMARY KEY, customer int, total decimal(10,2), at datetime(6), CONSTRAINT buys FOREIGN KEY (customer) REFERENCES customers (id));
INSERT INTO customers (name, active) VALUES ('é😀', 1), ('b''c', 0);
INSERT INTO orders VALUES (1, 1, 1.5, '2026-01-02 03:04:05.000006'), (2, 2, 200, NULL), (3, NULL, 300, NULL);
CREATE VIEW big AS SELECT id, total FROM orders WHERE total > 100;
CREATE EVENT nightly ON SCHEDULE EVERY 1 DAY DO DELETE FROM orders WHERE total = 0;
`;

describe("a backup of MySQL into PostgreSQL", () => {
  test("every row is there, and each object that was converted or not copied is named", async () => {
    const source = await mysqlDatabase(shop);
    const kept = await newPlace();
    await backup(source.endpoint, kept, { checksums: true });
    const own = await mysqlDatabase();
    const target = await database(postgres);
    const { copied, heard, percents } = await converted(kept, own.endpoint, endpoint(target));
    expect(copied.report).toMatchObject({ type: "conversion", verification: { level: "checksum", differences: [] } });
    await copied.finish();

    expect(await sql(target, "SELECT id, name, active FROM customers ORDER BY id")).toEqual([
      { id: 1, name: "é😀", active: true },
      { id: 2, name: "b'c", active: false },
    ]);
    expect(await sql(target, "SELECT id, customer, total::text, at::text FROM orders ORDER BY id")).toEqual([
      { id: 1, customer: 1, total: "1.50", at: "2026-01-02 03:04:05.000006" },
      { id: 2, customer: 2, total: "200.00", at: null },
      { id: 3, customer: null, total: "300.00", at: null },
    ]);
    expect(await sql(target, "SELECT id FROM big ORDER BY id")).toEqual([{ id: 2 }, { id: 3 }]);
    expect(await relations(target)).toEqual(["big", "customers", "orders"]);

    const text = convertedText(copied.report);
    expect(text).toMatch(
      /^Restored by way of a throw-away server and verified: 2 tables with 5 rows; \d+ objects converted\. 1 source object was not copied or was changed: 1 event \(see the report\)\.$/,
    );
    expect(heard.log.at(-1)).toMatch(/^warning: Not copied, or changed: event .*nightly: /);
    const named = heard.log.filter((line) => line.startsWith("info: Converted: "));
    expect(named.join("\n")).toContain("big");
    expect(named).toHaveLength(copied.report.inventory.filter(({ outcome }) => outcome === "converted").length);
    expect([...heard.phases]).toEqual(["checking", "copying", "verifying", "finished"]);
    expect(heard.last).toMatchObject({ rows: { done: 5, total: 5 }, tables: { done: 2, total: 2 } });
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
  });

  test("a target that is not empty is refused before anything is restored, and where it is allowed nothing of it is dropped", async () => {
    const source = await mysqlDatabase("CREATE TABLE mine (id int PRIMARY KEY); INSERT INTO mine VALUES (7)");
    const kept = await newPlace();
    await backup(source.endpoint, kept);
    const target = await database(postgres, "CREATE TABLE other (id int); INSERT INTO other VALUES (1)");
    const own = await mysqlDatabase();
    expect(await codeOf(converted(kept, own.endpoint, endpoint(target)))).toBe("target_not_empty");
    expect((await admin.query(`SHOW TABLES FROM ${own.name}`))[0]).toEqual([]);

    const { copied } = await converted(kept, own.endpoint, endpoint(target), { allowNotEmpty: true });
    await copied.finish();
    expect(await sql(target, "SELECT id FROM mine")).toEqual([{ id: 7 }]);
    expect(await sql(target, "SELECT id FROM other")).toEqual([{ id: 1 }]);

    await sql(target, "UPDATE mine SET id = 8");
    const again = converted(kept, (await mysqlDatabase()).endpoint, endpoint(target), { allowNotEmpty: true });
    await expect(again).rejects.toMatchObject({
      code: "target_not_empty",
      message: expect.stringMatching(
        /mine.*drop or rename them, or restore into an empty database; nothing was written/,
      ),
    });
    expect(await sql(target, "SELECT id FROM mine")).toEqual([{ id: 8 }]);
  });

  test("a database that is not the backup's is not copied on", async () => {
    const source = await mysqlDatabase("CREATE TABLE mine (id int PRIMARY KEY); INSERT INTO mine VALUES (7)");
    const kept = await newPlace();
    await backup(source.endpoint, kept);
    const target = await database(postgres);
    const own = await mysqlDatabase();
    const { heard: _heard, ...hook } = hooks();
    const failing = convert({
      work: { owner: randomUUID(), ownerName: "Restore team/back", allowNotEmpty: false, options: { jobs: 2 } },
      ...{ server: own.endpoint, target: endpoint(target), engine: { copy, foundRuns }, hooks: hook },
      restore: async () => ({
        ...{ tables: 1, rows: 0, equal: false, checksummed: 0, warnings: [], backupWarnings: [] },
        differences: ["table mine has 0 rows instead of 1"],
      }),
    });
    await expect(failing).rejects.toMatchObject({
      code: "restore_differs",
      message: expect.stringContaining("table mine has 0 rows instead of 1"),
    });
    expect(await relations(target)).toEqual([]);
  });
});

describe("a pod that ended early", () => {
  const many =
    "CREATE TABLE many (id int PRIMARY KEY, pad varchar(500)); SET SESSION cte_max_recursion_depth = 100000; INSERT INTO many WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT i, REPEAT('x', 400) FROM n";

  test("leaves what the next one drops by its record, and what others made meanwhile stays", async () => {
    const source = await mysqlDatabase(many);
    const kept = await newPlace();
    await backup(source.endpoint, kept);
    const target = await database(postgres);
    const owner = randomUUID();
    const killed = new AbortController();
    const first = converted(kept, (await mysqlDatabase()).endpoint, endpoint(target), {
      ...{ owner, signal: killed.signal },
      rows: (done) => done > 0 && killed.abort(new Error("killed")),
    });
    await expect(first).rejects.toThrow("killed");
    expect(await relations(target)).toContain("many");
    await sql(target, "CREATE TABLE others (id int)");

    const stranger = converted(kept, (await mysqlDatabase()).endpoint, endpoint(target));
    expect(await codeOf(stranger)).toBe("target_not_empty");

    const { copied } = await converted(kept, (await mysqlDatabase()).endpoint, endpoint(target), { owner });
    await copied.finish();
    expect(await sql(target, "SELECT count(*)::int AS rows, max(id) AS last FROM many")).toEqual([
      { rows: 60_000, last: 60_000 },
    ]);
    expect(await relations(target)).toEqual(["many", "others"]);
  });

  test("whose result was not stored is followed by one that makes all of it anew", async () => {
    const source = await mysqlDatabase(shop);
    const kept = await newPlace();
    await backup(source.endpoint, kept);
    const target = await database(postgres);
    const owner = randomUUID();
    await converted(kept, (await mysqlDatabase()).endpoint, endpoint(target), { owner });
    const { copied } = await converted(kept, (await mysqlDatabase()).endpoint, endpoint(target), { owner });
    await copied.finish();
    expect(await relations(target)).toEqual(["big", "customers", "orders"]);
    expect(await sql(target, "SELECT count(*)::int AS rows FROM orders")).toEqual([{ rows: 3 }]);
  });
});

test.each(["MySQL into PostgreSQL", "PostgreSQL into MySQL"])(
  "%s: a pod that was killed after its result was stored is followed by one that drops the record, and touches no row",
  async (name) => {
    const intoMysql = name.endsWith("MySQL");
    const table = "CREATE TABLE mine (id int PRIMARY KEY); INSERT INTO mine VALUES (7)";
    const [from, to] = [await mysqlDatabase(intoMysql ? "" : table), await database(postgres, intoMysql ? table : "")];
    const kept = await newPlace();
    await backup(intoMysql ? endpoint(to) : from.endpoint, kept);
    const target = intoMysql ? (await mysqlDatabase()).endpoint : endpoint(await database(postgres));
    const empty = async () => (intoMysql ? endpoint(await database(postgres)) : (await mysqlDatabase()).endpoint);
    const owner = randomUUID();
    await converted(kept, await empty(), target, { owner });
    // In use since.
    const run = (text: string) =>
      intoMysql
        ? admin.query(`USE ${target.database}; ${text}`)
        : sql({ server: postgres, database: target.database }, text);
    await run("UPDATE mine SET id = 8");

    const { heard: _heard, ...hook } = hooks();
    const work = { owner, ownerName: "Restore team/back", allowNotEmpty: false, options: { jobs: 2 } };
    const again = async () =>
      storedConversion({ work, server: await empty(), target, engine: { copy, foundRuns }, hooks: hook });
    await (await again())?.finish();
    expect(await foundRuns(target, hook.signal)).toEqual([]);
    expect(JSON.stringify(await run("SELECT id FROM mine"))).toContain('"id":8');
    expect(await again(), "nothing is left").toBeUndefined();
  },
);

describe("a backup of PostgreSQL", () => {
  const text = `
    CREATE TABLE customers (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text, tags text[], active boolean);
    CREATE TABLE orders (id int PRIMARY KEY, customer int CONSTRAINT buys REFERENCES customers, total numeric(10,2));
    INSERT INTO customers (name, tags, active) VALUES ('é😀', '{a,b}', true), ('b''c', NULL, false);
    INSERT INTO orders VALUES (1, 1, 1.5), (2, NULL, 200);
    CREATE VIEW big AS SELECT id, total FROM orders WHERE total > 100;
    CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
  `;

  test("into MySQL: every row is there, and what MySQL lacks is named", async () => {
    const source = await database(postgres, text);
    const kept = await newPlace();
    await backup(endpoint(source), kept);
    const target = await mysqlDatabase();
    const { copied, heard } = await converted(kept, endpoint(await database(postgres)), target.endpoint);
    await copied.finish();
    expect(copied.report).toMatchObject({ type: "conversion" });
    const rows = async (query: string) => (await admin.query({ sql: query, rowsAsArray: true }))[0];
    expect(await rows(`SELECT id, name, active FROM ${target.name}.customers ORDER BY id`)).toEqual([
      [1, "é😀", 1],
      [2, "b'c", 0],
    ]);
    expect(await rows(`SELECT id, customer, total FROM ${target.name}.orders ORDER BY id`)).toEqual([
      [1, 1, "1.50"],
      [2, null, "200.00"],
    ]);
    expect(await rows(`SELECT id FROM ${target.name}.big`)).toEqual([[2]]);
    expect(await rows(`SHOW TABLES FROM ${target.name}`)).toEqual([["big"], ["customers"], ["orders"]]);
    expect(convertedText(copied.report)).toMatch(
      /verified: 2 tables with 4 rows; .*not copied or was changed: 1 function/,
    );
    expect(heard.log.at(-1)).toMatch(/^warning: Not copied, or changed: function .*f\(\)/);
  });

  test("into PostgreSQL: a restore that converts without need is a copy", async () => {
    const source = await database(postgres, text);
    const kept = await newPlace();
    await backup(endpoint(source), kept);
    const target = await database(postgres);
    const { copied } = await converted(kept, endpoint(await database(postgres)), endpoint(target));
    await copied.finish();
    expect(copied.report).toMatchObject({ type: "transfer" });
    expect(await sql(target, "SELECT f() AS f, (SELECT count(*)::int FROM customers) AS rows")).toEqual([
      { f: 1, rows: 2 },
    ]);
  });
});

/** Tables and views of users, in order. */
const relations = async (where: Where): Promise<string[]> =>
  (
    await sql<{ name: string }>(
      where,
      "SELECT relname::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE relkind IN ('r', 'v') AND nspname NOT IN ('pg_catalog', 'information_schema') AND relname !~ '^_rowferry' ORDER BY 1",
    )
  ).map(({ name }) => name);
