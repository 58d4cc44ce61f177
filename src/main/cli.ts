// Before all others: it is for their sake.
import "./older-node.ts";

import { fstatSync, writeFileSync } from "node:fs";
import { listenForSignals } from "../cli/interrupt.ts";
import type { CommandOutput } from "../cli/io.ts";
import { main } from "../cli/main.ts";
import { assess } from "../engine/assess/index.ts";
import { copy } from "../engine/index.ts";
import { foundRuns, refuseElsewhere, reset } from "../engine/run/reset.ts";
import { verify } from "../engine/verify/index.ts";

/** `rowferry` as a process. */

const { stdin, stdout, stderr, env } = process;
const monotonic = () => performance.now();

// Whoever wrote hears of it from his own write; an event without a listener would end the process.
for (const stream of [stdout, stderr]) stream.on("error", () => undefined);

/** Node writes to a file once and overlooks that a full disk took less of it. */
const results: CommandOutput = fstatSync(stdout.fd).isFile()
  ? {
      write(text, done) {
        try {
          writeFileSync(stdout.fd, text);
          done?.();
        } catch (error) {
          done?.(error as Error);
        }
      },
    }
  : stdout;

const signal = listenForSignals(process, {
  now: monotonic,
  leave: (code) => process.exit(code),
});
const version = process.env.npm_package_version ?? "from the source";
const repeat = (everyMs: number, call: () => void) => {
  const timer = setInterval(call, everyMs).unref();
  return () => clearInterval(timer);
};
const io = { env, stdin, stdout: results, stderr, now: () => new Date(), monotonic, repeat, version };
// Loaded for the commands of backups alone.
const backups = () => import("../backup/index.ts");
const engine = { assess, copy, foundRuns, refuseElsewhere, reset, verify, backups };
// No await at the top: the single executable is CommonJS.
void main(process.argv.slice(2), io, signal, engine).then((code) => {
  process.exitCode = code;
  // What is still open by then (a server that does not answer) keeps nobody waiting.
  setTimeout(() => process.exit(code), 2_000).unref();
});
