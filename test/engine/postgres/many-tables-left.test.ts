import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { copy } from "../../../src/engine/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint as mysqlEndpoint } from "../../support/engine/mysql-support.ts";
import { database, endpoint, hooks, request, sql, type Where } from "../../support/engine/postgres-support.ts";

/** A source with more tables than its table of locks has room for, of which `include` names a few. */

const tables = 3_000;

let cramped: Database;
let mariadb: Database;
let source: Where;
beforeAll(async () => {
  const few = ["max_locks_per_transaction=10", "max_connections=20", "autovacuum_worker_slots=1", "max_wal_senders=0"];
  [cramped, mariadb] = await Promise.all([
    borrowDatabase("postgres", { args: few.flatMap((setting) => ["-c", setting]) }),
    borrowDatabase("mariadb", { args: ["--local-infile=1"] }),
  ]);
  source = await database(
    cramped,
    `CREATE TABLE parent (id int PRIMARY KEY) PARTITION BY RANGE (id);
     CREATE TABLE part_1 PARTITION OF parent FOR VALUES FROM (0) TO (10);
     INSERT INTO parent VALUES (1), (2);
     CREATE TABLE one (id int PRIMARY KEY); INSERT INTO one VALUES (1)`,
  );
  for (let at = 0; at < tables; at += 100)
    await sql(
      source,
      `DO $$ BEGIN FOR n IN ${at}..${at + 99} LOOP EXECUTE format('CREATE TABLE left_%s (id int)', n); END LOOP; END $$`,
    );
});
afterAll(() => Promise.all([cramped?.stop(), mariadb?.stop()]));

test("has no room for the locks of all", async () => {
  const all = Array.from({ length: tables }, (_, n) => `left_${n}`).join(", ");
  await expect(sql(source, `BEGIN; LOCK TABLE ${all} IN ACCESS SHARE MODE; COMMIT`)).rejects.toThrow(
    /out of shared memory/,
  );
});

test("the tables that are named are copied to MariaDB, and those alone are locked", async () => {
  const target = mysqlEndpoint(mariadb.url, "mysql");
  let looked: Promise<{ name: string }[]> | undefined;
  const using = hooks({
    log: (_, message) => {
      if (message.startsWith("Snapshot")) looked = sql(source, locks);
    },
  });
  const options = { jobs: 2, include: ["public.one", "public.parent"] };
  const asked = { ...request(source, source, { options }), source: endpoint(source), target };
  const { report } = await copy(asked, using);
  expect(report.tables.map(({ source, rows }) => [source, rows.target])).toEqual([
    ["public.one", 1],
    ["public.parent", 2],
  ]);
  expect((await looked)?.map(({ name }) => name)).toEqual(["one", "parent", "part_1"]);
});

const locks = `SELECT DISTINCT c.relname AS name FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
  WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l.mode = 'AccessShareLock'
    AND c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace ORDER BY 1`;
