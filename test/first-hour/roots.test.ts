// What stays in the temporary folder when a clean root cannot be made or entered: nothing.
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTerminal } from "../../dev/terminal/index.ts";
import { clone, openClone } from "./clone.ts";
import { openMachine } from "./machine.ts";

const left = (): string[] => readdirSync(tmpdir()).filter((name) => /^rowferry-(machine|clone)-/.test(name));

test("a root that cannot be copied leaves nothing", async () => {
  await expect(openMachine("/nowhere", [])).rejects.toThrow("/nowhere");
  expect(left()).toEqual([]);
});

test("a root that cannot be entered leaves nothing", async () => {
  const root = mkdtempSync(join(tmpdir(), "rowferry-empty-"));
  for (const name of ["proc", "sys", "dev", "etc/apt/apt.conf.d"]) mkdirSync(join(root, name), { recursive: true });
  const share = { here: "/nowhere", there: "/mnt/x", own: false };
  await expect(openMachine(root, [share])).rejects.toThrow("The clean root could not be entered: ");
  expect(left()).toEqual([]);
});

test("a clone that fails in the clean root leaves nothing", async () => {
  const terminal = openTerminal({ name: "test-first-hour" });
  const here = mkdtempSync(join(tmpdir(), "rowferry-full-"));
  writeFileSync(join(here, "file"), "git clones into no folder that has a file");
  const more = [{ here, there: clone, own: true }];
  await expect(openClone("bookworm", terminal, { more })).rejects.toThrow(
    "`git clone` failed with exit code 128 in the clean root",
  );
  expect(left()).toEqual([]);
  terminal.close();
});
