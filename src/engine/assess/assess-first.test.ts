import { expect, test } from "vitest";
import type { RunCode } from "../contract/codes/index.ts";
import { type CopyRequest, EngineError } from "../contract/index.ts";
import { assessFirst } from "./assess-first.ts";
import type { Assessment } from "./index.ts";

const place = { engine: "mysql", host: "db", port: 3306, user: "u", password: "", database: "d", tls: {} };
const request = { source: place, target: place, options: { jobs: 1 }, reset: false } as unknown as CopyRequest;

test.each<[RunCode, RunCode | undefined, string[]]>([
  ["same_database", "same_database", []],
  ["target_in_use", "target_in_use", []],
  ["lock_timeout", undefined, ["The check for blockers failed, and the copy starts without it: found"]],
  ["connection_lost", "connection_lost", []],
  ["database_error", undefined, ["The check for blockers failed, and the copy starts without it: found"]],
])(
  "an assessment that fails by %s ends the run only where the copy would fail by it too",
  async (code, thrown, said) => {
    const logs: string[] = [];
    const hooks = { signal: new AbortController().signal, log: (_: string, words: string) => logs.push(words) };
    const ran = assessFirst(
      request,
      hooks,
      {
        assess: () => Promise.reject(new EngineError(code, "found", { retryable: /^(lock|conn)/.test(code) })),
        foundRuns: () => Promise.resolve([]),
      },
      () => undefined,
    ).then(
      () => undefined,
      (error: EngineError) => error.code,
    );
    expect(await ran).toBe(thrown);
    expect(logs).toEqual([expect.stringMatching(/^Checking both databases/), ...said]);
  },
);

test("a login that fails ends the run, whatever its code", async () => {
  const refused = new EngineError("permission_denied", "unknown source database", { ofLogin: true });
  const logs: string[] = [];
  const hooks = { signal: new AbortController().signal, log: (_: string, words: string) => void logs.push(words) };
  const parts = { assess: () => Promise.reject(refused), foundRuns: () => Promise.resolve([]) };
  await expect(assessFirst(request, hooks, parts, () => undefined)).rejects.toBe(refused);
  expect(logs).toHaveLength(1);
});

test("missing rights to look for other runs end the run as a login does, with all that the error carries", async () => {
  const cause = new Error("1044");
  const refused = new EngineError("permission_denied", "no rights", { retryable: false, cause, side: "target" });
  const hooks = { signal: new AbortController().signal, log: () => undefined };
  const parts = { assess: () => Promise.reject(new Error("unused")), foundRuns: () => Promise.reject(refused) };
  const thrown = await assessFirst(request, hooks, parts, () => undefined).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(EngineError);
  expect(thrown).toMatchObject({
    ...{ code: "permission_denied", message: "no rights", retryable: false, side: "target", ofLogin: true },
    cause,
  });
  expect(refused.ofLogin).toBe(false);
});

test("what stands in the way is told once, by the error, and what does not beside it", async () => {
  const logs: string[] = [];
  const hooks = { signal: new AbortController().signal, log: (_: string, words: string) => logs.push(words) };
  const blocker = {
    severity: "blocker",
    code: "target_not_empty",
    object: "a.b",
    reason: "it is there",
    fix: "drop it; nothing was written",
  };
  const ran = assessFirst(
    request,
    hooks,
    {
      assess: async (_, { log }) => {
        log("error", "a.b: it is there");
        log("warning", "c: it is weaker");
        return { findings: [blocker] } as unknown as Assessment;
      },
      foundRuns: () => Promise.resolve([]),
    },
    () => undefined,
  );
  await expect(ran).rejects.toMatchObject({
    code: "target_not_empty",
    message: "nothing was written, since the copy would fail: a.b: it is there (drop it)",
  });
  expect(logs.slice(1)).toEqual(["c: it is weaker"]);
});

test.each([
  ["nothing is on its list and its record is not in the target", {}, [], true],
  ["a list says what to drop", { made: [{ kind: "table", name: ["a", "b"] }] }, [], false],
  ["the target has its record", {}, [{ owner: "me" }], false],
])("a reset is checked for blockers only where it drops nothing: %s", async (_what, more, runs, checked) => {
  let assessed = false;
  await assessFirst(
    { ...request, ...more, owner: "me", reset: true },
    { signal: new AbortController().signal, log: () => undefined },
    {
      assess: async () => {
        assessed = true;
        return { findings: [] } as unknown as Assessment;
      },
      foundRuns: async () => runs as never,
    },
    () => undefined,
  );
  expect(assessed).toBe(checked);
});
