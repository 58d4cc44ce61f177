import { expect, test } from "vitest";
import { Problem, type ProblemCode, problems } from "./errors.ts";

const codes = Object.keys(problems) as ProblemCode[];
const temporary = codes.filter((code) => problems[code].status === 503);

test("an error that passes by itself always says how long to wait", () => {
  expect(temporary.length).toBeGreaterThan(1);
  for (const code of temporary) {
    expect(new Problem(code, "Try again.").retryAfter, code).toBeGreaterThan(0);
    expect(new Problem(code, "Try again.", { retryAfter: 7 }).retryAfter, code).toBe(7);
  }
});

test("no other error says so by itself", () => {
  for (const code of codes.filter((one) => !temporary.includes(one)))
    expect(new Problem(code, "Change the request.").retryAfter, code).toBeUndefined();
});
