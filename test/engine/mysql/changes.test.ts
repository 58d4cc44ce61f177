import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copy } from "../../../src/engine/index.ts";
import { openSnapshot } from "../../../src/engine/mysql/source/snapshot.ts";
import {
  error,
  type Flavour,
  mysqlAs,
  pair,
  rows,
  type Servers,
  startServers,
} from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Changes of definitions while a copy runs: each waits for the copy, and what arrives is the state at its begin. */
describe.each<Flavour>(["mariadb", "mysql"])("tables of %s that are changed during a copy", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const schema = `
    CREATE TABLE big (id int PRIMARY KEY AUTO_INCREMENT, v varchar(200)); INSERT INTO big (v) VALUES (REPEAT('x', 190));
    ${"INSERT INTO big (v) SELECT v FROM big; ".repeat(14)}
    CREATE TABLE orders (id int PRIMARY KEY, v varchar(10)); INSERT INTO orders VALUES (1, 'a'), (2, 'b');
    CREATE TABLE other (id int PRIMARY KEY, v varchar(10)); INSERT INTO other VALUES (9, 'z');
    CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id)
      (PARTITION low VALUES LESS THAN (10), PARTITION high VALUES LESS THAN (100));
    INSERT INTO parts VALUES (1), (20);
    CREATE TABLE spare (id int PRIMARY KEY); INSERT INTO spare VALUES (5);
    CREATE TABLE two (id int PRIMARY KEY, a int, b int); INSERT INTO two VALUES (1, 100, 200)`;
  const waiting = async () =>
    ((await servers.admin.query("SHOW PROCESSLIST"))[0] as { State: string | null }[]).some(({ State }) =>
      State?.startsWith("Waiting for table metadata lock"),
    );

  test("of a copy without rows, each table is held by one of the sessions", async () => {
    const { source } = await pair(servers, schema);
    const snapshot = await openSnapshot(source, 2, "test", new AbortController().signal, () => undefined, {
      rowless: true,
    });
    const other = await mysqlAs(servers.source.urlOf(source.database, "admin"));
    await other.query("SET SESSION lock_wait_timeout = 1");
    const change = async () => {
      const names = ["big", "orders", "other", "parts", "spare", "two"];
      const changes: unknown[] = [];
      for (const name of names)
        changes.push(
          await other.query(`ALTER TABLE ${name} COMMENT = 'changed'`).then(
            () => "done",
            ({ errno }) => errno,
          ),
        );
      return new Set(changes);
    };
    expect(await change()).toEqual(new Set([1205]));
    await snapshot.unlock();
    expect(await change()).toEqual(new Set(["done"]));
    await snapshot.close();
    await other.end();
  });

  test.each([
    ["RENAME TABLE orders TO gone, other TO orders, gone TO other", "all"],
    ["ALTER TABLE parts DROP PARTITION low", "all"],
    ["ALTER TABLE parts EXCHANGE PARTITION low WITH TABLE spare", "all"],
    ["ALTER TABLE two DROP COLUMN a, ADD COLUMN a int DEFAULT 7 AFTER id", "all"],
    ["ALTER TABLE parts DROP PARTITION low", "SELECT"],
    ["ALTER TABLE parts DROP PARTITION low", "SELECT, LOCK TABLES"],
  ])("%s waits until the copy has read everything (rights: %s)", async (change, rights) => {
    const both = await pair(servers, schema);
    if (rights !== "all") {
      const user = `weak_${both.source.database}`;
      await servers.admin.query(
        `CREATE USER ${user} IDENTIFIED BY 'pass-word-1'; GRANT ${rights} ON ${both.source.database}.* TO ${user}`,
      );
      both.source = { ...both.source, user, password: "pass-word-1" };
    }
    const other = await mysqlAs(servers.source.urlOf(both.source.database, "admin"));
    let changing: Promise<unknown> | undefined;
    let copying = true;
    let changedFirst = false;
    const { report } = await copy(
      { owner: "o", ownerName: "o", source: both.source, target: both.target, options: { jobs: 2 }, reset: false },
      {
        signal: new AbortController().signal,
        measured: () => undefined,
        progress: () => undefined,
        log: (_, message) => {
          if (/rows copied/.test(message)) copying = false;
          if (/tables? created/.test(message)) {
            changing = other.query(change).then(() => {
              changedFirst = copying;
            });
          }
        },
      },
    );
    await changing;
    await other.end();
    expect(changedFirst).toBe(false);
    expect(report.tables.every(({ rows: { source, target } }) => source === target)).toBe(true);
    expect(await rows(both.pg, "SELECT id, v FROM public.orders ORDER BY id")).toEqual([
      ["1", "a"],
      ["2", "b"],
    ]);
    expect(await rows(both.pg, "SELECT id FROM public.parts ORDER BY id")).toEqual([["1"], ["20"]]);
    expect(await rows(both.pg, "SELECT id FROM public.spare")).toEqual([["5"]]);
    expect(await rows(both.pg, "SELECT id, a, b FROM public.two")).toEqual([["1", "100", "200"]]);
  });

  test("a change that waits too long ends the run, so that whoever writes behind it goes on; plain writes never wait", async () => {
    const { source } = await pair(servers, schema);
    let given: (error: unknown) => void = () => undefined;
    const gaveUp = new Promise<unknown>((resolve) => {
      given = resolve;
    });
    const snapshot = await openSnapshot(source, 2, "test", new AbortController().signal, given, { blockingTimeout: 1 });
    const other = await mysqlAs(servers.source.urlOf(source.database, "admin"));
    await other.query("INSERT INTO orders VALUES (3, 'c'); UPDATE orders SET v = 'd' WHERE id = 1");
    const changing = other.query("ALTER TABLE orders ADD COLUMN w int");
    expect(await gaveUp).toMatchObject({ code: "source_changed", retryable: true });
    expect(await waiting()).toBe(true);
    await snapshot.close();
    await changing;
    await other.end();
  });

  // MariaDB's own lets a flush pass.
  if (flavour === "mysql")
    describe("and FLUSH TABLES WITH READ LOCK, behind which nobody can write", () => {
      const until = async (state: string) => {
        const deadline = Date.now() + 10_000;
        const seen = async () =>
          ((await servers.admin.query("SHOW PROCESSLIST"))[0] as { State: string | null }[]).some(
            ({ State }) => State === state,
          );
        while (!(await seen()) && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
      };
      const opened = async () => {
        const { source } = await pair(
          servers,
          `CREATE TABLE my (id int PRIMARY KEY) ENGINE=MyISAM; INSERT INTO my VALUES (1);
         CREATE TABLE inno (id int PRIMARY KEY); INSERT INTO inno VALUES (1)`,
        );
        let given: (error: unknown) => void = () => undefined;
        const gaveUp = new Promise<unknown>((resolve) => {
          given = resolve;
        });
        const open = (options: { has?: (name: string) => boolean; blockingTimeout?: number } = {}) =>
          openSnapshot(source, 2, "test", new AbortController().signal, given, { blockingTimeout: 2, ...options });
        const other = await mysqlAs(servers.source.urlOf(source.database, "admin"));
        return { source, gaveUp, open, other };
      };

      test("waits for tables that are not InnoDB and locked for the copy: the run ends, and names it", async () => {
        const { gaveUp, open, other } = await opened();
        const snapshot = await open();
        const flushed = other.query("FLUSH TABLES WITH READ LOCK");
        expect(await gaveUp).toMatchObject({
          code: "source_changed",
          retryable: true,
          message: expect.stringMatching(
            /^session \d+ has waited for \d+ s to flush .* \(FLUSH TABLES WITH READ LOCK\): flush the source/,
          ),
        });
        await snapshot.close();
        await flushed;
        await other.end();
      });

      test("has waited in vain, and the copy cannot read what it locked: the run ends instead of hanging", async () => {
        const { source, gaveUp, open, other } = await opened();
        const snapshot = await open();
        await other.query("SET lock_wait_timeout = 1");
        expect((await error(other.query("FLUSH TABLES WITH READ LOCK"))).code).toBe("ER_LOCK_WAIT_TIMEOUT");
        const read = snapshot.readers[0]?.query(`SELECT * FROM \`${source.database}\`.my`).catch(() => undefined);
        expect(await gaveUp).toMatchObject({
          code: "source_changed",
          retryable: true,
          message: expect.stringMatching(/^another session flushed tables that are locked for the copy/),
        });
        await snapshot.close();
        await read;
        await other.end();
      });

      test("waits for what the copy has read since before: that is read again, and the run ends after the third time", async () => {
        const { source, gaveUp, open, other } = await opened();
        const snapshot = await open({ has: (name) => name === "inno", blockingTimeout: 1 });
        const [reader] = snapshot.readers;
        const read = error(reader?.query(`SELECT SLEEP(100) FROM \`${source.database}\`.inno`) ?? Promise.resolve());
        for (let times = 1; times <= 4; times++) {
          await until("User sleep");
          await other.query("FLUSH TABLES WITH READ LOCK; UNLOCK TABLES");
        }
        expect(await read).toMatchObject({
          code: "source_changed",
          retryable: true,
          message: expect.stringMatching(/^session \d+ has waited for \d+ s to flush tables/),
        });
        await snapshot.close();
        expect(await Promise.race([gaveUp, "never"])).toBe("never");
        await other.end();
      });

      // More than the connection's buffers hold, for two seconds.
      const wide = `CREATE TABLE wide (id int PRIMARY KEY AUTO_INCREMENT, v varchar(2000)); INSERT INTO wide (v) VALUES (REPEAT('x', 1500));
        ${"INSERT INTO wide (v) SELECT v FROM wide; ".repeat(14)}`;
      /** A copy of `wide` during which another session flushes all tables; `to` is made by SQL. */
      const flushedCopy = async (to?: string) => {
        const { source, target } = await pair(servers, wide);
        const other = await mysqlAs(servers.source.urlOf(source.database, "admin"));
        const database = `${source.database}_copy`;
        if (to !== undefined) await other.query(`CREATE DATABASE ${database}; ${to.replace("copy.", `${database}.`)}`);
        let flushing: Promise<unknown> | undefined;
        const logged: string[] = [];
        const options = { jobs: 1, bandwidth: 5_000_000, blocking_timeout: 1, verify: "checksum" as const };
        const copied = await copy(
          {
            ...{ owner: "o", ownerName: "o", source, reset: false },
            target: to === undefined ? target : { ...source, database },
            options: to?.includes("copy.") ? { ...options, content: "data" as const } : options,
          },
          {
            signal: new AbortController().signal,
            measured: () => undefined,
            progress({ rows }) {
              if (rows.done > 0) flushing ??= other.query("FLUSH TABLES; SELECT 1");
            },
            log: (_, message) => void logged.push(message),
          },
        ).catch((error: unknown) => error);
        await flushing;
        await other.end();
        expect(logged).toContainEqual(
          expect.stringMatching(/^Interrupted 1 statements that read the source, since session \d+ has waited/),
        );
        return copied;
      };

      test.each([
        ["PostgreSQL", undefined],
        ["MySQL", "DO 0"],
      ])("waits for a part of a table, which is copied to %s again", async (_, to) => {
        expect(await flushedCopy(to)).toMatchObject({
          report: { tables: [{ rows: { source: 16_384, target: 16_384 } }] },
        });
      });

      test("waits for a part whose rows the target's table keeps for good: the run ends", async () => {
        const kept = "CREATE TABLE copy.wide (id int PRIMARY KEY, v varchar(2000)) ENGINE=MyISAM";
        expect(await flushedCopy(kept)).toMatchObject({
          code: "source_changed",
          message: expect.stringContaining("table wide of the target (MyISAM) cannot take its rows back"),
        });
      });
    });

  test("a table that somebody waits to change when the copy begins is no deadlock: the run ends as retryable, and a retry reads it", async () => {
    const { source } = await pair(servers, "CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a VALUES (1)");
    const [reading, changing] = await Promise.all([
      mysqlAs(servers.source.urlOf(source.database, "admin")),
      mysqlAs(servers.source.urlOf(source.database, "admin")),
    ]);
    await reading.query("START TRANSACTION; SELECT * FROM a");
    const change = changing.query("ALTER TABLE a ADD COLUMN b int");
    await expect.poll(waiting, { timeout: 10_000 }).toBe(true);
    const open = () => openSnapshot(source, 2, "test", new AbortController().signal, () => undefined);
    expect(await error(open())).toMatchObject({ code: "lock_timeout", retryable: true });
    await reading.query("COMMIT");
    await change;
    const snapshot = await open();
    expect(await snapshot.readers[0]?.query(`SELECT id, b FROM \`${source.database}\`.a`)).toEqual([["1", null]]);
    await snapshot.close();
    await Promise.all([reading.end(), changing.end()]);
  }, 60_000);

  test("a statement that runs long holds up no writer when a copy begins, and a lock that is not to be had is named", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY AUTO_INCREMENT); INSERT INTO a VALUES (1), (2); INSERT INTO b VALUES (1)",
    );
    const { database } = both.source;
    const client = () => mysqlAs(servers.source.urlOf(database, "admin"));
    const [reading, writing, open] = await Promise.all([client(), client(), client()]);
    const read = reading.query("SELECT SLEEP(300) FROM a").catch(() => undefined);
    const seconds = async () =>
      ((await servers.admin.query("SHOW PROCESSLIST"))[0] as { Id: number; Time: number }[]).find(
        ({ Id }) => Number(Id) === reading.threadId,
      )?.Time;
    await expect.poll(async () => Number(await seconds()), { timeout: 10_000 }).toBeGreaterThanOrEqual(2);
    let longest = 0;
    let copying = true;
    const writer = (async () => {
      while (copying) {
        const before = Date.now();
        await writing.query("INSERT INTO b VALUES ()");
        longest = Math.max(longest, Date.now() - before);
      }
    })();
    const { report } = await run(both, { options: { jobs: 2 } });
    copying = false;
    await writer;
    expect(longest).toBeLessThan(4_000);
    expect(report.snapshot?.connections).toBe(2);
    expect(report.warnings).toEqual([]);

    if (flavour === "mysql") {
      await open.query("START TRANSACTION; INSERT INTO a VALUES (7)");
      const opened = (locks: "auto" | "require") =>
        openSnapshot(both.source, 2, "test", new AbortController().signal, () => undefined, { locks });
      expect(await error(opened("require"))).toMatchObject({
        code: "lock_timeout",
        message: expect.stringContaining("tables of the source database were not free within 2 s"),
      });
      const snapshot = await opened("auto");
      expect(snapshot.readers).toHaveLength(1);
      expect(snapshot.warnings.join()).toContain("tables of the source database were not free within 2 s");
      await snapshot.close();
    }
    await servers.admin.query(`KILL QUERY ${reading.threadId}`);
    await read;
    await Promise.all([reading.end(), writing.end(), open.end()]);
  }, 120_000);

  // To make them takes MySQL half a minute.
  if (flavour === "mariadb")
    test("a thousand tables are held in a moment", async () => {
      const many = Array.from({ length: 1000 }, (_, index) => `CREATE TABLE m${index} (id int PRIMARY KEY)`).join("; ");
      const { source } = await pair(servers, many);
      const before = Date.now();
      const snapshot = await openSnapshot(source, 8, "test", new AbortController().signal, () => undefined);
      expect(Date.now() - before).toBeLessThan(20_000);
      await snapshot.close();
    }, 120_000);
});
