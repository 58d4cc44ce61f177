import { expect, test } from "vitest";
import { lacking, type Machine, notRun } from "../runner/able.ts";
import { parts } from "../runner/parts.ts";

const root: Machine = { platform: "linux", root: true, debian: true };
const user: Machine = { ...root, root: false };
const able = (machine: Machine) => parts.filter((part) => lacking(part, machine) === null).map(({ name }) => name);

test("root on Debian runs every part", () => {
  expect(able(root)).toEqual(parts.map(({ name }) => name));
  expect(notRun(parts, root)).toEqual([]);
});

test("an ordinary user runs what needs no databases, and the rest is named", () => {
  expect(able(user)).toEqual(["unit", "repository", "mutants", "operator", "load", "chart", "stripe"]);
  const [line = "", ...others] = notRun(parts, user);
  expect(others).toEqual([]);
  expect(line).toContain("not run, needs root on Debian or Ubuntu: engine, chaos");
});

test("a Mac lacks Kubernetes' own programs as well", () => {
  expect(able({ ...user, platform: "darwin", debian: false })).toEqual(["unit", "repository", "mutants", "stripe"]);
});
