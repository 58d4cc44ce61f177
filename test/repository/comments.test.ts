import { existsSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";
import { expect, it } from "vitest";
import { importsOf, type SourceFile, sourceFiles } from "./imports.ts";

/** Files that comments name: a reader looks for them. */

const root = resolve(import.meta.dirname, "../..");
const files = sourceFiles(root, ["src", "controllers", "dev", "bench", "test"]);
const paths = files.map(({ path }) => path);

const comment = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/ .*$/gm;
const name = /(?<![\w/.*<{}$-])(?:[\w-][\w.-]*\/)*[\w-]+(?:\.test)?\.(?:ts|mjs)(?![\w*])/g;

/** `src/engine`, `test/cluster`: a file is named without its folder inside of one. */
const partOf = (path: string): string => path.split("/").slice(0, 2).join("/");

/** Named from the root or a folder above the file, in full or in part; or a file of the same part, or one that it imports. */
function isFound(named: string, path: string, imported: readonly string[]): boolean {
  const ends = (other: string) => other === named || other.endsWith(`/${named}`);
  if (imported.some(ends) || paths.some((other) => ends(other) && partOf(other) === partOf(path))) return true;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(join(root, folder, named))) return true;
    if (folder === ".") return ["src", "src/engine"].some((start) => existsSync(join(root, start, named)));
  }
}

function missing({ path, text }: SourceFile): string[] {
  const imported = importsOf(text).map((specifier) => normalize(join(path, "..", specifier)));
  return [...text.matchAll(comment)].flatMap(([words]) =>
    [...words.matchAll(name)].flatMap(([named]) => (isFound(named, path, imported) ? [] : [`${path}: ${named}`])),
  );
}

it("every file that a comment names exists", () => {
  expect(files.flatMap(missing)).toEqual([]);
});

/** Keeps the examples out of the check above. */
const slashes = "//";

it.each([
  ["beside it", `${slashes} As imports.ts does.`, []],
  ["from the root", `/** ${slashes} \`src/engine/index.ts\` calls it. */`, []],
  ["of another part", `${slashes} As reset.ts does.`, ["reset.ts"]],
  ["gone", `const a = 1; ${slashes} see engine/gone.ts`, ["engine/gone.ts"]],
  ["in a string", 'const a = "gone.ts";', []],
  ["any of a kind", `${slashes} Each *.test.ts, and controllers/<kind>/gone.ts.`, []],
])("a named file: %s", (_, text, found) => {
  const path = "test/repository/x.test.ts";
  expect(missing({ path, text })).toEqual(found.map((named) => `${path}: ${named}`));
});
