import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { runProgram } from "../run-program.ts";
import type { Named } from "./judge.ts";
import { plainEnvironment } from "./vitest.ts";

const root = resolve(import.meta.dirname, "../..");

/** The names of the tests in these files, read without running them: those of `test.each` still have their %s. */
export async function namesIn(files: readonly string[]): Promise<Map<string, string[]>> {
  const folder = mkdtempSync(join(tmpdir(), "names-"));
  const listFile = join(folder, "names.json");
  try {
    const { code, out, err } = await runProgram(
      process.execPath,
      ["node_modules/vitest/vitest.mjs", "list", ...new Set(files), `--json=${listFile}`],
      { cwd: root, env: plainEnvironment() },
    );
    if (code !== 0) throw new Error(`\`vitest list\` failed with exit code ${code}: ${out}${err}`);
    const listed = JSON.parse(readFileSync(listFile, "utf8")) as { name: string; file: string }[];
    const byFile = Map.groupBy(listed, ({ file }) => relative(root, file));
    return new Map([...byFile].map(([file, tests]) => [file, tests.map(({ name }) => name)]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Shorter words for a %s may be computed, and stand nowhere. */
const shortest = 20;

/** Whether one of the names is the test's, and a long word that stands for a %s is in the file. */
export function isThere({ file, name }: Named, names: ReadonlyMap<string, readonly string[]>): boolean {
  const text = readFileSync(join(root, file), "utf8");
  return (names.get(file) ?? []).some((template) => {
    const pattern = template.replace(/[\\^*+?()[\]{}|.]/g, "\\$&").replace(/%[sdifjo]|\$\w+/g, "(.*)");
    const found = new RegExp(`^${pattern}$`, "s").exec(name);
    return found?.slice(1).every((word) => word.length < shortest || text.includes(word)) ?? false;
  });
}
