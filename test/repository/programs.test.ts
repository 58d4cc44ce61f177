import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolName } from "../../dev/cluster/binaries/index.ts";
import { foldersOf, type Part, parts, setupsOf } from "../runner/parts.ts";
import { type Making, makePrograms, programsOf } from "../runner/programs.ts";

/** The programs that jobs wait for in a run on a clean machine. */

const part = (name: string, more: Partial<Part>): Part => ({ name, floor: 1, seconds: 1, minutes: 1, ...more });
const plain = part("plain", {});
const plane = part("plane", { kubernetes: true });
const chart = part("chart", { programs: ["helm"] });
const all = [plain, chart, plane];
const ready = (programs: ReturnType<typeof makePrograms>) => all.filter(programs.ready).map(({ name }) => name);

/** Programs that are made when the test says so. */
function started(more: Partial<Making> = {}) {
  const asked: ToolName[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const programs = makePrograms(all, {
    isThere: () => false,
    make: (name, signal) =>
      new Promise<void>((resolve, reject) => {
        asked.push(name);
        ends.push((error) => (error === undefined ? resolve() : reject(error)));
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
    stopped: new AbortController().signal,
    ...more,
  });
  const finish = async (error?: Error) => {
    const change = programs.change();
    await expect.poll(() => ends.length).toBeGreaterThan(0);
    ends.shift()?.(error);
    await change;
  };
  return { programs, asked, finish };
}

it("are made one after the other, and a part is ready when it has its own", async () => {
  const { programs, asked, finish } = started();
  expect(ready(programs)).toEqual(["plain"]);
  await finish();
  expect(ready(programs)).toEqual(["plain", "plane"]);
  await finish();
  expect(ready(programs)).toEqual(["plain", "chart", "plane"]);
  await programs.end;
  expect(asked).toEqual(["kubernetes", "helm"]);
});

it("are not made where they are there", async () => {
  const { programs, asked } = started({ isThere: () => true });
  expect(ready(programs)).toEqual(["plain", "chart", "plane"]);
  await programs.end;
  expect(asked).toEqual([]);
});

it("that cannot be made are what the part lacks, and the others are made", async () => {
  const { programs, finish } = started();
  await finish(new Error("no Go"));
  await finish();
  expect(ready(programs)).toEqual(["plain", "chart", "plane"]);
  expect(all.map(programs.lacking)).toEqual([undefined, undefined, "not run: kubernetes could not be made: no Go"]);
});

it("that take longer than they may are what the part lacks", async () => {
  const { programs } = started({ limitMs: 20 });
  await programs.end;
  expect(programs.lacking(plane)).toMatch(/^not run: kubernetes could not be made: .*timeout/);
});

it("are made no longer once the run is stopped", async () => {
  const stop = new AbortController();
  const { programs } = started({ stopped: stop.signal });
  stop.abort(new Error("SIGINT"));
  await programs.end;
  expect(all.map(programs.ready)).toEqual([true, true, true]);
  expect(programs.lacking(chart)).toBe("not run: helm could not be made: SIGINT");
});

describe("a part names the programs that its files call, so that no job waits for a build", () => {
  const root = join(import.meta.dirname, "../..");
  const calls: [RegExp, ToolName[]][] = [
    [/\bstartControlPlane\(/, ["kubernetes"]],
    [/\b(installAccount|installAdmission|planeSetup|startInstallation)\(/, ["kubernetes", "helm"]],
    [/\btool\("kubeconform"/, ["kubeconform"]],
    [/\bstartS3\(/, ["versitygw"]],
  ];
  const textOf = (part: Part): string => {
    const own = foldersOf(part).flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
    );
    const files = [...own, ...setupsOf(part)].filter((name) => name.endsWith(".ts"));
    return files.map((name) => readFileSync(join(root, name), "utf8")).join("\n");
  };
  const ofServers = parts.filter(({ name }) => !["unit", "repository"].includes(name));

  it.each(ofServers)("$name", (part) => {
    const text = textOf(part);
    const needed = calls.flatMap(([call, programs]) => (call.test(text) ? programs : []));
    expect(programsOf(part)).toEqual(expect.arrayContaining(needed));
  });
});
