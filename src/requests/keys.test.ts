import { expect, it } from "vitest";
import { signature } from "./keys.ts";

const secret = new Uint8Array(32).fill(7);
const hex = (...[of, ...parts]: [string, ...string[]]) => signature(secret, of, ...parts).toString("hex");

it("the same parts for the same purpose are signed alike, on every replica", () => {
  expect(hex("session", "a", "b")).toBe(hex("session", "a", "b"));
  expect(signature(new Uint8Array(32).fill(7), "session", "a").toString("hex")).toBe(hex("session", "a"));
});

it.each([
  ["another purpose", hex("cursor", "a", "b")],
  ["another secret", signature(new Uint8Array(32).fill(8), "session", "a", "b").toString("hex")],
  ["another part", hex("session", "a", "c")],
  ["another cut between the parts", hex("session", "ab", "")],
  ["one part more", hex("session", "a", "b", "")],
  ["a length written as text", hex("session", "a1:b")],
])("%s is signed otherwise", (_what, other) => {
  expect(other).not.toBe(hex("session", "a", "b"));
});
