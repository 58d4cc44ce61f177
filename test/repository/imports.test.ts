import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { circles, graphOf, importsOf, onlyOfTests, sourceFiles, unusedAllowances, violations } from "./imports.ts";
import { rooms } from "./rooms.ts";

const root = resolve(import.meta.dirname, "../..");
const files = sourceFiles(root, ["src", "controllers", "dev", "bench", "test"]);

it("every import goes in a direction that the design allows", () => {
  expect(files.length).toBeGreaterThan(5);
  expect(violations(files, rooms)).toEqual([]);
});

it("every room has code, and needs all that it may import", () => {
  expect(unusedAllowances(files, rooms)).toEqual([]);
});

it("an allowance that nothing needs is found", () => {
  const room = { path: "src/a", rooms: ["src/b", "src/c"], packages: ["zod", "pino"] };
  const text = 'import { b } from "../b/b.ts";\nimport { z } from "zod/mini";';
  expect(unusedAllowances([{ path: "src/a/a.ts", text }], [room, { ...room, path: "src/d" }])).toEqual([
    "src/a may import src/c and does not",
    "src/a may import pino and does not",
    "src/d has no code",
  ]);
});

it("every package that a room may use is in package.json", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const named = new Set(rooms.flatMap(({ packages }) => packages).filter((name) => name !== "*"));
  expect([...named].filter((name) => !(name in devDependencies))).toEqual([]);
});

it("no files import each other in a circle, not even for their types", () => {
  expect(circles(graphOf(files))).toEqual([]);
});

describe("a helper of tests stands in test/support, not in the product's folders", () => {
  it("no product file is there for tests alone", () => {
    expect(onlyOfTests(graphOf(files))).toEqual([]);
  });

  it("one that only tests import is found, and what it alone imports", () => {
    const graph = new Map([
      ["src/main/a.ts", ["src/a/used.ts"]],
      ["src/a/used.ts", []],
      ["src/a/scene.ts", ["src/a/below.ts", "src/a/used.ts"]],
      ["src/a/below.ts", []],
      ["src/a/used.test.ts", ["src/a/scene.ts", "src/a/used.ts"]],
      ["test/x.ts", ["src/a/scene.ts"]],
    ]);
    expect(onlyOfTests(graph)).toEqual(["src/a/scene.ts", "src/a/below.ts"]);
  });
});

describe("what a file imports", () => {
  it.each([
    ['import { a } from "./a.ts";', "./a.ts"],
    ['import type { A } from "./a.ts";', "./a.ts"],
    ['import {\n  a,\n  type B,\n} from "./a.ts";', "./a.ts"],
    ['import * as a from "./a.ts";', "./a.ts"],
    ['import "./a.ts";', "./a.ts"],
    ['export { a } from "./a.ts";', "./a.ts"],
    ['export * from "./a.ts";', "./a.ts"],
    ['export type { A } from "./a.ts";', "./a.ts"],
    ['const a = await import("./a.ts");', "./a.ts"],
    ['type A = import("./a.ts").A;', "./a.ts"],
    ['const a = createRequire(import.meta.url)("./a.ts");', "./a.ts"],
    ["const a = await import(name);", "(computed)"],
  ])("%s", (text, specifier) => {
    expect(importsOf(text)).toEqual([specifier]);
  });

  it("a comment imports nothing", () => {
    expect(importsOf('// import "./a.ts";\n/*\nimport { a } from "./a.ts";\n*/\n')).toEqual([]);
  });
});

describe("a wrong direction is found", () => {
  it.each([
    ["src/engine/x.ts", "../cluster/index.ts"],
    ["src/engine/x.ts", "@kubernetes/client-node"],
    ["src/engine/contract/index.ts", "../guard/url.ts"],
    ["src/resources/x.ts", "node:fs"],
    ["src/resources/x.ts", "../cluster/x.ts"],
    ["src/worker/x.ts", "../cluster/x.ts"],
    ["src/worker/x.ts", "../../controllers/migration/decide.ts"],
    ["src/cluster/x.ts", "../../controllers/runtime/queue.ts"],
    ["controllers/migration/decide.ts", "node:fs"],
    ["controllers/migration/decide.ts", "./controller.ts"],
    ["controllers/migration/decide.ts", "../../src/cluster/x.ts"],
    ["controllers/migration/controller.ts", "@kubernetes/client-node"],
    ["controllers/migration/controller.ts", "../../src/engine/index.ts"],
    ["controllers/runtime/x.ts", "../migration/decide.ts"],
    ["controllers/unheard-of/x.ts", "node:fs"],
    ["src/unheard-of/x.ts", "zod"],
    ["src/engine/x.ts", "../../test/x.ts"],
    ["src/main/x.ts", "../../dev/x.ts"],
  ])("%s must not import %s", (path, specifier) => {
    expect(violations([{ path, text: `import { a } from "${specifier}";` }], rooms)).toHaveLength(1);
  });
});

describe("a right direction passes", () => {
  it.each([
    ["src/main/operator.ts", "../../controllers/migration/controller.ts"],
    ["controllers/migration/controller.ts", "./decide.ts"],
    ["controllers/migration/decide.ts", "../../src/resources/migration.ts"],
    ["controllers/migration/decide.test.ts", "vitest"],
    ["controllers/backup-run/job.ts", "../../src/worker/protocol.ts"],
    ["src/worker/run.ts", "../engine/index.ts"],
    ["src/engine/postgres/connect.ts", "../contract/index.ts"],
    ["src/engine/postgres/connect.ts", "pg/lib/utils.js"],
    ["test/cluster/x.test.ts", "../../dev/cluster/index.ts"],
  ])("%s may import %s", (path, specifier) => {
    expect(violations([{ path, text: `import { a } from "${specifier}";` }], rooms)).toEqual([]);
  });
});
