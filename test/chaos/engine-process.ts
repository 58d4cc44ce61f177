import { text } from "node:stream/consumers";
import { type CopyRequest, EngineError } from "../../src/engine/contract.ts";
import { copy } from "../../src/engine/index.ts";

/** The engine in a process that can be killed: the request as JSON on standard input, what came of it on standard output. */

export type Said = { ok: true; warnings: string[] } | { ok: false; code: string; message: string; retryable: boolean };

const request = JSON.parse(await text(process.stdin)) as CopyRequest;
try {
  const { report, finish } = await copy(request, {
    signal: new AbortController().signal,
    progress: () => undefined,
    measured: () => undefined,
    log: (level, message) => console.error(`${level}: ${message}`),
  });
  await finish();
  console.log(JSON.stringify({ ok: true, warnings: report.warnings } satisfies Said));
} catch (error) {
  const known = error instanceof EngineError;
  const said: Said = {
    ok: false,
    code: known ? error.code : "unknown",
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    retryable: known && error.retryable,
  };
  console.log(JSON.stringify(said));
  process.exitCode = 1;
}
