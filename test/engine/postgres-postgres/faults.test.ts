import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDatabase } from "../../../dev/databases/index.ts";
import {
  copied,
  database,
  endpoint,
  fingerprint,
  hooks,
  request,
  type Servers,
  sessionsEnd,
  sql,
  startServers,
  transfer,
  until,
  type Where,
} from "../../support/engine/postgres-support.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const shop = `CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL); INSERT INTO item SELECT i, 'item ' || i FROM generate_series(1, 1000) i;
  CREATE TABLE sale (id int PRIMARY KEY, item int REFERENCES item, at timestamptz); INSERT INTO sale SELECT i, 1 + i % 1000, now() FROM generate_series(1, 5000) i;
  CREATE INDEX ON sale (at)`;
const rows = (count: number) =>
  `CREATE TABLE long (id int PRIMARY KEY, t text); INSERT INTO long SELECT i, repeat(md5(i::text), 10) FROM generate_series(1, ${count}) i`;
/** About 55 MB, which takes long enough for something to happen to it. */
const many = 140_000;
const long = rows(many);

/**
 * Copies, and does `work` after the copy took its moment of the source and before it reads a row: a table of the same name in
 * the target, not committed, makes it wait.
 */
async function copiedWhile(source: Where, target: Where, table: string, work: () => Promise<void>): Promise<void> {
  const holder = new pg.Client(target.server.urlOf(target.database, "admin"));
  await holder.connect();
  await holder.query(`BEGIN; CREATE TABLE ${table} ()`);
  const copying = copied(source, target);
  copying.catch(() => undefined);
  const waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  try {
    await until(async () => (await sql(target, waits)).length > 0, "a copy that waits for the table's name");
    await work();
  } finally {
    await holder.end();
  }
  await copying;
}

const relations = (where: Where) =>
  sql(where, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace");

describe("rows that a careless reader would miss", () => {
  test("row-level security that hides rows from the reader fails the run", async () => {
    const source = await database(
      servers.new,
      `CREATE ROLE reader_${process.pid} LOGIN PASSWORD 'reader'; CREATE TABLE t (id int, who text); INSERT INTO t VALUES (1, 'a'), (2, 'b');
       GRANT SELECT ON t TO reader_${process.pid}; ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t USING (who = 'a')`,
    );
    const target = await database(servers.new);
    const reader = endpoint(source, { name: `reader_${process.pid}`, password: "reader" });
    await expect(transfer(request(source, target, { source: reader }), hooks())).rejects.toMatchObject({
      code: "permission_denied",
      message: expect.stringMatching(/row-level security|row_security/),
    });
  });

  test("TRUNCATE on the source waits for the copy, which has every row", async () => {
    const source = await database(servers.new, shop);
    const before = await fingerprint(source);
    const target = await database(servers.new);
    let over = false;
    let truncated: Promise<unknown> | undefined;
    let waited: Promise<boolean> | undefined;
    const waits =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ '^TRUNCATE'";
    const using = hooks({
      log(_, message) {
        if (message.startsWith("Copied")) over = true;
        if (!message.startsWith("Creating")) return;
        truncated = sql(source, "TRUNCATE sale, item");
        waited = until(async () => (await sql(source, waits)).length === 1, "a TRUNCATE that waits").then(() => !over);
      },
    });
    // So slow that it copies for seconds.
    await copied(source, target, { options: { jobs: 2, bandwidth: 60_000 } }, using);
    expect(await waited).toBe(true);
    await truncated;
    expect(await sql(source, "SELECT count(*)::int AS n FROM sale")).toEqual([{ n: 0 }]);
    expect(await fingerprint(target)).toEqual(before);
  });

  test("writes during the copy are all in or all out: one moment of the source is copied", async () => {
    const source = await database(
      servers.new,
      `CREATE TABLE a (n int, t text); CREATE TABLE b (n int, t text); ${long}`,
    );
    const target = await database(servers.new);
    let [running, written] = [true, 0];
    const write = async () => {
      for (let i = 0; running; i++) {
        await sql(
          source,
          `BEGIN; INSERT INTO a VALUES (${i}, 'x'); INSERT INTO b VALUES (${i}, 'x'); UPDATE long SET t = 'changed' WHERE id = ${i}; COMMIT`,
        );
        written = i + 1;
      }
    };
    const writing = write();
    let atHold = 0;
    try {
      await until(async () => written > 0, "a first write");
      await copiedWhile(source, target, "a", async () => {
        atHold = written;
        await until(async () => written > atHold + 5, "writes after the moment of the copy");
      });
    } finally {
      running = false;
      await writing;
    }
    const [both] = await sql<{ a: number; b: number; changed: number }>(
      target,
      "SELECT (SELECT count(*) FROM a)::int AS a, (SELECT count(*) FROM b)::int AS b, (SELECT count(*) FROM long WHERE t = 'changed')::int AS changed",
    );
    expect(both?.a).toBe(both?.b);
    expect(both?.a).toBeLessThanOrEqual(atHold + 1);
    // Number 0 changes no row of `long`, whose ids begin at 1.
    expect(both?.changed).toBe((both?.a ?? 0) - 1);
    expect(await sql(target, "SELECT count(*)::int AS n FROM long")).toEqual([{ n: many }]);
  });
});

describe("before anything is written", () => {
  test("a target with things of the same name is refused, and stays as it was", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new, "CREATE TABLE item (mine int); INSERT INTO item VALUES (7)");
    await expect(transfer(request(source, target), hooks())).rejects.toMatchObject({
      code: "target_not_empty",
      message: expect.stringContaining("table public.item"),
    });
    expect(await relations(target)).toEqual([{ relname: "item" }]);
  });

  test("other things in the target are left alone", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new, "CREATE TABLE mine (i int); INSERT INTO mine VALUES (7)");
    await copied(source, target);
    expect(await sql(target, "SELECT i FROM mine")).toEqual([{ i: 7 }]);
  });

  test("a source that is the target is refused, whatever it is called", async () => {
    const source = await database(servers.new, shop);
    const target = { ...endpoint(source), host: "localhost" };
    await expect(transfer(request(source, source, { target }), hooks())).rejects.toMatchObject({
      code: "same_database",
    });
    expect((await relations(source)).filter(({ relname }) => String(relname).includes("rowferry"))).toEqual([]);
  });

  test("a pg_dump that is too old or missing is named, with the version that is needed", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    process.env.ROWFERRY_PG_BIN = "/nowhere";
    await expect(transfer(request(source, target), hooks())).rejects.toMatchObject({ code: "pg_dump_missing" });
    process.env.ROWFERRY_PG_BIN = servers.tools;
  });

  test.each([
    ["a wrong password", { password: "wrong" }, "access_denied"],
    ["an unknown database", { database: "nowhere" }, "database_not_found"],
    ["an unknown host", { host: "nowhere.invalid" }, "host_not_found"],
    ["a port on which nothing listens", { port: 1 }, "connection_refused"],
  ])("%s is told in words, without the password", async (_, change, code) => {
    const source = await database(servers.new);
    const target = await database(servers.new);
    const failure = await transfer(
      request(source, target, { source: { ...endpoint(source), ...change } }),
      hooks(),
    ).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code });
    expect(String(failure)).not.toContain(endpoint(source).password);
  });
});

describe("a run that is cut short", () => {
  test("begins anew after its worker's end, and has every row once", async () => {
    const source = await database(servers.new, `${shop}; ${long}`);
    const target = await database(servers.new);
    const stop = new AbortController();
    const using = hooks({
      signal: stop.signal,
      progress: ({ phase, rows }) => {
        if (phase === "copying" && rows.done > 20_000) stop.abort(new Error("asked to stop"));
      },
    });
    await expect(transfer(request(source, target), using)).rejects.toThrow("asked to stop");
    await sessionsEnd(target);
    const { heard } = await copied(source, target);
    expect(heard.log.map(([, message]) => message).join("\n")).toMatch(/[Tt]he earlier attempt had/);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test.each(["source", "target"] as const)(
    "a session that the %s cuts is an error that may be tried again, and a retry has every row",
    async (side) => {
      const source = await database(servers.new, long);
      const target = await database(servers.new);
      const cut = { source, target }[side];
      // Asked for again and again, since the copy may be over before its first word of progress.
      let over = false;
      const cutting = (async () => {
        while (!over) {
          const [found] = await sql(
            cut,
            "SELECT count(pg_terminate_backend(pid))::int AS n FROM pg_stat_activity WHERE query ~ '^COPY' AND state = 'active' AND datname = current_database()",
          );
          over ||= Number(found?.["n"]) > 0;
        }
      })();
      await expect(
        transfer(request(source, target), hooks()).finally(() => {
          over = true;
        }),
      ).rejects.toMatchObject({
        retryable: true,
        code: expect.stringMatching(/^(connection_lost|server_shutdown)$/),
      });
      await cutting;
      await copied(source, target);
      expect(await fingerprint(target)).toEqual(await fingerprint(source));
    },
  );

  test("a target without connections to spare says so", async () => {
    const source = await database(servers.new, shop);
    const tight = await startDatabase("postgres", {
      args: ["-c", "max_connections=6", "-c", "superuser_reserved_connections=3"],
    });
    try {
      const target = { server: tight, database: "app" };
      const app = { name: "app", password: tight.password };
      await expect(
        transfer(request(source, target, { target: endpoint(target, app), options: { jobs: 4 } }), hooks()),
      ).rejects.toMatchObject({ code: "too_many_connections", retryable: true });
      await sessionsEnd(target);
      await transfer(request(source, target, { target: endpoint(target, app), options: { jobs: 1 } }), hooks()).then(
        ({ finish }) => finish(),
      );
      expect(await fingerprint(target)).toEqual(await fingerprint(source));
    } finally {
      await tight.stop();
    }
  });

  test("a target without room says so, and has every row once there is room", async () => {
    const source = await database(servers.new, rows(250_000));
    const small = await startDatabase("postgres", {
      diskMegabytes: 330,
      args: ["-c", "max_wal_size=64MB", "-c", "min_wal_size=64MB"],
    });
    try {
      const target = { server: small, database: "app" };
      // The log keeps the room that it has had once: the rows are what meets the full disk. A server that cannot write its log falls over.
      const message = "SELECT pg_logical_emit_message(true, 'a', 'b')";
      for (let segment = 0; segment < 5; segment += 1)
        for (const statement of [message, "SELECT pg_switch_wal()", "CHECKPOINT"]) await sql(target, statement);
      for (const name of ["filler", "reserve"])
        await sql(target, `CREATE UNLOGGED TABLE ${name} (t text); ALTER TABLE ${name} ALTER t SET STORAGE PLAIN`);
      const fill = (name: string, megabytes: number) =>
        sql(target, `INSERT INTO ${name} SELECT repeat('x', 7000) FROM generate_series(1, ${megabytes * 128})`);
      await fill("reserve", 20);
      const fillUp = async (): Promise<unknown> => fill("filler", 5).then(fillUp, (error: unknown) => error);
      expect(await fillUp()).toMatchObject({ code: "53100" });
      await sql(target, "DROP TABLE reserve");
      const narrow = { options: { jobs: 1 } };
      const failure = await transfer(request(source, target, narrow), hooks()).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: "disk_full",
        message: expect.stringContaining("free space"),
        retryable: false,
      });
      await sql(target, "DROP TABLE filler");
      await sql(target, "CHECKPOINT");
      await copied(source, target, narrow);
      expect(await fingerprint(target)).toEqual(await fingerprint(source));
    } finally {
      await small.stop();
    }
  });

  test("a result that was stored is answered again, without copying", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    const first = await transfer(request(source, target), hooks());
    // The worker ends here, before its result is acknowledged; another comes.
    await sql(target, "DELETE FROM sale WHERE id = 1");
    const second = await transfer(request(source, target), hooks());
    expect(second.report).toEqual(first.report);
    expect(await sql(target, "SELECT count(*)::int AS n FROM sale")).toEqual([{ n: 4999 }]);
    await second.finish();
    await second.finish();
    // A finish of the first, which was overtaken, does no harm.
    await first.finish();
    expect((await relations(target)).filter(({ relname }) => String(relname).includes("rowferry"))).toEqual([]);
  });

  test("reset drops exactly what the run had made, and copies again", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new, "CREATE TABLE mine (i int)");
    const { report } = await copied(source, target);
    await sql(source, "INSERT INTO item VALUES (5000, 'new')");
    const again = await copied(source, target, { reset: true, made: report.made, madeIn: report.target });
    expect(again.report.tables.find(({ source }) => source === "public.item")?.rows.target).toBe(1001);
    expect(await fingerprint(target)).toEqual({ ...(await fingerprint(source)), "public.mine": expect.anything() });
  });

  test("reset does not take with it what others hung on its tables, and names that", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    const { report } = await copied(source, target);
    await sql(target, "CREATE VIEW theirs AS SELECT name FROM item");
    await expect(
      transfer(request(source, target, { reset: true, made: report.made, madeIn: report.target }), hooks()),
    ).rejects.toMatchObject({
      code: "dependents_exist",
      message: expect.stringContaining("theirs"),
    });
    expect(await sql(target, "SELECT count(*)::int AS n FROM theirs")).toEqual([{ n: 1000 }]);
  });
});
