import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { circles, crossings, graphOf, sourceFiles } from "./imports.ts";

/**
 * The laws of imports inside the engine (design.md). What the code does not keep yet is listed here with its number: a number
 * only goes down, and a list only gets shorter. A test beside the code keeps them too.
 */

const root = resolve(import.meta.dirname, "../..");
const graph = graphOf(sourceFiles(root, ["src/engine"]));

/** The folders below src/engine that a file lies in; empty for a file that lies there by itself. */
const foldersOf = (path: string): string[] => path.split("/").slice(2, -1);
/** `mysql/driver`, `plan/mysql-postgres`, `assess`: where rooms differ by their second folder, both. */
const roomsOfTwo = ["contract", "mysql", "plan", "postgres", "run", "verify"];
const roomOf = (path: string): string =>
  foldersOf(path)
    .slice(0, roomsOfTwo.includes(foldersOf(path)[0] ?? "") ? 2 : 1)
    .join("/");
const isPair = (path: string): boolean => /^plan\/(?:mysql|postgres)-/.test(roomOf(path));
const isIndex = (path: string): boolean => path.endsWith("/index.ts");

it("a pair of engines never imports another pair", () => {
  expect(crossings(graph, (from, to) => isPair(from) && isPair(to) && roomOf(from) !== roomOf(to))).toEqual([]);
});

/** Engines see the shapes that a run shares with them, and of a run what sets its limits, its pool among them. Nothing else of the engine. */
const belowEngines = ["contract", "contract/codes", "contract/text", "run/memory", "run/fence"];
const ofRuns = ["src/engine/run/pool.ts", "src/engine/run/selection.ts", "src/engine/run/watchdog/replies.ts"];

it.each([["mysql"], ["postgres"]])("%s imports neither the other engine nor what is made for both", (engine) => {
  const allowed = (to: string) =>
    foldersOf(to)[0] === engine || belowEngines.includes(roomOf(to)) || ofRuns.includes(to);
  expect(crossings(graph, (from, to) => foldersOf(from)[0] === engine && !allowed(to))).toEqual([]);
});

describe("driver ← catalogue ← definitions ← fence ← source and target ← dump", () => {
  const order = [["driver"], ["catalogue"], ["definitions"], ["fence"], ["source", "target"], ["dump"]];
  const rank = (path: string) => order.findIndex((layer) => layer.includes(foldersOf(path)[1] ?? ""));

  it.each([["mysql"], ["postgres"]])("no import of %s's goes upwards", (engine) => {
    const isOwn = (path: string) => foldersOf(path)[0] === engine;
    expect([...graph.keys()].filter((path) => isOwn(path) && rank(path) < 0)).toEqual([]);
    expect(crossings(graph, (from, to) => isOwn(from) && isOwn(to) && rank(to) > rank(from))).toEqual([]);
  });
});

it("source and target of one engine do not import each other", () => {
  const isSide = (path: string) => /^(?:mysql|postgres)\/(?:source|target)$/.test(roomOf(path));
  expect(crossings(graph, (from, to) => isSide(from) && isSide(to) && roomOf(from) !== roomOf(to))).toEqual([]);
});

it("only plan, and what compares, checks or drives both engines sees both", () => {
  const sees = (path: string, engine: string) => (graph.get(path) ?? []).some((to) => foldersOf(to)[0] === engine);
  const both = [...graph.keys()].filter((path) => sees(path, "mysql") && sees(path, "postgres"));
  const rooms = new Set(both.map((path) => foldersOf(path)[0] ?? path));
  expect([...rooms].sort()).toEqual(["assess", "plan", "run", "verify"]);
});

it("rows import no plan, but for two files", () => {
  expect(crossings(graph, (from, to) => roomOf(from) === "rows" && foldersOf(to)[0] === "plan")).toEqual([
    "src/engine/rows/mysql-to-copy/binary-fields.ts -> src/engine/plan/mysql-postgres/columns/column-plan.ts",
    "src/engine/rows/mysql-to-copy/shape-check.ts -> src/engine/plan/mysql-postgres/columns/spatial-types.ts",
  ]);
});

it("run imports no plan: index.ts gives a run its direction", () => {
  expect(crossings(graph, (from, to) => foldersOf(from)[0] === "run" && foldersOf(to)[0] === "plan")).toEqual([]);
});

it("report, run, rows, verify and assess import of each other only what is before them in this order", () => {
  const order = ["report", "run", "rows", "verify", "assess"];
  const rank = (path: string) => order.indexOf(foldersOf(path)[0] ?? "");
  expect(crossings(graph, (from, to) => rank(from) >= 0 && rank(to) > rank(from))).toEqual([
    // One test for the three things that a caller may start.
    "src/engine/run/jobs.test.ts -> src/engine/assess/index.ts",
    "src/engine/run/jobs.test.ts -> src/engine/verify/index.ts",
  ]);
});

it("the comparison of values imports nothing else of verify", () => {
  const isOther = (path: string) => foldersOf(path)[0] === "verify" && foldersOf(path)[1] !== "checksum";
  expect(crossings(graph, (from, to) => roomOf(from) === "verify/checksum" && isOther(to))).toEqual([]);
});

it("a contract imports nothing else of the engine, and its codes and text not even the contract", () => {
  const isContract = (path: string) => foldersOf(path)[0] === "contract";
  expect(crossings(graph, (from, to) => isContract(from) && !isContract(to))).toEqual([]);
  const isLowest = (path: string) => ["contract/codes", "contract/text"].includes(roomOf(path));
  expect(crossings(graph, (from, to) => isLowest(from) && roomOf(to) !== roomOf(from))).toEqual([]);
});

it("src/engine has at most ten entries", () => {
  expect(readdirSync(join(root, "src/engine")).length).toBeLessThanOrEqual(10);
});

it("no folder holds more than 20 source files", () => {
  const files = sourceFiles(root, ["src", "controllers", "dev", "bench"]).filter(
    ({ path }) => !path.endsWith(".test.ts"),
  );
  const counts = Map.groupBy(files, ({ path }) => path.split("/").slice(0, -1).join("/"));
  expect([...counts].filter(([, found]) => found.length > 20).map(([folder]) => folder)).toEqual([]);
});

it("assess and verify see of a pair its index.ts alone", () => {
  const isOutside = (path: string) => ["assess", "verify"].includes(foldersOf(path)[0] ?? "");
  expect(crossings(graph, (from, to) => isOutside(from) && isPair(to) && !isIndex(to))).toEqual([]);
});

/** docs/engine.md names some files from a direction's folder. */
const pairFolders = ["mysql-mysql", "mysql-postgres", "postgres-mysql", "postgres-postgres"].map(
  (pair) => `src/engine/plan/${pair}`,
);

const inEngine = /\/|\.(?:ts|md)$/;
const fromRoot = /^(?:src|controllers|charts|dev|docs|test)\//;

it.each([
  ["docs/engine.md", inEngine, ["", "src/engine", ...pairFolders]],
  ["CONTRIBUTING.md", fromRoot, [""]],
])("every file and folder that %s names exists", (page, isPath, folders) => {
  const text = readFileSync(join(root, page), "utf8").replace(/^```[\s\S]*?^```/gm, "");
  const named = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)].flatMap(([, path = ""]) =>
    isPath.test(path) ? [path] : [],
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !folders.some((folder) => existsSync(join(root, folder, path))))).toEqual([]);
});

it("the table of CONTRIBUTING.md has every folder of code", () => {
  const table = readFileSync(join(root, "CONTRIBUTING.md"), "utf8").replace(/^(?!\|).*$/gm, "");
  const folders = ["src", "controllers", "src/engine"].flatMap((parent) =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${parent}/${name}`),
  );
  expect([...folders, "dev", "bench"].filter((folder) => !new RegExp(`\`${folder}(?:/[^\`]*)?\``).test(table))).toEqual(
    [],
  );
});

describe("the laws find what breaks them", () => {
  const made = new Map([
    ["src/engine/plan/a-b/x.ts", ["src/engine/plan/a-c/y.ts"]],
    ["src/engine/plan/a-c/y.ts", ["src/engine/plan/a-b/x.ts", "src/engine/z.ts"]],
    ["src/engine/z.ts", []],
  ]);

  it("a circle, types included", () => {
    expect(circles(made)).toEqual([["src/engine/plan/a-b/x.ts", "src/engine/plan/a-c/y.ts"]]);
    const files = [
      { path: "src/engine/a.ts", text: 'import type { B } from "./b/b.ts";' },
      { path: "src/engine/b/b.ts", text: 'export { a } from "../a.ts";' },
    ];
    expect(circles(graphOf(files))).toEqual([["src/engine/a.ts", "src/engine/b/b.ts"]]);
  });

  it("an import from one room into another", () => {
    expect(crossings(made, (from, to) => roomOf(from) !== roomOf(to) && roomOf(to) === "plan/a-c")).toEqual([
      "src/engine/plan/a-b/x.ts -> src/engine/plan/a-c/y.ts",
    ]);
  });
});
