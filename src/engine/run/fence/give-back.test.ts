import { expect, test } from "vitest";
import { EngineError } from "../../contract/index.ts";
import { giveBack } from "./give-back.ts";

const item = { kind: "table", name: ["public", "item"] };
const part = { part: "finished:item", rows: 1, epoch: 1 };
const refused = new EngineError("target_not_empty", "not empty");
const lost = new EngineError("connection_lost", "lost", { retryable: true });

test.each<[string, Error, (typeof item)[], (typeof part)[], number]>([
  ["an error that needs a person, before anything was made", refused, [], [], 1],
  ["an error that can be retried", lost, [], [], 0],
  ["an error that needs a person, after an object was made", refused, [item], [], 0],
  ["an error that needs a person, after a part was copied", refused, [], [part], 0],
  ["an abort", new Error("aborted"), [], [], 0],
])("%s: whether the fence is dropped", async (_, error, made, parts, expected) => {
  let dropped = 0;
  const fence = { made: async () => made, parts: async () => parts, drop: async () => void dropped++ };
  await expect(giveBack(fence)(error)).rejects.toBe(error);
  expect(dropped).toBe(expected);
});
