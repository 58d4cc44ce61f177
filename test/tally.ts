/**
 * Counts what a vitest JSON report says, in the strictest reading: whatever did not demonstrably pass has failed.
 */

export interface Tally {
  passed: number;
  failed: number;
  /** Why `failed` is higher than the tests that the report names as failed. */
  remarks: string[];
}

interface FileResult {
  name: string;
  status: string;
  message?: string;
  assertionResults: { status: string; fullName: string }[];
}

/**
 * The tally of one job. `report` is the report's text, undefined when the runner wrote none; `exitCode` is null
 * when a signal ended the runner. `filtered`: tests were chosen by name, and the others are skipped for that.
 * `expected`: the files that the runner was given, as the report's names end.
 */
export function tally(
  report: string | undefined,
  exitCode: number | null,
  { filtered = false, expected = [] }: { filtered?: boolean; expected?: readonly string[] } = {},
): Tally {
  const files = parse(report);
  if (files === undefined) return { passed: 0, failed: 1, remarks: ["vitest wrote no readable report"] };
  const counted: Tally = { passed: 0, failed: 0, remarks: [] };
  for (const file of files) add(counted, file, filtered);
  for (const name of expected)
    if (!files.some((file) => file.name.endsWith(`/${name}`))) fail(counted, `${name} has no results`);
  if (counted.passed + counted.failed === 0) fail(counted, "no test was run");
  if (exitCode !== 0 && counted.failed === 0)
    fail(counted, exitCode === null ? "a signal ended vitest" : `vitest failed with exit code ${exitCode}`);
  return counted;
}

function add(counted: Tally, file: FileResult, filtered: boolean): void {
  const failedBefore = counted.failed;
  for (const test of file.assertionResults) {
    if (test.status === "passed") counted.passed += 1;
    else if (test.status === "failed") counted.failed += 1;
    else if (!filtered || test.status !== "skipped")
      fail(counted, `${test.status}, which counts as failed: ${test.fullName}`);
  }
  if (file.status !== "passed" && counted.failed === failedBefore) {
    fail(counted, `${file.name} failed outside its tests: ${file.message?.split("\n")[0] ?? "no message"}`);
  } else if (file.assertionResults.length === 0) {
    fail(counted, `${file.name} has no tests`);
  }
}

function fail(counted: Tally, remark: string): void {
  counted.failed += 1;
  counted.remarks.push(remark);
}

function parse(report: string | undefined): FileResult[] | undefined {
  try {
    const files = (JSON.parse(report ?? "") as { testResults?: FileResult[] }).testResults;
    return Array.isArray(files) && files.every((file) => Array.isArray(file.assertionResults)) ? files : undefined;
  } catch {
    return undefined;
  }
}

/** A failure if a complete part ran fewer tests than its floor: somebody lost some. */
export function belowFloor(part: { name: string; floor: number }, ran: number): Tally {
  if (ran >= part.floor) return { passed: 0, failed: 0, remarks: [] };
  const remark = `${part.name} ran ${ran} tests, and its floor is ${part.floor} (test/runner/parts.ts)`;
  return { passed: 0, failed: 1, remarks: [remark] };
}
