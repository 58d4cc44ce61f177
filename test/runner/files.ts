import { readdirSync } from "node:fs";
import { join } from "node:path";
import { partOf } from "./parts.ts";

/** Folders of programs that are installed or built, not written here. */
const foreign = new Set(["node_modules", "dist"]);
const isTest = (name: string): boolean => /\.(test|spec)\.[cm]?[jt]sx?$/.test(name);

/** Every test file of the repository, relative to it, in the order of its name. */
export function testFiles(root: string): string[] {
  const found: string[] = [];
  const look = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !entry.name.startsWith(".") && !foreign.has(entry.name)) look(path);
      else if (entry.isFile() && isTest(entry.name)) found.push(path);
    }
  };
  look("");
  return found.sort();
}

/** Test files that no part runs: they lie in a folder that no part names, or have another ending than `.test.ts`. */
export const unnamed = (files: readonly string[]): string[] =>
  files.filter((file) => !file.endsWith(".test.ts") || partOf(file) === undefined);
