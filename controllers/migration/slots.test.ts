import { describe, expect, test } from "vitest";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";
import { createSlots, type Slots } from "../jobs/slots.ts";
import { candidateOf } from "./candidate.ts";

const made = Date.UTC(2026, 2, 1, 11);
const one = (uid: string, minute = 0, status?: MigrationStatus): Migration => ({
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "Migration",
  metadata: {
    name: uid,
    namespace: "a",
    uid,
    generation: 1,
    resourceVersion: "1",
    creationTimestamp: new Date(made + minute * 60_000).toISOString(),
  },
  spec: { source: {}, target: {}, attempt: 1, reset: 0 },
  ...(status ? { status } : {}),
});
const first = { run: 1, attempt: 1, reset: 0 };
const runs: MigrationStatus = { ...first, state: "in_progress", job: { name: "x", uid: "x" } };
const failed: MigrationStatus = { ...first, state: "failed" };
const refusal = { outcome: "refused", message: "quota" } as const;

/** Slots over a cache, which `put` changes as the informer does. */
function over(all: Migration[], count: number) {
  const cache = new Map(all.map((migration) => [migration.metadata.uid, migration]));
  const slots = createSlots({
    candidates: () => [...cache.values()].map(candidateOf),
    limits: { cluster: count, namespace: 100, account: 100 },
    isTeam: () => false,
  });
  const put = (uid: string, after: Migration | undefined) => {
    const before = cache.get(uid);
    if (after === undefined) cache.delete(uid);
    else cache.set(uid, after);
    slots.changed(before && candidateOf(before), after && candidateOf(after));
  };
  return { slots, put, next: () => slots.next().map(({ uid }) => uid) };
}

/** A pass at this second, as the reconciler makes it, where every Job is refused; answers what it did. */
function pass(slots: Slots, migration: Migration, second: number): "kept" | "queued" | "tried" {
  const { uid } = migration.metadata;
  const now = made + second * 1000;
  if (slots.refusal(candidateOf(migration), now) !== undefined) {
    slots.cannot(uid);
    return "kept";
  }
  if (!slots.look(uid).free) return "queued";
  slots.starts(uid, 1);
  slots.refused(candidateOf(migration), refusal, now);
  slots.cannot(uid);
  return "tried";
}

describe("one that was let start", () => {
  const ends: [string, (it: ReturnType<typeof over>) => void, boolean][] = [
    ["is held to be running until the cache shows what came of it", () => undefined, false],
    ["still, when the cache shows something earlier", ({ put }) => put("a", one("a", 0, { ...failed, run: 0 })), false],
    ["has its slot by its Job then", ({ put }) => put("a", one("a", 0, runs)), false],
    ["has none when its run has ended without that Job", ({ put }) => put("a", one("a", 0, failed)), true],
    ["has none when it is gone", ({ put }) => put("a", undefined), true],
    ["has none when its Job was refused", ({ slots }) => pass(slots, one("a"), 1), true],
  ];
  test.each(ends)("%s", (_name, happens, isFree) => {
    const it = over([one("a"), one("b", 1)], 1);
    it.slots.starts("a", 1);
    happens(it);
    expect(it.slots.look("b").free).toBe(isFree);
  });

  test("lets nobody start in its place, also where nobody knows whether its Job is there", () => {
    const { slots, next } = over([one("a"), one("b", 1), one("c", 2)], 2);
    expect(next()).toEqual(["a", "b"]);
    slots.starts("a", 1);
    slots.starts("b", 1);
    const held = { free: false, position: 1, scope: "cluster", limit: 2 };
    expect(slots.look("c")).toEqual(held);
    slots.failed("a");
    expect(slots.look("c")).toEqual(held);
    expect(slots.look("a").free).toBe(true);
  });
});

describe("one that cannot start", () => {
  test("gives its slot to others until its next look, and then has its place again", () => {
    const { slots, next } = over([one("a"), one("b", 1)], 1);
    expect(slots.look("a").free).toBe(true);
    slots.cannot("a");
    expect(next(), "nothing wakes it before").toEqual(["b"]);
    expect(slots.look("b").free).toBe(true);
    expect(slots.look("a").free).toBe(true);
    expect(slots.look("b").free).toBe(false);
  });

  test("does not take the slot of another that was let start meanwhile", () => {
    const { slots, put } = over([one("a"), one("b", 1)], 1);
    slots.look("a");
    slots.cannot("a");
    slots.starts("b", 1);
    expect(slots.look("a")).toMatchObject({ free: false, position: 1 });
    put("b", one("b", 1, runs));
    expect(slots.look("a")).toMatchObject({ free: false, position: 1 });
    put("b", one("b", 1, failed));
    expect(slots.look("a").free).toBe(true);
  });

  test("since its Job is refused asks ever more rarely, and leaves its slot to others between", () => {
    const { slots } = over([one("a"), one("b", 1)], 1);
    const at: number[] = [];
    for (let second = 0; second <= 300; second += 5) {
      if (pass(slots, one("a"), second) === "tried") at.push(second);
      expect(slots.look("b").free).toBe(true);
    }
    expect(at).toEqual([0, 5, 15, 35, 75, 135, 195, 255]);
  });

  test("asks at once for another run or after a change of its spec", () => {
    const { slots } = over([one("a")], 1);
    expect(pass(slots, one("a"), 0)).toBe("tried");
    expect(pass(slots, one("a"), 1)).toBe("kept");
    const changed = one("a");
    expect(pass(slots, { ...changed, metadata: { ...changed.metadata, generation: 2 } }, 1)).toBe("tried");
    expect(pass(slots, { ...changed, spec: { ...changed.spec, reset: 1 } }, 1)).toBe("tried");
  });

  test("asks at once where the clock was set back", () => {
    const { slots } = over([one("a")], 1);
    pass(slots, one("a"), 3600);
    expect(pass(slots, one("a"), 0)).toBe("tried");
  });

  test.each<[string, Migration | undefined]>([
    ["ran", one("a", 0, runs)],
    ["ended", one("a", 0, failed)],
    ["went", undefined],
  ])("is forgotten when it %s", (_how, after) => {
    const { slots, put } = over([one("a"), one("b", 1)], 1);
    pass(slots, one("a"), 0);
    put("a", after);
    put("a", one("a"));
    expect(slots.look("b").free).toBe(false);
    expect(slots.refusal(candidateOf(one("a")), made)).toBeUndefined();
  });

  test("has its turn among a hundred that cannot, and one that can has its own at each look", () => {
    const all = Array.from({ length: 100 }, (_, at) => one(`m${at}`, at));
    const healthy = one("healthy", 1000);
    const { slots } = over([...all, healthy], 5);
    const tried = new Map<string, number>();
    let early = 0;
    // Whoever was never tried is before it in the line: that takes one round.
    for (let second = 0; second <= 600; second += 5) {
      for (const migration of all)
        if (pass(slots, migration, second) === "tried")
          tried.set(migration.metadata.uid, (tried.get(migration.metadata.uid) ?? 0) + 1);
      if (slots.look("healthy").free) early += 1;
    }
    expect(early).toBe(121);
    const counts = all.map(({ metadata }) => tried.get(metadata.uid) ?? 0);
    expect(Math.min(...counts)).toBeGreaterThan(10);
    expect(Math.max(...counts)).toBeLessThan(15);
  });
});
