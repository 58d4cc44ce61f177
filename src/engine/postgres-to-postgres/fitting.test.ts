import { expect, test } from "vitest";
import { fits } from "./fitting.ts";

test.each([
  ["integer", "integer", true],
  ["integer", "smallint", true],
  ["integer", "numeric(10,2)", true],
  ["bigint", "numeric(10,-2)", false],
  ["bigint", "double precision", false],
  ["numeric(10,2)", "numeric(12,4)", true],
  ["numeric(10,4)", "numeric(10,2)", false],
  ["numeric", "numeric(10,2)", false],
  ["numeric(10,4)", "numeric", true],
  ["numeric", "bigint", true],
  ["numeric(10,2)", "real", false],
  ["double precision", "real", false],
  ["character varying(10)", "character varying(20)", true],
  ["character varying(20)", "character varying(10)", false],
  ["text", "character varying(10)", false],
  ["character varying(10)", "text", true],
  ["text", "character(10)", false],
  ["uuid", "character varying(10)", true],
  ["text", "integer", false],
  ["date", "timestamp without time zone", true],
  ["timestamp without time zone", "date", false],
  ["timestamp(3) without time zone", "timestamp without time zone", true],
  ["timestamp without time zone", "timestamp(3) without time zone", false],
  ["timestamp with time zone", "timestamp without time zone", false],
  ["json", "jsonb", false],
  ["jsonb", "json", true],
  ["bit varying(3)", "bit varying(8)", true],
  ["inet", "cidr", false],
])("%s into %s: %s", (source, target, expected) => {
  expect(fits({ type: source, isEnum: false }, { type: target, isEnum: false })).toBe(expected);
});

test("labels of an enum are looked at by the server", () => {
  expect(fits({ type: "a.mood", isEnum: true }, { type: "mood", isEnum: true })).toBe(true);
  expect(fits({ type: "a.mood", isEnum: true }, { type: "integer", isEnum: false })).toBe(false);
});
