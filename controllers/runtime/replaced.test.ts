import { expect, test } from "vitest";
import { createReplaced } from "./replaced.ts";

const version = (resourceVersion: string, uid = "a") => ({ metadata: { uid, resourceVersion } });

test("a version that was written over is one until the cache shows another", () => {
  const replaced = createReplaced();
  expect(replaced.has(version("7"))).toBe(false);
  replaced.wrote(version("7"), version("9"));
  expect([replaced.has(version("7")), replaced.has(version("7", "b"))]).toEqual([true, false]);
  expect([replaced.has(version("9")), replaced.has(version("7"))]).toEqual([false, false]);
});

test("of several writes of one pass each version but the last is one, as the cache brings them", () => {
  const replaced = createReplaced();
  replaced.wrote(version("7"), version("8"));
  replaced.wrote(version("8"), version("9"));
  expect(["7", "8", "9"].map((one) => replaced.has(version(one)))).toEqual([true, true, false]);
});

test("a write that changes nothing holds up nothing, nor does an object that is gone", () => {
  const replaced = createReplaced();
  replaced.wrote(version("7"), version("7"));
  expect(replaced.has(version("7"))).toBe(false);
  replaced.wrote(version("7"), version("8"));
  replaced.forget(version("9"));
  expect(replaced.has(version("7"))).toBe(false);
});
