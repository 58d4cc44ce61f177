import { expect, it } from "vitest";
import { kinds } from "../../resources/objects.ts";
import { createLiveReads } from "./live.ts";

/** Live reads of accounts, whose clock the case moves. */
function scene() {
  const clock = { now: 0 };
  const timers: { at: number; done: () => void }[] = [];
  const reads = createLiveReads(
    {
      client: {
        async get<T>(_kind: unknown, _namespace: string, name: string) {
          return { metadata: { name, managedFields: [{ manager: "x".repeat(1000) }] }, spec: {} } as T;
        },
      },
      now: () => clock.now,
      pause: (milliseconds) => new Promise((done) => timers.push({ at: clock.now + milliseconds, done })),
    },
    kinds.accounts,
    { count: 0 },
  );
  async function pass(milliseconds: number) {
    clock.now += milliseconds;
    for (const { at, done } of timers) if (at <= clock.now) done();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { reads, pass };
}

it("what was read is forgotten soon, also where nobody asks for anything more", async () => {
  const { reads, pass } = scene();
  for (let at = 0; at < 100; at += 1) await reads.get(`a${at}`);
  expect(reads.size()).toBe(100);
  expect(reads.isBelieved("a7")).toBe(true);
  await pass(2000);
  await reads.get("late");
  await pass(1000);
  expect(reads.size()).toBe(1);
  await pass(2000);
  expect(reads.size()).toBe(0);
});

it("no more is kept than there is room for, the latest", async () => {
  const { reads } = scene();
  for (let at = 0; at < 6000; at += 1) await reads.get(`a${at}`);
  expect(reads.size()).toBe(5000);
  expect([reads.isBelieved("a999"), reads.isBelieved("a5999")]).toEqual([false, true]);
});

it("who wrote which field is not kept", async () => {
  const { reads } = scene();
  expect(JSON.stringify(await reads.get("a"))).toBe('{"metadata":{"name":"a"},"spec":{}}');
});
