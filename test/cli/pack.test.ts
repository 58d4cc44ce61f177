import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../../dev/build.ts";
import { run } from "./process.ts";
import { type Servers, startServers } from "./servers.ts";

/** The package as somebody installs it: packed, installed without a registry, run by the Node that is there. */
const repository = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "pack-"));
const installed = join(folder, "app");
let servers: Servers;

const execute = promisify(execFile);
const npm = async (where: string, ...words: string[]) =>
  (await execute("npm", words, { cwd: where, env: { ...process.env, npm_config_offline: "true" } })).stdout;

/** The Node of the tests, and the first other one on the PATH, which is the machine's own. */
function nodes(): string[] {
  const others = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((path) => !path.includes("node_modules"))
    .map((path) => join(path, "node"));
  return [process.execPath, ...others.filter((path) => existsSync(path)).slice(0, 1)];
}

beforeAll(async () => {
  // A copy of what npm packs, so that the clone's own dist is left alone.
  const clone = join(folder, "clone");
  mkdirSync(clone);
  for (const name of ["package.json", "README.md", "LICENSE", "bin", "docs"])
    cpSync(join(repository, name), join(clone, name), { recursive: true });
  await bundle(join(clone, "dist"));
  await npm(clone, "pack", "--ignore-scripts", "--pack-destination", folder);
  const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  mkdirSync(installed);
  writeFileSync(join(installed, "package.json"), '{"private":true}');
  await npm(installed, "install", "--no-audit", "--no-fund", join(folder, tarball));
  servers = await startServers();
});
afterAll(() => servers?.stop());

const bin = join(installed, "node_modules/.bin/rowferry");

it("the package holds the command line alone and brings no other package along", () => {
  expect(readdirSync(join(installed, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["rowferry"]);
  expect(readdirSync(join(installed, "node_modules/rowferry/dist")).filter((name) => name.endsWith(".js"))).toEqual([
    "cli.js",
  ]);
});

it("the package holds the pages of docs/ that its README leads to", () => {
  const root = join(installed, "node_modules/rowferry");
  const links = readFileSync(join(root, "README.md"), "utf8").matchAll(/\]\((docs\/[^)#]+)/g);
  const pages = [...new Set([...links].map(([, page = ""]) => page))];
  expect(pages).toContain("docs/cli.md");
  expect(pages.filter((page) => !existsSync(join(root, page)))).toEqual([]);
});

describe.each(nodes())("by %s", (node) => {
  it("tells its version and its help", async () => {
    expect((await run(["--version"], { by: [node, bin] })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await run(["copy", "--help"], { by: [node, bin] })).stdout).toContain("rowferry copy mysql://");
  });

  it.each([
    ["mysql", "postgres"],
    ["postgres", "postgres"],
  ] as const)(
    "prints no warning of Node itself, however many sessions wait on one signal: %s to %s",
    async (from, to) => {
      const [source, target] = [await servers.database(from), await servers.database(to)];
      for (const name of ["a", "b", "c", "d", "e", "f"])
        await source.session.query(`CREATE TABLE ${name} (id int PRIMARY KEY)`);
      const env = {
        ROWFERRY_PG_BIN: servers.tools,
        ROWFERRY_SOURCE_PASSWORD: source.password,
        ROWFERRY_TARGET_PASSWORD: target.password,
      };
      const words = ["copy", source.bare, target.bare, "--jobs", "8", "--progress", "json"];
      const { code, stderr } = await run(words, { env, by: [node, "--trace-warnings", bin] });
      expect(code, stderr).toBe(0);
      expect(stderr.split("\n").filter((line) => line !== "" && !line.startsWith("{"))).toEqual([]);
    },
  );

  it.each([
    ["mysql", "postgres"],
    ["postgres", "mysql"],
    ["postgres", "postgres"],
  ] as const)("copies and verifies from %s to %s", async (from, to) => {
    const [source, target] = [await servers.database(from), await servers.database(to)];
    await source.session.query("CREATE TABLE t (id int PRIMARY KEY, note varchar(40) NOT NULL DEFAULT 'x')");
    await source.session.query("INSERT INTO t (id) VALUES (1), (2), (3)");
    const env = {
      ROWFERRY_PG_BIN: servers.tools,
      ROWFERRY_SOURCE_PASSWORD: source.password,
      ROWFERRY_TARGET_PASSWORD: target.password,
    };
    const report = join(folder, `${from}-${to}.json`);
    const words = ["copy", source.bare, target.bare, "--verify", "checksum", "--report", report];
    const { code, stderr } = await run(words, { env, by: [node, bin] });
    expect(code, stderr).toBe(0);
    expect((await target.session.query("SELECT count(*), min(note) FROM t"))[0]).toEqual(["3", "x"]);
    const reset = await run(["reset", target.bare, "--report", report, "--yes"], { env, by: [node, bin] });
    expect(reset.code, reset.stderr).toBe(0);
    await expect(target.session.query("SELECT 1 FROM t")).rejects.toThrow(/exist/);
  });
});

it("runs as npx rowferry in the folder that it is installed in", async () => {
  const [source, target] = [await servers.database("mysql"), await servers.database("postgres")];
  await source.session.query("CREATE TABLE t (id int PRIMARY KEY)");
  await source.session.query("INSERT INTO t VALUES (1), (2)");
  const { code, stdout, stderr } = await run(["copy", source.bare, target.bare], {
    env: {
      ROWFERRY_SOURCE_PASSWORD: source.password,
      ROWFERRY_TARGET_PASSWORD: target.password,
      npm_config_offline: "true",
    },
    by: ["env", "-C", installed, "npx", "--no-install", "rowferry"],
  });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("Copied and verified 1 table with 2 rows");
});

it("may be published: it is not private, and has nothing that is installed with it", () => {
  const manifest = JSON.parse(readFileSync(join(installed, "node_modules/rowferry/package.json"), "utf8"));
  expect(manifest.private).toBeUndefined();
  expect(manifest.dependencies).toBeUndefined();
  expect(manifest).toMatchObject({ license: "Apache-2.0", bin: { rowferry: "bin/rowferry.mjs" } });
  expect(existsSync(join(installed, "node_modules/rowferry/README.md"))).toBe(true);
});

it("says which pg_dump is missing, where there is none", async () => {
  const [source, target] = [await servers.database("postgres"), await servers.database("postgres")];
  const { code, stderr } = await run(["copy", source.url, target.url], {
    env: { ROWFERRY_PG_BIN: "/nowhere" },
    by: [process.execPath, bin],
  });
  expect(code).toBe(1);
  expect(stderr).toContain("or set ROWFERRY_PG_BIN to the folder that they are in");
  expect(stderr).toContain("(pg_dump_missing)");
});
