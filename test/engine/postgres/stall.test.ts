import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDatabase } from "../../../dev/databases/index.ts";
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
} from "../../support/engine/postgres-support.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const rows =
  "CREATE TABLE t (id int PRIMARY KEY, t text); INSERT INTO t SELECT i, repeat(md5(i::text), 10) FROM generate_series(1, 60000) i";

describe("a run that stalls", () => {
  test("ends with who holds the lock that it waits for, and goes on when that is gone", async () => {
    const source = await database(servers.new, rows);
    const target = await database(servers.new);
    const holder = new pg.Client({
      connectionString: servers.new.urlOf(target.database, "admin"),
      application_name: "night job",
    });
    // The error of a session that ends with its server is no failure of the test's.
    holder.on("error", () => undefined);
    await holder.connect();
    let held: Promise<unknown> | undefined;
    const using = hooks({
      log(_, words) {
        // The table is there by the next word of progress; the lock is taken as soon as it is.
        if (words.startsWith("Creating"))
          held = until(
            () =>
              holder.query("BEGIN; LOCK TABLE t IN SHARE MODE").then(
                () => true,
                () => holder.query("ROLLBACK").then(() => false),
              ),
            "the lock",
          );
      },
    });
    const options = { jobs: 1, stall_timeout: 2, bandwidth: 8_000_000 };
    const failure = await transfer(request(source, target, { options }), using).catch((error: unknown) => error);
    await held;
    expect(failure).toMatchObject({
      code: "stalled",
      retryable: true,
      message: expect.stringMatching(
        /on the target database, .* waits for the lock .* on "public"\."t", held up by process \d+ \(user postgres, application night job, host 127\.0\.0\.1, since .* UTC, idle in transaction, last statement BEGIN\)/,
      ),
    });
    await holder.end();
    await copied(source, target);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("ends when a server stands still, and says which", async () => {
    const still = await startDatabase("postgres");
    const stopped: number[] = [];
    try {
      const source = { server: still, database: "app" };
      await sql(source, rows);
      const target = await database(servers.new);
      let stopping: Promise<void> | undefined;
      const using = hooks({
        progress({ phase, rows }) {
          if (phase === "copying" && rows.done > 0) stopping ??= freeze(still.pid, stopped);
        },
      });
      const options = { jobs: 1, stall_timeout: 3, bandwidth: 4_000_000 };
      const failure = await transfer(request(source, target, { options }), using).catch((error: unknown) => error);
      await stopping;
      expect(failure).toMatchObject({
        code: "stalled",
        message: expect.stringMatching(/the source database does not answer/),
      });
    } finally {
      for (const pid of stopped) process.kill(pid, "SIGCONT");
      await still.stop();
    }
  });

  test("is not one where a server works for it", async () => {
    const target = await database(servers.new);
    const source = await database(
      servers.new,
      `CREATE FUNCTION busy(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ DECLARE n int := 0; BEGIN
         IF pg_catalog.current_database() = '${target.database}' THEN FOR k IN 1..14000 LOOP n := n + k % 7; END LOOP; END IF; RETURN i; END $$;
       CREATE TABLE t (id int); INSERT INTO t SELECT generate_series(1, 3000); CREATE INDEX ON t (busy(id))`,
    );
    await copied(source, target, { options: { jobs: 1, stall_timeout: 3 } });
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });
});

/** Stops a server with all its processes. */
async function freeze(pid: number, stopped: number[]): Promise<void> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    const text = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, "utf8").catch(() => "") : "";
    const parent = /\) \S (\d+)/.exec(text)?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const under = (one: number): number[] => [
    one,
    ...[...parents].filter(([, parent]) => parent === one).flatMap(([child]) => under(child)),
  ];
  for (const one of under(pid)) {
    try {
      process.kill(one, "SIGSTOP");
      stopped.push(one);
    } catch (error) {
      // It ended since it was looked for.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}
