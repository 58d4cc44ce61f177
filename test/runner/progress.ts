import { appendFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Names the file into which a process of vitest writes what begins and ends: a line `begin|end file|test NAME`, at the end `end run`. */
export const progressVariable = "ROWFERRY_TEST_PROGRESS";

/** The line after the last test: what is left is to end processes and the global teardown. */
export const allEnded = "end run";

/** vitest's reporter for `test/run.ts`, which so knows that a job goes on, and what hangs when it does not. */
export default class Progress implements Reporter {
  onTestModuleStart(module: TestModule): void {
    write(`begin file ${module.relativeModuleId}`);
  }
  onTestModuleEnd(module: TestModule): void {
    write(`end file ${module.relativeModuleId}`);
  }
  onTestCaseReady(test: TestCase): void {
    write(`begin test ${test.fullName}`);
  }
  onTestCaseResult(test: TestCase): void {
    write(`end test ${test.fullName}`);
  }
  onTestRunEnd(): void {
    write(allEnded);
  }
}

function write(line: string): void {
  const file = process.env[progressVariable];
  if (file !== undefined) appendFileSync(file, `${line.replaceAll("\n", " ")}\n`);
}

/** What began and did not end, in the order of its begin. */
export function unfinished(progress: string): string[] {
  const open: string[] = [];
  for (const line of progress.split("\n")) {
    const [, verb, what] = /^(begin|end) (.+)$/.exec(line) ?? [];
    if (what === undefined) continue;
    if (verb === "begin") open.push(what);
    else if (open.includes(what)) open.splice(open.indexOf(what), 1);
  }
  return open;
}
