import {
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const left = new Set([".git", ".rowferry", "dist"]);

/** A copy of the working tree, where a file can be changed. */
export interface Copy {
  folder: string;
  remove(): void;
}

/**
 * Copies the tree into a temporary folder, whose name is short: unix sockets may lie below it. The packages are hard links where
 * that goes, and no symbolic ones: a prober's child may read nothing outside of its tree.
 */
export function copyTree(): Copy {
  const folder = mkdtempSync(join(tmpdir(), "rfm-"));
  for (const entry of readdirSync(root, { withFileTypes: true }))
    if (!left.has(entry.name)) bring(entry, root, folder, entry.name === "node_modules" ? linked : copied);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

type Bring = (from: string, to: string) => void;

const copied: Bring = (from, to) => copyFileSync(from, to, constants.COPYFILE_FICLONE);
const linked: Bring = (from, to) => {
  try {
    linkSync(from, to);
  } catch {
    // Another file system, or one without links.
    copied(from, to);
  }
};

type Entry = { name: string; isDirectory(): boolean; isSymbolicLink(): boolean };

function bring(entry: Entry, from: string, to: string, file: Bring): void {
  const [source, target] = [join(from, entry.name), join(to, entry.name)];
  // What vite keeps is each copy's own.
  if (entry.name.startsWith(".vite")) return;
  if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
  else if (entry.isDirectory()) {
    mkdirSync(target);
    for (const inner of readdirSync(source, { withFileTypes: true })) bring(inner, source, target, file);
  } else file(source, target);
}
