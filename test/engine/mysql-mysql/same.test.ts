import { expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import { copied, flavours, pair, pairs, tablesOf, useServers } from "../../support/engine/mysql-mysql-support.ts";
import { error } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** A copy must not destroy what it copies from, nor go on when it has failed. */

const servers = useServers();

const rows = "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1), (2)";

test.each(flavours)(
  "%s: a copy onto itself is refused before anything is written, whatever the URLs say",
  async (kind) => {
    const { source, from, database } = await pair(servers, kind, kind, rows);
    for (const host of [source.host, "localhost"]) {
      const where = { source, target: { ...source, host } };
      expect(await error(run(where, { options: { jobs: 2, drop: ["t"] } }))).toMatchObject({
        code: "same_database",
        retryable: false,
      });
      const hooks = { signal: new AbortController().signal, log: () => undefined };
      expect(await error(assess({ ...where, options: { jobs: 2 } }, hooks))).toMatchObject({ code: "same_database" });
    }
    await from.query(`USE ${database}`);
    expect(await tablesOf(from)).toEqual(["t"]);
    const [[found]] = (await from.query("SELECT COUNT(*) AS n FROM t")) as unknown as [[{ n: number }]];
    expect(Number(found.n)).toBe(2);
  },
);

test.each(flavours)(
  "%s: what a cancelled run still waits for on the target does not happen afterwards",
  async (kind) => {
    const where = await pair(servers, kind, kind, rows);
    await where.to.query("CREATE TABLE t (theirs int)");
    await where.to.query("START TRANSACTION; SELECT * FROM t");
    const stop = new AbortController();
    const ran = error(run(where, { options: { jobs: 2, drop: ["t"] } }, stop.signal));
    const waiting = async () => {
      const [found] = await where.from.query("SHOW FULL PROCESSLIST");
      return (found as { Info: string | null }[]).some(({ Info }) => /^DROP TABLE/.test(Info ?? ""));
    };
    await expect.poll(waiting, { timeout: 20_000 }).toBe(true);
    stop.abort(new Error("enough"));
    await ran;
    await where.to.query("COMMIT");
    expect(await waiting()).toBe(false);
    expect(await tablesOf(where.to)).toContain("t");
  },
);

test.each(pairs)("%s → %s: another copy's table in the source is left out, and a user's is named", async (from, to) => {
  const where = await pair(servers, from, to, rows);
  // A copy into this database is under way: its table is there.
  const other = await pair(servers, from, from, "CREATE TABLE u (id int PRIMARY KEY)");
  const into = await run({ source: other.source, target: where.source });
  await where.from.query(`USE ${where.database}`);
  expect((await tablesOf(where.from)).sort()).toEqual(["_rowferry", "t", "u"]);
  const { report } = await copied(where);
  expect(report.inventory).toContainEqual(
    expect.objectContaining({ kind: "table", name: "_rowferry", outcome: "not_applicable" }),
  );
  expect(report.tables.map(({ source }) => source)).toEqual([`${where.database}.t`, `${where.database}.u`]);
  expect(await tablesOf(where.to)).toEqual(["t", "u"]);
  await into.copied.finish();

  await where.from.query("CREATE TABLE _rowferry (mine int)");
  await where.to.query("DROP TABLE t, u");
  expect(await error(run(where))).toMatchObject({ code: "reserved_name", message: expect.stringContaining("source") });
  expect(await tablesOf(where.to)).toEqual([]);
  await copied(where, { options: { jobs: 2, exclude: ["_rowferry"] } });
  expect(await tablesOf(where.to)).toEqual(["t", "u"]);
});
