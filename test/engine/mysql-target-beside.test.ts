import type mysql from "mysql2/promise";
import { describe, expect, test } from "vitest";
import { assess } from "../../src/engine/assess.ts";
import type { CopyRequest, EngineProgress } from "../../src/engine/contract.ts";
import { copy } from "../../src/engine/index.ts";
import { openFence } from "../../src/engine/mysql/fence.ts";
import { foundRuns, reset } from "../../src/engine/reset.ts";
import { bytesOf, columnsOf, type Pair, pair, tablesOf, useServers } from "./mysql-mysql-support.ts";
import { error, type Flavour } from "./mysql-support.ts";
import { run } from "./run.ts";

/** Several runs from MySQL or MariaDB into one database of these, each into tables of its own. */

const servers = useServers();
const both: readonly Flavour[] = ["mysql", "mariadb"];

const large = 16_384;
const numbers = (table: string, rows: number) =>
  `CREATE TABLE ${table} (id int AUTO_INCREMENT PRIMARY KEY, v varchar(200), KEY by_v (v(20))); INSERT INTO ${table} (v) VALUES (REPEAT('x', 190));
   ${`INSERT INTO ${table} (v) SELECT v FROM ${table};`.repeat(Math.round(Math.log2(rows)))}`;

const ofRun = (owner: string) => ({ owner, ownerName: `run ${owner}` });
const silent = { signal: new AbortController().signal, measured: () => undefined, log: () => undefined };
const doing = { ...silent, progress: () => undefined };
type Options = Partial<CopyRequest["options"]>;

const complete = async (which: Pair, owner: string, options: Options = {}) => {
  const ran = await run(which, { ...ofRun(owner), options: { jobs: 2, verify: "checksum", ...options } });
  await ran.copied.finish();
  return ran.report;
};

const list = async (client: mysql.Connection, sql: string) =>
  ((await client.query({ sql, rowsAsArray: true }))[0] as unknown as string[][]).map((row) => row.join(" "));
const names = (client: mysql.Connection) => list(client, "SHOW TABLES");

async function expectEqual(source: Pair, target: Pair, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const columns = await columnsOf(source.from, table);
    expect(await bytesOf(target.to, table, columns)).toEqual(await bytesOf(source.from, table, columns));
  }
}

describe.each(both)("two runs into one database of %s", (kind) => {
  const first = (schema: string) => pair(servers, kind, kind, schema);
  /** Of another source, into the target of `one`; both servers' clients stay in their databases. */
  const beside = async (one: Pair, schema: string): Promise<Pair> => {
    const two = await pair(servers, kind, kind, schema);
    return { ...two, target: one.target, to: one.to };
  };
  const back = ({ from, database }: Pair) => from.query(`USE ${database}`);

  /** Copies `one` slowly; once it has rows, `then` is done, and ends before it. */
  const during = async (one: Pair, options: Options, then: () => Promise<unknown>) => {
    const order: string[] = [];
    let second: Promise<unknown> | undefined;
    const progress = ({ phase, rows }: EngineProgress) => {
      if (phase !== "copying" || rows.done === 0) return;
      second ??= then().then(() => order.push("second"));
      second.catch(() => undefined);
    };
    const { source, target } = one;
    const asked = { ...ofRun("one"), source, target, reset: false, options: { jobs: 2, bandwidth: 400_000, ...options } };
    const copied = await copy(asked, { ...silent, progress });
    order.push("first");
    await second;
    expect(order).toEqual(["second", "first"]);
    await copied.finish();
    return copied.report;
  };

  /** Ends the first run of `one` when its table `small` is complete. */
  const cut = async (one: Pair) => {
    const stop = new AbortController();
    const progress = ({ table }: EngineProgress) => {
      if (table.some(({ name, state }) => name === "small" && state === "done")) stop.abort(new Error("cut"));
    };
    const { source, target } = one;
    const options = { jobs: 2, bandwidth: 400_000 };
    const asked = { ...ofRun("one"), source, target, reset: false, options };
    await expect(copy(asked, { ...silent, signal: stop.signal, progress })).rejects.toThrow("cut");
  };

  test("go on at one moment: all complete, are verified, and the last one drops the table", async () => {
    const one = await first(numbers("big", large));
    const two = await beside(one, `${numbers("other", 256)} CREATE VIEW seen AS SELECT id FROM other`);
    await back(one);
    const report = await during(one, { verify: "checksum" }, async () => {
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
    await during(one, {}, async () => {
      const refused = await error(run(two, ofRun("two")));
      expect(refused).toMatchObject({ code: "target_in_use", retryable: false });
      expect(refused.message).toMatch(/in use by run one: .*makes table big too; .*rowferry reset URL --run one/);
      expect((await names(one.to)).sort()).toEqual(["_rowferry", "big"]);
      expect(await list(one.to, "SELECT DISTINCT owner FROM _rowferry")).toEqual(["one"]);
      const filling = await error(run(two, { ...ofRun("two"), options: { jobs: 1, content: "data", include: ["big"] } }));
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

  test("of which one is killed: the other completes and leaves, a retry keeps what was finished", async () => {
    const one = await first(`${numbers("small", 16)} ${numbers("big", large)}`);
    await cut(one);
    const two = await beside(one, numbers("other", 256));
    await complete(two, "two");
    expect((await foundRuns(one.target, doing.signal)).map(({ owner }) => owner)).toEqual(["one"]);
    const claimed = await list(one.to, "SELECT name FROM _rowferry WHERE kind = 'claim' ORDER BY name");
    expect(claimed).toEqual(["relation big", "relation small"]);
    const { report, copied } = await run(one, ofRun("one"));
    expect(report.resumed).toEqual({ kept: ["small"], copiedAgain: [] });
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
    const { made } = await complete(one, "one");
    const again = await run(one, { ...ofRun("one"), reset: true, made });
    expect((await names(one.to)).sort()).toEqual(["_rowferry", "big", "other", "seen", "small"]);
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
    expect(await tablesOf(one.to)).toEqual(["_rowferry", "big", "other"]);
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
    await one.to.query("DELETE FROM _rowferry WHERE kind = 'claim'; UPDATE _rowferry SET id = id + 1000000 ORDER BY id DESC");
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
