import { describe, expect, it } from "vitest";
import { fullName, means, namesOf, part, readName } from "./full-name.ts";

describe("a full name", () => {
  it.each([
    [["public", "orders"], "public.orders"],
    [["a", "b.c"], 'a."b.c"'],
    [["a.b", "c"], '"a.b".c'],
    [["a", "t x", "é"], 'a."t x".é'],
    [["a", 'q"q'], 'a."q""q"'],
    [["a", 'b"."c'], 'a."b"".""c"'],
    [["f(x", "y)"], '"f(x"."y)"'],
  ])("of %j is %s, and is taken apart again", (names, text) => {
    expect(fullName(...names)).toBe(text);
    expect(namesOf(text)).toEqual(names);
  });

  it("differs where what stands on a table has a space in its name", () => {
    expect(`${fullName("s", "t")} ${part("x y")}`).not.toBe(`${fullName("s", "t x")} ${part("y")}`);
  });
});

describe("a name that a person wrote", () => {
  it.each([
    ["orders", ["orders"]],
    ["my orders", ["my orders"]],
    ["public.orders", ["public", "orders"]],
    ['"a.b"', ["a.b"]],
    ['public."a.b"', ["public", "a.b"]],
    ['"a.b".c', ["a.b", "c"]],
    ['a."q""q"', ["a", 'q"q']],
    ['a.5"x', ["a", '5"x']],
    ["a\nb.c", ["a\nb", "c"]],
    ["a.", undefined],
    [".a", undefined],
    ["", undefined],
    ['"a', undefined],
    ['"a"b', undefined],
  ])("%j is read as %j", (text, names) => {
    expect(readName(text)).toEqual(names);
  });

  it.each([
    ["a.b", ["a", "b"], true],
    ["b", ["a", "b"], true],
    ["a.b", ["public", "a.b"], false],
    ['"a.b"', ["public", "a.b"], true],
    ['public."a.b"', ["public", "a.b"], true],
    ["public.a.b", ["public", "a.b"], false],
    ["c.a.b", ["a", "b"], false],
  ])("%j means %j: %s", (text, names, expected) => {
    expect(means(text, names)).toBe(expected);
  });

  it("of a column has its table's", () => {
    expect(["c", "b.c", "a.b.c"].map((text) => means(text, ["a", "b", "c"], 2))).toEqual([false, true, true]);
  });
});
