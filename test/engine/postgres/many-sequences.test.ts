import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { copy } from "../../../src/engine/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint as mysqlEndpoint } from "../../support/engine/mysql-support.ts";
import {
  database,
  endpoint,
  hooks,
  request,
  type Servers,
  sql,
  startServers,
  type Where,
} from "../../support/engine/postgres-support.ts";

/** A source with more sequences than its table of locks has room for: each that is read is locked until its transaction ends. */

const sequences = 2_000;

let servers: Servers;
let cramped: Database;
let mariadb: Database;
let source: Where;
beforeAll(async () => {
  const few = ["max_locks_per_transaction=10", "max_connections=20", "autovacuum_worker_slots=1", "max_wal_senders=0"];
  [servers, cramped, mariadb] = await Promise.all([
    startServers(),
    borrowDatabase("postgres", { args: few.flatMap((setting) => ["-c", setting]) }),
    borrowDatabase("mariadb", { args: ["--local-infile=1"] }),
  ]);
  source = await database(cramped, "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)");
  for (let at = 0; at < sequences; at += 100)
    await sql(
      source,
      `DO $$ BEGIN FOR n IN ${at}..${at + 99} LOOP EXECUTE format('CREATE SEQUENCE s%s START %s', n, n + 1); END LOOP; END $$`,
    );
});
afterAll(() => Promise.all([servers?.stop(), cramped?.stop(), mariadb?.stop()]));

test("has no room for the locks of all", async () => {
  const reads = Array.from({ length: sequences }, (_, n) => `SELECT last_value FROM s${n}`).join(" UNION ALL ");
  await expect(sql(source, reads)).rejects.toThrow(/out of shared memory/);
});

test("is copied to PostgreSQL with the value of each", async () => {
  const target = await database(servers.new);
  await copy(request(source, target), hooks());
  expect(
    await sql(
      target,
      "SELECT count(*)::int AS n, sum(start_value)::int AS sum FROM pg_sequences WHERE sequencename ~ '^s[0-9]+$'",
    ),
  ).toEqual([{ n: sequences, sum: (sequences * (sequences + 1)) / 2 }]);
  expect(await sql(target, `SELECT last_value::int AS last FROM s${sequences - 1}`)).toEqual([{ last: sequences }]);
});

test("is copied to MariaDB, with the value of each in the report", async () => {
  const target = mysqlEndpoint(mariadb.url, "mysql");
  const { report } = await copy({ ...request(source, source), source: endpoint(source), target }, hooks());
  const found = report.inventory.filter(({ kind }) => kind === "sequence").map(({ note }) => note);
  expect(found).toHaveLength(sequences);
  expect(found.filter((note) => note?.includes("its last value is"))).toHaveLength(sequences);
});
