import { access, chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  copied,
  database,
  fingerprint,
  hooks,
  request,
  type Servers,
  sql,
  startServers,
  transfer,
  until,
  type Where,
} from "../../support/engine/postgres-support.ts";

/** The real pg_dump, which waits before it connects until `open` lets it: a snapshot can be lost before it is used. */
interface Gate {
  reached(): Promise<void>;
  open(): Promise<void>;
}

let servers: Servers;
let folder = "";
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gate-"));
});
afterEach(async () => {
  process.env.ROWFERRY_PG_BIN = servers.tools;
  await rm(folder, { recursive: true, force: true });
});

async function gate(): Promise<Gate> {
  const [reached, opened] = [join(folder, "reached"), join(folder, "opened")];
  const script = `#!/bin/sh
case "$*" in *--snapshot=*) : > '${reached}'; while [ ! -e '${opened}' ]; do sleep 0.05; done;; esac
exec '${servers.tools}/pg_dump' "$@"
`;
  await writeFile(join(folder, "pg_dump"), script);
  await chmod(join(folder, "pg_dump"), 0o755);
  process.env.ROWFERRY_PG_BIN = folder;
  const exists = () =>
    access(reached).then(
      () => true,
      () => false,
    );
  return { reached: () => until(exists, "pg_dump's start"), open: () => writeFile(opened, "") };
}

const shop =
  "CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL); INSERT INTO item SELECT i, 'item ' || i FROM generate_series(1, 1000) i";

/** Ends the sessions of the source that `which` names, and answers how many these were. */
const terminate = async (source: Where, which: string): Promise<number> => {
  const [found] = await sql<{ n: number }>(
    source,
    `SELECT count(pg_terminate_backend(pid))::int AS n FROM pg_stat_activity WHERE datname = current_database() AND ${which}`,
  );
  return found?.n ?? 0;
};
const rowferry = "application_name ~ '^rowferry'";
const waitingDump = `${rowferry} AND wait_event_type = 'Lock' AND query ~ '^LOCK TABLE'`;

/** A lock that nobody is given while the copy holds its own, and behind which a pg_dump that comes later waits. */
async function lockBehind(source: Where): Promise<{ got: Promise<unknown> }> {
  const got = sql(source, "BEGIN; LOCK TABLE item IN ACCESS EXCLUSIVE MODE; COMMIT");
  got.catch(() => undefined);
  const waits =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'ACCESS EXCLUSIVE MODE; COMMIT'";
  await until(async () => (await sql(source, waits)).length === 1, "a lock that waits");
  return { got };
}

describe("a source that is cut while pg_dump reads its schema", () => {
  test("before pg_dump has the snapshot: the lost connection is the error, and a retry copies everything", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    const held = await gate();
    const failure = transfer(request(source, target), hooks()).catch((error: unknown) => error);
    await held.reached();
    const idle = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND ${rowferry} AND state NOT LIKE 'idle%'`;
    await until(async () => (await sql(source, idle)).length === 0, "the end of what the sessions read");
    // The holder of the locks, its watcher, the first session and two readers.
    expect(await terminate(source, rowferry)).toBe(5);
    await held.open();
    expect(await failure).toMatchObject({ code: "connection_lost", retryable: true, side: "source" });
    await copied(source, target);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("while pg_dump waits for a lock: its lost connection is the error, and a retry copies everything", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    const held = await gate();
    const failure = transfer(request(source, target), hooks()).catch((error: unknown) => error);
    await held.reached();
    const behind = await lockBehind(source);
    await held.open();
    let ended = 0;
    await until(async () => {
      ended += await terminate(source, waitingDump);
      return ended > 0;
    }, "a pg_dump that waits");
    expect(ended).toBe(1);
    expect(await failure).toMatchObject({ code: "connection_lost", retryable: true, side: "source" });
    await behind.got;
    await copied(source, target);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("a pg_dump that waits too long for a lock gives way, and the copy goes on from a new snapshot", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    const held = await gate();
    const copying = copied(source, target);
    await held.reached();
    const behind = await lockBehind(source);
    await held.open();
    await Promise.all([behind.got, copying]);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });
});
