import { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { getHeapStatistics } from "node:v8";
import type { CopyRequest } from "../../../src/engine/contract/index.ts";
import { copy } from "../../../src/engine/index.ts";

/**
 * One copy in a process of its own, which node starts with --expose-gc: its request as JSON on standard input; on standard
 * output the bytes in use beside those before it. What a copy holds while a server works is in use when a statement is sent,
 * so that the heap is collected and measured then, by the number of statements and not by time. A tenth of the samples
 * has more: answers of the catalogues while they are read.
 */
const { request, every } = JSON.parse(await text(process.stdin)) as { request: CopyRequest; every: number };
const { gc } = globalThis;
if (gc === undefined) throw new Error("start node with --expose-gc");

function used(): number {
  gc?.();
  return getHeapStatistics().used_heap_size;
}

const before = used();
const samples: number[] = [];
let sent = 0;
const { write } = Socket.prototype;
Socket.prototype.write = function (this: Socket, ...args: Parameters<typeof write>) {
  if (sent++ % every === 0) samples.push(used() - before);
  return write.apply(this, args);
} as typeof write;

const { report, finish } = await copy(request, {
  signal: new AbortController().signal,
  progress: () => undefined,
  measured: () => undefined,
  log: () => undefined,
});
await finish();
samples.sort((a, b) => a - b);
process.stdout.write(
  JSON.stringify({ bytes: samples[Math.floor(samples.length * 0.9)], tables: report.tables.length }),
);
