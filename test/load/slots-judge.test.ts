import { expect, test } from "vitest";
import { delayOf } from "../../controllers/backup-schedule/slots.ts";
import { runName } from "../../controllers/jobs/names.ts";
import { judgeSlots, type SlotFacts } from "./slots-judge.ts";

const slot = Date.parse("2026-11-24T03:00:00Z");
const jitter = 60_000;
const keys = ["a", "b"];
const start = (key: string) => slot + delayOf(`uid-${key}`, jitter);
const schedule = (key: string) => ({ key, uid: `uid-${key}`, missed: 0, lastSlot: slot, verified: "True" });
const run = (key: string) => ({
  ...{ key: runName(key, slot), schedule: key, slot, at: start(key) + 100, state: "completed" },
});
const job = (owner: string, at: number) => ({ owner, namespace: "team", at, endsAt: at + 1000 });
const good: SlotFacts = {
  ...{ slot, jitter, limits: { cluster: 2, namespace: 2 }, ready: [2000], memory: 120, outages: [] },
  schedules: keys.map(schedule),
  runs: keys.map(run),
  jobs: keys.map((key) => job(key, start(key) + 200)),
  migrations: [{ at: slot, jobAt: slot + 50 }],
};
const [first, second] = good.runs as [SlotFacts["runs"][number], SlotFacts["runs"][number]];

test.each<[string, Partial<SlotFacts>, RegExp[]]>([
  ["a run for each slot", {}, []],
  ["a slot without a run", { runs: [first] }, [/^b has 0 runs/]],
  ["two runs of one slot", { runs: [first, second, { ...second, key: "b-m1" }] }, [/^b has 2 runs/]],
  ["a run of another slot", { runs: [first, { ...second, slot: slot + 60_000 }] }, [/not the run of the slot/]],
  ["a start before its time", { runs: [first, { ...second, at: start("b") - 1 }] }, [/before its time/]],
  ["a run that failed", { runs: [first, { ...second, state: "failed" }] }, [/is failed/]],
  ["a missed slot", { schedules: [schedule("a"), { ...schedule("b"), missed: 1 }] }, [/counts 1 missed/]],
  ["no verification", { schedules: [schedule("a"), { ...schedule("b"), verified: "Unknown" }] }, [/not verified/]],
  ["two Jobs of one run", { jobs: [job("a", slot), job("a", slot + 5000)] }, [/^a has 2 Jobs/]],
  ["more than the limit", { jobs: ["a", "b", "c"].map((one) => job(one, slot)) }, [/^3 Jobs at one/, /in team/]],
  ["a Migration that waits for ever", { migrations: [{ at: slot, jobAt: undefined }] }, [/^1 Migrations never/]],
  ["a Migration that waits long", { migrations: [{ at: slot, jobAt: slot + 9000 }] }, [/^a Migration to its Job/]],
  ["a late run", { runs: [first, { ...second, at: start("b") + 3000 }] }, [/^a run after its time/]],
  [
    "a run that an outage held up",
    {
      runs: [first, { ...second, at: start("b") + 9000 }],
      outages: [{ from: start("b") - 5000, to: start("b") + 8500 }],
    },
    [],
  ],
])("%s", (_what, more, expected) => {
  const { broken } = judgeSlots({ ...good, ...more }, true);
  const others = broken.filter((line) => !line.startsWith("runs in the fullest tenth"));
  expect(others).toHaveLength(expected.length);
  for (const [at, words] of expected.entries()) expect(others[at]).toMatch(words);
});

test("starts that are not spread are a bound that is broken, where time counts", () => {
  const many = Array.from({ length: 40 }, (_, at) => String(at));
  const facts = {
    ...good,
    schedules: many.map(schedule),
    runs: many.map((key) => ({ ...run(key), at: slot + jitter })),
  };
  expect(judgeSlots(facts, true).broken).toContain(
    "runs in the fullest tenth of the jitter, of the mean: 10.00 instead of 2",
  );
  expect(judgeSlots(facts, false).broken).toEqual([]);
});
