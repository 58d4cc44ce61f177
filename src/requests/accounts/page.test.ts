import { describe, expect, it } from "vitest";
import { newestFirst, pageOf } from "./page.ts";

const secret = new Uint8Array(32).fill(7);
const place = (text: string) => text;
const letters = ["d", "a", "c", "b", "e"];

function all(list: string[], limit: number): string[][] {
  const pages: string[][] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page: { data: string[]; next_cursor: string | null } = pageOf(secret, ["x"], list, place, {
      limit,
      cursor: cursor ?? undefined,
    });
    pages.push(page.data);
    cursor = page.next_cursor;
  }
  return pages;
}

describe("pages", () => {
  it("hold every element once, in order", () => {
    expect(all(letters, 2)).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  });
  it("end without a cursor where the last one is full", () => {
    expect(all(letters, 5)).toEqual([["a", "b", "c", "d", "e"]]);
  });
  it("go on at their place when elements come and go", () => {
    const { next_cursor } = pageOf(secret, ["x"], letters, place, { limit: 2 });
    const after = pageOf(secret, ["x"], ["aa", "c", "e"], place, { limit: 2, cursor: next_cursor ?? "" });
    expect(after.data).toEqual(["c", "e"]);
  });
  it.each(["x", "", "bm90aGluZw"])("refuse the cursor %j", (cursor) => {
    expect(() => pageOf(secret, ["x"], letters, place, { limit: 2, cursor })).toThrow(/cursor/);
  });
  it("refuse the cursor of another list", () => {
    const { next_cursor } = pageOf(secret, ["x"], letters, place, { limit: 2 });
    expect(() => pageOf(secret, ["y"], letters, place, { limit: 2, cursor: next_cursor ?? "" })).toThrow(/cursor/);
  });
  it("of objects have the newest first", () => {
    const made = (name: string, creationTimestamp: string) => ({ metadata: { name, creationTimestamp } });
    const objects = [
      made("old", "2029-01-01T00:00:00Z"),
      made("new", "2031-01-01T00:00:00Z"),
      made("b", "2030-01-01T00:00:00Z"),
      made("a", "2030-01-01T00:00:00Z"),
    ];
    const { data } = pageOf(secret, ["x"], objects, newestFirst, { limit: 9 });
    expect(data.map(({ metadata }) => metadata.name)).toEqual(["new", "a", "b", "old"]);
  });
});
