import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { markOf, writeMark } from "./pod-folder.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-mark-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a mark is read as it was written", () => {
  const mark = { pid: 42, started: "1", boot: "b" };
  writeMark(folder, mark);
  expect(markOf(folder)).toEqual(mark);
});

test.each(["", '{"pid":4', "null", "{}", '{"pid":42}'])("a mark file with %o names no process", (text) => {
  writeFileSync(join(folder, "mark.json"), text);
  expect(markOf(folder)).toBeUndefined();
});

test("a pod without a mark names no process", () => {
  expect(markOf(folder)).toBeUndefined();
});
