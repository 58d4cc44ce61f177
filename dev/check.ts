import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { runCommand } from "./terminal/command.ts";

/**
 * `npm run check`: everything that can be said about the source without running a server. Each check runs even if
 * an earlier one failed; the exit code is 1 if any did.
 */
const root = resolve(import.meta.dirname, "..");
const bin = (name: string) => join(root, "node_modules/.bin", name);

const checks: { name: string; command: string; args: string[] }[] = [
  { name: "types", command: bin("tsc"), args: ["-p", "."] },
  { name: "lint and format", command: bin("biome"), args: ["check", "--error-on-warnings", "."] },
  { name: "unused code and dependencies", command: bin("knip"), args: ["--no-progress"] },
  { name: "CRDs equal to src/resources", command: process.execPath, args: ["dev/crds.ts", "--check"] },
  { name: "docs equal to the source", command: process.execPath, args: ["dev/docs.ts", "--check"] },
  {
    name: "directions of imports, exports",
    command: bin("vitest"),
    args: ["run", "--project", "repository", "--reporter=dot", "repository/imports.test", "repository/exports.test"],
  },
];

interface Outcome {
  passed: boolean;
  output: string;
}

function run(command: string, args: string[], signal: AbortSignal): Promise<Outcome> {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], signal });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", (error) => done({ passed: false, output: error.message }));
    child.once("close", (code) => done({ passed: code === 0, output: Buffer.concat(chunks).toString().trim() }));
  });
}

const about = "Checks the source without starting a server: types, lint, format, CRDs, documentation, imports.";

await runCommand({ name: "check", about }, async ({ signal }) => {
  let failed = 0;
  for (const { name, command, args } of checks) {
    const startedAt = performance.now();
    const { passed, output } = await run(command, args, signal);
    signal.throwIfAborted();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${passed ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
    if (!passed) {
      failed += 1;
      console.log(output);
    }
  }
  return failed === 0 ? 0 : 1;
});
