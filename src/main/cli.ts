// Before all others: it is for their sake.
import "./older-node.ts";

import { listenForSignals } from "../cli/interrupt.ts";
import { main } from "../cli/main.ts";
import { assess } from "../engine/assess.ts";
import { copy } from "../engine/index.ts";
import { verify } from "../engine/verify.ts";

/** `rowferry` as a process. */

const { stdin, stdout, stderr, env } = process;
const monotonic = () => performance.now();

// A pipe whose reader went away is no fault of ours to report.
for (const stream of [stdout, stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });

const signal = listenForSignals(process, {
  now: monotonic,
  told: () => stderr.write("\nEnding in order; Ctrl-C again ends at once. The same command goes on from here later.\n"),
  leave: (code) => process.exit(code),
});
const version = process.env.npm_package_version ?? "from the source";
const io = { env, stdin, stdout, stderr, now: () => new Date(), monotonic, version };
const code = await main(process.argv.slice(2), io, signal, { assess, copy, verify });
process.exitCode = code;
// What is still open by then (a server that does not answer) keeps nobody waiting.
setTimeout(() => process.exit(code), 2_000).unref();
