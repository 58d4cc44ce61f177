import { expect, test } from "vitest";
import { call, places } from "../../test/support/cli/call.ts";
import type { Finding } from "../engine/assess/finding.ts";
import type { FoundRun } from "../engine/run/fence/fence.ts";

const findings: Finding[] = [
  { severity: "blocker", code: "target_not_empty", object: "public.b", reason: "it is there", fix: "drop it" },
];
const left = (owner: string, finished = false) => ({
  foundRuns: (): Promise<FoundRun[]> => Promise.resolve([{ owner, ownerName: owner, epoch: 1, made: [], finished }]),
});
const look = async (stuck: ReturnType<typeof left>) => {
  const { code, stdout } = await call(["assess", ...places, "--run", "mine", "--json"], { findings, stuck });
  const { outcome, assessment } = JSON.parse(stdout);
  return { code, outcome, ready: assessment.ready, found: assessment.findings as Finding[] };
};

test("what the same copy made before is not in its way, and is told", async () => {
  for (const [finished, words] of [
    [false, "was started before"],
    [true, "is finished and verified"],
  ] as const) {
    const { code, outcome, ready, found } = await look(left("mine", finished));
    expect([code, outcome, ready]).toEqual([0, "done", true]);
    expect(found.map(({ severity, code }) => [severity, code])).toEqual([
      ["note", "target_not_empty"],
      ["note", "run_started"],
    ]);
    expect(found[0]?.reason).toBe(
      "it is there: from an earlier attempt of this copy, unless somebody else made it since",
    );
    expect(found[1]?.reason).toContain(words);
  }
});

test("another run's rows in the table are left to the assessment, which knows what that run claims", async () => {
  expect((await look(left("other"))).found).toEqual(findings);
});

test("its JSON is in snake_case", async () => {
  const { stdout } = await call(["assess", ...places, "--json"]);
  const { assessment } = JSON.parse(stdout);
  expect(assessment).toMatchObject({ assessed_at: expect.any(String), estimate: { latency_ms: { source: 0 } } });
  expect(stdout).not.toMatch(/"[a-z]+[A-Z]\w*":/);
});
