import { expect, test } from "vitest";
import { abandonedAfter, type FreeClaim, isOpen, startedClaim, usedUp } from "./claim.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString();
const named = { namespace: "team", name: "a" };
const made = { ...named, uid: "u", creationTimestamp: ago(900) };
const reserved: FreeClaim = { ...named, at: ago(1000) };
const old: FreeClaim = { ...named, at: ago(abandonedAfter + 1) };
const running: FreeClaim = { ...old, uid: "u" };

test.each<[string, FreeClaim | undefined, string | undefined, boolean]>([
  ["never claimed", undefined, undefined, true],
  ["reserved a moment ago, its Migration not made yet", reserved, undefined, false],
  ["reserved, and made", reserved, "u", false],
  ["reserved long ago, and never made", old, undefined, true],
  ["reserved long ago, and waiting", old, "u", false],
  ["begun, and still there", running, "u", false],
  ["begun, and deleted before it was completed", running, undefined, true],
  ["begun and deleted, and another has its name", running, "v", true],
  ["used up, and still there", { ...running, used: true }, "u", false],
  ["used up, and deleted", { ...running, used: true }, undefined, false],
])("whether the free migration is open: %s", (_name, claim, found, open) => {
  expect(isOpen(claim, found, now)).toBe(open);
});

test.each<[string, FreeClaim | undefined, string | undefined]>([
  ["its own reservation", reserved, "u"],
  ["its own, begun before", running, "u"],
  ["begun by an earlier one of the same name", { ...running, uid: "v" }, undefined],
  ["another's", { ...reserved, name: "b" }, undefined],
  ["one of the same name in another namespace", { ...reserved, namespace: "other" }, undefined],
  ["nobody's", undefined, "u"],
])("who may start on it: %s", (_name, claim, uid) => {
  expect(startedClaim(claim, made)?.uid).toBe(uid);
});

test("who uses it up: its own Migration alone", () => {
  expect(usedUp(running, made)).toEqual({ ...running, used: true });
  expect(usedUp({ ...running, uid: "v" }, made)).toBeUndefined();
  expect(usedUp(undefined, made)).toBeUndefined();
});
