import { describe, expect, test } from "vitest";
import { createAllowed } from "./allowed.ts";
import { settings } from "./statements.ts";

const table = "CREATE TABLE `t` (\n  `id` int NOT NULL,\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB COMMENT='a.b'\n";
const context =
  "SET SESSION sql_mode = 'ANSI_QUOTES', SESSION time_zone = 'Europe/Berlin', SESSION collation_connection = 'utf8mb4_bin'";

const having = (...statements: string[]) => {
  const allowed = createAllowed();
  for (const statement of statements) expect(allowed.defines(statement)).toBe(true);
  return allowed;
};

describe("what Rowferry writes is run", () => {
  test.each([
    ...settings,
    "ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci",
    "CREATE TABLE `a``b.c` (\n  `id` decimal(5,2) DEFAULT 1.5,\n  `v` int GENERATED ALWAYS AS (`id` * 0.5) VIRTUAL /*!80023 INVISIBLE */,\n  CONSTRAINT `c` CHECK ((`v` like _utf8mb4'a.b#--'))\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='SELECT * FROM x.y'\nPARTITION BY RANGE (`id`)\n(PARTITION p0 VALUES LESS THAN (1.5) ENGINE = InnoDB)",
    "CREATE TABLE `v` (\n  `id` int(11) DEFAULT nextval(`other`.`s`),\n  PERIOD FOR SYSTEM_TIME (`a`, `b`)\n) ENGINE=InnoDB COMMENT='' WITH SYSTEM VERSIONING\n",
    "CREATE SEQUENCE `s` start with 1 minvalue 1 maxvalue 9223372036854775806 increment by 1 cache 1000 nocycle ENGINE=InnoDB",
    "ALTER TABLE `t` ADD UNIQUE KEY `k` (`id`) USING BTREE COMMENT 'a, RENAME', ADD KEY `l` (`id` DESC) /*!80000 INVISIBLE */",
    "ALTER TABLE `t` ADD FULLTEXT KEY `f` (`id`) /*!50100 WITH PARSER `ngram` */ ",
    "ALTER TABLE `t` ADD CONSTRAINT `f` FOREIGN KEY (`id`, `b`) REFERENCES `other`.`p` (`id`, `b`) ON DELETE SET NULL ON UPDATE CASCADE",
    context,
    "CREATE VIEW `v` AS SELECT 1 AS `a`, 1 AS `b`",
    "CREATE DEFINER=`u`@`%` PROCEDURE `p`(a int) SELECT * FROM other.t",
    "CREATE DEFINER=`u` FUNCTION `f`() RETURNS int RETURN 1",
    "CREATE DEFINER=`u`@`%` EVENT `e` ON SCHEDULE EVERY 1 DAY DISABLE DO SELECT 1",
    "CREATE ALGORITHM=UNDEFINED DEFINER=`u`@`%` SQL SECURITY DEFINER VIEW `w` (`a`) AS select `other`.`x`.`a` from `other`.`x`",
    "CREATE DEFINER=`u`@`%` TRIGGER /* typed */ g -- so\n BEFORE INSERT ON t FOR EACH ROW SET @a = 1",
    "CREATE DEFINER=`u`@`%` TRIGGER `g`BEFORE INSERT ON `t` FOR EACH ROW SET @a = 1",
    'CREATE DEFINER=`u`@`%` TRIGGER IF NOT EXISTS "g.h" AFTER INSERT ON t FOR EACH ROW SET @a = 1',
    "CREATE DEFINER=`u`@`%` PACKAGE BODY `p` AS x int := 1; END",
  ])("%s", (statement) => {
    expect(having(table).defines(statement)).toBe(true);
  });

  test("rows of the archive's own tables, and the value of its own sequence", () => {
    const allowed = having(table, "CREATE TABLE `ü` (\n  `a``b` int\n)\n", "CREATE SEQUENCE `s` start with 1 nocycle");
    expect(allowed.inserts(Buffer.from("INSERT INTO `t` (`id`, `b) VALUES (`) VALUES (_binary'1')"))).toBe(true);
    expect(allowed.inserts(Buffer.from("INSERT INTO `t` () VALUES (),()"))).toBe(true);
    expect(allowed.inserts(Buffer.from("INSERT INTO `ü` (`a``b`) VALUES (NULL)"))).toBe(true);
    expect(allowed.defines("DO SETVAL(`s`, -5, 0, 0)")).toBe(true);
    expect(allowed.sets("START TRANSACTION")).toBe(true);
  });

  test("a view that took another one's place before is made over it", () => {
    const view =
      "CREATE OR REPLACE ALGORITHM=UNDEFINED DEFINER=`u`@`%` SQL SECURITY DEFINER VIEW `v` AS select 1 AS `a`";
    expect(having(table).defines(view)).toBe(false);
    expect(having("CREATE VIEW `v` AS SELECT 1 AS `a`").defines(view)).toBe(true);
  });
});

test.each([
  "CREATE TABLE `o`.`t` (\n  `a` int\n)",
  "CREATE TABLE `x` (\n  SELECT 1)",
  "CREATE TABLE `x` (\n  `a` int\n) TABLE o.t",
  "CREATE TABLE `x` (\n  `a` int\n) AS (WITH c AS (SELECT 1) SELECT * FROM c)",
  "CREATE TABLE `x` (\n  `a` int /*!99999 ' */\n) SELECT 1 AS ' ' /* '*/",
  "CREATE TABLE `x` (\n  `a` int -- '\n) SELECT 1 -- '\n",
  "CREATE TABLE `x` (\n  `a` int # '\n) SELECT 1 # '\n",
  "CREATE TABLE `x` (\n  `a` int --\u0001 '\n) SELECT 1 --\u0001 '\n",
  "CREATE TABLE `x` (\n  `a` int\n",
  "CREATE SEQUENCE `o`.`s` start with 1",
  "DO SETVAL(`mine`, 1, 0, 0)",
  "ALTER TABLE `t` ADD COLUMN `c` int",
  "ALTER TABLE `t` ADD KEY `k` (`id`), RENAME TO `o`.`t`",
  "ALTER TABLE `t` ADD KEY `k` (`id`)) , RENAME TO (`o`.`t`",
  "ALTER TABLE `t` ADD CONSTRAINT `c` FOREIGN KEY (`id`) REFERENCES `p` (`id`), RENAME TO `o`.`t`",
  "ALTER TABLE `other` ADD KEY `k` (`id`)",
  "CREATE VIEW `v` AS SELECT 1 AS `a` FROM o.t",
  "CREATE DEFINER=`u`@`%` EVENT `o` . `e` ON SCHEDULE EVERY 1 DAY DO SELECT 1",
  "CREATE DEFINER=`u`@`%` EVENT `o`/*a*/./*b*/e ON SCHEDULE EVERY 1 DAY DO SELECT 1",
  "CREATE DEFINER=`u`@`%` EVENT `o`-- a\n.e ON SCHEDULE EVERY 1 DAY DO SELECT 1",
  "CREATE DEFINER=`u`@`%` EVENT `o`/*!.*/e ON SCHEDULE EVERY 1 DAY DO SELECT 1",
  "CREATE DEFINER=`u`@`%` TRIGGER o.g BEFORE INSERT ON o.t FOR EACH ROW SET @a = 1",
  "CREATE DEFINER=`u`@`%` TRIGGER o /**/ . g BEFORE INSERT ON o.t FOR EACH ROW SET @a = 1",
  "CREATE DEFINER=`u`@`%` ROLE r",
  "SET SESSION sql_mode = '', GLOBAL max_connections = 77",
  "SET SESSION sql_mode = '', SESSION time_zone = '+00:00', GLOBAL collation_connection = DEFAULT",
  "SET NAMES utf8mb4, GLOBAL max_connections = 77",
])("another statement is not: %s", (statement) => {
  expect(having(table).defines(statement)).toBe(false);
});

test.each([
  "INSERT INTO `o`.`t` (`id`) VALUES (1)",
  "INSERT INTO `other` (`id`) VALUES (1)",
  "INSERT INTO `t` SELECT 1",
  "INSERT INTO `t` (`id`) SELECT 1",
  "INSERT INTO `t` PARTITION (p) (`id`) VALUES (1)",
  "INSERT IGNORE INTO `t` (`id`) VALUES (1)",
])("other rows are not: %s", (statement) => {
  expect(having(table).inserts(Buffer.from(statement))).toBe(false);
});

test("after a mode of code's own, in which quotes may mean something else, no table is made or changed", () => {
  const allowed = having(table, context);
  expect(allowed.defines("CREATE TABLE `x` (\n  `a` int\n)\n")).toBe(false);
  expect(allowed.defines("ALTER TABLE `t` ADD KEY `k` (`id`) COMMENT '\\', RENAME TO o.t -- '")).toBe(false);
  for (const setting of settings) expect(allowed.defines(setting)).toBe(true);
  expect(allowed.defines("ALTER TABLE `t` ADD KEY `k` (`id`)")).toBe(true);
});
