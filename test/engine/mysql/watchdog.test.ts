import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copy } from "../../../src/engine/index.ts";
import { diagnoseMysql } from "../../../src/engine/run/watchdog/mysql.ts";
import type { Diagnosis } from "../../../src/engine/run/watchdog/watchdog.ts";
import { type Flavour, mysqlAs, pair, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

describe.each<Flavour>(["mysql", "mariadb"])("the watchdog on %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test.each([
    [
      "rows",
      "SELECT * FROM t FOR UPDATE",
      "UPDATE t SET i = 7",
      /UPDATE waits for a lock .*held up by session \d+ \(user root/,
    ],
    ["a table", "SELECT * FROM t", "ALTER TABLE t ADD COLUMN j int", /ALTER TABLE waits for a lock/],
  ])("says who holds %s that a session waits for", async (_, holding, waiting, words) => {
    const { source } = await pair(
      servers,
      "CREATE TABLE t (i int PRIMARY KEY) ENGINE=InnoDB; INSERT INTO t VALUES (1)",
    );
    const url = servers.source.urlOf(source.database, "admin");
    const [holder, waiter] = [await mysqlAs(url), await mysqlAs(url)];
    try {
      await holder.query(`BEGIN; ${holding}`);
      const wait = waiter.query(waiting).catch(() => undefined);
      const diagnose = diagnoseMysql(source, { role: "target", threads: () => [waiter.threadId] });
      const told = (found: Diagnosis) =>
        found.causes.some(({ kind, words: said }) => kind === "lock" && words.test(said));
      await expect.poll(() => diagnose(5_000).then(told), { timeout: 20_000 }).toBe(true);
      expect(await diagnose(5_000)).toMatchObject({ working: false });
      await holder.query("ROLLBACK");
      await wait;
    } finally {
      holder.destroy();
      waiter.destroy();
    }
  });

  test("ends a conversion that waits for a lock in the target, with the holder's name", async () => {
    const { source, target, pg } = await pair(
      servers,
      "CREATE TABLE a (i int PRIMARY KEY, t text); INSERT INTO a VALUES (1, REPEAT('x', 60000))",
    );
    let held: Promise<unknown> | undefined;
    // Who reads a table in an open transaction holds up whoever wants to give it a key.
    const hold = (): Promise<unknown> =>
      pg.query("BEGIN; SELECT FROM a").catch(() => pg.query("ROLLBACK; SELECT 1").then(hold));
    const failure = await copy(
      {
        owner: "owner-1",
        ownerName: "the test",
        source,
        target,
        options: { jobs: 1, stall_timeout: 2, bandwidth: 40_000 },
        reset: false,
      },
      {
        signal: new AbortController().signal,
        progress: ({ phase }) => {
          if (phase === "schema") held ??= pg.query(`SET search_path = ${source.database}, public`).then(hold);
        },
        measured: () => undefined,
        log: () => undefined,
      },
    ).catch((error: unknown) => error);
    await held;
    expect(failure).toMatchObject({
      code: "stalled",
      retryable: true,
      message: expect.stringMatching(
        /on the target database, .*waits for the lock AccessExclusiveLock on .*held up by process \d+ \(user postgres/,
      ),
    });
    await pg.query("ROLLBACK");
    const { copied } = await run({ source, target });
    await copied.finish();
  });
});
