import { expect, test } from "vitest";
import { failure, nextStep, throwIfAny } from "./failure.ts";

test("the next step is that of the error or of the first cause that names one", () => {
  const inner = failure("apt has no such package", "Run apt-get update.");
  expect(nextStep(inner)).toBe("Run apt-get update.");
  expect(nextStep(new Error("no cluster", { cause: new Error("no image", { cause: inner }) }))).toBe(
    "Run apt-get update.",
  );
  expect(nextStep(new Error("no cluster"))).toBeUndefined();
  expect(nextStep("text")).toBeUndefined();
});

test("a full disk names its next step, also as a cause", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  expect(nextStep(full)).toContain("Free space");
  expect(nextStep(new Error("no image", { cause: full }))).toContain("Free space");
  expect(nextStep(Object.assign(new Error("gone"), { code: "ENOENT" }))).toBeUndefined();
});

test("several failures become one, which counts them and shows the first line of the first", () => {
  expect(() => throwIfAny([], "Again.")).not.toThrow();
  expect(() => throwIfAny(["one\nat x.ts"], "Again.")).toThrow(/^1 failure: one$/);
  expect(() => throwIfAny(["one", "two"], "Again.")).toThrow(/^2 failures, the first: one$/);
});
