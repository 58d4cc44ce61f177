import { expect, test } from "vitest";
import type { Channel, Consume } from "./input.ts";
import { readResult } from "./result.ts";

const packet = (sequence: number, ...payload: number[]) => [payload.length, 0, 0, sequence, ...payload];

test("a reader that is slowed down twice goes on when both waits have ended", async () => {
  let consume: Consume = () => 0;
  const seen: string[] = [];
  const channel = {
    reader: (next: Consume) => {
      consume = next;
    },
    pause: () => seen.push("pause"),
    resume: () => seen.push("resume"),
  } as unknown as Channel;
  const waits: (() => void)[] = [];
  const sink = {
    ended: false,
    room: () => new Promise<void>((resolve) => waits.push(resolve)),
    take: (_buffer: Buffer, _start: number, end: number) => end,
  };
  const first = readResult(channel, { columns: 1, sink }, { done: () => undefined, failed: () => undefined });
  const head = Buffer.from([...packet(1, 1), ...packet(2, 3), ...packet(3, 0xfe, 0, 0, 0, 0)]);
  first(head, 0, head.length);
  const rows = Buffer.alloc(10);
  consume(rows, 0, 5);
  consume(rows, 5, 10);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  waits[0]?.();
  await settle();
  expect(seen).toEqual(["pause", "pause"]);
  waits[1]?.();
  await settle();
  expect(seen).toEqual(["pause", "pause", "resume"]);
});
