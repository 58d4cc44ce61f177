import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { passwordsIn } from "./passwords.ts";

// Each starts programs, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-passwords-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("each cluster has random passwords of its own, which stay, and no other account of the machine reads them", () => {
  const [one, other] = [passwordsIn(join(folder, "one")), passwordsIn(join(folder, "other"))];
  const all = [one.databases, one.accounts, other.databases, other.accounts];
  expect(new Set(all).size).toBe(4);
  for (const password of all) expect(password).toMatch(/^[0-9a-f]{32}$/);
  expect(passwordsIn(join(folder, "one"))).toEqual(one);
  expect(statSync(join(folder, "one", "passwords.json")).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "one")).mode & 0o777).toBe(0o700);
});

test("commands that start at once get the same passwords", async () => {
  const words = `import { passwordsIn } from ${JSON.stringify(join(import.meta.dirname, "passwords.ts"))};
    console.log(JSON.stringify(passwordsIn(${JSON.stringify(folder)})));`;
  const run = () => promisify(execFile)(process.execPath, ["--input-type=module-typescript", "-e", words]);
  const answers = await Promise.all([run(), run(), run()]);
  expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1);
  expect(readdirSync(folder)).toEqual(["passwords.json"]);
});

test.each(["", '{"databases":"a', "{}", "null"])("a file with %o is named, with what to do", (text) => {
  writeFileSync(join(folder, "passwords.json"), text);
  expect(() => passwordsIn(folder)).toThrow("passwords.json has no passwords");
});
