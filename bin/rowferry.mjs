#!/usr/bin/env node
// The command `rowferry`: the built command line of an installed package, or a clone's own source, which brings the Node
// that it needs. Written so that an old Node reads it far enough to say what is missing.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "src", "main", "cli.ts");
const built = join(root, "dist", "cli.js");
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 20 || (major === 20 && minor < 11)) {
  console.error(`rowferry needs Node 20.11 or newer, and this is ${process.versions.node}: see https://nodejs.org`);
  process.exitCode = 2;
} else if (existsSync(source)) {
  // Ctrl-C reaches the child by the terminal, and by what it is passed here when only this process is told.
  const child = spawn(process.execPath, [join(root, "dev", "start.mjs"), source, ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("close", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
} else {
  await import(pathToFileURL(built).href);
}
