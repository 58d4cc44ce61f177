// One copy by the engine in a process of its own, as the worker runs it: the request as JSON on standard input, what came of
// it as JSON on standard output.
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { type CopyRequest, EngineError } from "../src/engine/contract/index.ts";
import { copy } from "../src/engine/index.ts";

/** What the process says at its end. `peakKib`: its own VmHWM. */
export type Said = { ok: true; peakKib: number } | { ok: false; code: string; message: string };

const request = JSON.parse(await text(process.stdin)) as CopyRequest;
const say = (said: Said): void => console.log(JSON.stringify(said));
try {
  const { finish } = await copy(request, {
    signal: new AbortController().signal,
    progress: () => undefined,
    measured: () => undefined,
    log: (level, message) => console.error(`${level}: ${message}`),
  });
  await finish();
  const peakKib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0);
  say({ ok: true, peakKib });
} catch (error) {
  const code = error instanceof EngineError ? error.code : "";
  say({ ok: false, code, message: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
}
