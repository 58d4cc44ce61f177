import type mysql from "mysql2/promise";
import { afterAll, describe, expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import { openFence } from "../../../src/engine/mysql/fence/fence.ts";
import { foundRuns, reset } from "../../../src/engine/run/reset.ts";
import { complete, cut, doing, during, list, names, ofRun } from "../../support/engine/beside.ts";
import { bytesOf, columnsOf, type Pair, pair, useServers } from "../../support/engine/mysql-mysql-support.ts";
import { error, type Flavour, mysqlAs } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Several runs from MySQL or MariaDB into one database of these, each into tables of its own. */

const servers = useServers();
const both: readonly Flavour[] = ["mysql", "mariadb"];

const large = 16_384;
const numbers = (table: string, rows: number) =>
  `CREATE TABLE ${table} (id int AUTO_INCREMENT PRIMARY KEY, v varchar(200), KEY by_v (v(20))); INSERT INTO ${table} (v) VALUES (REPEAT('x', 190));
   ${`INSERT INTO ${table} (v) SELECT v FROM ${table};`.repeat(Math.round(Math.log2(rows)))}`;

/** Statements that wait for a lock of a row. */
/** The server renews this table only if nobody read it for a tenth of a second. */
const waiting = "SELECT trx_id FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'";

async function expectEqual(source: Pair, target: Pair, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const columns = await columnsOf(source.from, table);
    expect(await bytesOf(target.to, table, columns)).toEqual(await bytesOf(source.from, table, columns));
  }
}

describe.each(both)("two runs into one database of %s", (kind) => {
  /** Sources are on the other server: a lock for a snapshot of one would wait for what the other writes. */
  const from: Flavour = kind === "mysql" ? "mariadb" : "mysql";
  const clients: mysql.Connection[] = [];
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
  });
  const client = async ({ target: { database } }: Pick<Pair, "target">) => {
    const made = await mysqlAs(servers.of[kind].server.adminUrl);
    clients.push(made);
    await made.query(`USE ${database}`);
    return made;
  };
  const alike = "COLLATE utf8mb4_unicode_ci";
  const source = async (schema: string) => {
    const one = await pair(servers, from, kind);
    await one.from.query(`ALTER DATABASE ${one.database} ${alike}; USE ${one.database}; ${schema}`);
    return one;
  };
  const first = async (schema: string): Promise<Pair> => {
    const one = await source(schema);
    const to = await client(one);
    await to.query(`ALTER DATABASE ${one.database} ${alike}`);
    return { ...one, to };
  };
  /** Of another source, into the target of `one`. */
  const beside = async (one: Pair, schema: string): Promise<Pair> => {
    const two = await source(schema);
    return { ...two, target: one.target, to: one.to };
  };
  const back = ({ from, database }: Pair) => from.query(`USE ${database}`);

  test("go on at one moment: all complete, are verified, and the last one drops the table", async () => {
    const one = await first(`${numbers("big", large)}`);
    const two = await beside(one, `${numbers("other", 256)} CREATE VIEW seen AS SELECT id FROM other`);
    await back(one);
    const report = await during(one, await client(one), { verify: "checksum" }, async () => {
      const done = await complete(two, "two");
      expect(done).toMatchObject({ verification: { differences: [] }, warnings: [] });
      expect(await names(one.to)).toContain("_rowferry");
    });
    expect(report).toMatchObject({ verification: { differences: [] }, warnings: [] });
    expect(await names(one.to)).toEqual(["big", "other", "seen"]);
    await expectEqual(one, one, ["big"]);
    await back(two);
    await expectEqual(two, two, ["other"]);
  });

  test("that would make the same: the second is refused before it writes, and hears which table and whose", async () => {
    const one = await first(`${numbers("big", large)} CREATE PROCEDURE act() SELECT 1`);
    const two = await beside(one, `${numbers("big", 16)} ${numbers("small", 16)}`);
    const three = await beside(one, `${numbers("third", 16)} CREATE PROCEDURE Act() SELECT 1`);
    await during(one, await client(one), {}, async () => {
      const refused = await error(run(two, ofRun("two")));
      expect(refused).toMatchObject({ code: "target_in_use", retryable: false });
      expect(refused.message).toMatch(
        /in use by run one, which makes table big too; .*WHERE owner = 'one' in the target .*rowferry reset URL --run one/,
      );
      expect(await names(one.to)).toEqual(["_rowferry", "big"]);
      expect(await list(one.to, "SELECT DISTINCT owner FROM _rowferry")).toEqual(["one"]);
      const filling = await error(
        run(two, { ...ofRun("two"), options: { jobs: 1, content: "data", include: ["big"] } }),
      );
      expect(filling).toMatchObject({ code: "target_in_use" });
      expect((await error(run(three, ofRun("three")))).message).toContain("procedure act");
      const asked = { ...ofRun("two"), source: two.source, target: one.target, options: { jobs: 1 } };
      const { findings } = await assess(asked, doing);
      const blockers = findings.filter(({ severity }) => severity === "blocker");
      expect(blockers.map(({ code, object }) => `${code} ${object}`)).toEqual(["target_in_use big"]);
      const some = { include: ["small"] };
      expect((await assess({ ...asked, options: { jobs: 1, ...some } }, doing)).ready).toBe(true);
      expect((await complete(two, "two", some)).tables).toHaveLength(1);
    });
    expect(await names(one.to)).toEqual(["big", "small"]);
  });

  test("of which one will never go on: the message's statement frees the target for a copy that drops its tables", async () => {
    const one = await first(`${numbers("small", 16)} ${numbers("big", large)}`);
    await cut(one);
    const { message } = await error(run(one, ofRun("two")));
    await one.to.query(/run (DELETE .*) in the target/.exec(message)?.[1] ?? "");
    const drop = (await names(one.to)).filter((name) => name !== "_rowferry");
    expect((await complete(one, "two", { drop })).tables).toHaveLength(2);
    expect(await names(one.to)).toEqual(["big", "small"]);
  });

  test("of which one is killed: the other completes and leaves, a retry keeps what was finished", async () => {
    const one = await first(`${numbers("small", 16)} ${numbers("big", large)}`);
    await cut(one);
    const two = await beside(one, numbers("other", 256));
    await complete(two, "two");
    expect((await foundRuns(one.target, doing.signal)).map(({ owner }) => owner)).toEqual(["one"]);
    const claimed = await list(one.to, "SELECT name FROM _rowferry WHERE kind = 'claim' ORDER BY name");
    expect(claimed).toEqual(["relation big", "relation small"]);
    const { report, copied } = await run(one, ofRun("one"));
    expect(report.resumed).toEqual({ kept: ["small"], copied_again: [] });
    await copied.finish();
    expect(await names(one.to)).toEqual(["big", "other", "small"]);
  });

  test("a reset of one drops what it made and nothing else, and so does a retry with reset", async () => {
    const one = await first(`${numbers("small", 16)} ${numbers("big", large)} CREATE VIEW seen AS SELECT 1 AS i`);
    await cut(one);
    const two = await beside(one, numbers("other", 16));
    const done = await run(two, ofRun("two"));
    await reset({ ...ofRun("one"), target: one.target }, doing);
    expect(await names(one.to)).toEqual(["_rowferry", "other"]);
    expect((await foundRuns(one.target, doing.signal)).map(({ owner, finished }) => [owner, finished])).toEqual([
      ["two", true],
    ]);
    await back(one);
    const { made, target: madeIn } = await complete(one, "one");
    const again = await run(one, { ...ofRun("one"), reset: true, made, madeIn });
    expect(await names(one.to)).toEqual(["_rowferry", "big", "other", "seen", "small"]);
    await again.copied.finish();
    await done.copied.finish();
    expect(await names(one.to)).toEqual(["big", "other", "seen", "small"]);
  });

  test("what a finished run left behind stops nobody else, and its report drops no table that another fills", async () => {
    const one = await first(numbers("big", 16));
    const finished = await run(one, { ...ofRun("one"), options: { jobs: 1, content: "schema" } });
    const two = await beside(one, numbers("other", 16));
    await complete(two, "two");
    expect(await names(one.to)).toEqual(["_rowferry", "big", "other"]);
    await finished.copied.finish();
    await run(one, { ...ofRun("three"), options: { jobs: 1, content: "data" } });
    const { made, target: madeIn } = finished.report;
    const asked = { ...ofRun("one"), target: one.target, made, madeIn };
    const refused = await error(reset(asked, doing));
    expect(refused).toMatchObject({ code: "target_in_use", message: expect.stringContaining("table big") });
    expect((await foundRuns(one.target, doing.signal)).map(({ owner }) => owner)).toEqual(["three"]);
    expect(await names(one.to)).toEqual(["_rowferry", "big", "other"]);
  });

  test("an open transaction of one holds up nothing that the other does", async () => {
    const one = await first("");
    const mine = await openFence(one.target, ofRun("one"));
    const held = await mine.open();
    await held.run("START TRANSACTION");
    await mine.guard(held);
    await mine.partDone(held, "some", 1);
    const two = await beside(one, `${numbers("other", 256)} CREATE VIEW seen AS SELECT id FROM other`);
    // A lock of a row is waited for as long as this, and then the run fails.
    await one.to.query("SET GLOBAL innodb_lock_wait_timeout = 2");
    try {
      await complete(two, "two");
      const again = await openFence(one.target, ofRun("three"));
      await again.clean([]);
      await again.drop();
      await again.close();
    } finally {
      await one.to.query("SET GLOBAL innodb_lock_wait_timeout = 50");
    }
    await held.run("COMMIT");
    await held.end();
    await mine.drop();
    await mine.close();
    expect(await names(one.to)).toEqual(["other", "seen"]);
  });

  test("a successor of one ends the sessions of its predecessor alone, and that one writes nothing beside it", async () => {
    const { target, to } = await first("");
    const [cutOff, other] = [await openFence(target, ofRun("one")), await openFence(target, ofRun("two"))];
    const [stale, live] = [await cutOff.open(), await other.open()];
    for (const [fence, session] of [
      [cutOff, stale],
      [other, live],
    ] as const) {
      await session.run("START TRANSACTION");
      await fence.guard(session);
      await fence.partDone(session, "t", 1);
    }
    const successor = await openFence(target, ofRun("one"));
    expect(successor.epoch).toBe(2);
    expect(await error(stale.run("COMMIT"))).toMatchObject({ code: "connection_lost" });
    await expect(cutOff.open()).rejects.toMatchObject({ code: "superseded" });
    await expect(cutOff.guard(live)).rejects.toMatchObject({ code: "superseded" });
    expect(await successor.parts()).toEqual([]);
    await live.run("COMMIT");
    expect(await other.parts()).toMatchObject([{ part: "t", rows: 1, epoch: 1 }]);
    await expect(cutOff.drop()).rejects.toMatchObject({ code: "superseded" });
    for (const fence of [successor, other, cutOff]) {
      if (fence !== cutOff) await fence.drop();
      await fence.close();
    }
    await stale.end();
    expect(await names(to)).toEqual([]);
  });

  test("a worker that was cut off before the table was dropped and made anew passes no epoch of the new one", async () => {
    const { target, to } = await first("");
    const cutOff = await openFence(target, ofRun("one"));
    const second = await openFence(target, ofRun("one"));
    await second.drop();
    await second.close();
    expect(await names(to)).toEqual([]);
    const third = await openFence(target, ofRun("one"));
    expect(third.epoch).toBe(cutOff.epoch);
    await expect(cutOff.open()).rejects.toMatchObject({ code: "superseded", retryable: false });
    const session = await third.open();
    await expect(cutOff.guard(session)).rejects.toMatchObject({ code: "superseded" });
    await third.guard(session);
    await session.end();
    await third.drop();
    for (const fence of [third, cutOff]) await fence.close();
    expect(await names(to)).toEqual([]);
  });

  test("a part that is written while its run leaves goes with it", async () => {
    const { target, to } = await first("");
    const [fence, other] = [await openFence(target, ofRun("one")), await openFence(target, ofRun("two"))];
    const session = await fence.open();
    await session.run("START TRANSACTION");
    await fence.guard(session);
    const left = fence.drop();
    const waits = async () => (await list(to, waiting)).length > 0;
    await expect.poll(waits, { timeout: 10_000, interval: 300 }).toBe(true);
    await fence.partDone(session, "t", 1);
    await session.run("COMMIT");
    await left;
    await fence.close();
    await session.end();
    expect(await list(to, "SELECT owner FROM _rowferry WHERE owner = 'one'")).toEqual([]);
    await other.drop();
    await other.close();
    expect(await names(to)).toEqual([]);
  });

  test("many that come and go at one moment: none fails, no claim is had twice, and the table goes with the last", async () => {
    const { target, to } = await first("");
    const had: string[] = [];
    const one = async (owner: string) => {
      for (let turn = 0; turn < 3; turn++) {
        const fence = await openFence(target, ofRun(owner));
        const wanted = ["same", owner].map((name) => ({ kind: "table", name }));
        const claimed = await fence.claim(wanted).then(
          () => true,
          (failed: { code: string }) => {
            if (failed.code !== "target_in_use") throw failed;
            return false;
          },
        );
        if (claimed) {
          had.push(owner);
          expect((await fence.claimedByOthers()).filter(({ name }) => name === "same")).toEqual([]);
        }
        await fence.drop();
        await fence.drop();
        await fence.close();
      }
    };
    await Promise.all(Array.from({ length: 5 }, (_, at) => one(`run${at}`)));
    expect(had.length).toBeGreaterThan(0);
    expect(await names(to)).toEqual([]);
  });

  test("a table that an earlier version left is gone on with by its run, and refuses others until that says what it makes", async () => {
    const one = await first(`${numbers("small", 16)} ${numbers("big", large)}`);
    await cut(one);
    await one.to.query(
      "DELETE FROM _rowferry WHERE kind = 'claim'; UPDATE _rowferry SET id = id + 1000000 ORDER BY id DESC",
    );
    await one.to.query("UPDATE _rowferry SET id = 1 WHERE kind = 'fence'; ALTER TABLE _rowferry DROP COLUMN owner");
    expect(await foundRuns(one.target, doing.signal)).toMatchObject([{ owner: "one", finished: false }]);
    const two = await beside(one, numbers("other", 16));
    const refused = await error(run(two, ofRun("two")));
    expect(refused.message).toMatch(/in use by run one: its table .* is there/);
    const opened = await openFence(one.target, ofRun("one"));
    expect(await error(run(two, ofRun("two")))).toMatchObject({ code: "target_in_use" });
    await opened.close();
    const { report, copied } = await run(one, ofRun("one"));
    expect(report.resumed?.kept).toEqual(["small"]);
    await complete(two, "two");
    await copied.finish();
    expect(await names(one.to)).toEqual(["big", "other", "small"]);
  });

  test("a lock that somebody keeps ends the run with who it is, and no other database waits for it", async () => {
    const [one, other] = [await first(""), await first("")];
    const fence = await openFence(one.target, { ...ofRun("one"), registerMs: 1 });
    const [lock] = await list(
      one.to,
      `SELECT CONCAT('rowferry register ', LEFT(SHA2('${one.target.database}', 256), 32))`,
    );
    await one.to.query(`SELECT GET_LOCK('${lock}', 0)`);
    const [holder] = await list(one.to, "SELECT CONNECTION_ID()");
    const message = expect.stringMatching(`held by connection ${holder} of user .*KILL ${holder}`);
    const locked = { code: "target_locked", retryable: true, message };
    await expect(fence.claim([{ kind: "table", name: "t" }])).rejects.toMatchObject(locked);
    await expect(openFence(one.target, { ...ofRun("two"), registerMs: 1 })).rejects.toMatchObject(locked);
    const free = await openFence(other.target, ofRun("two"));
    await free.drop();
    await free.close();
    await one.to.query(`SELECT RELEASE_LOCK('${lock}')`);
    await fence.drop();
    await fence.close();
  });
});
