import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { runNamespaced } from "../../dev/image/namespaced.ts";

/** The folder of temporary files of what makes root file systems: mmdebstrap leaves a folder of keys there. */

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "namespaced-"));
  vi.stubEnv("TMPDIR", folder);
});

/** Writes `here` to where mmdebstrap would make its temporary folders, and ends with this code. */
const play = (code: number, signal?: AbortSignal): Promise<string> => {
  let output = "";
  const log = (text: string): void => {
    output += text;
  };
  const script = `cd "$(mktemp --directory)" && touch left && pwd && ${code < 0 ? "sleep 1000" : `exit ${code}`}`;
  return runNamespaced(["sh", "-c", script], { log, env: process.env, signal }).then(() => output);
};

afterEach(() => expect(readdirSync(folder)).toEqual([]));

it("a command has a folder of temporary files of its own, which is removed after it", async () => {
  expect((await play(0)).split("\n").at(-2)).toContain(`${folder}/rowferry-`);
});

it("the folder is removed after a command that failed", async () => {
  await expect(play(7)).rejects.toThrow("failed with exit code 7");
});

it("the folder is removed after a command that was stopped", async () => {
  const stop = new AbortController();
  const played = play(-1, stop.signal);
  await expect.poll(() => readdirSync(folder), { timeout: 10_000 }).toHaveLength(1);
  stop.abort(new Error("enough"));
  await expect(played).rejects.toThrow("enough");
});
