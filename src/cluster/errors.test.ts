import { expect, test } from "vitest";
import { ClusterError, isConflict, isNotFound, redact, refusal, unreachable } from "./errors.ts";

const status = (fields: object) => JSON.stringify({ kind: "Status", status: "Failure", ...fields });

test("a refusal says Kubernetes' reason and message, and how long to wait", () => {
  const error = refusal(429, status({ reason: "TooManyRequests", message: "slow down" }), "7");
  expect(error).toMatchObject({
    code: "TooManyRequests",
    status: 429,
    message: "slow down",
    retryAfter: 7,
    absent: false,
  });
});

test("an object is absent only when the server names it; a 404 of a path or of a starting server is an error", () => {
  expect(
    isNotFound(refusal(404, status({ reason: "NotFound", message: "x", details: { name: "a", kind: "jobs" } }))),
  ).toBe(true);
  expect(isNotFound(refusal(404, "404 page not found"))).toBe(false);
  expect(
    isNotFound(
      refusal(
        404,
        status({ reason: "NotFound", message: "the server could not find the requested resource", details: {} }),
      ),
    ),
  ).toBe(false);
});

test("a namespace that is being deleted is known by the cause, whatever the message says", () => {
  const [message, causes] = ["is forbidden", [{ reason: "NamespaceTerminating", field: "metadata.namespace" }]];
  expect(refusal(403, status({ reason: "Forbidden", message, details: { causes } })).namespaceEnds).toBe(true);
  expect(refusal(403, status({ reason: "Forbidden", message, details: {} })).namespaceEnds).toBe(false);
});

test("AlreadyExists is not taken for a conflict, though both are 409", () => {
  expect(isConflict(refusal(409, status({ reason: "AlreadyExists", message: "x" })))).toBe(false);
  expect(isConflict(refusal(409, status({ reason: "Conflict", message: "x" })))).toBe(true);
});

test("a page that is no Status is named by its HTTP status and not quoted", () => {
  expect(refusal(503, "<html>secret</html>").message).toBe("the API server returned 503");
});

test("no answer keeps its cause", () => {
  const cause = new Error("connect ECONNREFUSED");
  const error = unreachable(cause);
  expect(error).toBeInstanceOf(ClusterError);
  expect(error).toMatchObject({ code: "Unreachable", status: 0, cause });
});

test.each([
  ["a URL with a password", 'invalid value: "mysql://u:p4ss@db/x?y" given', 'invalid value: "mysql://…" given'],
  ["a URL of another scheme without one", "postgresql://db/x", "postgresql://…"],
  ["an https URL with a password", "https://u:p4ss@host/", "https://…"],
  ["an ordinary https URL stays", "Post https://10.0.0.1/apis failed", "Post https://10.0.0.1/apis failed"],
  ["a bearer token", "header Bearer abc.def", "header Bearer …"],
  ["a JSON web token", "token eyJhbGciOi.eyJpc3MiOi.c2ln is bad", "token … is bad"],
  ["line breaks and escapes", "a\u001b[31mb\nc", "a [31mb c"],
])("redact: %s", (_what, text, clean) => {
  expect(redact(text)).toBe(clean);
});

test("redact bounds its answer", () => {
  expect(redact("x".repeat(5000))).toHaveLength(600);
  expect(redact("x.".repeat(1_000_000))).toHaveLength(600);
});
