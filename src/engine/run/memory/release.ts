import { Session } from "node:inspector/promises";
import { getHeapStatistics } from "node:v8";

const MiB = 1 << 20;
/** Of a smaller heap nothing is gained. */
const leastHeap = 72 * MiB;
/** What the heap grows by before it is worth another look. */
const leastGrowth = 24 * MiB;
let kept = 0;

/**
 * Gives back what this process no longer uses, before and while a program runs that shares its container: V8 keeps the garbage
 * of a catalogue's reading until its own limit is near, and knows nothing of others. Takes some hundredths of a second, and
 * nothing where the heap is small or has hardly grown since.
 */
export async function releaseMemory(): Promise<void> {
  const { total_heap_size: now } = getHeapStatistics();
  if (now < leastHeap || now < kept + leastGrowth) return;
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
  kept = getHeapStatistics().total_heap_size;
}
