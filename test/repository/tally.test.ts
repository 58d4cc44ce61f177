import { describe, expect, it } from "vitest";
import { belowFloor, tally } from "../tally.ts";

const file = (status: string, ...tests: string[]) => ({
  name: "/clone/test/a/x.test.ts",
  status,
  message: "boom\nat line 1",
  assertionResults: tests.map((test) => ({ status: test, fullName: "a test" })),
});
const report = (...testResults: ReturnType<typeof file>[]) => JSON.stringify({ testResults });

describe("tally", () => {
  it.each([
    ["passing tests are counted", report(file("passed", "passed", "passed")), 0, 2, 0],
    ["failing tests are counted", report(file("failed", "passed", "failed")), 1, 1, 1],
    ["a runner without a report has failed", undefined, 1, 0, 1],
    ["a report that was cut off has failed", '{"testResults": [', 0, 0, 1],
    ["a report of another shape has failed", "{}", 0, 0, 1],
    ["a file that could not be loaded has failed", report(file("failed"), file("passed", "passed")), 1, 1, 1],
    ["a part without tests has failed", report(), 0, 0, 1],
    ["a file without tests has failed", report(file("passed"), file("passed", "passed")), 0, 1, 1],
    ["a skipped test has failed", report(file("passed", "passed", "pending")), 0, 1, 1],
    ["an error outside the tests fails a part whose tests all passed", report(file("passed", "passed")), 1, 1, 1],
    ["a runner that a signal ended has failed", report(file("passed", "passed")), null, 1, 1],
  ])("%s", (_name, text, exitCode, passed, failed) => {
    expect(tally(text, exitCode)).toMatchObject({ passed, failed });
  });

  it("leaves out what a filter by name skipped, but for a part in which nothing matched", () => {
    expect(tally(report(file("passed", "passed", "skipped")), 0, { filtered: true })).toMatchObject({
      passed: 1,
      failed: 0,
    });
    expect(tally(report(file("passed", "skipped")), 0, { filtered: true })).toMatchObject({ passed: 0, failed: 1 });
  });

  it("says which file failed outside its tests", () => {
    expect(tally(report(file("failed")), 1).remarks).toEqual([
      "/clone/test/a/x.test.ts failed outside its tests: boom",
    ]);
  });

  it("fails each file that the runner was given and that has no results", () => {
    const text = report(file("passed", "passed"));
    expect(tally(text, 0, { expected: ["test/a/x.test.ts"] })).toEqual({ passed: 1, failed: 0, remarks: [] });
    expect(tally(text, 0, { expected: ["test/a/x.test.ts", "test/b/x.test.ts"] })).toEqual({
      passed: 1,
      failed: 1,
      remarks: ["test/b/x.test.ts has no results"],
    });
  });
});

describe("the floor of a part", () => {
  it("is a failure when fewer tests ran", () => {
    expect(belowFloor({ name: "api", floor: 700 }, 699)).toEqual({
      passed: 0,
      failed: 1,
      remarks: ["api ran 699 tests, and its floor is 700 (test/runner/parts.ts)"],
    });
    expect(belowFloor({ name: "api", floor: 700 }, 700).failed).toBe(0);
  });
});
