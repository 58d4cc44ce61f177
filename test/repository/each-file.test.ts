import { join } from "node:path";
import { expect, it } from "vitest";
import { restoreEnvironment } from "../environment.ts";
import { afterEachTest, atEachFileEnd, atFileEnd, endFile, endTest } from "../file-end.ts";
import { sourceFiles } from "./imports.ts";

/** Files of a job share one process and its modules. */

const root = join(import.meta.dirname, "..", "..");

it("a file does not see what the file before it did to the environment", () => {
  const [path, names] = [process.env.PATH, Object.keys(process.env)];
  delete process.env.PATH;
  process.env.ROWFERRY_PG_BIN = "of this file";
  restoreEnvironment();
  expect(process.env.PATH).toBe(path);
  expect(Object.keys(process.env).sort()).toEqual(names.sort());
});

it("shared modules clear up after each file once, the latest first, and after every test", async () => {
  const done: string[] = [];
  atFileEnd(() => done.push("first"));
  atFileEnd(() => done.push("second"));
  let watched = true;
  atEachFileEnd(() => watched && done.push("file"));
  afterEachTest(() => watched && done.push("test"));
  await endTest();
  await endFile();
  await endFile();
  await endTest();
  watched = false;
  expect(done).toEqual(["test", "second", "first", "file", "file", "test"]);
});

it("no shared module has a hook at its top: it would run for the first file of a job alone", () => {
  const hook = /^(before|after)(All|Each)\(/m;
  const found = sourceFiles(root, ["test", "src", "controllers", "dev"])
    .filter(({ path }) => !path.endsWith(".test.ts") && path !== "test/each-file.ts")
    .filter(({ text }) => hook.test(text));
  expect(found.map(({ path }) => path)).toEqual([]);
});
