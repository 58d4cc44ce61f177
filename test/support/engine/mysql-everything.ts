import type mysql from "mysql2/promise";
import { expect } from "vitest";
import { bytesOf, columnsOf, definitionsOf, type Pair, tablesOf } from "./mysql-mysql-support.ts";

/** One of everything that both kinds of server have, and what is compared of two such databases. */

const wide = Array.from({ length: 999 }, (_, n) => `c${n} tinyint`).join(", ");
const long = "ä".repeat(64);

/** What a table may consist of, in SQL that both kinds take. */
export const zoo = `
CREATE TABLE types (
  id int unsigned NOT NULL AUTO_INCREMENT COMMENT 'it''s "the" key \\\\', si smallint DEFAULT -1, mi mediumint unsigned zerofill, bi bigint NOT NULL DEFAULT 0,
  de decimal(30,10) DEFAULT 1.5, nu numeric(5,0), fl float, du double unsigned, b1 bit(1) DEFAULT b'1', bo tinyint(1) DEFAULT 1,
  da date DEFAULT '2000-01-01', ti time(3), dt datetime(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), ts timestamp NULL DEFAULT NULL, ye year,
  ch char(3) CHARACTER SET ascii COLLATE ascii_bin DEFAULT '''', vc varchar(255) CHARACTER SET utf8mb3 COLLATE utf8mb3_unicode_ci DEFAULT 'ü', v4 varchar(50) DEFAULT 'ü', bn binary(3), vb varbinary(9) DEFAULT '',
  t1 tinytext, t2 text, t3 mediumtext, t4 longtext CHARACTER SET koi8r, b2 tinyblob, b3 blob, b4 mediumblob, b5 longblob,
  en enum('a','it''s','ü','') NOT NULL DEFAULT 'ü', se set('x','y','z'''),
  js json, pt point, ls linestring, po polygon, ge geometry, gc geometrycollection,
  gs int GENERATED ALWAYS AS (si + 1) STORED COMMENT 'stored', gv varchar(300) GENERATED ALWAYS AS (concat(v4, 'ß😀''')) VIRTUAL, ex varchar(20) DEFAULT (concat('é', 1)), iv int INVISIBLE,
  PRIMARY KEY (id), UNIQUE KEY two (si, mi), KEY pre (vc(10), t2(5)), KEY down (bi DESC, si), KEY gk (gs), FULLTEXT KEY words (t2, t3), KEY noted (nu) COMMENT 'c', KEY hash USING BTREE (ye),
  CONSTRAINT \`a check\` CHECK (si < 1000 and v4 <> 'ü😀')
) AUTO_INCREMENT = 4711 DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_unicode_ci ROW_FORMAT = COMPRESSED KEY_BLOCK_SIZE = 8 COMMENT = 'all ''types''';
INSERT INTO types (id, si, fl, du, js, pt, en, se, t4, t2, iv) VALUES (1, 5, 1.1, 2.2, '{"a": [1, "ü"]}', ST_GeomFromText('POINT(1 2)'), 'it''s', 'x', 'я', 'some words', 3), (7, -3, NULL, 0, NULL, NULL, '', 'x,y,z''', NULL, '', NULL);
CREATE TABLE astral (id int PRIMARY KEY, e enum('a😀','b?','😀😀') DEFAULT '😀😀', s set('1','😀'), v varchar(9) DEFAULT 'x😀?');
INSERT INTO astral VALUES (1, 'a😀', '1,😀', 'q'), (2, 'b?', '😀', 'r'), (3, '😀😀', '', 's');
CREATE TABLE \`${long}\` (\`${long}\` int, \` x\` int, KEY \`${long}\` (\` x\`));
INSERT INTO \`${long}\` VALUES (1, 2);
CREATE TABLE wide (id int PRIMARY KEY, ${wide});
INSERT INTO wide (id, c998) VALUES (1, 7);
CREATE TABLE keyless (a int, b varchar(10));
INSERT INTO keyless VALUES (1, 'a'), (1, 'a');
CREATE TABLE mem (a int PRIMARY KEY, b varchar(5), KEY h (b) USING HASH) ENGINE=MEMORY;
INSERT INTO mem VALUES (1, 'x');
CREATE TABLE isam (a int AUTO_INCREMENT, b int, PRIMARY KEY (b, a), FULLTEXT KEY f (c), c text) ENGINE=MyISAM;
INSERT INTO isam VALUES (1, 1, 'q'), (2, 1, 'r');
CREATE TABLE pr (id int, d date) PARTITION BY RANGE (year(d)) SUBPARTITION BY HASH (id) SUBPARTITIONS 2 (PARTITION p0 VALUES LESS THAN (2000) COMMENT = 'old', PARTITION p1 VALUES LESS THAN MAXVALUE);
INSERT INTO pr VALUES (1, '1999-01-01'), (2, '2020-01-01');
CREATE TABLE prc (a int, b varchar(5)) PARTITION BY RANGE COLUMNS (a, b) (PARTITION p0 VALUES LESS THAN (5, 'k'), PARTITION p1 VALUES LESS THAN (MAXVALUE, MAXVALUE));
INSERT INTO prc VALUES (1, 'a'), (9, 'z');
CREATE TABLE pl (a int) PARTITION BY LIST (a) (PARTITION p0 VALUES IN (1, 2, NULL), PARTITION \`p 1\` VALUES IN (3));
INSERT INTO pl VALUES (1), (NULL), (3);
CREATE TABLE plc (a varchar(9)) PARTITION BY LIST COLUMNS (a) (PARTITION p0 VALUES IN ('é', '😀'), PARTITION p1 VALUES IN ('x'));
INSERT INTO plc VALUES ('é'), ('😀'), ('x');
CREATE TABLE ph (a int PRIMARY KEY) PARTITION BY LINEAR HASH (a + 1) PARTITIONS 3;
INSERT INTO ph VALUES (1), (2);
CREATE TABLE pk (a int, b varchar(9), PRIMARY KEY (a, b)) PARTITION BY KEY (b) PARTITIONS 2;
INSERT INTO pk VALUES (1, 'x');
CREATE TABLE tree (id int PRIMARY KEY, up int, side int, CONSTRAINT up FOREIGN KEY (up) REFERENCES tree (id) ON DELETE CASCADE ON UPDATE SET NULL, UNIQUE KEY s (side));
CREATE TABLE leaf (id int PRIMARY KEY, t int, u int, CONSTRAINT \`to the tree\` FOREIGN KEY (t) REFERENCES tree (id) ON UPDATE RESTRICT, CONSTRAINT to_side FOREIGN KEY (u) REFERENCES tree (side) ON DELETE SET NULL);
ALTER TABLE tree ADD CONSTRAINT circle FOREIGN KEY (side) REFERENCES leaf (id) ON DELETE NO ACTION;
INSERT INTO tree VALUES (1, NULL, NULL), (2, 1, NULL);
INSERT INTO leaf VALUES (1, 2, NULL);
CREATE TABLE log (n int AUTO_INCREMENT PRIMARY KEY, what varchar(50));
CREATE FUNCTION shout(t varchar(100) CHARACTER SET utf8mb4) RETURNS varchar(100) CHARSET utf8mb4 DETERMINISTIC COMMENT 'ü' RETURN concat(upper(t), '!😀');
CREATE VIEW first_v AS SELECT id, shout('x') AS \`s\`\`q\` FROM types WHERE si > 0 WITH LOCAL CHECK OPTION;
CREATE ALGORITHM=TEMPTABLE SQL SECURITY INVOKER VIEW a_v AS SELECT id, 'ü😀' AS lit FROM first_v UNION ALL SELECT a, b FROM keyless;
CREATE PROCEDURE fill(IN n int, INOUT t varchar(10)) MODIFIES SQL DATA BEGIN DECLARE i int DEFAULT 0; WHILE i < n DO INSERT INTO log (what) VALUES (t); SET i = i + 1; END WHILE; END;
CREATE TRIGGER z_first BEFORE INSERT ON log FOR EACH ROW SET NEW.what = concat(NEW.what, '1');
CREATE TRIGGER a_second BEFORE INSERT ON log FOR EACH ROW SET NEW.what = concat(NEW.what, '2');
CREATE TRIGGER m_third BEFORE INSERT ON log FOR EACH ROW FOLLOWS z_first SET NEW.what = concat(NEW.what, '3');
CREATE TRIGGER after_it AFTER DELETE ON tree FOR EACH ROW INSERT INTO log (what) VALUES ('gone');
CREATE EVENT once ON SCHEDULE AT '2035-01-01 00:00:00' ON COMPLETION PRESERVE ENABLE COMMENT 'é' DO CALL fill(1, @t);
CREATE EVENT often ON SCHEDULE EVERY '1:30' HOUR_MINUTE STARTS '2030-01-01 00:00:00' ENDS '2031-01-01 00:00:00' DISABLE DO DELETE FROM log;
`;

/** Definitions, and what they do not tell. */
export async function shapes(client: mysql.Connection, name: string): Promise<Record<string, string>> {
  const [counters] = await client.query({
    sql: "SELECT TABLE_NAME, AUTO_INCREMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND AUTO_INCREMENT IS NOT NULL ORDER BY 1",
    rowsAsArray: true,
  });
  const [order] = await client.query({
    sql: "SELECT TRIGGER_NAME, ACTION_ORDER FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() ORDER BY 1",
    rowsAsArray: true,
  });
  const found: Record<string, string> = {
    ...(await definitionsOf(client)),
    counters: JSON.stringify(counters),
    order: JSON.stringify(order),
  };
  for (const [object, text] of Object.entries(found)) {
    const here = text.replaceAll(`${name}_copy`, name).replaceAll(/;$/gm, "");
    // MariaDB keeps a trigger as it was typed, where it stands in an order among them.
    found[object] = object.startsWith("TRIGGER") ? here.replaceAll("`", "").replace(/ FOLLOWS \w+/, "") : here;
  }
  return found;
}

export async function expectRows(where: Pair, except: readonly string[] = []): Promise<void> {
  for (const table of await tablesOf(where.from)) {
    const columns = (await columnsOf(where.from, table)).filter((column) => !except.includes(`${table}.${column}`));
    expect([table, await bytesOf(where.to, table, columns)]).toEqual([
      table,
      await bytesOf(where.from, table, columns),
    ]);
  }
}
