import { expect, test } from "vitest";
import { runLoop } from "./loop.ts";
import { createQueue } from "./queue.ts";

/** A clock that the test moves. */
function clock() {
  let time = 0;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => time,
    schedule: (milliseconds: number, run: () => void) => {
      const timer = { at: time + milliseconds, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    pending: () => timers.length,
    advance(milliseconds: number) {
      time += milliseconds;
      const due = timers.filter((timer) => timer.at <= time).sort((a, b) => a.at - b.at);
      timers = timers.filter((timer) => timer.at > time);
      for (const timer of due) timer.run();
    },
  };
}

const make = (random = () => 0.5) => {
  const time = clock();
  return { time, queue: createQueue({ random, schedule: time.schedule, now: time.now, base: 100, most: 1000 }) };
};

test("a key waits once, however often it is added", async () => {
  const { queue } = make();
  queue.add("a");
  queue.add("b");
  queue.add("a");
  expect(queue.length).toBe(2);
  expect([await queue.take(), await queue.take()]).toEqual(["a", "b"]);
});

test("those that are only looked at wait for all others, and a key to which something happens is one of these", async () => {
  const { queue, time } = make();
  for (const key of ["a", "b", "c"]) queue.add(key, "look");
  queue.addAfter("d", 100);
  queue.lookAfter("e", 50);
  queue.add("f");
  queue.add("b");
  queue.add("f", "look");
  expect(queue.length).toBe(4);
  time.advance(100);
  const taken = [];
  while (queue.length > 0) taken.push(await queue.take());
  expect(taken).toEqual(["f", "b", "d", "a", "c", "e"]);
});

test("one that failed, or is polled, waits for what happened, and those that are only looked at wait for it", async () => {
  const { queue, time } = make();
  queue.add("looked", "look");
  queue.add("polled", "look");
  queue.addAfter("polled", 100, "again");
  queue.retry("failed");
  time.advance(100);
  queue.add("failed", "look");
  queue.add("new");
  expect(queue.length).toBe(4);
  const taken = [];
  while (queue.length > 0) taken.push(await queue.take());
  expect(taken).toEqual(["new", "failed", "polled", "looked"]);
  queue.add("new", "again");
  queue.done("new");
  queue.add("failed", "look");
  queue.add("failed", "again");
  queue.done("failed");
  queue.add("failed");
  expect([await queue.take(), await queue.take()]).toEqual(["failed", "new"]);
});

test.each([
  ["soon", "look", ["a", "x"]],
  ["look", "soon", ["a", "x"]],
  ["look", "look", ["x", "a"]],
] as const)("added %s, then %s in work, a key waits by the more urgent of the two", async (first, second, order) => {
  const { queue } = make();
  queue.add("a");
  await queue.take();
  queue.add("x", "look");
  queue.add("a", first);
  queue.add("a", second);
  queue.done("a");
  expect([await queue.take(), await queue.take()]).toEqual(order);
});

test("a key that is in work is handed out again only after it is done, and then once", async () => {
  const { queue } = make();
  queue.add("a");
  const key = await queue.take();
  queue.add("a");
  queue.add("a");
  expect(queue.length).toBe(0);
  queue.done(key ?? "");
  expect(queue.length).toBe(1);
  await queue.take();
  queue.done("a");
  expect(queue.length).toBe(0);
});

test("a taker that waits gets the next key", async () => {
  const { queue } = make();
  const taken = queue.take();
  queue.add("a");
  expect(await taken).toBe("a");
});

test("of several later times for a key the earliest holds", () => {
  const { queue, time } = make();
  queue.addAfter("a", 500);
  queue.addAfter("a", 100);
  queue.addAfter("a", 900);
  time.advance(99);
  expect(queue.length).toBe(0);
  time.advance(1);
  expect(queue.length).toBe(1);
  expect(time.pending()).toBe(0);
});

test.each([
  ["no jitter", 1, [100, 200, 400, 800, 1000, 1000]],
  ["full jitter", 0, [50, 100, 200, 400, 500, 500]],
])("backoff doubles up to its most, half of it random: %s", (_what, random, waits) => {
  const { queue, time } = make(() => random);
  for (const wait of waits) {
    queue.retry("a");
    time.advance(wait - 1);
    expect(queue.length, `before ${wait}`).toBe(0);
    time.advance(1);
    expect(queue.length, `at ${wait}`).toBe(1);
    void queue.take();
    queue.done("a");
  }
  queue.forget("a");
  queue.retry("a");
  time.advance(100);
  expect(queue.length, "after it was forgotten").toBe(1);
});

test("a closed queue lets its takers go, drops what waits and takes nothing more", async () => {
  const { queue, time } = make();
  const taken = queue.take();
  queue.addAfter("a", 100);
  queue.close();
  expect(await taken).toBeUndefined();
  expect(await queue.take()).toBeUndefined();
  queue.add("b");
  time.advance(1000);
  expect(queue.length).toBe(0);
  expect(time.pending()).toBe(0);
});

test("the loop runs at most so many passes at once, brings failed keys back, and ends after the last pass", async () => {
  const { queue, time } = make();
  let running = 0;
  let most = 0;
  const passes: string[] = [];
  const failures: string[] = [];
  const gates: (() => void)[] = [];
  const loop = runLoop({
    queue,
    concurrency: 2,
    failed: (key) => failures.push(key),
    reconcile: async (key) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => gates.push(resolve));
      running -= 1;
      passes.push(key);
      if (key === "bad" && passes.filter((other) => other === "bad").length === 1) throw new Error("no");
      return key === "later" ? { lookAgain: 50 } : {};
    },
  });
  const open = async () => {
    for (const gate of gates.splice(0)) gate();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  for (const key of ["bad", "later", "c"]) queue.add(key);
  await open();
  await open();
  await open();
  expect(most).toBe(2);
  expect(passes).toEqual(["bad", "later", "c"]);
  expect(failures).toEqual(["bad"]);
  time.advance(75);
  await open();
  await open();
  expect(passes.slice(3).sort()).toEqual(["bad", "later"]);
  queue.add("last");
  await Promise.resolve();
  queue.close();
  let ended = false;
  const end = loop.then(() => {
    ended = true;
  });
  await Promise.resolve();
  expect(ended).toBe(false);
  await open();
  await end;
  expect(passes.at(-1)).toBe("last");
});

test("a look again of five seconds or more is spread, and waits for what happened", async () => {
  const { queue, time } = make();
  const passes: string[] = [];
  const loop = runLoop({
    queue,
    concurrency: 1,
    failed: () => {},
    reconcile: async (key) => {
      passes.push(key);
      return passes.length > 2 ? {} : { lookAgain: key === "far" ? 5000 : 4999 };
    },
  });
  const turns = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  queue.add("far");
  queue.add("near");
  await turns();
  time.advance(4999);
  await turns();
  expect(passes).toEqual(["far", "near", "near"]);
  time.advance(500);
  await turns();
  expect(passes).toHaveLength(3);
  time.advance(1);
  await turns();
  expect(passes).toEqual(["far", "near", "near", "far"]);
  queue.close();
  await loop;
});
