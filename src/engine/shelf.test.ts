import { describe, expect, it } from "vitest";
import { createRecent, createShelf } from "./shelf.ts";

describe("a shelf", () => {
  it("gives back each value as it was put, over many blocks", () => {
    const shelf = createShelf<{ n: number; text: string; none: null; list: string[] }>();
    const value = (n: number) => ({
      n,
      text: `größe 漢字 ${"x\u0000".repeat(n % 97)}${Math.sin(n)} ${"y".repeat(n % 7)}`,
      none: null,
      list: [`${n * n}`],
    });
    const places = Array.from({ length: 3_000 }, (_, n) => shelf.put(value(n)));
    for (const n of [0, 1, 96, 1_500, 2_999]) expect(shelf.get(places[n] ?? -1)).toEqual(value(n));
  });

  it("keeps a value that is larger than a block", () => {
    const shelf = createShelf<string>();
    const large = Array.from({ length: 300_000 }, (_, n) => (n * 2_654_435_761).toString(36)).join("");
    const places = ["before", large, "after"].map((value) => shelf.put(value));
    expect(places.map((place) => shelf.get(place))).toEqual(["before", large, "after"]);
  });

  it("does not give what was never put", () => {
    expect(() => createShelf().get(0)).toThrow(/nothing was put/);
  });
});

describe("recent answers", () => {
  it("are kept for those that were asked for last", () => {
    const made: number[] = [];
    const recent = createRecent(2, (key: number) => {
      made.push(key);
      return { key };
    });
    for (const key of [1, 2, 1, 3, 1, 2]) expect(recent.of(key)).toEqual({ key });
    expect(made).toEqual([1, 2, 3, 2]);
    expect(recent.of(1)).toBe(recent.of(1));
  });

  it("are made again once they are forgotten", () => {
    let times = 0;
    const recent = createRecent(5, () => ++times);
    expect([recent.of("a"), recent.of("a")]).toEqual([1, 1]);
    recent.forget("a");
    expect(recent.of("a")).toBe(2);
    recent.clear();
    expect(recent.of("a")).toBe(3);
  });
});
