import { describe, expect, it } from "vitest";
import { isKept, type PartitionFacts } from "./partition-roots.ts";

const facts = (more: Partial<PartitionFacts> = {}): PartitionFacts => ({
  encoding: "UTF8",
  hash: "1",
  orders: { 'pg_catalog."default"': "en_US.UTF-8 2.36", "pg_catalog.de": "c de_DE 2.36" },
  ...more,
});
const key = { type: "text", builtin: true, expression: false, collation: 'pg_catalog."default"', deterministic: true };
const plain = { ...key, type: "int4", collation: null };

describe("a value's partition is the same on both servers", () => {
  it.each([
    ["a range of numbers", "r", plain, facts(), true],
    ["a hash of numbers on a processor of another byte order", "h", plain, facts({ hash: "2" }), false],
    ["a range by enum", "r", { ...plain, type: "anyenum" }, facts(), true],
    ["a hash of an enum", "h", { ...plain, type: "anyenum" }, facts(), false],
    ["a list of an extension's type", "l", { ...plain, builtin: false }, facts(), false],
    ["a range of texts by the same collation", "r", key, facts(), true],
    ["a range of texts by another version of it", "r", key, facts({ orders: {} }), false],
    ["a range of texts in another encoding", "r", key, facts({ encoding: "LATIN1" }), false],
    ["a list of texts by another collation", "l", key, facts({ orders: {} }), true],
    [
      "a list of texts that are equal by another version",
      "l",
      { ...key, deterministic: false },
      facts({ orders: {} }),
      false,
    ],
    ["a hash of texts by another collation", "h", key, facts({ orders: {} }), true],
    ["a hash of texts in another encoding", "h", key, facts({ encoding: "LATIN1" }), false],
    ["a range of an expression", "r", { ...plain, expression: true }, facts(), true],
    [
      "a range of an expression under another locale",
      "r",
      { ...plain, expression: true },
      facts({ orders: {} }),
      false,
    ],
  ] as const)("%s", (_, strategy, one, theirs, kept) => {
    expect(isKept(strategy, one, facts(), theirs)).toBe(kept);
  });
});
