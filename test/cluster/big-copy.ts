import type { Client } from "pg";
import { type ExpectStatic, expect } from "vitest";
import { applyMigration, condition, getMigration, until, untilState } from "./kube.ts";
import { leftInTarget, makeWorld, type World, withMysql, withPostgres } from "./world.ts";

/** What the fault tests disturb: a copy of a table big enough to be met in the middle. */
export interface BigCopy {
  world: World;
  /** As {@link postgresSum} gives it for a whole copy. */
  sum: string;
  /** Makes an empty target database and a Migration of this name into it; returns the target's URL from this machine. */
  start(name: string): Promise<string>;
  /** Likewise, and the copy cannot end before what is done to it is done: what it reports is seconds old. */
  startHeld(name: string, disturb: () => Promise<unknown>): Promise<string>;
  /** Waits until this share of the rows is copied. */
  untilCopied(name: string, share: number): Promise<void>;
  /**
   * Waits for `completed`; then no row is lost, doubled or changed, and nothing but the copy is in the target. `expect` is the
   * test's own: these tests run at the same time.
   */
  expectWhole(expect: ExpectStatic, name: string, url: string): Promise<Migration>;
}

type Migration = Awaited<ReturnType<typeof getMigration>>;

export async function makeBigCopy(namespace: string): Promise<BigCopy> {
  const world = await makeWorld(namespace, { source: "mysql", target: "postgres" });
  const source = world.databases["source"]?.host ?? "";
  await fillMysql(source);
  const sum = await mysqlSum(source);
  expect(sum.startsWith(`${bigRows} `)).toBe(true);
  const start = async (name: string): Promise<string> => {
    const url = await world.emptyTarget("target", name);
    await applyMigration(namespace, name, {
      source: { secretRef: { name: "source" } },
      target: { secretRef: { name } },
    });
    return url;
  };
  return {
    world,
    sum,
    start,
    async startHeld(name, disturb) {
      const url = await start(name);
      await withPostgres(url, async (holder) => {
        await until(`the table note of ${name}`, () => lockNote(holder), 120);
        await disturb();
        await holder.query("ROLLBACK");
      });
      return url;
    },
    async untilCopied(name, share) {
      await until(
        `${Math.round(share * 100)} % of ${name}`,
        async () => ((await getMigration(namespace, name)).status?.progress?.rows.done ?? 0) >= share * bigRows,
        120,
      );
    },
    async expectWhole(expect, name, url) {
      const migration = await untilState(namespace, name, "completed", 180);
      expect(condition(migration, "Complete")?.status).toBe("True");
      expect(await postgresSum(url)).toBe(sum);
      expect(await leftInTarget(url)).not.toContainEqual(expect.stringContaining("_rowferry"));
      return migration;
    },
  };
}

const lockNote = (client: Client): Promise<boolean> =>
  client.query("BEGIN; LOCK TABLE note IN ACCESS EXCLUSIVE MODE").then(
    () => true,
    () => client.query("ROLLBACK").then(() => false),
  );

/** Rows of the fault tests' table: enough for a few seconds of copying. */
export const bigRows = 300_000;

/** A table `big` whose rows can be told apart and summed, and a small one that refers to it. */
async function fillMysql(url: string): Promise<void> {
  await withMysql(url, async (connection) => {
    await connection.query("CREATE TABLE digits (d INT NOT NULL PRIMARY KEY)");
    await connection.query("INSERT INTO digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)");
    await connection.query(
      "CREATE TABLE big (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, word VARCHAR(200) NOT NULL, paid DECIMAL(12,2), seen DATETIME, KEY word (word))",
    );
    await connection.query(
      `INSERT INTO big (id, word, paid, seen)
       SELECT n + 1, CONCAT('w', SHA2(n, 224), REPEAT('x', n % 120)), n / 100, TIMESTAMPADD(SECOND, n, '2020-01-01')
         FROM (SELECT a.d + 10*b.d + 100*c.d + 1000*d.d + 10000*e.d + 100000*f.d AS n
                 FROM digits a, digits b, digits c, digits d, digits e, digits f) numbers
        WHERE n < ${bigRows}`,
    );
    await connection.query(
      "CREATE TABLE note (id INT NOT NULL PRIMARY KEY, big_id BIGINT NOT NULL, FOREIGN KEY (big_id) REFERENCES big (id))",
    );
    await connection.query("INSERT INTO note SELECT id, id FROM big WHERE id <= 1000");
  });
}

/** Count and order-free hash of `big` by the databases themselves: equal exactly when no row is lost, doubled or changed. */
const mysqlSum = (url: string): Promise<string> =>
  withMysql(url, async (connection) => {
    const [rows] = await connection.query(
      "SELECT CONCAT(COUNT(*), ' ', COALESCE(SUM(CAST(CONV(SUBSTR(SHA2(CONCAT_WS('|', id, word, paid, DATE_FORMAT(seen, '%Y-%m-%d %H:%i:%s')), 256), 1, 12), 16, 10) AS DECIMAL(30))), 0)) AS s FROM big",
    );
    return String((rows as { s: string }[])[0]?.s);
  });

export const postgresSum = (url: string): Promise<string> =>
  withPostgres(url, async (client) => {
    const { rows } = await client.query<{ s: string }>(
      "SELECT concat(count(*), ' ', coalesce(sum(('x' || lpad(substr(encode(sha256(convert_to(concat_ws('|', id, word, paid, to_char(seen, 'YYYY-MM-DD HH24:MI:SS')), 'UTF8')), 'hex'), 1, 12), 16, '0'))::bit(64)::bigint), 0)) AS s FROM big",
    );
    return String(rows[0]?.s);
  });
