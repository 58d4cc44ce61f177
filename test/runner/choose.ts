import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { failure } from "../../dev/terminal/failure.ts";
import { isPresent } from "../public-samples-folder.ts";
import { type Part, partOf, parts } from "./parts.ts";
import { type Job, jobsOf } from "./plan.ts";

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
const byName = /^(-t|--testNamePattern)(=|$)/;

/**
 * What to run for `words`, each a part, a test file or an option of vitest. `files` are all test files. Errors: a word that is
 * none of these, with the parts as the next step.
 */
export function choose(words: readonly string[], files: readonly string[]): Choice {
  const options: string[] = [];
  const named: string[] = [];
  for (const [at, word] of words.entries()) {
    const before = words[at - 1] ?? "";
    const isValue = byName.test(before) && !before.includes("=");
    (word.startsWith("-") || isValue ? options : named).push(word);
  }
  const filtered = options.some((option) => byName.test(option));
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
