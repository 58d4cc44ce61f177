import { expect, test } from "vitest";
import { EngineError } from "../engine/contract/index.ts";
import { UrlError } from "../guard/url.ts";
import { unreachableResponse } from "./ended.ts";
import { unreachableOf } from "./unreachable.ts";

const clean = (text: string) => text.replaceAll("secret-word", "[redacted]");
const told = (error: unknown) => {
  const faults: unknown[] = [];
  const fault = (one: unknown) => void faults.push(one);
  const answer = unreachableOf(error, { side: "source", clean, fault });
  return { ...answer, faults: faults.length };
};

test("neither the address that a name stands for nor our own is told", () => {
  const words = "source database: connect EACCES 10.2.3.4:3306 - Local (10.9.8.7:51324); connect EPERM fd00::7:3306";
  expect(told(new EngineError("database_error", words)).message).toBe("source database: connect EACCES; connect EPERM");
});

test.each([
  [
    "Access denied for user 'r'@'10.244.0.7' (using password: YES)",
    "Access denied for user 'r'@'…' (using password: YES)",
  ],
  ['no pg_hba.conf entry for host "10.244.0.7", user "r"', 'no pg_hba.conf entry for host "…", user "r"'],
])("nor is the address of the pod that the server saw: %s", (said, message) => {
  expect(told(new EngineError("access_denied", said)).message).toBe(message);
});

test("the side is that of the error, and else the one that was asked", () => {
  expect(told(new EngineError("access_denied", "no", { side: "target" })).side).toBe("target");
  expect(told(new EngineError("option_unmatched", "no"))).toMatchObject({ side: "source", code: "option_unmatched" });
});

test("what both sides answered has no side", () => {
  const answer = unreachableOf(new EngineError("option_unmatched", "no"), {
    ...{ side: null, clean, fault: () => undefined },
  });
  expect(answer).toMatchObject({ side: null, code: "option_unmatched" });
});

test("of an error of our own no word is told, and it is reported", () => {
  const answer = told(new TypeError("cannot read secret-word of undefined"));
  expect(answer).toMatchObject({ code: "internal_error", faults: 1 });
  expect(answer.message).not.toMatch(/secret|cannot read/);
});

test("words are cleaned and cut, however long they are", () => {
  const answer = told(new EngineError("database_error", `secret-word ${"x".repeat(5_000_000)}`));
  expect(answer.message.startsWith("[redacted] x")).toBe(true);
  expect(answer.message.length).toBe(1000);
  expect(told(new UrlError("url_malformed", "it has secret-word in it")).message).toContain("[redacted]");
});

test.each([
  [
    "deadline",
    [],
    [
      ["source", "connection_timeout"],
      ["target", "connection_timeout"],
    ],
  ],
  ["deadline", ["source"], [["target", "connection_timeout"]]],
  [
    "deadline",
    ["source", "target"],
    [
      ["source", "probe_timeout"],
      ["target", "probe_timeout"],
    ],
  ],
  ["memory", ["target"], [["source", "probe_too_large"]]],
  [
    "memory",
    ["source", "target"],
    [
      ["source", "probe_too_large"],
      ["target", "probe_too_large"],
    ],
  ],
  [
    "crash",
    [],
    [
      ["source", "internal_error"],
      ["target", "internal_error"],
    ],
  ],
] as const)("a preflight that ended by %s with %j reached is told of %j", (why, reached, expected) => {
  const { unreachable } = unreachableResponse("preflight", { why, reached: new Set(reached) });
  expect(unreachable.map(({ side, code }) => [side, code])).toEqual(expected);
  expect(unreachableResponse("test", { why, reached: new Set() }).unreachable.map(({ side }) => side)).toEqual([
    "source",
  ]);
});
