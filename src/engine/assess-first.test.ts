import { expect, test } from "vitest";
import { assessFirst } from "./assess-first.ts";
import { type CopyRequest, EngineError } from "./contract.ts";

const place = { engine: "mysql", host: "db", port: 3306, user: "u", password: "", database: "d", tls: {} };
const request = { source: place, target: place, options: { jobs: 1 }, reset: false } as unknown as CopyRequest;

test.each([
  ["same_database", "same_database", []],
  ["target_in_use", "target_in_use", []],
  ["lock_timeout", undefined, ["What stands in the way could not be told beforehand: found"]],
  ["connection_lost", "connection_lost", []],
  ["database_error", undefined, ["What stands in the way could not be told beforehand: found"]],
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
        foundRun: () => Promise.resolve(undefined),
      },
      () => undefined,
    ).then(
      () => undefined,
      (error: EngineError) => error.code,
    );
    expect(await ran).toBe(thrown);
    expect(logs).toEqual([expect.stringMatching(/^Looking at both/), ...said]);
  },
);
