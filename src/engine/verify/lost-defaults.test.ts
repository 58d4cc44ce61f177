import { expect, test } from "vitest";
import { plainDefault } from "./lost-defaults.ts";

test.each<[type: string, words: string, value: string | undefined]>([
  ["int", "5", "5"],
  ["integer", "'-5'::integer", "-5"],
  ["integer", "(-5)", "-5"],
  ["decimal", "1.50", "1.5"],
  ["numeric", "1.5", "1.5"],
  ["numeric", "'100.00'::numeric", "100"],
  ["int", "0007", "7"],
  ["decimal", "-0.00", "0"],
  ["decimal", ".5", "0.5"],
  ["bigint", "nextval('s'::regclass)", undefined],
  ["integer", "(1 + 2)", undefined],
  ["varchar", "abc", "abc"],
  ["varchar", "'abc'", "abc"],
  ["character varying", "'abc'::character varying", "abc"],
  ["text", "''::text", ""],
  ["text", "'it''s'::text", undefined],
  ["double", "1.5", undefined],
])("the default %s %s is %s, where both engines write it alike", (type, words, value) => {
  expect(plainDefault(type, words).value).toBe(value);
});
