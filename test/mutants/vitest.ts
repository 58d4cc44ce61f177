import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { endLeftovers, marked, runVariable } from "../leftovers.ts";
import { runProgram } from "../run-program.ts";
import type { Named } from "./judge.ts";
import { projectOf } from "./mutant.ts";

/** A run that a fault keeps from ending is ended after this. Milliseconds. */
const limitMs = 5 * 60_000;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/**
 * The environment without what vitest tells its own workers, and without the run's bundles, in which no fault is: the runs of the
 * mutants may be started from a test.
 */
export const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(VITEST|ROWFERRY_TEST_BUNDLES$|NODE_ENV$|TEST$|DEV$|PROD$|MODE$)/.test(name),
    ),
  );

/**
 * Runs tests of one part in the copy `folder`, chosen by their names alone. Answers the JSON report, undefined without one, and what was
 * written. `run` marks the processes, so that none outlives the call.
 */
export async function runTests(
  folder: string,
  tests: readonly Named[],
  run: string,
): Promise<{ report: string | undefined; output: string }> {
  const [first] = tests;
  if (first === undefined) throw new Error("no test was named");
  const reportFile = join(folder, ".mutant-report.json");
  rmSync(reportFile, { force: true });
  const limit = setTimeout(() => void endLeftovers(run, 5_000), limitMs);
  try {
    const [program = "", ...args] = marked(run, [
      process.execPath,
      ...["node_modules/vitest/vitest.mjs", "run"],
      ...["--project", projectOf(first.file)],
      ...["--testNamePattern", `^(${tests.map(({ name }) => escaped(name)).join("|")})$`],
      ...["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`],
      ...new Set(tests.map(({ file }) => file)),
    ]);
    const { out, err } = await runProgram(program, args, {
      cwd: folder,
      env: { ...plainEnvironment(), [runVariable]: run },
    });
    return { report: existsSync(reportFile) ? readFileSync(reportFile, "utf8") : undefined, output: out + err };
  } finally {
    clearTimeout(limit);
    await endLeftovers(run, 10_000);
  }
}
