import mysql from "mysql2/promise";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDatabase } from "../../../dev/databases/index.ts";
import { copy } from "../../../src/engine/index.ts";
import { reset } from "../../../src/engine/run/reset.ts";
import { error, type Flavour, mysqlAs, nextSecond } from "../../support/engine/mysql-support.ts";
import { type Pair, pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { until } from "../../support/engine/postgres-support.ts";
import { run } from "../../support/engine/run.ts";

const long = (count: number) =>
  `CREATE TABLE long (id int PRIMARY KEY, t text); INSERT INTO long SELECT i, repeat(md5(i::text), 10) FROM generate_series(1, ${count}) i;`;
const small =
  "CREATE TABLE item (id int PRIMARY KEY, name text); INSERT INTO item SELECT i, 'item ' || i FROM generate_series(1, 500) i; CREATE TABLE sale (id int PRIMARY KEY, item int REFERENCES item); INSERT INTO sale SELECT i, 1 + i % 500 FROM generate_series(1, 1000) i;";
const slow = { jobs: 2, bandwidth: 4_000_000 };

describe.each<Flavour>(["mysql", "mariadb"])("faults of a copy from PostgreSQL to %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const ask = async (both: Pair, sql: string) => {
    const client = new pg.Client({ connectionString: servers.source.urlOf(both.name, "admin") });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const count = async ({ name }: Pair, table: string) =>
    (await rows(servers.admin, `SELECT COUNT(*) FROM ${name}.${table}`))[0]?.[0];
  /** Resolves when rows of the table are on their way. */
  const loading = (both: Pair) =>
    until(
      async () =>
        (
          await rows(
            servers.admin,
            `SELECT ID FROM information_schema.PROCESSLIST WHERE DB = '${both.name}' AND INFO LIKE 'LOAD DATA%'`,
          )
        ).length > 0,
      "a load that runs",
    );

  test("row-level security that hides rows from the reader fails the run", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int, who text); INSERT INTO t VALUES (1, 'a'), (2, 'b'); ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t USING (who = 'a')`,
    );
    const role = `reader_${both.name}`;
    await ask(both, `CREATE ROLE ${role} LOGIN PASSWORD 'reader'; GRANT SELECT ON t TO ${role}`);
    const failed = await error(run({ ...both, source: { ...both.source, user: role, password: "reader" } }));
    expect(failed.code).toBe("permission_denied");
    expect(failed.message).toContain('query would be affected by row-level security policy for table "t"');
  });

  test("TRUNCATE on the source waits for the copy, which has every row, by ranges of pages where there is no key", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE pages (t text); INSERT INTO pages SELECT repeat(md5(i::text), 40) FROM generate_series(1, 60000) i;",
    );
    let truncated: Promise<unknown> | undefined;
    const working = run(both, { options: { jobs: 2 } });
    const truncating = loading(both).then(() => {
      truncated = ask(both, "TRUNCATE pages");
    });
    const { report } = await working;
    await truncating;
    await truncated;
    expect(report.tables[0]?.rows).toEqual({ source: 60000, target: 60000 });
    const parts = await rows(
      servers.admin,
      `SELECT name FROM ${both.name}._rowferry WHERE kind = 'part' AND name LIKE 'in:%"public.pages%'`,
    );
    expect(parts).toHaveLength(2);
    expect(await ask(both, "SELECT count(*)::int AS n FROM pages")).toEqual([{ n: 0 }]);
    expect(await rows(servers.admin, `SELECT COUNT(*), COUNT(DISTINCT t) FROM ${both.name}.pages`)).toEqual([
      ["60000", "60000"],
    ]);
  });

  test("a session that waits for a table which is not copied yet goes on when the copy ends with the cause", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE slow (t text); INSERT INTO slow SELECT repeat('x', 1000) FROM generate_series(1, 400) i;
       CREATE TABLE late (id int); INSERT INTO late VALUES (1); CREATE MATERIALIZED VIEW seen AS SELECT id FROM late`,
    );
    let altered: Promise<unknown> | undefined;
    const altering = loading(both).then(() => {
      altered = ask(both, "ALTER TABLE late ADD COLUMN n int");
    });
    const failed = await error(run(both, { options: { jobs: 1, bandwidth: 60_000, blocking_timeout: 1 } }));
    expect(failed.code).toBe("source_changed");
    expect(failed.message).toMatch(/has waited for \d s to lock table public\.late of the source/);
    await altering;
    await altered;
    expect(await ask(both, "SELECT n FROM late")).toEqual([{ n: null }]);
  });

  test("a session that waits for a table which is copied gets its lock, and the copy goes on", async () => {
    // `done` is the larger one by its dead rows, and is copied first.
    const both = await pair(
      servers,
      `CREATE TABLE done (id int, t text); INSERT INTO done SELECT i, repeat('x', 1000) FROM generate_series(1, 3000) i; DELETE FROM done WHERE id > 10;
       CREATE TABLE slow (id int, t text); INSERT INTO slow SELECT i, repeat('x', 1000) FROM generate_series(1, 400) i; CREATE TABLE late (id int); INSERT INTO late VALUES (1)`,
    );
    let altered: Promise<unknown> | undefined;
    let slow: string | undefined;
    let slowThen: string | undefined;
    const logs: string[] = [];
    const { report } = await copy(
      {
        ...{ ...both, owner: "owner-1", ownerName: "the test", reset: false },
        options: { jobs: 1, bandwidth: 60_000, blocking_timeout: 1 },
      },
      {
        signal: new AbortController().signal,
        measured: () => undefined,
        log: (_, message) => logs.push(message),
        progress({ table }) {
          slow = table.find(({ name }) => name === "public.slow")?.state;
          if (altered !== undefined || !table.some(({ name, state }) => name === "public.done" && state === "done"))
            return;
          altered = ask(both, "ALTER TABLE done ADD COLUMN n int; TRUNCATE done").then(() => {
            slowThen = slow;
          });
        },
      },
    );
    await altered;
    expect(slowThen).toBe("copying");
    expect(logs).toContainEqual(expect.stringMatching(/^Released the locks on \d tables? of the source/));
    expect(report.tables.map(({ source, rows: { target } }) => [source, target])).toEqual([
      ["public.done", 10],
      ["public.slow", 400],
      ["public.late", 1],
    ]);
    expect(await count(both, "done")).toBe("10");
  });

  test("rows without a parent are counted and named, and the foreign key stands for those to come", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE up (id int PRIMARY KEY); CREATE TABLE down (id int PRIMARY KEY, up int REFERENCES up); INSERT INTO up VALUES (1); INSERT INTO down VALUES (1, 1); SET session_replication_role = replica; INSERT INTO down VALUES (2, 7), (3, 8)",
    );
    const { report } = await run(both);
    expect(report.inventory.find(({ name }) => name.includes("down_up_fkey"))).toMatchObject({
      outcome: "reported",
      note: expect.stringContaining("2 rows of public.down have no parent in public.up"),
    });
    expect(report.warnings.join("\n")).toContain("2 rows of public.down");
    expect(await count(both, "down")).toBe("3");
    await expect(servers.admin.query(`INSERT INTO ${both.name}.down VALUES (4, 9)`)).rejects.toThrow(/foreign key/);
  });

  test.each([
    ["source", ["connection_lost", "server_shutdown"]],
    ["target", ["connection_lost", "cancelled"]],
  ] as const)(
    "a session that the %s cuts is an error that may be tried again, and a retry has every row",
    async (side, codes) => {
      const both = await pair(servers, long(30_000));
      const working = error(run(both, { options: slow }));
      await loading(both);
      if (side === "source")
        await ask(
          both,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^COPY' AND state = 'active'",
        );
      else
        for (const [id] of await rows(
          servers.admin,
          `SELECT ID FROM information_schema.PROCESSLIST WHERE DB = '${both.name}' AND INFO LIKE 'LOAD DATA%'`,
        ))
          await servers.admin.query(`KILL ${id}`).catch(() => undefined);
      const { code, retryable } = await working;
      expect(codes).toContain(code);
      expect(retryable).toBe(true);
      const { report } = await run(both);
      expect(report.tables[0]?.rows).toEqual({ source: 30000, target: 30000 });
    },
  );

  test("of two workers the second takes over, and the first can write no more", async () => {
    const both = await pair(servers, long(30_000));
    const first = error(run(both, { options: { ...slow, bandwidth: 1_000_000 } }));
    await loading(both);
    const second = await run(both);
    expect(await first).toMatchObject({ code: "superseded", retryable: false });
    expect(second.report.tables[0]?.rows).toEqual({ source: 30000, target: 30000 });
    expect(await count(both, "long")).toBe("30000");
    const other = await error(run(both, { owner: "owner-2", ownerName: "another" }));
    expect(other).toMatchObject({ code: "target_in_use", message: expect.stringContaining("the test") });
  });

  test("a lock that somebody holds on the target ends the run with who it is; it goes on when that is gone", async () => {
    const both = await pair(servers, `${small} ${long(20_000)}`);
    const holder = await mysqlAs(servers.target.urlOf(both.name, "admin"));
    const using = (async () => {
      await until(
        async () => (await rows(servers.admin, `SHOW TABLES FROM ${both.name} LIKE 'sale'`)).length > 0,
        "the table",
      );
      // A transaction that has read a table holds up whoever wants to change it.
      await holder.query(
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ; START TRANSACTION; SELECT * FROM sale",
      );
    })();
    const failed = await error(run(both, { options: { ...slow, stall_timeout: 3 } }));
    await using;
    expect(failed).toMatchObject({
      code: "stalled",
      retryable: true,
      message: expect.stringMatching(/on the target database, ALTER TABLE waits for a lock/),
    });
    if (flavour === "mysql")
      expect(failed.message).toMatch(/held up by session \d+ \(user root from \S+, idle in a transaction/);
    await holder.end();
    const { report } = await run(both);
    for (const { rows: counted } of report.tables) expect(counted.target).toBe(counted.source);
  });

  test("a lock that somebody holds on the source is told too", async () => {
    const both = await pair(servers, small);
    const holder = new pg.Client({
      connectionString: servers.source.urlOf(both.name, "admin"),
      application_name: "night job",
    });
    await holder.connect();
    await holder.query("BEGIN; LOCK TABLE item IN ACCESS EXCLUSIVE MODE");
    const failed = await error(run(both, { options: { jobs: 1, stall_timeout: 2 } }));
    await holder.end();
    expect(failed).toMatchObject({
      code: "stalled",
      message: expect.stringMatching(/on the source database, LOCK TABLE waits .*application night job/),
    });
    const { report } = await run(both);
    expect(report.tables).toHaveLength(2);
  });

  /** Kills a session in the middle of such a statement, as a worker's end does. Returns the run's error, or undefined if it came to its end. */
  async function killedIn(both: Pair, phase: string): Promise<unknown> {
    let over = false;
    const failed = run(both, { options: { jobs: 2, bandwidth: 8_000_000 } })
      .then(
        () => undefined,
        (failure: unknown) => failure,
      )
      .finally(() => {
        over = true;
      });
    for (let found: unknown[] = []; !over && found.length === 0; ) {
      const running = await rows(
        servers.admin,
        `SELECT ID FROM information_schema.PROCESSLIST WHERE DB = '${both.name}' AND INFO LIKE '${phase}%'`,
      );
      for (const [id] of running) await servers.admin.query(`KILL ${id}`).catch(() => undefined);
      found = running;
    }
    return failed;
  }

  test("a reset after kills at any moment leaves what others have, and nothing of the run", async () => {
    const both = await pair(servers, `${small} ${long(5_000)}`);
    await servers.admin.query(`CREATE TABLE ${both.name}.mine (i int); INSERT INTO ${both.name}.mine VALUES (7)`);
    for (const phase of ["CREATE TABLE", "LOAD DATA", "ALTER TABLE"]) {
      let failed: unknown;
      // A short statement may be over before it is found: then the copy comes to its end, and is made again after its reset.
      for (let attempts = 20; failed === undefined && attempts > 0; attempts--) {
        failed = await killedIn(both, phase);
        // Killed before its first table stood: the server takes that back by itself, maybe after the run has ended.
        const { left } = await reset(
          { owner: "owner-1", ownerName: "the test", target: both.target },
          { signal: new AbortController().signal, log: () => undefined },
        ).catch((failure) => {
          expect(failure).toMatchObject({ code: "nothing_to_reset" });
          return { left: [] };
        });
        expect(left).toEqual([]);
        await expect
          .poll(() => rows(servers.admin, `SHOW TABLES FROM ${both.name}`), { timeout: 20_000 })
          .toEqual([["mine"]]);
      }
      expect(failed, `a session that was killed in ${phase}`).toMatchObject({ retryable: true });
    }
    const { report } = await run(both);
    expect(report.tables).toHaveLength(3);
    expect(await count(both, "mine")).toBe("1");
  });

  test("a table of the run that somebody altered meanwhile is named, and not taken for the run's", async () => {
    const both = await pair(servers, small);
    const { report, copied } = await run(both);
    await copied.finish();
    await nextSecond(servers.admin);
    await servers.admin.query(`USE ${both.name}; ALTER TABLE sale ADD COLUMN extra int, ALGORITHM=COPY`);
    const failed = await error(run(both, { reset: true, made: report.made, madeIn: report.target }));
    expect(failed.code).toBe("target_not_empty");
    expect(await count(both, "sale")).toBe("1000");
  });

  test("servers that are killed are an error that may be tried again, and a retry has every row", async () => {
    const alone = await startServers(flavour, "postgres", ["--local-infile=1"], startDatabase);
    try {
      const both = await pair(alone, long(60_000));
      for (const server of [alone.source, alone.target]) {
        const working = error(run(both, { options: slow }));
        // The administrator's connection goes with the server.
        const looking = await mysql.createConnection({ uri: alone.target.adminUrl });
        looking.on("error", () => undefined);
        await until(
          async () =>
            (
              await rows(
                looking,
                `SELECT ID FROM information_schema.PROCESSLIST WHERE DB = '${both.name}' AND INFO LIKE 'LOAD DATA%'`,
              )
            ).length > 0,
          "a load that runs",
        );
        await server.down("kill");
        const failed = await working;
        expect(failed.retryable, failed.message).toBe(true);
        looking.destroy();
        await server.up();
      }
      const { report } = await run(both);
      expect(report.tables[0]?.rows).toEqual({ source: 60000, target: 60000 });
    } finally {
      alone.admin.destroy();
      await alone.source.stop();
      await alone.target.stop();
    }
  });
});
