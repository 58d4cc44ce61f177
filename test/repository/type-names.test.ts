import { resolve } from "node:path";
import { expect, it } from "vitest";
import { type SourceFile, sourceFiles } from "./imports.ts";

/** An exported type name means one thing in a room of the engine: a folder of src/engine, or a pair of plan. */

const declaration = /^export (?:declare |abstract )*(?:class|const enum|enum|interface|type) (\w+)/gm;
const room = /^src\/engine\/(plan\/(?:mysql|postgres)-\w+|\w+)\//;

/** `room Name: file file` for each name that several files of a room export. */
function shared(files: readonly SourceFile[]): string[] {
  const exported = files.flatMap(({ path, text }) =>
    [...text.matchAll(declaration)].map(([, name]) => ({ path, name: `${room.exec(path)?.[1]} ${name}` })),
  );
  return [...Map.groupBy(exported, ({ name }) => name)]
    .filter(([, found]) => found.length > 1)
    .map(([name, found]) => `${name}: ${found.map(({ path }) => path).join(" ")}`);
}

it("exported type names are unique within a room of the engine", () => {
  const files = sourceFiles(resolve(import.meta.dirname, "../.."), ["src/engine"]);
  expect(files.filter(({ path }) => room.test(path)).length).toBeGreaterThan(100);
  expect(shared(files)).toEqual([]);
});

it("finds a name that two files of a room export, and none of two rooms", () => {
  const files = [
    { path: "src/engine/rows/a.ts", text: "export interface Field {\n}\n" },
    { path: "src/engine/rows/b/c.ts", text: "import x;\nexport type Field = string;\n" },
    { path: "src/engine/run/a.ts", text: "export class Field {}\n" },
    { path: "src/engine/plan/mysql-mysql/a.ts", text: "export interface Scheme {}\n" },
    { path: "src/engine/plan/mysql-postgres/a.ts", text: "export interface Scheme {}\n" },
  ];
  expect(shared(files)).toEqual(["rows Field: src/engine/rows/a.ts src/engine/rows/b/c.ts"]);
});
