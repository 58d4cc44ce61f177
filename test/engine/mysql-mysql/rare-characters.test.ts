import type mysql from "mysql2/promise";
import { expect, test } from "vitest";
import { copied, flavours, pair, pairs, useServers } from "../../support/engine/mysql-mysql-support.ts";

/** Characters above U+FFFF in definitions, between MySQL and MariaDB. */

const servers = useServers();

const ask = async (client: mysql.Connection, sql: string): Promise<unknown[][]> => {
  const [found] = await client.query({ sql, rowsAsArray: true });
  return found as unknown[][];
};

const comments = `CREATE TABLE t (id int PRIMARY KEY COMMENT 'c😀', v int, KEY k (v) COMMENT 'k😀') COMMENT 't😀'
   PARTITION BY RANGE (id) (PARTITION p VALUES LESS THAN MAXVALUE COMMENT 'p😀')`;
const shown = `SELECT HEX(COLUMN_COMMENT), (SELECT DISTINCT HEX(INDEX_COMMENT) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND INDEX_NAME = 'k'),
   (SELECT HEX(TABLE_COMMENT) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()), (SELECT HEX(PARTITION_COMMENT) FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE())
   FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME = 'id'`;

test.each(flavours)(
  "%s itself makes a question mark of such a character when a comment is made, and nothing shows another",
  async (flavour) => {
    const { from } = await pair(servers, flavour, flavour);
    await from.query(comments);
    const warnings = (await ask(from, "SHOW WARNINGS")).map(([, code, text]) => `${code} ${text}`);
    if (flavour === "mysql")
      expect(
        warnings.filter((text) => /^1300 Cannot convert string .* from utf8mb4 to utf8mb3$/.test(text)),
      ).toHaveLength(4);
    const marks = ["c?", "k?", "t?", "p?"];
    expect(await ask(from, shown)).toEqual([marks.map((text) => Buffer.from(text).toString("hex").toUpperCase())]);
    const [[, text] = []] = await ask(from, "SHOW CREATE TABLE t");
    for (const mark of marks) expect(text).toMatch(new RegExp(`COMMENT ?=? ?'${mark.replace("?", "\\?")}'`));
  },
);

test.each(pairs)("%s to %s: expressions, checks, code and comments are the source's", async (from, to) => {
  const both = await pair(
    servers,
    from,
    to,
    `${comments}; CREATE TABLE e (id int PRIMARY KEY, v varchar(9) COLLATE utf8mb4_bin, w varchar(9) DEFAULT (CONCAT('x', '😀')), g varchar(20) AS (CONCAT(v, '😀')) STORED, CONSTRAINT smile CHECK (v <> '😀'));
     INSERT INTO e (id, v) VALUES (1, 'a'); CREATE VIEW seen AS SELECT id, '😀' AS c FROM e;
     CREATE TABLE p (v varchar(9) COLLATE utf8mb4_bin) PARTITION BY LIST COLUMNS (v) (PARTITION a VALUES IN ('😀'), PARTITION b VALUES IN ('b')); INSERT INTO p VALUES ('😀');
     CREATE FUNCTION f() RETURNS varchar(9) CHARSET utf8mb4 DETERMINISTIC RETURN '😀'`,
  );
  await copied(both);
  await both.to.query("INSERT INTO e (id, v) VALUES (2, '????')");
  expect(await ask(both.to, "SELECT v, w, g FROM e ORDER BY id")).toEqual([
    ["a", "x😀", "a😀"],
    ["????", "x😀", "????😀"],
  ]);
  await expect(both.to.query("INSERT INTO e (id, v) VALUES (3, '😀')")).rejects.toThrow(/smile/);
  expect(await ask(both.to, "SELECT DISTINCT c, f() FROM seen")).toEqual([["😀", "😀"]]);
  expect(await ask(both.to, "SELECT v FROM p PARTITION (a)")).toEqual([["😀"]]);
  expect(await ask(both.to, shown.replaceAll("= DATABASE()", "= DATABASE() AND TABLE_NAME = 't'"))).toEqual(
    await ask(both.from, shown.replaceAll("= DATABASE()", "= DATABASE() AND TABLE_NAME = 't'")),
  );
});
