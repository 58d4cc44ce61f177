import { describe, expect, test } from "vitest";
import type { RunLimits } from "../jobs/admission.ts";
import type { Candidate } from "../jobs/candidate.ts";
import { createLines } from "../jobs/job-queue.ts";
import { candidateOf, type Subject } from "./subject.ts";

let second = 0;
const candidate = (uid: string, namespace: string, more: Partial<Candidate> = {}): Candidate => ({
  ...{ kind: "BackupRun", name: uid, uid, namespace, generation: 1, account: undefined, run: 1 },
  ...{ isScheduled: true, isRunning: false, isWaiting: true, since: second++ },
  isSeen: () => true,
  ...more,
});
const runs = { isRunning: true, isWaiting: false };
const asked = { kind: "Migration", isScheduled: false } as const;
const many = (count: number, of: (at: number) => Candidate) => Array.from({ length: count }, (_, at) => of(at));
const linesOf = (candidates: readonly Candidate[], limits: RunLimits = wide) => {
  const lines = createLines({ limits, isTeam: () => false });
  for (const one of candidates) lines.put(one, one.isRunning ? "runs" : "waits");
  return lines;
};
const started = (candidates: readonly Candidate[], limits?: RunLimits) => [
  ...linesOf(candidates, limits).free().keys(),
];
const wide = { cluster: 20, namespace: 5, account: 10 };

describe("Migrations beside a thousand scheduled backups that wait", () => {
  const nightly = many(1000, (at) => candidate(`n${at}`, `team-${at % 20}`));
  const held = many(19, (at) => candidate(`r${at}`, `team-${at % 20}`, runs));

  test("get the next slot, also where their namespace has one or runs backups", () => {
    const one = candidate("move-1", "team-3", { ...asked, ...runs });
    const next = candidate("move-2", "team-3", asked);
    expect(started([...nightly, ...held.slice(1), one, next])).toEqual(["move-2"]);
  });

  test("take half of all slots at most", () => {
    const moves = many(50, (at) => candidate(`m${at}`, `other-${at % 10}`, asked));
    const free = started([...nightly, ...moves]);
    expect(free).toHaveLength(20);
    expect(free.filter((uid) => uid.startsWith("m"))).toHaveLength(10);
  });

  test("leave every slot to the backups once none of them waits", () => {
    expect(started(nightly)).toHaveLength(20);
  });

  test("have the places that follow from it", () => {
    const full = [...held, candidate("r19", "team-19", runs)];
    const moves = many(3, (at) => candidate(`m${at}`, "team-0", asked));
    const { slotOf } = linesOf([...nightly, ...full, ...moves]);
    const places = ["m0", "m1", "m2", "n0", "n1"].map((uid) => slotOf(uid));
    expect(places.map((one) => (one.free ? 0 : one.position))).toEqual([1, 2, 3, 4, 5]);
  });

  test("find no slot that is reserved for owners that run nothing", () => {
    const limits = { ...wide, reserved: 4 };
    const full = many(16, (at) => candidate(`r${at}`, `team-${at % 4}`, runs));
    const own = candidate("m", "team-1", asked);
    const waiting = many(8, (at) => candidate(`n${at}`, `team-${at % 4}`));
    expect(started([...full, ...waiting, own], limits)).toEqual([]);
    const late = candidate("late", "team-9");
    expect(started([...full, ...waiting, own, late], limits)).toEqual(["late"]);
  });
});

test("a schedule's run and a verification are scheduled, a run on request and a user's restore are not", () => {
  const subject = (kind: string, spec: object) =>
    candidateOf({
      kind,
      metadata: { name: "a", namespace: "b", uid: "c", generation: 1, creationTimestamp: "2026-03-01T12:00:00Z" },
      spec,
    } as unknown as Subject).isScheduled;
  expect(subject("BackupRun", { schedule: "x", trigger: "Schedule" })).toBe(true);
  expect(subject("BackupRun", { schedule: "x", trigger: "Request" })).toBe(false);
  expect(subject("Restore", { verification: true })).toBe(true);
  expect(subject("Restore", { verification: false })).toBe(false);
});
