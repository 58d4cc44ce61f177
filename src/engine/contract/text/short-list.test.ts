import { expect, test } from "vitest";
import { shortList } from "./short-list.ts";

test("a short list has all names up to its limit, then their number", () => {
  expect(shortList([], 2)).toBe("");
  expect(shortList(["a", "b"], 2)).toBe("a, b");
  expect(shortList(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more");
  expect(shortList(["a (b, c)", "d", "e"], 2, "; ")).toBe("a (b, c); d and 1 more");
});
