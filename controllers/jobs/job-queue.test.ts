import { describe, expect, test } from "vitest";
import type { RunLimits, Standing } from "./admission.ts";
import type { Candidate } from "./candidate.ts";
import { createLines } from "./job-queue.ts";

const one = (uid: string, more: Partial<Candidate> = {}): Candidate => ({
  ...{ kind: "Migration", name: uid, namespace: "a", uid, generation: 1, account: undefined },
  ...{ isScheduled: false, isRunning: false, isWaiting: true, since: 0, run: 1, isSeen: () => false },
  ...more,
});
const most: RunLimits = { cluster: 100, namespace: 100, account: 100 };

/** Numbers below a bound, the same ones in each run. */
function numbers(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("kept from change to change", () => {
  const limits: RunLimits[] = [
    { cluster: 4, namespace: 3, account: 2 },
    { cluster: 9, namespace: 2, account: 9, reserved: 3 },
    { cluster: 12, namespace: 9, account: 5, source: 2, target: 1 },
  ];

  test.each(limits)("they say what they would say of all anew: %j", (bounds) => {
    const next = numbers(7);
    const standings: Standing[] = ["runs", "waits", "waits", "waits", undefined];
    const pick = <T>(all: readonly T[]): T => all[next(all.length)] as T;
    let teams = new Set(["t0", "t1"]);
    const isTeam = (namespace: string) => teams.has(namespace);
    const kept = createLines({ limits: bounds, isTeam });
    const there = new Map<string, [Candidate, Standing]>();
    let [free, held] = [0, 0];
    for (let step = 0; step < 1500; step += 1) {
      const uid = `m${next(40)}`;
      const servers = { source: pick(["s", "t"]), target: pick(["u", "v", "w"]) };
      const candidate = one(uid, {
        ...{ namespace: pick(["t0", "t1", "a", "b"]), account: pick(["x", "y", undefined]), servers },
        isScheduled: next(2) === 0,
        since: pick([0, 1, 2, 3, Number.POSITIVE_INFINITY, Number.NaN]),
      });
      if (next(6) === 0) {
        there.delete(uid);
        kept.remove(uid);
      } else {
        const standing = pick(standings);
        there.set(uid, [candidate, standing]);
        kept.put(candidate, standing);
      }
      if (step % 500 === 499) {
        teams = new Set(["t0", "b"]);
        for (const [known, standing] of there.values()) kept.put(known, standing);
      }
      const anew = createLines({ limits: bounds, isTeam });
      for (const [known, standing] of [...there.values()].reverse()) anew.put(known, standing);
      expect([...kept.free().keys()]).toEqual([...anew.free().keys()]);
      for (const known of there.keys()) expect(kept.slotOf(known), `${known} at ${step}`).toEqual(anew.slotOf(known));
      free += kept.free().size;
      held += [...there.keys()].filter((known) => !kept.slotOf(known).free).length;
    }
    expect(free).toBeGreaterThan(100);
    expect(held).toBeGreaterThan(300);
  });

  test("thousands that wait are gone through neither by one that starts nor by one that ends", () => {
    let read = 0;
    const isTeam = () => {
      read += 1;
      return false;
    };
    const lines = createLines({ limits: { ...most, cluster: 20 }, isTeam });
    for (let at = 0; at < 5000; at += 1) lines.put(one(`m${at}`, { since: at }), "waits");
    read = 0;
    for (let at = 0; at < 1000; at += 1) {
      const [next = one("none")] = lines.free().values();
      expect(next.uid).toBe(`m${at}`);
      lines.put(next, "runs");
      if (at >= 19) lines.remove(`m${at - 19}`);
    }
    expect(read).toBeLessThan(5000);
  });
});

test("a place may be a little old, who may start is always known", () => {
  let time = 0;
  const lines = createLines({ limits: { ...most, cluster: 1 }, isTeam: () => false, keptFor: 1000, now: () => time });
  for (const [at, uid] of ["a", "b", "c", "d"].entries()) lines.put(one(uid, { since: at }), "waits");
  const place = (uid: string) => {
    const slot = lines.slotOf(uid);
    return slot.free ? 0 : slot.position;
  };
  expect(["a", "b", "c", "d"].map(place)).toEqual([0, 1, 2, 3]);
  time = 999;
  lines.remove("a");
  expect(["b", "c", "d"].map(place)).toEqual([0, 2, 3]);
  lines.put(one("e", { since: 2 }), "waits");
  expect(place("d"), "one that is new has its place at once").toBe(3);
  expect(["b", "e", "c"].map(place)).toEqual([0, 2, 1]);
  time = 1999;
  lines.remove("c");
  expect(["b", "e", "d"].map(place)).toEqual([0, 1, 2]);
});
