import { expect, test } from "vitest";
import { placeOf } from "./place.ts";

test("every clone and name has a place of its own", () => {
  const places = [placeOf("dev", "/a"), placeOf("test", "/a"), placeOf("dev", "/b")];
  expect(new Set(places.map((place) => place.folder)).size).toBe(3);
  expect(new Set(places.map((place) => place.cgroup)).size).toBe(3);
  for (const name of ["", "Dev", "a/b", "-a", "a".repeat(21)])
    expect(() => placeOf(name)).toThrow("cannot name a cluster");
});
