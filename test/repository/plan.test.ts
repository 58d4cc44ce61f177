import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { testFiles, unnamed } from "../runner/files.ts";
import { idleBetween, untilRoom } from "../runner/idle.ts";
import { overdue } from "../runner/job.ts";
import { type Part, parts } from "../runner/parts.ts";
import { jobsOf, queue, secondsOf } from "../runner/plan.ts";
import { unfinished } from "../runner/progress.ts";
import { summary } from "../runner/summary.ts";

const part = (name: string, more: Partial<Part> = {}): Part => ({ name, floor: 1, seconds: 100, minutes: 1, ...more });
const files = (...names: string[]) => names.map((name) => `test/a/${name}.test.ts`);
const always = () => true;

describe("the jobs of a part", () => {
  it("share its files, the longest first, each to the job that has least", () => {
    const slow = { s: 50, m: 30 };
    const all = files("x", "m", "y", "s");
    const jobs = jobsOf(part("a", { slow }), all, all, 2);
    expect(jobs.map((job) => job.files)).toEqual([files("s"), files("m", "x", "y")]);
    expect(jobs.map((job) => job.seconds)).toEqual([50, 50]);
    expect(jobs.map((job) => job.name)).toEqual(["a 1/2", "a 2/2"]);
  });

  it("hold each file once, whatever the number of processes", () => {
    const all = files(..."abcdefghijk");
    for (const processes of [undefined, 1, 3, 50])
      expect(
        jobsOf(part("a"), all, all, processes)
          .flatMap((job) => job.files)
          .sort(),
      ).toEqual(all);
  });

  it("give a file without a number an equal share of what the slow ones leave", () => {
    const seconds = secondsOf(part("a", { slow: { s: 70 } }), files("s", "x", "y", "z"));
    expect(files("s", "x").map(seconds)).toEqual([70, 10]);
  });
});

describe("room for one more job", () => {
  it("is counted in idle processors", () => {
    expect(idleBetween({ idle: 100, all: 400 }, { idle: 150, all: 600 }, 4)).toBe(1);
    expect(idleBetween({ idle: 100, all: 400 }, { idle: 100, all: 400 }, 4)).toBe(0);
  });

  it("is not waited for once nothing is left", async () => {
    expect(
      await untilRoom(
        () => true,
        () => true,
      ),
    ).toBe(false);
  });
});

describe("the queue", () => {
  const one = (more: Partial<Part>, seconds: number) => ({
    part: part("p", more),
    files: files("x"),
    seconds,
    name: "p",
  });

  it("hands out the longest job first, and parts that run beside the others in their own lane", () => {
    const todo = queue([one({}, 10), one({ beside: true }, 500), one({}, 30), one({}, 20)]);
    expect(todo.next("main", always)).toMatchObject({ seconds: 30 });
    expect(todo.next("beside", always)).toMatchObject({ seconds: 500 });
    expect(todo.next("beside", always), "the others' work when its own is done").toMatchObject({ seconds: 20 });
    expect(todo.next("main", always)).toMatchObject({ seconds: 10 });
    expect(todo.next("main", always)).toBeUndefined();
    expect(todo.next("beside", always)).toBeUndefined();
  });

  it("knows of each lane whether anything is left", () => {
    const todo = queue([one({}, 10), one({ beside: true }, 500)]);
    expect([todo.isEmpty("main"), todo.isEmpty("beside")]).toEqual([false, false]);
    todo.next("main", always);
    expect([todo.isEmpty("main"), todo.isEmpty("beside")]).toEqual([true, false]);
  });

  it("keeps a job back while its part is not ready, and the lane of those beside waits for its own", () => {
    const todo = queue([one({ kubernetes: true }, 300), one({}, 10), one({ beside: true, kubernetes: true }, 200)]);
    const unready = ({ kubernetes }: Part) => !kubernetes;
    expect(todo.next("beside", unready)).toBe("wait");
    expect(todo.next("main", unready)).toMatchObject({ seconds: 10 });
    expect(todo.next("main", unready)).toBe("wait");
    expect(todo.next("main", always)).toMatchObject({ seconds: 300 });
    expect(todo.next("main", unready)).toBeUndefined();
    expect(todo.next("beside", always)).toMatchObject({ seconds: 200 });
  });
});

describe("a job that hangs", () => {
  it.each([
    ["continues while tests start and finish", { quietMs: 599_000, allMs: 1_200_000, started: true }, undefined],
    [
      "ends after ten quiet minutes",
      { quietMs: 601_000, allMs: 700_000, started: true },
      /no test started or finished for 10/,
    ],
    ["continues in its global setup for ten minutes", { quietMs: 599_000, allMs: 599_000, started: false }, undefined],
    [
      "ends when its global setup takes longer",
      { quietMs: 601_000, allMs: 601_000, started: false },
      /global setup took more than 10 minutes/,
    ],
    ["ends after half an hour in any case", { quietMs: 0, allMs: 1_801_000, started: true }, /within 30 minutes/],
  ])("%s", (_name, times, words) => {
    if (words === undefined) expect(overdue({ ended: false, ...times })).toBeUndefined();
    else expect(overdue({ ended: false, ...times })).toMatch(words);
  });

  it("is none where a test may take so long", () => {
    for (const { name, minutes } of parts) expect(minutes, name).toBeLessThanOrEqual(10);
  });

  it("names the files and tests that had started and not finished", () => {
    const lines = [
      "begin file a.test.ts",
      "begin test one",
      "end test one",
      "begin test two > x",
      "begin file b.test.ts",
    ];
    expect(unfinished(`${lines.join("\n")}\n`)).toEqual(["file a.test.ts", "test two > x", "file b.test.ts"]);
  });
});

describe("the repository's test files", () => {
  const root = resolve(import.meta.dirname, "../..");

  it("each belong to a part, and each part has some", () => {
    const found = testFiles(root);
    expect(found).toContain("test/repository/plan.test.ts");
    expect(unnamed(found)).toEqual([]);
    for (const { name, folders = [`test/${name}`] } of parts)
      for (const folder of folders)
        expect(
          found.some((file) => file.startsWith(`${folder}/`)),
          folder,
        ).toBe(true);
  });

  it("are found in folders that no part names, and with endings that no part runs", () => {
    const folder = mkdtempSync(join(tmpdir(), "files-"));
    for (const path of ["test/new", "node_modules/x", "src"]) mkdirSync(join(folder, path), { recursive: true });
    for (const path of ["test/new/a.test.ts", "node_modules/x/b.test.ts", "src/c.test.ts", "src/d.spec.mts"])
      writeFileSync(join(folder, path), "");
    expect(testFiles(folder)).toEqual(["src/c.test.ts", "src/d.spec.mts", "test/new/a.test.ts"]);
    expect(unnamed(testFiles(folder))).toEqual(["src/d.spec.mts", "test/new/a.test.ts"]);
  });

  it("of slow files in the table are there", () => {
    const found = new Set(testFiles(root));
    for (const { name, slow = {} } of parts)
      for (const file of Object.keys(slow)) expect(found, file).toContain(`test/${name}/${file}.test.ts`);
  });
});

it("the summary tells each part's time and counts, its remarks, and the sum last", () => {
  const result = { part: "api", failed: 0, passed: 2, seconds: 10, remarks: [] };
  const { text, passed, failed } = summary(
    [
      { ...result, name: "api 1/2" },
      { ...result, name: "api 2/2", failed: 1, remarks: ["hung"], failures: "boom" },
    ],
    72,
    "/logs",
  );
  expect({ passed, failed }).toEqual({ passed: 4, failed: 1 });
  expect(text.split("\n")).toEqual([
    "",
    "── failures of api 2/2",
    "boom",
    "",
    "api            20.0 s      4 passed    1 failed  in 2 jobs",
    "  hung",
    "all in 1 min 12 s",
    "✗ test: failures in api",
    "  log:  /logs",
    "  next: Fix the failures above, then run `npm test -- api`.",
    "4 passed, 1 failed",
  ]);
});
