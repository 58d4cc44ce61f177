import { expect, it } from "vitest";
import { inTime } from "./in-time.ts";

const never = () => new Promise<string>(() => undefined);
const late = () => new Error("late");
const aborted = AbortSignal.abort();

it("what never settles ends by itself once it was asked to end, before or while it is waited for", async () => {
  await expect(inTime(never(), aborted, 1, late)).rejects.toThrow("late");
  const ending = new AbortController();
  const waiting = inTime(never(), ending.signal, 1, late);
  ending.abort();
  await expect(waiting).rejects.toThrow("late");
});

it("what settles in time is answered as it is, whether it was asked to end or not", async () => {
  const { signal } = new AbortController();
  expect(await inTime(Promise.resolve("done"), aborted, 60_000, late)).toBe("done");
  expect(await inTime(Promise.resolve("done"), signal, 1, late)).toBe("done");
  await expect(inTime(Promise.reject(new Error("its own")), aborted, 60_000, late)).rejects.toThrow("its own");
});
