import { describe, expect, it } from "vitest";
import { fullName, namesOf, part } from "./full-name.ts";

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
