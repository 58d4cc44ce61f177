import { expect, test } from "vitest";
import { copied, pair, useServers } from "../../support/engine/mysql-mysql-support.ts";
import { interrupted, run } from "../../support/engine/run.ts";

/** MariaDB takes rows that break a check while check_constraint_checks is off. */

const servers = useServers();

const loose = (statements: string) =>
  `SET SESSION check_constraint_checks = 0; ${statements}; SET SESSION check_constraint_checks = 1`;

/** Of 18 rows of so many bytes, in parts where they are more than 64 MB. */
const schema = (
  bytes: number,
) => `CREATE TABLE whole (id int PRIMARY KEY, n int, CONSTRAINT right_one CHECK (n > 0)); INSERT INTO whole VALUES (1, 1);
  CREATE TABLE t (id int PRIMARY KEY, n int, m int CHECK (m < 9), doc json, up int, s text, FULLTEXT KEY (s), CONSTRAINT low CHECK (n < 5), CONSTRAINT fine CHECK (n > 0),
    CONSTRAINT up FOREIGN KEY (up) REFERENCES whole (id));
  INSERT INTO t VALUES (1, 1, 1, '{}', 1, 'a'), (2, NULL, 2, '[]', NULL, 'b');
  CREATE TABLE early (id int PRIMARY KEY, n int, CONSTRAINT early_low CHECK (n < 5), CONSTRAINT early_fine CHECK (n > 0)) ENGINE = MyISAM; INSERT INTO early VALUES (1, 1);
  CREATE TABLE large (id int PRIMARY KEY AUTO_INCREMENT, n int, v longblob, KEY by_n (n), CONSTRAINT large_low CHECK (n < 5));
  INSERT INTO large (n, v) VALUES ${Array.from({ length: 18 }, (_, at) => `(${at % 5}, REPEAT('${at % 10}', ${bytes}))`).join()};
  ${loose("INSERT INTO t VALUES (3, 7, 3, '{}', 1, 'c'), (4, 8, 10, '{', 1, 'd'); INSERT INTO early VALUES (2, 9); INSERT INTO large (n, v) VALUES (6, NULL); UPDATE large SET n = 5 WHERE id IN (1, 9)")};
  ANALYZE TABLE large`;

test.each(["mariadb", "mysql"] as const)(
  "mariadb → %s: rows that break a check of their own table are copied, and the check is named with their number",
  async (to) => {
    const where = await pair(servers, "mariadb", to, schema(8_000_000));
    const { report, logs } = await copied(where, { options: { jobs: 3, verify: "checksum" } });
    expect(report.verification?.differences).toEqual([]);
    const said = (name: string, rows: string) =>
      `check ${name}: ${rows} it: ${to === "mysql" ? "it was made NOT ENFORCED" : "new rows must fulfill it"}`;
    const names = to === "mysql" ? ["t_chk_1", "t_chk_2"] : ["m", "doc"];
    expect(logs.filter((line) => line.startsWith("warning: check ")).sort()).toEqual(
      [
        said("t.low", "2 rows of the source break"),
        said(`t.${names[0]}`, "1 row of the source breaks"),
        said(`t.${names[1]}`, "1 row of the source breaks"),
        said("early.early_low", "1 row of the source breaks"),
        said("large.large_low", "3 rows of the source break"),
      ]
        .map((words) => `warning: ${words}`)
        .sort(),
    );
    const low = report.inventory.find(({ kind, name }) => kind === "check" && name === "t.low");
    expect(low?.outcome).toBe(to === "mysql" ? "reported" : "converted");
    // What holds for every row holds for new ones.
    for (const row of [
      "whole VALUES (2, 0)",
      "t VALUES (5, 0, 1, '{}', 1, '')",
      "early VALUES (3, 0)",
      ...(to === "mariadb" ? ["t VALUES (5, 5, 1, '{}', 1, '')", "large (n) VALUES (9)"] : []),
    ])
      await expect(where.to.query(`INSERT INTO ${row}`)).rejects.toMatchObject({ errno: to === "mysql" ? 3819 : 4025 });
  },
);

test.each(["mariadb", "mysql"] as const)(
  "mariadb → %s: a second attempt keeps a table whose rows break a check, and makes another anew",
  async (to) => {
    const where = await pair(servers, "mariadb", to, schema(100_000));
    const done = ({ name, state }: { name: string; state: string }) => name === "large" || state === "done";
    await interrupted(where, ({ table }) => table.length > 0 && table.every(done), { bandwidth: 300_000 });
    // As an attempt leaves it that is killed after it met the first of these rows.
    if (to === "mysql") await where.to.query("ALTER TABLE large ALTER CHECK large_low NOT ENFORCED");
    const { report, copied: ran } = await run(where);
    expect(report.resumed?.kept.sort()).toEqual(["early", "t", "whole"]);
    const broken = report.warnings.filter((words) => words.startsWith("check "));
    expect(broken).toHaveLength(5);
    await ran.finish();
    const count = "SELECT COUNT(*) AS n FROM large WHERE n >= 5";
    expect((await where.to.query(count))[0]).toEqual((await where.from.query(count))[0]);
  },
);

test.each(["mariadb", "mysql"] as const)(
  "mariadb → %s, rows alone: rows that break the check that both sides have are counted before one is written",
  async (to) => {
    const table = "CREATE TABLE t (id int PRIMARY KEY, n int, CONSTRAINT low CHECK (n < 5))";
    const where = await pair(
      servers,
      "mariadb",
      to,
      `${table}; INSERT INTO t VALUES (1, 1); ${loose("INSERT INTO t VALUES (2, 7), (3, 8)")}`,
    );
    await where.to.query(table);
    await expect(run(where, { options: { jobs: 2, content: "data" } })).rejects.toMatchObject({
      code: "data_refused",
      message: expect.stringMatching(
        /^nothing was written: .*t, column n [^;]*: 2 values do not fit \(the target's check low refuses them\)/,
      ),
    });
    expect((await where.to.query("SELECT * FROM t"))[0]).toEqual([]);
  },
);
