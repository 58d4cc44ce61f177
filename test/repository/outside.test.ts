import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { pathsOutside } from "./outside.ts";

const root = resolve(import.meta.dirname, "../..");
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\0")
  .filter((path) => path !== "" && existsSync(join(root, path)));
const entries = new Set([...files.map((path) => path.split("/")[0] ?? ""), "node_modules", "dist"]);

/** Keeps the examples out of this file's own check. */
const up = "..";

it("no file has a path outside the repository, except the one that finds the public samples", () => {
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((path) =>
    pathsOutside(path, readFileSync(join(root, path), "utf8"), entries).map((written) => `${path}: ${written}`),
  );
  expect(found).toEqual([
    `dev/public-samples.ts: ${up}/shared`,
    // A hostile table name, not a path.
    `test/guard/hostile-names.test.ts: ${up}/${up}/etc`,
  ]);
});

it.each([
  ["test/engine/x.test.ts", `join(import.meta.dirname, "${up}/${up}/${up}/shared/data")`],
  ["test/engine/x.test.ts", `new URL(\`${up}/${up}/${up}/shared/data/\${name}\`, import.meta.url)`],
  ["test/x.ts", `resolve(root, "${up}/shared/data")`],
  ["test/a/b/c.ts", `resolve(root, "${up}", "shared")`],
  ["test/a/b/c.ts", `\`\${root}/${up}/shared\``],
  ["test/x.ts", `import.meta.dirname, "${up}/${up}"`],
  ["dev/image/step.sh", `cp ${up}/${up}/${up}/file .`],
])("%s must not have %s", (path, text) => {
  expect(pathsOutside(path, text, entries)).not.toEqual([]);
});

it.each([
  ["test/engine/x.test.ts", `resolve(import.meta.dirname, "${up}/${up}")`],
  ["test/engine/x.test.ts", `import { a } from "${up}/${up}/src/engine/index.ts";`],
  ["test/x.ts", `new URL("${up}/dist/cli.js", import.meta.url)`],
  ["src/x.ts", "const all = [...one, ...two];"],
  ["src/x.ts", `"/var/run/${up}/${up}/${up}/app"`],
])("%s may have %s", (path, text) => {
  expect(pathsOutside(path, text, entries)).toEqual([]);
});
