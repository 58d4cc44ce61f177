import { expect, test } from "vitest";
import { leadingClusterOptions, parseClusterOptions } from "./options.ts";
import { placeOf } from "./place.ts";

test("the commands know their options and refuse others by name", () => {
  expect(parseClusterOptions([])).toEqual({ name: "dev", useCurrentContext: false, processes: false });
  expect(parseClusterOptions(["--name", "test", "--use-current-context"])).toEqual({
    name: "test",
    useCurrentContext: true,
    processes: false,
  });
  expect(parseClusterOptions(["--processes"]).processes).toBe(true);
  expect(() => parseClusterOptions(["--nmae", "x"])).toThrow("--nmae");
});

test("kubectl's own words follow the cluster's options untouched", () => {
  expect(leadingClusterOptions(["get", "pods", "--name=x"])).toEqual({
    name: "dev",
    useCurrentContext: false,
    rest: ["get", "pods", "--name=x"],
  });
  expect(leadingClusterOptions(["--name", "test", "get"]).rest).toEqual(["get"]);
  expect(leadingClusterOptions(["--name=test", "--use-current-context", "-n", "a"])).toEqual({
    name: "test",
    useCurrentContext: true,
    rest: ["-n", "a"],
  });
});

test("every clone and name has a place of its own", () => {
  const places = [placeOf("dev", "/a"), placeOf("test", "/a"), placeOf("dev", "/b")];
  expect(new Set(places.map((place) => place.folder)).size).toBe(3);
  expect(new Set(places.map((place) => place.cgroup)).size).toBe(3);
  for (const name of ["", "Dev", "a/b", "-a", "a".repeat(21)])
    expect(() => placeOf(name)).toThrow("cannot name a cluster");
});
