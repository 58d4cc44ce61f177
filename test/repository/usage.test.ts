// The commands of package.json as a person types them, as processes of their own: what they say before they start anything.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Ended, runProgram } from "../run-program.ts";

const root = resolve(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
const commands = [
  ...["demo", "up", "down", "kubectl", "test", "check", "bench"],
  ...["chaos", "first-hour", "load", "property", "fuzz", "mutants"],
];
let cache: string;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "rowferry-usage-"));
});

afterEach(() => rmSync(cache, { recursive: true, force: true }));

const play = (name: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) => {
  const [, , script = ""] = (scripts[name] ?? "").split(" ");
  const env = { ...process.env, ROWFERRY_CACHE: cache, ...environment };
  return runProgram(process.execPath, [join(root, script), ...args], { cwd: root, env });
};

/** What a command prints for --help, once for this file. */
const usageOf = (name: string): Promise<Ended> => {
  const usage = usages.get(name) ?? play(name, ["--help"]);
  usages.set(name, usage);
  return usage;
};
const usages = new Map<string, Promise<Ended>>();

it.each(commands)("%s prints its usage for --help, and starts nothing", async (name) => {
  const { code, out, err } = await usageOf(name);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(new RegExp(`^Usage: npm (run )?${name} -- \\[options\\]`));
  expect(out.split("\n").filter((line) => line.length > 200)).toEqual([]);
  expect(existsSync(join(cache, "clusters"))).toBe(false);
});

it.each(["demo", "test", "check", "mutants"])("%s refuses an unknown option, and names its own", async (name) => {
  const { code, out, err } = await play(name, ["--nmae"]);
  expect(code).toBe(1);
  expect(err).toContain(`✗ ${name}: Unknown option '--nmae'.\n`);
  expect(err).toMatch(/\n {2}next: Options: .*--help\. `npm (run )?[\w-]+ -- --help` explains them\.\n$/);
  expect(out).toBe(name === "test" ? "0 passed, 1 failed\n" : "");
});

it.each([
  ["demo", "npm_config_once", "npm run demo -- --once"],
  ["test", "npm_config_t", "npm test -- --testNamePattern TEXT"],
])("%s refuses what npm swallowed (%s) with the line to run", async (name, variable, line) => {
  const { code, err } = await play(name, [], { [variable]: "true" });
  expect(code).toBe(1);
  expect(err).toContain(`  next: Run \`${line}\`.\n`);
});

/** The names of a command's options, short forms too. */
const optionsOf = async (name: string): Promise<string[]> =>
  [...(await usageOf(name)).out.matchAll(/^ {2}(?:-(\w), )?--([\w-]+)/gm)]
    .flatMap(([, short, long]) => [short ?? [], long ?? []].flat())
    .filter((option) => option !== "help");

it("npm hands on every option that a person typed without `--`, so that no command overlooks it", async () => {
  const named = [...new Set((await Promise.all(commands.map(optionsOf))).flat())];
  expect(named).toEqual(expect.arrayContaining(["sample", "seed", "t", "once", "name"]));
  const show = "node -e 'console.log(JSON.stringify(process.env))'";
  writeFileSync(join(cache, "package.json"), JSON.stringify({ scripts: { show } }));
  // Without the settings of the npm that runs this.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")));
  const given = named.map((option) => `${option.length === 1 ? "-" : "--"}${option}=7`);
  const { out, err } = await runProgram("npm", ["run", "--silent", "show", ...given], { cwd: cache, env });
  const passed = JSON.parse(out || JSON.stringify(err)) as Record<string, string>;
  expect(
    named.filter((option) => passed[`npm_config_${option.replaceAll("-", "_").toLowerCase()}`] === undefined),
  ).toEqual([]);
});

it.each([
  ["mutants", ["--sample", "0"], '--sample must be a whole number of at least 1. It is "0".'],
  ["mutants", ["none"], '[MUTANT]… cannot be "none".'],
  ["first-hour", ["buzz"], '[MACHINE]… cannot be "buzz".'],
])("%s %j fails with its cause", async (name, args, words) => {
  const { code, out, err } = await play(name, args);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(words);
});

it("down says that there was nothing to remove", async () => {
  const { code, err } = await play("down", ["--name", "none"]);
  expect([code, err]).toEqual([0, 'Nothing to remove: this clone has no cluster "none".\n']);
});
