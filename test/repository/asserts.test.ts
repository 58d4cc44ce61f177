import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareThrows, sharedExpects } from "./asserts.ts";
import { sourceFiles } from "./imports.ts";

const root = join(import.meta.dirname, "..", "..");
const tests = sourceFiles(root, ["test", "src", "controllers", "dev"]).filter(
  ({ path, text }) => !path.endsWith("asserts.test.ts") && /\bexpect\b/.test(text),
);
const found = (find: (text: string) => number[]): string[] =>
  tests.flatMap(({ path, text }) => find(text).map((line) => `${path}:${line}`));

describe("an error that is expected", () => {
  it("is named by its code or its message in every test", () => {
    expect(tests.length).toBeGreaterThan(400);
    expect(found(bareThrows)).toEqual([]);
  });

  it.each([
    ["expect(act).toThrow();", [1]],
    ["\nawait expect(act()).rejects.toThrow();", [2]],
    ["await expect(act())\n  .rejects\n  .toThrowError();", [3]],
    ["expect(act).toThrow(Error);", [1]],
    ["expect(act).not.toThrow();", []],
    ['expect(act).toThrow("no room");', []],
    ["expect(act).toThrow(RangeError);", []],
  ])("is looked for in %j", (text, lines) => {
    expect(bareThrows(text)).toEqual(lines);
  });
});

describe("a test that runs beside others of its file", () => {
  it("has the `expect` of its own context everywhere", () => {
    expect(tests.filter(({ text }) => text.includes(".concurrent")).length).toBeGreaterThan(4);
    expect(found(sharedExpects)).toEqual([]);
  });

  it.each([
    ['test.concurrent("a", async () => {\n  expect(1).toBe(1);\n});', [1]],
    ['test.concurrent("a", async ({ expect }) => {\n  expect(1).toBe(1);\n});', []],
    ['test.concurrent.each([1])("a", async (one) => {\n  expect(1).toBe(1);\n});', [1]],
    ['test.concurrent.for([1])("a", async (one, { expect }) => check(expect, one));', []],
    [
      'describe.concurrent("a", () => {\n  it("b", ({ expect }) => check(expect));\n  it("c", () => check());\n});',
      [3],
    ],
    ['describe.concurrent("a", () => {\n  it.for([1, 2])("b", (_, { expect, signal }) => check(expect));\n});', []],
    ['describe("a", () => {\n  it("b", () => check());\n});', []],
    ['describe.concurrent("a", () => {\n  it("b", ({ expect }) => expect(/x/.test("x")).toBe(true));\n});', []],
  ])("is looked for in %j", (text, lines) => {
    expect(sharedExpects(text)).toEqual(lines);
  });
});
