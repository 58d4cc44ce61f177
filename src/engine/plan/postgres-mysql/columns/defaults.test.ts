import { describe, expect, test } from "vitest";
import type { ColumnDefinition } from "../../../postgres/catalogue/catalogue.ts";
import { literalOf, targetDefault } from "./defaults.ts";
import { sampleColumn } from "./sample-column.ts";
import { nothingObserved, targetType } from "./types.ts";

/** A default that no row could take. */
const no = (type: string) => ({ reason: expect.stringContaining(`a ${type} cannot hold it`) as string });

describe("literals as pg_get_expr writes them", () => {
  test.each<[string, string | null | undefined]>([
    ["'a'::text", "a"],
    [`'a'::"text"`, "a"],
    ["'it''s'::character varying(5)", "it's"],
    ["'x''); DROP TABLE a; -- \\'::text", "x'); DROP TABLE a; -- \\"],
    ["'\\'::text", "\\"],
    ["E'\\\\ \\n'::text", "\\ \n"],
    [`'a'::"s"."e"`, "a"],
    ["'-1'::integer", "-1"],
    ["(-5)::numeric", "-5"],
    ["1.50", "1.50"],
    ["true", "true"],
    ["NULL::character varying", null],
    ["'2020-01-01 00:00:00+00'::timestamp with time zone", "2020-01-01 00:00:00+00"],
    ["'{}'::integer[]", "{}"],
    ["'::text'::text", "::text"],
    ["ARRAY[1]", undefined],
    ["'a' || 'b'", undefined],
    ["lower('A'::text)", undefined],
    ["(1 + 1)", undefined],
  ])("%s", (text, expected) => {
    expect(literalOf(text)).toBe(expected);
  });
});

const column = (type: string, text: string, more: Partial<ColumnDefinition> = {}): ColumnDefinition =>
  sampleColumn(type, { default: text, ...more });

describe("defaults for MySQL", () => {
  test.each<
    [string, string, string | { unknown: string } | { reason: string } | undefined, Partial<ColumnDefinition>?]
  >([
    ["int4", "7", "7"],
    ["int4", "'7'::integer", "7"],
    ["int4", "(1 + 1)", { unknown: "(1 + 1)" }],
    ["bool", "true", "1"],
    ["bool", "'f'::boolean", "0"],
    ["float8", "'-0'::double precision", "-0e0"],
    ["float8", "'NaN'::double precision", { unknown: "'NaN'::double precision" }],
    ["float8", `'-1${"0".repeat(300)}'::numeric`, "-1e+300"],
    ["float8", "'1.7976931348623157e+308'::double precision", "1.7976931348623157e+308"],
    ["float8", `0.${"0".repeat(323)}5`, "5e-324"],
    ["float8", `'2${"0".repeat(308)}'::numeric`, { unknown: `'2${"0".repeat(308)}'::numeric` }],
    ["numeric", `'1${"0".repeat(65)}'::numeric`, { unknown: `'1${"0".repeat(65)}'::numeric` }],
    ["numeric", "1.50", "1.50"],
    ["int8", "'9223372036854775808'::numeric", no("BIGINT")],
    ["int8", "'-9223372036854775808'::bigint", "-9223372036854775808"],
    ["int2", "32768", no("SMALLINT")],
    ["numeric", "1000.5", no("DECIMAL(5,2)"), { modifier: ((5 << 16) | 2) + 4 }],
    ["numeric", "-999.5", "-999.5", { modifier: ((5 << 16) | 2) + 4 }],
    ["varchar", "'äxyz'::character varying", no("VARCHAR(3)"), { modifier: 7 }],
    ["text", "'x'::text", "('x')"],
    ["text", "'a\\''b'::text", "('a\\\\''b')"],
    ["varchar", "'x'::character varying", "'x'", { modifier: 9 }],
    ["bytea", "'\\x00ff'::bytea", "(UNHEX('00ff'))"],
    ["bit", "'101'::\"bit\"", "b'101'", { modifier: 3 }],
    ["date", "'2020-02-29'::date", "'2020-02-29'"],
    ["date", "'infinity'::date", { unknown: "'infinity'::date" }],
    ["date", "CURRENT_DATE", "(CURRENT_DATE)"],
    ["timestamptz", "now()", "(UTC_TIMESTAMP(6))"],
    ["timestamp", "LOCALTIMESTAMP", "CURRENT_TIMESTAMP(6)"],
    ["timestamp", "now()", "CURRENT_TIMESTAMP(3)", { modifier: 3 }],
    ["uuid", "gen_random_uuid()", "(UUID())"],
    ["int4", "'{}'::integer[]", "('[]')", { array: true, written: "integer[]" }],
    ["money", "'1.00'::money", { unknown: "'1.00'::money" }],
    ["int4range", "'[1,5)'::int4range", { unknown: "'[1,5)'::int4range" }, { sort: "r" }],
    ["text", "NULL::text", undefined],
  ])("%s DEFAULT %s", (type, text, expected, more) => {
    const from = column(type, text, more);
    const found = targetDefault(from, targetType(from, { maria: false, version: 90_700, observed: nothingObserved }));
    expect(found !== undefined && "sql" in found ? found.sql : found).toEqual(expected);
  });
});
