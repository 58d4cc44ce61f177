import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { failure } from "../../dev/terminal/failure.ts";
import { readLine } from "../../dev/terminal/options.ts";
import { type Part, partOf, parts } from "./parts.ts";
import { type Job, jobsOf } from "./plan.ts";
import { isPresent } from "./public-samples.ts";

/** What the words of the command line choose. */
export interface Choice {
  jobs: Job[];
  /** Parts that run all their tests, so that their floor holds. */
  complete: Part[];
  /** For vitest. */
  options: string[];
  /** Only tests with some name. */
  filtered: boolean;
  /** No part and no file is named. */
  everything: boolean;
}

const root = resolve(import.meta.dirname, "../..");

const number = { type: "string", value: "N" } as const;
/** Comma-separated, on lines that are not too long for a terminal. */
const inLines = (names: readonly string[]) =>
  names
    .join(", ")
    .replace(/(.{1,90}),( |$)/g, "$1,\n ")
    .trimEnd();

/** The options have vitest's names: it gets them. */
const usage = {
  name: "test",
  command: "npm test",
  about: `Runs all tests, or those that you name.\nParts: ${inLines(parts.map(({ name }) => name))}`,
  words: { usage: "[PART|FILE]…", about: "Parts or test files" },
  options: {
    testNamePattern: { type: "string", short: "t", value: "TEXT", about: "Tests with this text in their name alone" },
    bail: { ...number, about: "Stop each job after N failures" },
    repeats: { ...number, about: "Run each test N times more" },
    testTimeout: { ...number, about: "Milliseconds for one test" },
  },
} as const;

/**
 * What to run for the command line `args`; the usage where it asks for help. `files` are all test files. Errors: a word that is
 * neither a part, a test file nor an option, with the known ones as the next step.
 */
export function choose(
  args: readonly string[],
  files: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Choice | string {
  const line = readLine(
    usage,
    args.map((word) => word.replace(/^-t=/, "--testNamePattern=")),
    environment,
  );
  if (typeof line === "string") return line;
  const { values, words: named } = line;
  const options = Object.entries(values).map(([name, value]) => `--${name}=${value}`);
  const filtered = values.testNamePattern !== undefined;
  const wanted = new Map<Part, string[] | "all">();
  for (const word of named) {
    const part = parts.find(({ name }) => name === word);
    const file = relative(root, resolve(word));
    const owner = part ?? (existsSync(resolve(word)) ? partOf(file) : undefined);
    if (owner === undefined) throw unknown(word);
    const before = wanted.get(owner) ?? [];
    wanted.set(owner, part !== undefined || before === "all" ? "all" : [...before, file]);
  }
  if (named.length === 0) for (const part of parts.filter(isPresent)) wanted.set(part, "all");
  const jobs = [...wanted].flatMap(([part, list]) => {
    const all = files.filter((file) => partOf(file) === part);
    return jobsOf(part, list === "all" ? all : list, all, filtered || list !== "all" ? 1 : part.processes);
  });
  const complete = filtered ? [] : [...wanted].flatMap(([part, list]) => (list === "all" ? [part] : []));
  return { jobs, complete, options, filtered, everything: named.length === 0 };
}

const unknown = (word: string) =>
  failure(
    `\`${word}\` is neither a part nor a test file.`,
    `Name a test file, or parts: ${parts.map(({ name }) => name).join(", ")}.`,
  );
