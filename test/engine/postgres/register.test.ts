import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../../../src/engine/postgres/driver/connection.ts";
import { openFence } from "../../../src/engine/postgres/fence/fence.ts";
import { database, endpoint, type Servers, sql, startServers } from "../../support/engine/postgres-support.ts";

/** The lock under which runs come into a PostgreSQL database and leave it. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const lockKey = "8245940724411036281";
const ofRun = (owner: string) => ({ owner, ownerName: `run ${owner}` });

test("a lock that somebody keeps ends the run with who it is, and no other database waits for it", async () => {
  const [where, other] = [await database(servers.new), await database(servers.new)];
  await sql(where, "CREATE ROLE idler LOGIN PASSWORD 'idler'");
  const target = endpoint(where);
  const fence = await openFence(target, { ...ofRun("one"), registerMs: 300 });
  const idler = { ...target, user: "idler", password: "idler" };
  const holder = await connect(idler, { role: "target", applicationName: "reporting" });
  const [mine] = await holder.query<{ pid: number }>(
    `SELECT pg_catalog.pg_backend_pid() AS pid, pg_catalog.pg_advisory_lock(${lockKey})`,
  );
  const message = expect.stringMatching(
    `held by pid ${mine?.pid} of user idler \\(reporting\\).*pg_terminate_backend\\(${mine?.pid}\\)`,
  );
  const locked = { code: "target_locked", retryable: true, message };
  await expect(fence.claim([{ kind: "table", name: "public.t" }])).rejects.toMatchObject(locked);
  await expect(openFence(target, { ...ofRun("two"), registerMs: 1 })).rejects.toMatchObject(locked);
  const free = await openFence(endpoint(other), ofRun("two"));
  await free.drop();
  await free.close();
  await holder.end();
  await fence.claim([{ kind: "table", name: "public.t" }]);
  await fence.drop();
  await fence.close();
  expect(await sql(where, "SELECT FROM pg_class WHERE relname = '_rowferry'")).toEqual([]);
});
