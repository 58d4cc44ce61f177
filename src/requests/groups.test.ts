import { expect, it } from "vitest";
import type { KubeObject } from "../resources/objects.ts";
import { createGroups } from "./groups.ts";

interface Thing extends KubeObject {
  owners: string[];
}
const thing = (name: string, ...owners: string[]): Thing => ({ metadata: { name }, owners });

it("finds what has a key, as it is after the last change, and nothing else", () => {
  const groups = createGroups<Thing>(({ owners }) => owners);
  const [first, second] = [thing("1", "ann", "bob"), thing("2", "ann")];
  groups.changed(undefined, first);
  groups.changed(undefined, second);
  expect(groups.of("ann")).toEqual([first, second]);
  expect(groups.of("bob")).toEqual([first]);
  const later = thing("1", "bob", "cid");
  groups.changed(first, later);
  expect(groups.of("ann")).toEqual([second]);
  expect(groups.of("bob")).toEqual([later]);
  expect(groups.of("cid")).toEqual([later]);
  groups.changed(later, undefined);
  expect(groups.of("bob")).toEqual([]);
  expect(groups.of("nobody")).toEqual([]);
});

it("has one of two that came after each other under one name", () => {
  const groups = createGroups<Thing>(({ owners }) => owners);
  const [old, next] = [thing("1", "ann"), thing("1", "ann")];
  groups.changed(undefined, old);
  groups.changed(old, undefined);
  groups.changed(undefined, next);
  expect(groups.of("ann")).toEqual([next]);
});
