import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { circles, crossings, graphOf, sourceFiles } from "./imports.ts";

/**
 * The laws of imports inside the engine (design.md). What the code does not keep yet is listed here with its number: a number
 * only goes down, and a list only gets shorter.
 */

const root = resolve(import.meta.dirname, "../..");
const graph = graphOf(sourceFiles(root, ["src/engine"]).filter(({ path }) => !path.endsWith(".test.ts")));

/** A folder below src/engine; empty for a file that lies there by itself. */
const roomOf = (path: string): string => /^src\/engine\/([^/]+)\//.exec(path)?.[1] ?? "";
const isPair = (path: string): boolean => /^(mysql|postgres)-to-/.test(roomOf(path));
const isIndex = (path: string): boolean => path.endsWith("/index.ts");

it("a pair of engines never imports another pair", () => {
  expect(crossings(graph, (from, to) => isPair(from) && isPair(to) && roomOf(from) !== roomOf(to))).toEqual([]);
});

it("mysql and postgres import neither each other nor a pair", () => {
  const isEngine = (path: string) => ["mysql", "postgres"].includes(roomOf(path));
  expect(
    crossings(graph, (from, to) => isEngine(from) && (isPair(to) || (isEngine(to) && roomOf(from) !== roomOf(to)))),
  ).toEqual([]);
});

it("codes and text import nothing else of the engine", () => {
  const isLowest = (path: string) => ["codes", "text"].includes(roomOf(path));
  expect(crossings(graph, (from, to) => isLowest(from) && roomOf(to) !== roomOf(from))).toEqual([]);
});

describe("assess and verify see of a pair its index.ts alone", () => {
  it.each([
    ["assess", 67],
    ["verify", 29],
  ])("but for what %s still has: %i imports", (room, left) => {
    const found = crossings(graph, (from, to) => roomOf(from) === room && isPair(to) && !isIndex(to));
    expect(found.length, `${found.join("\n")}\nIf there are fewer than ${left}, lower the number.`).toBe(left);
  });
});

it("no files import each other in a circle, not even for their types", () => {
  expect(circles(graph)).toEqual([]);
});

describe("the laws find what breaks them", () => {
  const made = new Map([
    ["src/engine/a-to-b/x.ts", ["src/engine/a-to-c/y.ts"]],
    ["src/engine/a-to-c/y.ts", ["src/engine/a-to-b/x.ts", "src/engine/z.ts"]],
    ["src/engine/z.ts", []],
  ]);

  it("a circle, types included", () => {
    expect(circles(made)).toEqual([["src/engine/a-to-b/x.ts", "src/engine/a-to-c/y.ts"]]);
    const files = [
      { path: "src/engine/a.ts", text: 'import type { B } from "./b/b.ts";' },
      { path: "src/engine/b/b.ts", text: 'export { a } from "../a.ts";' },
    ];
    expect(circles(graphOf(files))).toEqual([["src/engine/a.ts", "src/engine/b/b.ts"]]);
  });

  it("an import from one room into another", () => {
    expect(crossings(made, (from, to) => roomOf(from) !== roomOf(to) && roomOf(to) === "a-to-c")).toEqual([
      "src/engine/a-to-b/x.ts -> src/engine/a-to-c/y.ts",
    ]);
  });
});
