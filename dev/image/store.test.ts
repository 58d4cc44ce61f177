import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inScratch, keep } from "./store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "store-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (key: string, name = "thing") => ({ folder, name, key });
const things = () =>
  readdirSync(folder)
    .filter((name) => !name.endsWith(".used"))
    .sort();
const make = async (part: string) => mkdirSync(part);

test("a thing is made once, however many ask for it at the same time", async () => {
  let made = 0;
  const slowly = async (part: string) => {
    made += 1;
    await new Promise((resolve) => setImmediate(resolve));
    mkdirSync(part);
  };
  const paths = await Promise.all([1, 2, 3].map(() => keep(at("a1"), slowly)));
  expect(new Set(paths)).toEqual(new Set([join(folder, "thing-a1")]));
  expect(made).toBe(1);
});

test("what fails half-way leaves nothing", async () => {
  const failing = async (part: string) => {
    mkdirSync(part);
    throw new Error("no");
  };
  await expect(keep(at("a1"), failing)).rejects.toThrow("no");
  expect(readdirSync(folder)).toEqual([]);
});

test("what a killed process left is deleted, and things of other names stay", async () => {
  mkdirSync(join(folder, "thing-0b.part", "deep"), { recursive: true });
  mkdirSync(join(folder, "thing-old-0b.part"));
  await keep(at("a1"), make);
  expect(things()).toEqual(["thing-a1", "thing-old-0b.part"]);
});

test("the three versions used last are kept", async () => {
  for (const [n, key] of ["a1", "a2", "a3"].entries()) {
    writeFileSync(join(folder, `thing-${key}`), "");
    utimesSync(join(folder, `thing-${key}`), 1000 + n, 1000 + n);
  }
  await keep(at("a1"), make);
  await keep(at("a4"), make);
  expect(things()).toEqual(["thing-a1", "thing-a3", "thing-a4"]);
});

test("waiting for another maker ends with the signal", async () => {
  const stop = new AbortController();
  const [started, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = keep(at("a1"), async (part) => {
    started.resolve();
    await finished.promise;
    mkdirSync(part);
  });
  await started.promise;
  const waiting = () => void setImmediate(() => stop.abort(new Error("stop")));
  await expect(keep(at("a1"), make, { waiting, signal: stop.signal })).rejects.toThrow("stop");
  finished.resolve();
  expect(existsSync(await first)).toBe(true);
});

test("a scratch folder is empty, for one at a time, and goes, also what a killed process left in it", async () => {
  const scratch = join(folder, "scratch");
  mkdirSync(join(scratch, "old"), { recursive: true });
  let inside = 0;
  const work = async (path: string): Promise<string[]> => {
    expect(++inside).toBe(1);
    const found = readdirSync(path);
    writeFileSync(join(path, "new"), "");
    await new Promise((done) => setImmediate(done));
    inside--;
    return found;
  };
  expect(await Promise.all([inScratch(scratch, work), inScratch(scratch, work)])).toEqual([[], []]);
  await expect(inScratch(scratch, () => Promise.reject(new Error("no bundle")))).rejects.toThrow("no bundle");
  expect(existsSync(scratch)).toBe(false);
});
