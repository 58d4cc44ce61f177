import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { report as plain } from "../../test/support/cli/call.ts";
import type { CopyReport } from "../engine/contract/index.ts";
import { openReports } from "./report-file.ts";

const report: CopyReport = { ...plain, warnings: ["w".repeat(200_000)], made: [] };

let folder: string;
let heard: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "report-"));
  heard = "";
});

const stream = {
  write(text: string, done?: () => void) {
    heard += text;
    done?.();
  },
};
const io = { stdout: stream, stderr: { write: () => undefined } };
const opened = (...reports: string[]) => openReports({ reports, pages: [] }, io);

async function writtenTo(...reports: string[]): Promise<string[]> {
  const files = await opened(...reports);
  const failed = await files.write(report, "a to b");
  await files.close();
  return failed;
}

const isReport = (text: string) => expect(JSON.parse(text)).toEqual(report);

describe("a report", () => {
  it("replaces an older one as a whole, with its mode, and leaves nothing beside it", async () => {
    const path = join(folder, "r.json");
    writeFileSync(path, "older", { mode: 0o600 });
    const files = await opened(path);
    expect(readFileSync(path, "utf8")).toBe("older");
    expect(readdirSync(folder)).toEqual(["r.json"]);
    expect(await files.write(report, "a to b")).toEqual([]);
    isReport(readFileSync(path, "utf8"));
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["r.json"]);
  });

  it.each([
    ["there", true],
    ["not there yet", false],
  ])("goes through symbolic links to a file that is %s, and the links stay", async (_name, there) => {
    mkdirSync(join(folder, "far"));
    if (there) writeFileSync(join(folder, "far/real.json"), "older");
    symlinkSync("far/real.json", join(folder, "near.json"));
    symlinkSync(join(folder, "near.json"), join(folder, "r.json"));
    expect(await writtenTo(join(folder, "r.json"))).toEqual([]);
    expect(readlinkSync(join(folder, "r.json"))).toBe(join(folder, "near.json"));
    expect(readlinkSync(join(folder, "near.json"))).toBe("far/real.json");
    isReport(readFileSync(join(folder, "far/real.json"), "utf8"));
    expect(readdirSync(folder).sort()).toEqual(["far", "near.json", "r.json"]);
    expect(readdirSync(join(folder, "far"))).toEqual(["real.json"]);
  });

  it("is written into a pipe, which stays one", async () => {
    const path = join(folder, "pipe");
    execFileSync("mkfifo", [path]);
    const link = join(folder, "link.json");
    symlinkSync("pipe", link);
    // Open on both sides, so that the reader does not wait for a writer.
    const both = await open(path, "r+");
    const reader = await open(path, "r");
    const files = await opened(link);
    await both.close();
    const [text, failed] = await Promise.all([
      reader.readFile("utf8").finally(() => reader.close()),
      files.write(report, "a to b").finally(files.close),
    ]);
    expect(failed).toEqual([]);
    isReport(text);
    expect(lstatSync(path).isFIFO()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(["link.json", "pipe"]);
  });

  it("on /dev/stdout is printed as everything else there", async () => {
    expect(await writtenTo("/dev/stdout")).toEqual([]);
    isReport(heard);
  });

  it("that cannot be written says why, does not keep the others from being written, and leaves nothing", async () => {
    mkdirSync(join(folder, "gone"));
    const files = await opened(join(folder, "gone/r.json"), join(folder, "r.json"));
    rmSync(join(folder, "gone"), { recursive: true });
    expect(await files.write(report, "a to b")).toEqual([
      `${join(folder, "gone/r.json")}: the folder does not exist (ENOENT)`,
    ]);
    isReport(readFileSync(join(folder, "r.json"), "utf8"));
    expect(readdirSync(folder)).toEqual(["r.json"]);
  });
});

describe("refused before anything is copied", () => {
  it.each<[string, (path: string) => void, string, string]>([
    ["a folder", (path) => mkdirSync(path), "r", "it is a folder (EISDIR)"],
    ["a pipe that nobody reads", (path) => execFileSync("mkfifo", [path]), "r", "start its reader first (ENXIO)"],
    ["a folder that is not there", () => undefined, "no/r.json", "the folder does not exist (ENOENT)"],
    [
      "a file in place of a folder",
      (path) => writeFileSync(path, ""),
      "r/r.json",
      "the folder does not exist (ENOTDIR)",
    ],
    ["a link to itself", (path) => symlinkSync(path, path), "r", "ELOOP"],
  ])("%s", async (_name, make, path, why) => {
    make(join(folder, "r"));
    await expect(opened(join(folder, "first.json"), join(folder, path))).rejects.toThrow(why);
    expect(existsSync(join(folder, "first.json"))).toBe(false);
  });
});
