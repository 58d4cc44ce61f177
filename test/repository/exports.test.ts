import { join, normalize, resolve } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { type SourceFile, sourceFiles } from "./imports.ts";

/** A name is exported only where another file imports it: a reader sees what a file gives to others. knip counts exported signatures too. */

const everything = "*";

/** `file name` for each import of a file, types included. A namespace that is passed on, and `import()`, count as everything. */
function imported({ path, text }: SourceFile): string[] {
  const { module } = parseSync(path, text);
  const from = (specifier: string): string => normalize(join(path, "..", specifier));
  const statements = module.staticImports.flatMap(({ end, moduleRequest, entries }) =>
    entries.flatMap(({ importName, localName }) => {
      if (importName.kind !== "NamespaceObject") return `${from(moduleRequest.value)} ${importName.name ?? "default"}`;
      const uses = text.slice(end).matchAll(new RegExp(`\\b${localName.value}\\b(?:\\.(\\w+))?`, "g"));
      return [...uses].map(([, name = everything]) => `${from(moduleRequest.value)} ${name}`);
    }),
  );
  const again = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, importName }) =>
      moduleRequest === null ? [] : [`${from(moduleRequest.value)} ${importName.name ?? everything}`],
    ),
  );
  const calls = [...text.matchAll(/\bimport\(\s*"(\.[^"]+)"\s*\)(?:\.(\w+))?/g)];
  return [...statements, ...again, ...calls.map(([, file = "", name = everything]) => `${from(file)} ${name}`)];
}

/** `file name` for each export of the product that no other file imports. */
function ownOnly(files: readonly SourceFile[]): string[] {
  const used = new Set(files.flatMap(imported));
  return files
    .filter(({ path }) => /^(?:src|controllers)\//.test(path))
    .flatMap(({ path, text }) =>
      parseSync(path, text).module.staticExports.flatMap(({ entries }) =>
        entries.map(({ exportName }) => [`${path} ${exportName.name ?? "default"}`, `${path} ${everything}`] as const),
      ),
    )
    .flatMap(([name, all]) => (used.has(name) || used.has(all) ? [] : [name]));
}

it("every export of src and controllers is imported by another file", () => {
  const files = sourceFiles(resolve(import.meta.dirname, "../.."), ["src", "controllers", "dev", "bench", "test"]);
  expect(files.length).toBeGreaterThan(1000);
  expect(ownOnly(files)).toEqual([]);
});

it("finds an export of any kind that only its own file uses, and none that another imports", () => {
  const files = [
    {
      path: "src/a.ts",
      text: "export interface A {}\nexport const b = 1, c = (of: A) => b;\nexport type D = A;\nexport class E {}\n",
    },
    { path: "src/b.ts", text: 'export const f = 1;\nexport const g = 2;\nexport type { D } from "./a.ts";\n' },
    { path: "src/c.ts", text: "export const h = 1;\n" },
    { path: "src/d.ts", text: "export type I = 1;\n" },
    {
      path: "test/a.ts",
      text: 'import { c } from "../src/a.ts";\nimport * as b from "../src/b.ts";\nb.f(c, import("../src/c.ts"));\nexport const j: import("../src/d.ts").I = 1;\n',
    },
  ];
  expect(ownOnly(files)).toEqual(["src/a.ts A", "src/a.ts b", "src/a.ts E", "src/b.ts g", "src/b.ts D"]);
});
