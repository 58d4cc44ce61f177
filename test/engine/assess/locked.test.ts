import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assessFirst } from "../../../src/engine/assess/assess-first.ts";
import { assess } from "../../../src/engine/assess/index.ts";
import * as my from "../../support/engine/mysql-mysql-support.ts";
import { endpoint } from "../../support/engine/mysql-support.ts";
import * as postgres from "../../support/engine/postgres-support.ts";

/** A table of the source that somebody has locked against reading: an assessment waits two seconds for the lock at most. */

let servers: { pg: postgres.Servers; mysql: my.Servers };
beforeAll(async () => {
  const [source, target] = await Promise.all([postgres.startServers(), my.startServers()]);
  servers = { pg: source, mysql: target };
});
afterAll(async () => {
  await my.closeClients();
  await Promise.all([servers?.pg.stop(), servers?.mysql.close()]);
});

test.each([
  ["old", "postgres"],
  ["old", "mysql"],
  ["new", "postgres"],
  ["new", "mysql"],
] as const)(
  "in a source (%s) that is copied to %s: it is told, and the copy does not wait for it unwatched",
  async (age, kind) => {
    const place = await postgres.database(
      servers.pg[age],
      `CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'x')`,
    );
    const source = postgres.endpoint(place);
    const name = `locked_${kind}_${age}`;
    const { admin, server } = servers.mysql.of.mysql;
    if (kind === "mysql") await admin.query(`CREATE DATABASE ${name}`);
    const target =
      kind === "mysql"
        ? endpoint(server.urlOf(name, "admin"), "mysql")
        : postgres.endpoint(await postgres.database(servers.pg.new));
    const holder = new pg.Client({ connectionString: servers.pg[age].urlOf(place.database, "admin") });
    // The error of a session that ends with its server is no failure of the test's.
    holder.on("error", () => undefined);
    await holder.connect();
    await holder.query("BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE");
    const asked = { source, target, options: { jobs: 2 } };
    const logs: string[] = [];
    const hooks = {
      signal: AbortSignal.timeout(60_000),
      log: (_: string, words: string) => {
        logs.push(words);
      },
    };
    await expect(assess(asked, hooks)).rejects.toMatchObject({
      code: "lock_timeout",
      retryable: true,
      message: expect.stringMatching(
        /^a lock on the source database was not free in time: end what holds it.*; on the source database, SELECT waits for .* on "public"\."t", held up by process \d+ \(user postgres/,
      ),
    });
    await assessFirst(
      { ...asked, owner: "o", ownerName: "o", reset: false },
      hooks,
      { assess, foundRuns: () => Promise.resolve([]) },
      () => undefined,
    );
    expect(logs).toEqual([
      "Checking both databases for blockers before the first write",
      expect.stringMatching(
        /^The check for blockers failed, and the copy starts without it: a lock on the source database.* held up by process \d+ \(user postgres/,
      ),
    ]);
    await holder.query("COMMIT");
    await holder.end();
  },
  100_000,
);
