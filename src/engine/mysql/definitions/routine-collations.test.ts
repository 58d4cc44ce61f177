import { expect, test } from "vitest";
import { collationNotes, databaseTexts, noTextCollations, withResultCollation } from "./routine-collations.ts";

test.each([
  [
    "(a INT) RETURNS varchar(3) CHARSET ucs2\n    DETERMINISTIC\n",
    "(a INT) RETURNS varchar(3) CHARSET ucs2 COLLATE x\n    DETERMINISTIC\n",
  ],
  ["() RETURNS text CHARSET ucs2 COLLATE ucs2_bin\n", "() RETURNS text CHARSET ucs2 COLLATE x\n"],
  [
    "(a ENUM(') RETURNS y CHARSET z\n')) RETURNS enum('a\n CHARSET b\n') CHARSET ucs2\n    COMMENT ') RETURNS a CHARSET b\n'\n",
    "(a ENUM(') RETURNS y CHARSET z\n')) RETURNS enum('a\n CHARSET b\n') CHARSET ucs2 COLLATE x\n    COMMENT ') RETURNS a CHARSET b\n'\n",
  ],
  ["() RETURNS int(11)\n", "() RETURNS int(11)\n"],
  ["no function", "no function"],
])("the result's collation: %j", (head, wanted) => {
  expect(withResultCollation(head, "x")).toBe(wanted);
});

test("character sets in a text are named once, without those that have a collation or are in quotes", () => {
  const defaults = (utf8mb3: string) =>
    new Map([
      ["utf8mb3", utf8mb3],
      ["ucs2", "same"],
    ]);
  const shown =
    "DECLARE a TEXT CHARACTER SET utf8; SET a = convert(b using utf8mb3), c = 'charset utf8', d = 'x' charset ucs2";
  const notes = (text: string) =>
    collationNotes(
      { kind: "view", name: "v", shown: text },
      { ...noTextCollations, defaults: defaults("one") },
      { ...noTextCollations, defaults: defaults("two") },
    );
  expect(notes(shown)).toEqual([
    "its text names the character set utf8mb3 without a collation, which is two by default in the target, not one",
  ]);
  expect(notes("a CHARACTER SET utf8mb3 COLLATE utf8mb3_bin, 'using utf8mb3'")).toEqual([]);
});

test.each([
  [
    "FUNCTION `f`(p varchar(3), q int, `r s` enum('a,b')) RETURNS int DECLARE a, `b c` text;",
    "",
    ["p", "r s", "a", "b c"],
  ],
  ["PROCEDURE p(INOUT a char(3) charset latin1, OUT b decimal(9,2)) BEGIN END", "", []],
  [
    "TRIGGER t BEFORE INSERT ON x FOR EACH ROW BEGIN DECLARE a long; DECLARE b long varbinary; DECLARE c binary(3); END",
    "",
    ["a"],
  ],
  [
    "EVENT e DO BEGIN /* DECLARE a text; */ -- DECLARE b text;\n SET @x = 'DECLARE c text'; DECLARE d cursor for select 1; END",
    "",
    [],
  ],
  [
    "PROCEDURE p() BEGIN DECLARE a text DEFAULT convert('x' using latin1); DECLARE b text collate utf8mb4_bin; END",
    "",
    ["a"],
  ],
  [
    'PROCEDURE "p"("a" IN OUT int, b varchar2(9)) AS x varchar(9); y int; z char := 1; BEGIN set x = 1; END',
    "ORACLE",
    ["b", "x", "z"],
  ],
])("what takes the default of the database: %s", (shown, sqlMode, names) => {
  const context = { sqlMode, client: "", connection: "", timeZone: "", database: "" };
  const found = databaseTexts({ kind: "procedure", shown: `CREATE DEFINER=\`u\`@\`h\` ${shown}`, context });
  expect(found.map((text) => text.replace(/^its (?:parameter|variable) /, ""))).toEqual(names);
});
