import { describe, expect, test } from "vitest";
import type { ColumnDefinition } from "../../../postgres/catalogue/catalogue.ts";
import { sampleColumn } from "./sample-column.ts";
import { type ColumnContext, nothingObserved, numericDigits, targetType } from "./types.ts";

const typed = (type: string, more: Partial<ColumnDefinition> = {}, around: Partial<ColumnContext> = {}) =>
  targetType(sampleColumn(type, more), { maria: false, version: 90_700, observed: nothingObserved, ...around });

/** As atttypmod holds precision and scale. */
const digits = (precision: number, scale: number) => ((precision << 16) | (scale & 0x7ff)) + 4;
/** As PostGIS packs them; `dimensions`: 2 for Z, 1 for M. */
const typmod = (srid: number, shape: number, dimensions = 0) => (srid << 8) | (shape << 2) | dimensions;
const postgis: Partial<ColumnDefinition> = { builtin: false, spatial: "public" };
const asciiText = (characters: number) => `VARCHAR(${characters}) CHARACTER SET ascii COLLATE ascii_bin`;

describe("types of PostgreSQL in MySQL", () => {
  test.each<[string, string, Partial<ColumnDefinition>?, Partial<ColumnContext>?]>([
    ["int2", "SMALLINT"],
    ["int4", "INT"],
    ["int4", "BIGINT", {}, { joined: "BIGINT" }],
    ["int8", "BIGINT"],
    ["oid", "INT UNSIGNED"],
    ["bool", "TINYINT(1)"],
    ["money", "DECIMAL(19,2)"],
    ["numeric", "DECIMAL(10,2)", { modifier: digits(10, 2) }],
    ["numeric", "DECIMAL(5,5)", { modifier: digits(3, 5) }],
    ["numeric", "DECIMAL(7,0)", { modifier: digits(5, -2) }],
    ["numeric", "DECIMAL(65,30)"],
    ["numeric", "DECIMAL(65,2)", {}, { observed: { long: true, nullable: false, digits: { before: 40, after: 2 } } }],
    ["numeric", "LONGTEXT", {}, { observed: { long: true, nullable: false, digits: { before: 60, after: 9 } } }],
    ["float4", "DOUBLE"],
    ["float8", "DOUBLE"],
    ["varchar", "VARCHAR(10)", { modifier: 14 }],
    ["varchar", "LONGTEXT"],
    ["varchar", "LONGTEXT", { modifier: 20_004 }],
    ["text", "LONGTEXT"],
    ["text", "VARCHAR(768)", {}, { keyed: 768 }],
    ["text", "LONGTEXT", {}, { keyed: 768, observed: { long: true, nullable: false } }],
    ["bpchar", "CHAR(5)", { modifier: 9 }],
    ["bpchar", "VARCHAR(256)", { modifier: 260 }],
    ["bytea", "LONGBLOB"],
    ["bytea", "VARBINARY(3072)", {}, { keyed: 768 }],
    ["date", "DATE"],
    ["timestamp", "DATETIME(6)"],
    ["timestamptz", "DATETIME(3)", { modifier: 3 }],
    ["timestamp", "DATETIME", { modifier: 0 }],
    ["time", "TIME(6)"],
    ["timetz", asciiText(32)],
    ["interval", asciiText(96)],
    ["uuid", "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin"],
    ["jsonb", "JSON"],
    ["jsonb", "LONGTEXT", {}, { observed: { long: true, nullable: false } }],
    ["int4", "JSON", { array: true }],
    ["duo", "JSON", { sort: "c", builtin: false }],
    ["hstore", "JSON", { builtin: false }],
    ["citext", "LONGTEXT", { builtin: false }],
    ["bit", "BIT(64)", { modifier: 64 }],
    ["bit", "VARCHAR(65)", { modifier: 65 }],
    ["int4range", asciiText(32), { sort: "r" }],
    ["spans", "LONGTEXT", { sort: "m", builtin: false }],
    ["inet", asciiText(49)],
    ["macaddr8", asciiText(23)],
    ["pg_lsn", asciiText(17)],
    ["xml", "LONGTEXT"],
    ["tsvector", "LONGTEXT"],
    ["circle", "LONGTEXT"],
    ["point", "POINT SRID 0"],
    ["point", "POINT", {}, { maria: true }],
    ["polygon", "POLYGON SRID 0"],
    ["polygon", "LONGTEXT", {}, { observed: { long: true, nullable: false } }],
    ["geometry", "GEOMETRY", postgis],
    ["geometry", "POINT SRID 4326", { ...postgis, modifier: typmod(4326, 1) }],
    ["geometry", "POINT", { ...postgis, modifier: typmod(4326, 1) }, { maria: true }],
    ["geometry", "GEOMCOLLECTION", { ...postgis, modifier: typmod(0, 7) }],
    ["geometry", "LONGTEXT", { ...postgis, modifier: typmod(4326, 1, 2) }],
    ["geometry", "LONGTEXT", { ...postgis, modifier: typmod(4326, 8) }],
    ["geometry", "LONGTEXT", { ...postgis, modifier: typmod(900_913, 1) }, { srids: new Map([[4326, true]]) }],
    ["geometry", "LONGTEXT", postgis, { observed: { long: true, nullable: false } }],
    ["geometry", "LONGTEXT", { ...postgis, spatial: null }],
    ["geography", "GEOMETRY SRID 4326", postgis],
    ["geography", "LINESTRING SRID 4326", { ...postgis, modifier: typmod(4326, 2) }],
    ["mood", "ENUM('a','it''s','')", { sort: "e", builtin: false, labels: ["a", "it's", ""] }],
    ["mood", "VARCHAR(2)", { sort: "e", builtin: false, labels: ["a", "a "] }],
    ["mood", "VARCHAR(1)", { sort: "e", builtin: false, labels: ["😀", "😁"] }],
    ["mood", "VARCHAR(1)", { sort: "e", builtin: false, labels: [] }],
  ])("%s → %s", (type, sql, more, around) => {
    expect(typed(type, more, around).sql).toBe(sql);
  });

  test("what may be lost is noted", () => {
    expect(typed("jsonb").note).toContain("doubles");
    expect(typed("json").note).toContain("doubled ones the last");
    expect(typed("jsonb", {}, { maria: true }).note).toBeUndefined();
    expect(typed("timestamptz").note).toBe("in UTC");
    expect(typed("text", {}, { keyed: 768 }).note).toContain("at most 768 characters");
    expect(typed("code", { array: true, sort: "d", builtin: false }).note).toContain("elements' domain");
    expect(typed("bpchar").note).toContain("without the spaces at the end");
  });

  test.each([
    [digits(10, 2), { before: 8, after: 2 }],
    [digits(3, 5), { before: 0, after: 5 }],
    [digits(5, -2), { before: 7, after: 0 }],
    [digits(1000, 1000), { before: 0, after: 1000 }],
  ])("the digits of modifier %i", (modifier, expected) => {
    expect(numericDigits(modifier)).toEqual(expected);
  });
});
