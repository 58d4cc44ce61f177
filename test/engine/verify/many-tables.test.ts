import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { database, endpoint, sql } from "../../support/engine/postgres-support.ts";

/** More tables than a server has room to lock by two sessions at once. */

const tables = 250;

let cramped: Database;
let other: Database;
beforeAll(async () => {
  const few = ["max_locks_per_transaction=20", "max_connections=20", "autovacuum_worker_slots=1", "max_wal_senders=0"];
  const args = few.flatMap((setting) => ["-c", setting]);
  [cramped, other] = await Promise.all([borrowDatabase("postgres", { args }), borrowDatabase("postgres")]);
});
afterAll(() => Promise.all([cramped?.stop(), other?.stop()]));

const filled = async (server: Database) => {
  const where = await database(server);
  for (let at = 0; at < tables; at += 50)
    await sql(
      where,
      `DO $$ BEGIN FOR n IN ${at}..${at + 49} LOOP EXECUTE format('CREATE TABLE t_%s (id serial PRIMARY KEY, v int UNIQUE)', n); END LOOP; END $$`,
    );
  await sql(where, "INSERT INTO t_1 DEFAULT VALUES");
  return where;
};

test.each(["counts", "checksum"] as const)(
  "a verification by %s releases the locks of what it has read",
  async (level) => {
    const [source, target] = [await filled(cramped), await filled(other)];
    const {
      equal,
      tables: compared,
      objects,
    } = await verify(
      { source: endpoint(source), target: endpoint(target), options: { jobs: 2, verify: level } },
      { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
    );
    expect({ equal, compared: compared.length, undecided: objects.undecided }).toEqual({
      equal: true,
      compared: tables,
      undecided: [],
    });
  },
);
