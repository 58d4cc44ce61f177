import type mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyRequest } from "../../../src/engine/contract/index.ts";
import { reset } from "../../../src/engine/run/reset.ts";
import { copied, pair, useServers } from "../../support/engine/mysql-mysql-support.ts";
import type { Flavour } from "../../support/engine/mysql-support.ts";
import { pair as pairFromPostgres, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { interrupted, run } from "../../support/engine/run.ts";

/** Rows alone into MySQL: a table of others is emptied only when every row in it is proven to be the run's own. */

type Sides = Pick<CopyRequest, "source" | "target">;

const owner = { owner: "owner-1", ownerName: "the test" };
const data = { options: { jobs: 2, content: "data" as const } };
const hooks = { signal: new AbortController().signal, log: () => undefined };

/** Copies rows alone until so many of `big` are there, and stops; what is not committed then is gone. */
const interruptedAt = (both: Sides, rows: number, bandwidth: number): Promise<void> =>
  interrupted(both, ({ table }) => table.some(({ name, rows: done }) => /(?:^|\.)big$/.test(name) && done >= rows), {
    ...data.options,
    bandwidth,
  });

async function ask(client: mysql.Connection, sql: string): Promise<unknown[]> {
  const [found] = await client.query({ sql, rowsAsArray: true });
  return (found as unknown[][]).map(([value]) => value);
}

const rowsOfOthers = {
  code: "target_not_empty",
  retryable: false,
  message: expect.stringContaining("rows in big that"),
};

describe.each<Flavour>(["mysql", "mariadb"])("rows alone from MySQL to %s, after a kill", (kind) => {
  const servers = useServers();
  const schema = `CREATE TABLE big (id int PRIMARY KEY AUTO_INCREMENT, f float, g geometry, b bit(9), j json, v varchar(200) CHARACTER SET latin1);
    INSERT INTO big (f, g, b, j, v) VALUES (0.1, ST_GeomFromText('POINT(1 2)'), 5, '{"a": 1}', REPEAT('ü', 190));
    ${"INSERT INTO big (f, g, b, j, v) SELECT f, g, b, j, v FROM big; ".repeat(14)} ANALYZE TABLE big`;

  async function prepared() {
    const both = await pair(servers, "mysql", kind, schema);
    await copied(both, { options: { jobs: 1, content: "schema" } });
    return both;
  }

  /** The server's statistics say that the table is as large as one that is copied in parts. */
  async function inParts(from: mysql.Connection, database: string): Promise<void> {
    await from.query(
      `UPDATE mysql.innodb_table_stats SET clustered_index_size = 20000 WHERE database_name = '${database}' AND table_name = 'big'; FLUSH TABLE big`,
    );
  }

  test("the application's own row in a table whose rows were not committed stops the retry, and stays through a reset", async () => {
    const both = await prepared();
    await interruptedAt(both, 2000, 1_000_000);
    expect(await ask(both.to, "SELECT COUNT(*) FROM big")).toEqual(["0"]);
    await both.to.query("INSERT INTO big (id, v) VALUES (-7, 'mine')");
    await expect(run(both, data)).rejects.toMatchObject(rowsOfOthers);
    expect(await ask(both.to, "SELECT v FROM big")).toEqual(["mine"]);
    const { left } = await reset({ ...owner, target: both.target }, hooks);
    expect(left).toEqual([expect.stringMatching(/^rows .*big was left in the target: .*not verified/)]);
    expect(await ask(both.to, "SELECT v FROM big")).toEqual(["mine"]);
    await copied(both, { options: { ...data.options, drop: ["big"] } });
    expect(await ask(both.to, "SELECT COUNT(*) FROM big WHERE id > 0")).toEqual(["16384"]);
    expect(await ask(both.to, "SELECT COUNT(*) FROM big WHERE id < 0")).toEqual(["0"]);
  });

  test("rows of parts that were committed are the run's own for a retry and a reset, until others change one", async () => {
    const both = await prepared();
    await inParts(both.from, both.database);
    const some = async () => {
      await interruptedAt(both, 10_000, 3_000_000);
      const [rows] = await ask(both.to, "SELECT COUNT(*) FROM big");
      expect(Number(rows)).toBeGreaterThan(0);
      expect(Number(rows)).toBeLessThan(16384);
    };
    await some();
    await both.to.query("UPDATE big SET f = 0.2 ORDER BY id LIMIT 1");
    await expect(run(both, data)).rejects.toMatchObject(rowsOfOthers);
    expect(await ask(both.to, "SELECT COUNT(*) FROM big WHERE f > 0.15")).toEqual(["1"]);
    await both.to.query("UPDATE big SET f = 0.1");
    expect((await reset({ ...owner, target: both.target }, hooks)).left).toEqual([]);
    expect(await ask(both.to, "SELECT COUNT(*) FROM big")).toEqual(["0"]);
    await some();
    await copied(both, { options: { ...data.options, verify: "checksum" } });
    expect(await ask(both.to, "SELECT COUNT(*) FROM big")).toEqual(["16384"]);
  });
});

describe.each<Flavour>(["mysql", "mariadb"])("rows alone from PostgreSQL to %s, after a kill", (flavour) => {
  let servers: Awaited<ReturnType<typeof startServers>>;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("the application's own row stops the retry, and stays through a reset; rows of the run's are emptied", async () => {
    const both = await pairFromPostgres(
      servers,
      "CREATE TABLE big (id int PRIMARY KEY, v text); INSERT INTO big SELECT i, repeat('x', 190) FROM generate_series(1, 20000) i",
    );
    const here = (sql: string) => ask(servers.admin, sql.replace("big", `${both.name}.big`));
    await run(both, { owner: "owner-0", options: { jobs: 1, content: "schema" } }).then(({ copied }) =>
      copied.finish(),
    );
    await interruptedAt(both, 3000, 2_000_000);
    expect(await here("SELECT COUNT(*) FROM big")).toEqual(["0"]);
    await servers.admin.query(`INSERT INTO ${both.name}.big VALUES (-7, 'mine')`);
    await expect(run(both, data)).rejects.toMatchObject(rowsOfOthers);
    const { left } = await reset({ ...owner, target: both.target }, hooks);
    expect(left).toEqual([expect.stringMatching(/^rows .*big was left in the target: .*not verified/)]);
    expect(await here("SELECT v FROM big")).toEqual(["mine"]);
    await servers.admin.query(`DELETE FROM ${both.name}.big`);
    const { copied: done } = await run(both, data);
    expect((await reset({ ...owner, target: both.target }, hooks)).left).toEqual([]);
    expect(await here("SELECT COUNT(*) FROM big")).toEqual(["0"]);
    await done.finish().catch(() => undefined);
  });

  test("rows of parts that were committed are the run's own for a retry and a reset, until others change one", async () => {
    const both = await pairFromPostgres(
      servers,
      `CREATE TABLE big (id bigint PRIMARY KEY, v text); ALTER TABLE big ALTER v SET STORAGE EXTERNAL;
       INSERT INTO big SELECT CASE WHEN i <= 10000 THEN i - 20 ELSE i + 10000000 END, repeat('x', 1500) FROM generate_series(1, 46000) i; ANALYZE big`,
    );
    const here = (sql: string) => ask(servers.admin, sql.replace("big", `${both.name}.big`));
    await run(both, { owner: "owner-0", options: { jobs: 1, content: "schema" } }).then(({ copied }) =>
      copied.finish(),
    );
    const some = async () => {
      await interruptedAt(both, 36_000, 15_000_000);
      const [rows] = await here("SELECT COUNT(*) FROM big");
      expect(Number(rows)).toBeGreaterThan(0);
      expect(Number(rows)).toBeLessThan(46_000);
    };
    await some();
    await servers.admin.query(`UPDATE ${both.name}.big SET v = 'mine' ORDER BY id LIMIT 1`);
    await expect(run(both, data)).rejects.toMatchObject(rowsOfOthers);
    expect(await here("SELECT COUNT(*) FROM big WHERE v = 'mine'")).toEqual(["1"]);
    await servers.admin.query(`UPDATE ${both.name}.big SET v = REPEAT('x', 1500) WHERE v = 'mine'`);
    const { copied: done } = await run(both, { options: { ...data.options, verify: "checksum" } });
    expect(await here("SELECT COUNT(*) FROM big")).toEqual(["46000"]);
    await done.finish();
  });
});
