import { expect, test } from "vitest";
import { fitIntoMysql } from "./into-mysql.ts";
import { mysqlValueType } from "./mysql-type.ts";
import { postgresValueType } from "./postgres-type.ts";
import { fitOf } from "./rules.ts";
import { countedWords, type Fit } from "./types.ts";

/** always, never, or the names of the checks. */
const words = (fit: Fit) => (typeof fit === "string" ? fit : fit.map(({ check }) => check).join(" "));

test.each([
  ["integer", "integer", "always"],
  ["integer", "smallint", "range"],
  ["integer", "numeric(10,2)", "range"],
  ["smallint", "numeric(10,2)", "always"],
  ["bigint", "numeric(10,-2)", "digits"],
  ["bigint", "double precision", "never"],
  ["numeric(10,2)", "numeric(12,4)", "always"],
  ["numeric(10,2)", "numeric(10,4)", "digits"],
  ["numeric(10,4)", "numeric(10,2)", "digits"],
  ["numeric", "numeric(10,2)", "digits"],
  ["numeric(10,4)", "numeric", "always"],
  ["numeric", "bigint", "digits range"],
  ["numeric(10,2)", "real", "never"],
  ["double precision", "real", "never"],
  ["real", "double precision", "never"],
  ["character varying(10)", "character varying(20)", "always"],
  ["character varying(20)", "character varying(10)", "characters"],
  ['"text"', "character varying(10)", "characters"],
  ["character varying(10)", '"text"', "always"],
  ['"text"', "character(10)", "characters spaces"],
  ["character(10)", "character varying(5)", "never"],
  ["bigint", "bpchar(20)", "always"],
  ["bigint", "bpchar(19)", "characters"],
  ['"text"', '"name"', "bytes"],
  ['"uuid"', "character varying(10)", "characters"],
  ['"uuid"', "character varying(36)", "always"],
  ['"text"', "integer", "never"],
  ['"date"', "timestamp without time zone", "always"],
  ["timestamp without time zone", '"date"', "never"],
  ["timestamp(3) without time zone", "timestamp without time zone", "always"],
  ["timestamp without time zone", "timestamp(3) without time zone", "fraction"],
  ["timestamp with time zone", "timestamp without time zone", "never"],
  ['"json"', '"jsonb"', "never"],
  ['"jsonb"', '"json"', "always"],
  ["bit varying(3)", "bit varying(8)", "always"],
  ["bit varying", "bit varying(8)", "never"],
  ["bit(3)", "bit(8)", "never"],
  ['"inet"', '"cidr"', "never"],
  ["numeric(10,4)[]", "numeric(10,2)[]", "never"],
  ['"a"."mood"[]', '"b"."mood"[]', "never"],
])("PostgreSQL: %s into %s: %s", (from, to, expected) => {
  expect(words(fitOf(postgresValueType(from), postgresValueType(to)))).toBe(expected);
});

test("PostgreSQL's server looks at the labels of an enum", () => {
  const mood = postgresValueType('"a"."mood"', true);
  expect(words(fitOf(mood, postgresValueType('"mood"', true)))).toBe("always");
  expect(words(fitOf(mood, postgresValueType("integer")))).toBe("never");
});

const latin1 = (sql: string) => mysqlValueType(sql, "latin1", false);

test.each([
  ["BIGINT", "int(11)", "range"],
  ["int(10) unsigned", "bigint(20)", "always"],
  ["INT", "float", "never"],
  ["DECIMAL(10,2)", "decimal(12,1)", "digits"],
  ["DECIMAL(10,2)", "int", "digits range"],
  ["DECIMAL(10,2)", "double", "never"],
  ["DOUBLE", "float", "never"],
  ["DOUBLE", "double(5,2)", "digits"],
  ["DOUBLE(10,4)", "double(10,2)", "digits"],
  ["DOUBLE(10,2)", "double(12,4)", "always"],
  ["DOUBLE(10,2)", "double", "always"],
  ["FLOAT", "float(7,2)", "digits"],
  ["FLOAT(7,2)", "float(8,2)", "always"],
  ["DATETIME(6)", "datetime", "fraction"],
  ["DATETIME(3)", "datetime(6)", "always"],
  ["DATETIME(6)", "timestamp(6)", "never"],
  ["DATE", "datetime", "always"],
  ["LONGTEXT", "varchar(20)", "characters"],
  ["LONGTEXT", "char(20)", "characters spaces"],
  ["varchar(100)", "tinytext", "bytes"],
  ["VARCHAR(20)", "enum('a')", "never"],
  ["ENUM('a','b')", "enum('c','b','a')", "always"],
  ["ENUM('a','b')", "enum('a')", "never"],
  ["LONGBLOB", "varbinary(20)", "bytes"],
  ["varbinary(20)", "binary(20)", "length"],
  ["LONGBLOB", "longtext", "never"],
  ["JSON", "longtext", "always"],
  ["LONGTEXT", "json", "never"],
  ["CHAR(36) CHARACTER SET ascii COLLATE ascii_bin", "char(36)", "always"],
  ["TINYINT(1)", "bit(1)", "never"],
  ["point", "geometry", "always"],
])("MySQL: %s into %s: %s", (from, to, expected) => {
  expect(words(fitIntoMysql(mysqlValueType(from, null, false), mysqlValueType(to, null, false)))).toBe(expected);
});

test("a text's character set counts", () => {
  const utf8 = mysqlValueType("varchar(9)", "utf8mb4", false);
  expect(words(fitIntoMysql(latin1("varchar(9)"), utf8))).toBe("always");
  expect(words(fitIntoMysql(utf8, latin1("varchar(9)")))).toBe("charset");
  expect(words(fitIntoMysql(utf8, mysqlValueType("varchar(9)", "utf8", false)))).toBe("charset");
  // Of x'98' Unicode knows nothing.
  expect(words(fitIntoMysql(mysqlValueType("varchar(9)", "cp1251", false), utf8))).toBe("charset");
  expect(words(fitIntoMysql(latin1("text"), mysqlValueType("text", "utf8mb4", false)))).toBe("bytes");
});

test.each([
  ["double", "numeric(10,2)", "digits"],
  ["double", "numeric", "always"],
  ["double", "real", "single"],
  ["bigint", "real", "range"],
  ["decimal(10,2)", "double precision", "always"],
  ["decimal(20,2)", "double precision", "significant"],
  ["tinyint(1)", "boolean", "range"],
  ["varchar(9)", "numeric(10,2)", "form written"],
  ["varchar(9)", "real", "form written"],
  ["varchar(9)", '"uuid"', "written"],
  ["varchar(9)", "interval", "written"],
  ["varchar(9)", '"numrange"', "always"],
  ["varchar(9)", '"tsvector"', "never"],
  ["datetime(6)", '"date"', "midnight"],
  ["time(6)", "interval(3)", "fraction"],
  ["blob", "character varying(3)", "characters encoded"],
  ["set('a','bc')", "character varying(4)", "always"],
  ["set('a','bc')", '"text"[]', "always"],
])("a type that the user named for MySQL's %s, %s: %s", (from, to, expected) => {
  expect(words(fitOf(mysqlValueType(from, null, false), postgresValueType(to), "postgres"))).toBe(expected);
});

test("texts that a type writes otherwise are reported with an example of that type", () => {
  const said = (type: string) => {
    const fit = fitOf(mysqlValueType("varchar(40)", "utf8mb4", false), postgresValueType(type), "postgres");
    const check = typeof fit === "string" ? undefined : fit.find(({ check }) => check === "written");
    return check === undefined ? undefined : countedWords(check, 1);
  };
  const start = "1 text is written otherwise by the target's type";
  expect(said("integer")).toBe(`${start}, as 007 becomes 7`);
  expect(said("uuid")).toBe(`${start}, as capital letters become small ones`);
  expect(said("interval")).toBe(start);
});
