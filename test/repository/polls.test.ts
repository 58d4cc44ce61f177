import { join } from "node:path";
import { expect, it } from "vitest";
import { sourceFiles } from "./imports.ts";
import { expectingPolls } from "./polls.ts";

const root = join(import.meta.dirname, "..", "..");

it("no poll of a test reaches an expect: it would be tried again instead of failing", () => {
  const files = sourceFiles(root, ["test", "src", "controllers", "dev"]);
  const polling = files.filter(({ text }) => /\buntil\w*\(/.test(text));
  expect(polling.length).toBeGreaterThan(20);
  const found = files
    .filter(({ path }) => !path.endsWith("polls.test.ts"))
    .flatMap(({ path, text }) => expectingPolls(text).map((line) => `${path}:${line}`));
  expect(found).toEqual([]);
});

it.each([
  ['await until("it", async () => {\n  expect(one).toBe(1);\n  return true;\n});', [1]],
  ["\nawait until<Row>(async () => (await expect(rows()).resolves.toBe(1), true), 'a row');", [2]],
  ['await untilState("a", () => [expect.anything()]);', [1]],
  ['await until("it says )", () => { expect(1).toBe(1); });', [1]],
  ['const look = async () => {\n  expect(1).toBe(1);\n};\nawait until("it", look);', [4]],
  ['const look: Look = () => expect(1).toBe(1);\nawait until("it", async () => look());', [2]],
  ['const look = (): Promise<boolean> => expect.poll(a);\nawait until("it", async () => !(await look()));', [2]],
  [
    'await until("it", () => one());\nfunction one(): Promise<{ a: 1 }> {\n  return two();\n}\nasync function two() {\n  expect(1);\n}',
    [1],
  ],
])("finds one in %j", (text, lines) => {
  expect(expectingPolls(text)).toEqual(lines);
});

it.each([
  'await until("it", () => done);\nexpect(done).toBe(true);',
  "expect(await until('it', look)).toBe(1);",
  "await until('what we expect (it)', look);",
  "const until = (what: string) => expect.poll(look).toBe(1);",
  "const look = () => 1;\nexpect(look()).toBe(1);\nawait until('it', look);",
  "function look() {\n  return look();\n}\nexpect(look()).toBe(1);\nawait until('it', look);",
  "const look = () => expect(1);\nawait until('a look', () => at.look({ look: 1 }));",
])("finds none in %j", (text) => {
  expect(expectingPolls(text)).toEqual([]);
});
