import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Connection } from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import type { Endpoint, EngineError } from "../../../src/engine/contract/index.ts";
import { openSnapshot, type SnapshotOptions } from "../../../src/engine/mysql/source/snapshot.ts";
import { openProxy } from "../../chaos/proxy.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, mysqlAs } from "../../support/engine/mysql-support.ts";

/** Who locks for a moment, and never for longer: whatever others do, and whatever becomes of the copy. */
interface Scene {
  server: Database;
  admin: Connection;
  client(): Promise<Connection>;
  /** User of the tables `t0` to `t3` with these rights on them, and on everything. */
  source(rights: string, rightsOnAll?: string): Promise<Endpoint>;
  states(): Promise<{ user: string; state: string; statement: string }[]>;
}

let made = 0;

function scene(kind: "mysql" | "mariadb"): () => Scene {
  let server: Database;
  let admin: Connection;
  beforeAll(async () => {
    server = await borrowDatabase(kind);
    admin = await mysqlAs(server.adminUrl);
    const tables = [0, 1, 2, 3].map(
      (n) => `CREATE TABLE t${n} (id int PRIMARY KEY, v int); INSERT INTO t${n} VALUES (1, 0)`,
    );
    await admin.query(`CREATE DATABASE brief; USE brief; ${tables.join("; ")}`);
  });
  afterAll(async () => {
    await admin?.end();
    await server?.stop();
  });
  return () => ({
    server,
    admin,
    async client() {
      const client = await mysqlAs(server.urlOf("brief", "admin"));
      onTestFinished(() => client.destroy());
      return client;
    },
    async source(rights, rightsOnAll) {
      const user = `looker${++made}`;
      await admin.query(`CREATE USER ${user} IDENTIFIED BY 'pass-word-1'; GRANT ${rights} ON brief.* TO ${user}`);
      if (rightsOnAll !== undefined) await admin.query(`GRANT ${rightsOnAll} ON *.* TO ${user}`);
      return { ...endpoint(server.urlOf("brief", "admin"), "mysql"), user, password: "pass-word-1" };
    },
    async states() {
      const [rows] = await admin.query("SHOW FULL PROCESSLIST");
      return (rows as { User: string; State: string | null; Info: string | null }[]).map(({ User, State, Info }) => ({
        user: User,
        state: State ?? "",
        statement: Info ?? "",
      }));
    },
  });
}

const open = (source: Endpoint, options: SnapshotOptions = {}) =>
  openSnapshot(source, 2, "test", new AbortController().signal, () => undefined, options);

/** Writes all the time. Answers the longest wait in milliseconds. */
function writeTo(client: Connection, table: string): () => Promise<number> {
  let longest = 0;
  let going = true;
  const work = (async () => {
    while (going) {
      const before = performance.now();
      await client.query(`UPDATE ${table} SET v = v + 1`);
      longest = Math.max(longest, performance.now() - before);
    }
  })();
  return async () => {
    going = false;
    await work;
    return longest;
  };
}

const patience = { timeout: 45_000, interval: 20 };

describe("MySQL", () => {
  const { source, client, states, admin } = spread(scene("mysql"));

  test("tables that come free one after the other hold up a writer for one wait, and not for the sum of them", async () => {
    const from = await source("SELECT, LOCK TABLES");
    const holders = await Promise.all([1, 2, 3].map(client));
    for (const [at, holder] of holders.entries()) await holder.query(`START TRANSACTION; UPDATE t${at + 1} SET v = 1`);
    const waits = async () =>
      (await states()).filter(
        ({ user, state }) => user === from.user && state.startsWith("Waiting for table metadata lock"),
      ).length;
    const written = writeTo(await client(), "t0");
    const opening = open(from);
    for (const holder of holders) {
      await expect.poll(waits, patience).toBe(1);
      await holder.query("DO SLEEP(1.7); COMMIT");
    }
    const snapshot = await opening;
    expect(await written()).toBeLessThan(4_000);
    expect(snapshot.readers).toHaveLength(2);
    await snapshot.close();
  });

  test("a flush that was given up leaves no lock: who writes waits for it alone, and not for the copy", async () => {
    const from = await source("SELECT", "RELOAD");
    const reading = await client();
    const read = reading.query("SELECT SLEEP(300) FROM t1").catch(() => undefined);
    await expect.poll(async () => (await states()).some(({ state }) => state === "User sleep"), patience).toBe(true);
    const written = writeTo(await client(), "t0");
    const opening = open(from);
    const holds = async () =>
      (await states()).some(
        ({ user, state, statement }) =>
          user === from.user && state === "Waiting for table flush" && statement.startsWith("(SELECT 1"),
      );
    await expect.poll(holds, patience).toBe(true);
    const waited = await written();
    const other = await client();
    await other.query("SET SESSION lock_wait_timeout = 3");
    await other.query("UPDATE t0 SET v = v + 1");
    await other.query(`KILL QUERY ${reading.threadId}`);
    await read;
    const snapshot = await opening;
    expect(snapshot.readers).toHaveLength(1);
    await other.query("UPDATE t0 SET v = v + 1");
    expect(waited).toBeLessThan(4_000);
    await snapshot.close();
  });

  test("a copy that has lost the lock of a table without a snapshot says so", async () => {
    await admin().query("CREATE TABLE brief.plain (id int PRIMARY KEY) ENGINE=MyISAM");
    const from = await source("SELECT, LOCK TABLES");
    const given = Promise.withResolvers<EngineError>();
    const snapshot = await openSnapshot(from, 2, "test", new AbortController().signal, given.resolve);
    const [[{ id }]] = (await admin().query(
      "SELECT PROCESSLIST_ID AS id FROM performance_schema.metadata_locks JOIN performance_schema.threads ON THREAD_ID = OWNER_THREAD_ID WHERE OBJECT_NAME = 'plain' AND LOCK_TYPE = 'SHARED_READ_ONLY'",
    )) as unknown as [[{ id: number }]];
    await admin().query(`KILL ${id}`);
    expect(await given.promise).toMatchObject({ code: "connection_lost", retryable: true, side: "source" });
    await snapshot.close();
    await admin().query("DROP TABLE brief.plain");
  });

  test("a prepared transaction that nobody ends lets the copy begin with one connection, and the warning tells how to find it", async () => {
    const from = await source("SELECT, LOCK TABLES");
    const [leaving, other] = await Promise.all([client(), client()]);
    await leaving.query("XA START 'left'; UPDATE t1 SET v = v + 1; XA END 'left'; XA PREPARE 'left'");
    await leaving.end();
    const written = writeTo(other, "t0");
    const snapshot = await open(from);
    expect(await written()).toBeLessThan(4_000);
    expect(snapshot.readers).toHaveLength(1);
    expect(snapshot.warnings.join()).toContain("none is left prepared (XA RECOVER)");
    await snapshot.close();
    await other.query("XA COMMIT 'left'");
  });
});

describe("MariaDB", () => {
  const { server, source, client, states, admin } = spread(scene("mariadb"));

  test("a copy that stands still with the source locked loses its locks", async () => {
    const from = { ...(await source("SELECT", "RELOAD")), tls: { mode: "disable" as const } };
    const proxy = await openProxy(server().port, {
      // The readers begin: everything is locked.
      before: async (sent) => {
        if (sent.includes("START TRANSACTION WITH CONSISTENT SNAPSHOT")) child.kill("SIGSTOP");
      },
    });
    onTestFinished(() => proxy.close());
    const snapshot = JSON.stringify(join(import.meta.dirname, "../../../src/engine/mysql/source/snapshot.ts"));
    const script = `import { openSnapshot } from ${snapshot};
      await openSnapshot(${JSON.stringify({ ...from, port: proxy.port })}, 2, "test", new AbortController().signal, () => {}, { blockingTimeout: 1 });`;
    const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const locks = async () => (await states()).some(({ state }) => /read lock|backup lock/i.test(state));
    const other = await client();
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) await other.query("UPDATE t0 SET v = v + 1");
    })();
    await expect.poll(locks, patience).toBe(true);
    await expect.poll(locks, patience).toBe(false);
    isWriting = false;
    await writing;
  });

  test("who changes a table without a snapshot in the moment in which it is locked does not lock the copy against itself", async () => {
    await admin().query("CREATE TABLE brief.plain (id int PRIMARY KEY) ENGINE=MyISAM");
    const from = { ...(await source("SELECT, LOCK TABLES")), tls: { mode: "disable" as const } };
    const changing = await client();
    let change: Promise<unknown> | undefined;
    const proxy = await openProxy(server().port, {
      before: async (sent) => {
        if (change !== undefined || !sent.includes("LOCK TABLES `brief`.`plain` READ") || sent.includes("t0")) return;
        change = changing.query("ALTER TABLE plain ADD COLUMN v int");
        await expect
          .poll(
            async () =>
              (await states()).some(
                ({ statement, state }) =>
                  statement.startsWith("ALTER") && state.startsWith("Waiting for table metadata lock"),
              ),
            patience,
          )
          .toBe(true);
      },
    });
    onTestFinished(() => proxy.close());
    const snapshot = await open({ ...from, port: proxy.port });
    expect(change).toBeDefined();
    expect(snapshot.warnings.join()).toContain("tables that are not InnoDB were read without a lock");
    await snapshot.close();
    await change;
  });
});

/** What a scene has, when it is there. */
function spread(at: () => Scene) {
  return {
    server: () => at().server,
    admin: () => at().admin,
    client: () => at().client(),
    states: () => at().states(),
    source: (...rights: Parameters<Scene["source"]>) => at().source(...rights),
  };
}
