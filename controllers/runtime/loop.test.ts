import { expect, test } from "vitest";
import { type Passed, runLoop } from "./loop.ts";
import { createQueue } from "./queue.ts";

/** After how many milliseconds a key comes back, where chance spreads as far as it may. */
async function waitAfter(passed: Passed): Promise<number[]> {
  const waits: number[] = [];
  const schedule = (milliseconds: number) => {
    waits.push(Math.round(milliseconds));
    return () => {};
  };
  const queue = createQueue({ random: () => 1, schedule, now: () => 0 });
  queue.add("key");
  const failed = () => {};
  const reconcile = async () => {
    setImmediate(() => queue.close());
    return passed;
  };
  await runLoop({ queue, concurrency: 1, reconcile, failed });
  return waits;
}

test.each<[string, Passed, number[]]>([
  ["a look that may wait is spread over a fifth", { lookAgain: 600_000 }, [720_000]],
  ["a look at the moment when something is due is not spread", { lookAgain: 600_000, isDue: true }, [600_000]],
  ["a short one is not either", { lookAgain: 4000 }, [4000]],
  ["none", {}, []],
])("%s", async (_what, passed, expected) => {
  expect(await waitAfter(passed)).toEqual(expected);
});
