import { writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { type CopyRequest, EngineError } from "../../src/engine/contract/index.ts";
import { copy } from "../../src/engine/index.ts";

/**
 * The engine in a process that can be killed: the request as JSON on standard input, what came of it as a line on standard
 * output. As a worker does, it tells the result before it takes the checkpoint away, and then that it has ended.
 */

export type Said = { ok: true; ended: boolean } | { ok: false; code: string; message: string; retryable: boolean };

/** Is out when it returns, whatever becomes of the process then. */
const say = (said: Said): unknown => writeSync(1, `${JSON.stringify(said)}\n`);

const request = JSON.parse(await text(process.stdin)) as CopyRequest;
try {
  const { finish } = await copy(request, {
    signal: new AbortController().signal,
    progress: () => undefined,
    measured: () => undefined,
    log: (level, message) => console.error(`${level}: ${message}`),
  });
  say({ ok: true, ended: false });
  await finish().then(
    () => say({ ok: true, ended: true }),
    (error: unknown) => console.error("the checkpoint may be left:", error),
  );
} catch (error) {
  const known = error instanceof EngineError;
  say({
    ok: false,
    code: known ? error.code : "unknown",
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    retryable: known && error.retryable,
  });
  process.exitCode = 1;
}
