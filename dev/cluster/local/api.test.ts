import { expect, test } from "vitest";
import { nextStep } from "../../terminal/failure.ts";
import { until, whileStarting } from "./api.ts";

test("a wait that ends says what did not come about, how long it waited and what to do", async () => {
  const words = whileStarting("The node did not take pods");
  const error = await until(words, async () => false, { limitMs: 100, everyMs: 10 }).catch((error: unknown) => error);
  expect((error as Error).message).toBe("The node did not take pods within 0.1 s");
  expect(nextStep(error)).toMatch(/The log has the last lines of each program .* run the command again/);
});

test("a wait ends when it is met, and by what the check says", async () => {
  const words = whileStarting("etcd did not answer");
  let asked = 0;
  await until(words, async () => ++asked === 3, { limitMs: 10_000, everyMs: 1 });
  expect(asked).toBe(3);
  const check = (): void => {
    throw new Error("etcd ended");
  };
  await expect(until(words, async () => false, { limitMs: 10_000, check })).rejects.toThrow("etcd ended");
});
