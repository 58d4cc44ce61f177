import { describe, expect, test } from "vitest";
import { ClusterError } from "../cluster/index.ts";
import { Problem, problems } from "../requests/errors.ts";
import { failureOf, problemDocument, problemOf } from "./problem.ts";

describe("what went wrong as a problem", () => {
  test.each([
    [new ClusterError("Unreachable", 0, "no answer"), "unavailable", 2],
    [new ClusterError("Conflict", 409, "changed"), "unavailable", 2],
    [new ClusterError("TooManyRequests", 429, "slower", { retryAfter: 7 }), "unavailable", 7],
    [new ClusterError("InternalError", 500, "etcd"), "unavailable", 2],
    [new ClusterError("Forbidden", 403, "may not"), "internal", undefined],
    [new ClusterError("Invalid", 422, "spec.x"), "internal", undefined],
    [new TypeError("x is not a function"), "internal", undefined],
    ["a string", "internal", undefined],
  ])("%s is %s", (error, code, retryAfter) => {
    const problem = problemOf(error);
    expect([problem.code, problem.retryAfter, problem.cause]).toEqual([code, retryAfter, error]);
    // Its words are the log's alone.
    expect(problem.message).not.toContain(error instanceof Error ? error.message : error);
  });

  test("a Problem is itself", () => {
    const problem = new Problem("not_found", "Nothing.");
    expect(problemOf(problem)).toBe(problem);
  });

  test.each(Object.keys(problems) as (keyof typeof problems)[])("%s has a type that leads to its words", (code) => {
    const document = problemDocument(new Problem(code, "Why."), "id-1", "https://rowferry.example");
    expect(document).toEqual({
      type: `https://rowferry.example/docs/errors#${code}`,
      title: problems[code].title,
      status: problems[code].status,
      detail: "Why.",
      code,
      request_id: "id-1",
    });
  });
});

test("The log has no URL of a failure, neither in its words nor in what Node puts beside them", () => {
  const url = "postgres://me:hunter2@host:99999999/db";
  const failed = (() => {
    try {
      return new URL(url);
    } catch (error) {
      return error;
    }
  })();
  const wrapped = new Error(`connecting to ${url} failed`, { cause: failed });
  const failure = failureOf(wrapped);
  expect(JSON.stringify(failure)).not.toContain("hunter2");
  expect(failure).toMatchObject({
    type: "Error",
    message: expect.stringContaining("connecting to"),
    at: expect.arrayContaining([expect.stringContaining("problem.test.ts")]),
    cause: { type: "TypeError", code: "ERR_INVALID_URL" },
  });
});

test("A circle of causes ends", () => {
  const error = new Error("round");
  error.cause = error;
  expect(JSON.stringify(failureOf(error)).match(/round/g)).toHaveLength(4);
});
