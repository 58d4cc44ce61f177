import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import type { CopyOptions, Endpoint } from "../../../src/engine/contract/index.ts";
import { type VerifyOptions, verify } from "../../../src/engine/verify/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import * as my from "../../support/engine/mysql-mysql-support.ts";
import { endpoint, mysqlAs } from "../../support/engine/mysql-support.ts";
import { inSource } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** `verify` alone between PostgreSQL and MySQL, and between MySQL and MariaDB: after copies, and after what people do to them. */

let servers: my.Servers;
let folding: Database;
let postgres: Database;

beforeAll(async () => {
  [servers, folding, postgres] = await Promise.all([
    my.startServers(),
    borrowDatabase("mariadb", { args: ["--lower-case-table-names=1", "--local-infile=1"] }),
    borrowDatabase("postgres"),
  ]);
});
afterAll(async () => {
  await my.closeClients();
  await Promise.all([servers?.close(), folding?.stop(), postgres?.stop()]);
});

const check = (both: { source: Endpoint; target: Endpoint }, options: Partial<VerifyOptions> = {}) =>
  verify(
    { ...both, options: { jobs: 2, ...options } },
    { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
  );

const reported = ({ inventory }: Awaited<ReturnType<typeof verify>>) =>
  inventory.flatMap(({ kind, name, outcome, note }) => (outcome === "reported" ? [[kind, name, note]] : []));

let counter = 0;

/** A database of PostgreSQL, and an empty one of MySQL with one who may change it. */
async function fromPostgres(schema: string) {
  const name = `v${++counter}`;
  await inSource(postgres.adminUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
  await inSource(postgres.urlOf(name, "admin"), schema);
  const { admin, server } = servers.of.mysql;
  await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4; USE ${name}`);
  const both = {
    source: endpoint(postgres.urlOf(name, "admin"), "postgres"),
    target: endpoint(server.urlOf(name, "admin"), "mysql"),
  };
  return { both, target: admin, source: (sql: string) => inSource(postgres.urlOf(name, "admin"), sql) };
}

const ran = async (both: { source: Endpoint; target: Endpoint }, options: Partial<CopyOptions> = {}) => {
  const { copied } = await run(both, { options: { jobs: 2, ...options } });
  await copied.finish();
};

test("PostgreSQL and MySQL: schemas are prefixes, tables that are left out are not missed, and others are told", async () => {
  const { both, target } = await fromPostgres(`CREATE SCHEMA sales; CREATE SCHEMA archive;
    CREATE TABLE sales.orders (id int PRIMARY KEY, note text, at timestamptz); CREATE INDEX noted ON sales.orders (at);
    CREATE TABLE archive.orders (id int PRIMARY KEY); CREATE TABLE orders (id int PRIMARY KEY, j jsonb); CREATE TABLE logs (id int PRIMARY KEY);
    INSERT INTO sales.orders SELECT n, 'n' || n, '2024-01-01'::timestamptz + n * interval '1 h' FROM generate_series(1, 500) n;
    INSERT INTO archive.orders VALUES (7); INSERT INTO orders VALUES (1, '{"a": [1, 2.50]}')`);
  const options = { schemas: { sales: "s_", archive: "" }, exclude: ["logs"] };
  await ran(both, options);
  const equal = await check(both, options);
  expect(equal).toMatchObject({ equal: true, missing: [], extra: [], verification: { uncompared: [] } });
  expect(equal.tables.map(({ source, rows }) => [source, rows.target])).toEqual([
    ["archive.orders", 1],
    ["public.orders", 1],
    ["sales.orders", 500],
  ]);
  await target.query(
    "CREATE TABLE more (a INT); DROP INDEX noted ON s_orders; UPDATE s_orders SET note = 'x' WHERE id = 77",
  );
  const changed = await check(both, options);
  expect(changed).toMatchObject({ equal: false, extra: [`${both.target.database}.more`] });
  expect(changed.verification.differences.map(({ source, keys }) => [source, keys])).toEqual([
    ["sales.orders", [{ key: '{"id":"77"}', what: "different" }]],
  ]);
  expect(reported(changed)).toEqual([
    ["index", "sales.orders.noted", "the target has no index of this name or of its columns"],
  ]);
  await target.query("DROP TABLE s_orders");
  expect(await check(both, options)).toMatchObject({ equal: false, missing: ["sales.orders"] });
});

test.each(my.pairs)("%s → %s: prefixes, excluded tables, and a table that is missing", async (from, to) => {
  const where = await my.pair(
    servers,
    from,
    to,
    "CREATE TABLE p (id INT PRIMARY KEY, v TEXT, f FLOAT); CREATE TABLE c (id INT PRIMARY KEY, p INT, CONSTRAINT owned FOREIGN KEY (p) REFERENCES p (id)); CREATE TABLE logs (id INT); INSERT INTO p VALUES (1, 'ä', 0.1), (2, NULL, 16777216); INSERT INTO c VALUES (1, 1)",
  );
  const options = { schemas: { [where.database]: "x_" }, exclude: ["logs"] };
  await ran(where, options);
  const equal = await check(where, options);
  expect(equal).toMatchObject({ equal: true, missing: [], extra: [], verification: { uncompared: [] } });
  expect(reported(equal)).toEqual([]);
  await where.to.query("DROP TABLE x_c; DELETE FROM x_p WHERE id = 2");
  const changed = await check(where, options);
  expect(changed).toMatchObject({ equal: false, missing: [`${where.database}.c`] });
  expect(changed.verification.differences.map(({ keys }) => keys)).toEqual([[{ key: '{"id":"2"}', what: "missing" }]]);
});

test.each(["mysql", "mariadb"] as const)("%s: what is otherwise in the target is told side by side", async (kind) => {
  const where = await my.pair(
    servers,
    kind,
    kind,
    "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, v VARCHAR(20), KEY byn (n), KEY byv (v)); INSERT INTO t VALUES (1, 2, 'x'); CREATE VIEW seen AS SELECT id FROM t",
  );
  await ran(where);
  expect(reported(await check(where))).toEqual([]);
  await where.to.query(
    "ALTER TABLE t MODIFY n BIGINT NULL, DROP KEY byn, DROP KEY byv, ADD UNIQUE KEY byv (v, n); DROP VIEW seen",
  );
  const changed = await check(where);
  expect(changed.verification.differences).toEqual([]);
  expect(changed.equal).toBe(false);
  expect(reported(changed)).toEqual([
    [
      "column",
      `${where.database}.t.n`,
      expect.stringMatching(
        /^its definition differs: int(\(11\))? NOT NULL in the source, bigint(\(20\))? DEFAULT NULL in the target$/,
      ),
    ],
    ["index", `${where.database}.t.byn`, "the target has no index of this name"],
    [
      "index",
      `${where.database}.t.byv`,
      "its definition differs: KEY `byv` (`v`) in the source, UNIQUE KEY `byv` (`v`,`n`) in the target",
    ],
    ["view", "seen", "the target has no view of this name"],
  ]);
});

test("a server that folds the names of tables has them all the same", async () => {
  const { admin, server } = servers.of.mysql;
  await admin.query(
    "CREATE DATABASE folded; USE folded; CREATE TABLE Mixed (Id INT PRIMARY KEY, V TEXT); INSERT INTO Mixed VALUES (1, 'a'), (2, 'b')",
  );
  const other = await mysqlAs(folding.adminUrl);
  await other.query("CREATE DATABASE folded CHARACTER SET utf8mb4; USE folded");
  const both = {
    source: endpoint(server.urlOf("folded", "admin"), "mysql"),
    target: endpoint(folding.urlOf("folded", "admin"), "mysql"),
  };
  await ran(both);
  expect(await check(both)).toMatchObject({ equal: true, missing: [], extra: [] });
  await other.query("UPDATE mixed SET v = 'B' WHERE id = 2");
  const { verification } = await check(both);
  expect(verification.differences[0]?.keys).toEqual([{ key: '{"Id":"2"}', what: "different" }]);
  await other.end();
});
