import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const left = new Set(["node_modules", ".git", ".rowferry", "dist"]);

/** A copy of the working tree in a temporary folder, where a file can be changed. The name is short: unix sockets may lie below it. */
export function copyTree(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "rfm-"));
  for (const entry of readdirSync(root))
    if (!left.has(entry)) cpSync(join(root, entry), join(folder, entry), { recursive: true });
  // Package by package, so that what vite writes beside them is the copy's own.
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const entry of readdirSync(join(root, "node_modules")))
    if (!entry.startsWith(".vite")) symlinkSync(join(root, "node_modules", entry), join(modules, entry));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}
