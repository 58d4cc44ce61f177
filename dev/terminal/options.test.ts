import { expect, test } from "vitest";
import { Failure } from "./failure.ts";
import { type Options, readLine, type Usage, usageText, wholeNumber } from "./options.ts";

const options = {
  name: { type: "string", default: "dev", value: "NAME", about: "The name" },
  "in-place": { type: "boolean", about: "Changes it there" },
  only: { type: "string", short: "o", multiple: true, value: "KIND", among: ["a", "b"], about: "One kind" },
} as const satisfies Options;
const usage: Usage<typeof options> = { name: "trial", about: "Tries.", options };
const words = { usage: "[FILE]…", about: "What to try" };
const passing = { ...usage, words, passesOn: true };

const failureOf = (work: () => unknown): [string, string] => {
  try {
    return [`no failure: ${JSON.stringify(work())}`, ""];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [error.message, error.next];
  }
};

test.each([
  [usage, [], { name: "dev" }, []],
  [usage, ["--name=x", "--in-place"], { name: "x", "in-place": true }, []],
  [usage, ["--only", "a", "-o", "b"], { name: "dev", only: ["a", "b"] }, []],
  [{ ...usage, words }, ["f", "--name", "x", "g"], { name: "x" }, ["f", "g"]],
  [passing, ["get", "pods", "--name=x", "--help"], { name: "dev" }, ["get", "pods", "--name=x", "--help"]],
  [passing, ["--name", "get", "get", "-n", "a"], { name: "get" }, ["get", "-n", "a"]],
  [passing, ["--in-place", "--name=x", "-n", "a"], { name: "x", "in-place": true }, ["-n", "a"]],
])("%j reads %j as %j and %j", (command, args, values, rest) => {
  expect(readLine(command, args, {})).toEqual({ values, words: rest });
});

const known = "Options: --name NAME, --in-place, --only KIND, --help. `npm run trial -- --help` explains them.";
const { options: _, ...bare } = usage;

test.each<[Usage, string[], string, string]>([
  [usage, ["--nmae", "x"], "Unknown option '--nmae'.", known],
  [usage, ["-x"], "Unknown option '-x'.", known],
  [usage, ["--name"], "Option '--name <value>' argument missing.", known],
  [usage, ["--in-place=yes"], "Option '--in-place' does not take an argument.", known],
  [usage, ["once"], "Unexpected argument 'once'.", known],
  [passing, ["--name"], "Option '--name <value>' argument missing.", known],
  [usage, ["--only=c"], '--only cannot be "c".', "Use one of a, b."],
  [{ ...usage, words: { ...words, among: ["f"] } }, ["f", "g"], '[FILE]… cannot be "g".', "Use one of f."],
  [{ ...usage, words: { ...words, most: 1 } }, ["f", "g"], "Too many words: f g", known],
  [
    { ...bare, command: "node a.ts" },
    ["--x"],
    "Unknown option '--x'.",
    "Options: --help. `node a.ts --help` explains them.",
  ],
])("%j refuses %j: %s", (command, args, message, next) => {
  expect(failureOf(() => readLine(command, args, {}))).toEqual([message, next]);
});

test.each([
  [{ npm_config_in_place: "true" }, "npm took --in-place for an option of its own.", "--in-place"],
  [{ npm_config_name: "x" }, "npm took --name for an option of its own.", "--name x"],
  [{ npm_config_name: "true" }, "npm took --name for an option of its own.", "--name NAME"],
  [{ npm_config_o: "true" }, "npm took --only for an option of its own.", "--only KIND"],
])("an option that npm swallowed (%j) is refused with the line that passes it on", (environment, message, option) => {
  expect(failureOf(() => readLine(usage, [], environment))).toEqual([message, `Run \`npm run trial -- ${option}\`.`]);
});

test("npm's own settings are no options", () => {
  const environment = { npm_config_user_agent: "npm", npm_config_in_place: "", npm_config_registry: "x" };
  expect(readLine(usage, [], environment)).toMatchObject({ values: { name: "dev" } });
});

test("--help is answered by the usage, whatever else is there", () => {
  const text = [
    "Usage: npm run trial -- [options] [FILE]…",
    "",
    "Tries.",
    "",
    "  [FILE]…          What to try",
    "  --name NAME      The name",
    "  --in-place       Changes it there",
    "  -o, --only KIND  One kind: a, b",
    "  --help           Show this text",
  ].join("\n");
  expect(usageText(passing)).toBe(text);
  for (const args of [["--help"], ["--name", "x", "--help"], ["--help", "--nmae"]])
    expect(readLine(passing, args, { npm_config_name: "x" })).toBe(text);
  expect(readLine({ ...usage, words }, ["f", "--help"], {})).toBe(text);
});

test("a whole number has its least, and an error has an example", () => {
  expect(wholeNumber("--seed", "0")).toBe(0);
  expect(wholeNumber("--sample", "1", 1)).toBe(1);
  expect(failureOf(() => wholeNumber("--sample", "0", 1))).toEqual([
    '--sample must be a whole number of at least 1. It is "0".',
    "Use for example `--sample 7`.",
  ]);
  expect(failureOf(() => wholeNumber("SEED", "x"))[1]).toBe("Use for example `SEED=7`.");
});
