import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addTree } from "./tree.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-tree-"));
  mkdirSync(join(folder, "image", "bin"), { recursive: true });
  writeFileSync(join(folder, "image", "bin", "server"), "server", { mode: 0o755 });
  symlinkSync("server", join(folder, "image", "bin", "link"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([{ copy: false }, { copy: true }])("an image stays when the cache loses it (%o)", ({ copy }) => {
  addTree(join(folder, "image"), join(folder, "mine"), { copy });
  const inode = (name: string): number => statSync(join(folder, name, "bin", "server")).ino;
  expect(inode("image") === inode("mine")).toBe(!copy);
  rmSync(join(folder, "image"), { recursive: true });
  const server = join(folder, "mine", "bin", "server");
  expect(readFileSync(server, "utf8")).toBe("server");
  expect(statSync(server).mode & 0o777).toBe(0o755);
  expect(readlinkSync(join(folder, "mine", "bin", "link"))).toBe("server");
});

test("what an earlier, killed command left of an image is not in it", () => {
  mkdirSync(join(folder, "mine.part"));
  writeFileSync(join(folder, "mine.part", "old"), "");
  addTree(join(folder, "image"), join(folder, "mine"));
  expect(existsSync(join(folder, "mine", "old"))).toBe(false);
  expect(existsSync(join(folder, "mine.part"))).toBe(false);
});
