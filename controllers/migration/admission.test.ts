import { describe, expect, test } from "vitest";
import { labels } from "../../src/resources/group.ts";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";
import { type Line, untilNextLook } from "../jobs/admission.ts";
import { createLines } from "../jobs/job-queue.ts";
import { whyWaiting } from "../jobs/waiting.ts";
import { candidateOf } from "./candidate.ts";

let minute = 0;
const one = (uid: string, namespace: string, status?: MigrationStatus, attempt = 1): Migration => ({
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "Migration",
  metadata: {
    name: uid,
    namespace,
    uid,
    generation: 1,
    resourceVersion: "1",
    creationTimestamp: new Date(Date.UTC(2026, 2, 1, 11, minute++)).toISOString(),
  },
  spec: { source: {}, target: {}, attempt, reset: 0 },
  ...(status ? { status } : {}),
});
const runs: MigrationStatus = { state: "in_progress", run: 1, attempt: 1, reset: 0, job: { name: "x", uid: "x" } };
const failed: MigrationStatus = { ...runs, state: "failed" };
const limits = { cluster: 3, namespace: 2, account: 2 };
/** Of the namespaces here. */
const isTeam = (namespace: string) => /^rowferry-t\d+$/.test(namespace);
const admission = (
  all: readonly Migration[],
  of: Line["limits"] = limits,
  { starting, stuck }: { starting?: Set<string>; stuck?: Set<string> } = {},
) => {
  const lines = createLines({ limits: of, isTeam });
  for (const one of all.map(candidateOf)) {
    const runs = one.isRunning || starting?.has(one.uid);
    lines.put(one, runs ? "runs" : one.isWaiting && !stuck?.has(one.uid) ? "waits" : undefined);
  }
  return lines.slotOf;
};
const free = { free: true };
const held = (position: number, scope: keyof typeof limits) => ({
  free: false,
  position,
  scope,
  limit: limits[scope],
});
/** Of an account, in one of its teams. */
const of = (account: string, uid: string, team: string, status?: MigrationStatus): Migration => {
  const migration = one(uid, `rowferry-${team}`, status);
  return { ...migration, metadata: { ...migration.metadata, labels: { [labels.account]: account } } };
};
const started = (all: readonly Migration[], of: Partial<Line["limits"]>) => {
  const slot = admission(all, { cluster: 100, namespace: 100, account: 100, ...of });
  return all.map(({ metadata }) => metadata.uid).filter((uid) => slot(uid).free);
};

test("the oldest get the slots, and the others their places in the line that holds them back", () => {
  const all = [
    one("a1", "a", runs),
    one("a2", "a"),
    one("a3", "a"),
    one("a4", "a"),
    one("b1", "b", runs),
    one("b2", "b"),
    one("b3", "b"),
  ];
  const slot = admission(all.reverse());
  expect(slot("a2")).toEqual(free);
  expect(slot("a3")).toEqual(held(1, "namespace"));
  expect(slot("a4")).toEqual(held(2, "namespace"));
  expect(slot("b2")).toEqual(held(1, "cluster"));
  expect(slot("b3")).toEqual(held(2, "cluster"));
});

test("one that was let start and is not seen with a Job yet takes its slot already", () => {
  const all = [one("a1", "a"), one("a2", "a"), one("a3", "a")];
  const slot = admission(all, limits, { starting: new Set(["a2", "a3"]) });
  expect(slot("a1")).toEqual(held(1, "namespace"));
  expect(slot("a2"), "it goes on").toEqual(free);
});

test("who cannot start keeps no slot from the others, and one that runs keeps its own", () => {
  const all = [one("a1", "a", runs), one("a2", "a"), one("a3", "a"), one("a4", "a")];
  const slot = admission(all, limits, { stuck: new Set(["a1", "a2"]) });
  expect(slot("a3")).toEqual(free);
  expect(slot("a4")).toEqual(held(1, "namespace"));
});

test("what ended takes no slot, and a retry queues behind those that wait", () => {
  const all = [
    one("a1", "a", failed, 2),
    one("a2", "a", { state: "completed", run: 1, attempt: 1, reset: 0 }),
    one("a3", "a"),
    one("a4", "a"),
  ];
  const slot = admission(all);
  expect(slot("a3")).toEqual(free);
  expect(slot("a4")).toEqual(free);
  expect(slot("a1")).toEqual(held(1, "namespace"));
});

describe("slots are shared among those who ask", () => {
  test("an account's runs are counted over all of its teams, and let others pass", () => {
    const all = [of("ann", "a1", "t1", runs), of("ann", "a2", "t2"), of("ann", "a3", "t3"), of("bob", "b1", "t4")];
    const slot = admission(all);
    expect(slot("a2")).toEqual(free);
    expect(slot("a3")).toEqual(held(1, "account"));
    expect(slot("b1")).toEqual(free);
  });

  test("twenty teams of a hundred runs leave room for one who comes later with one", () => {
    const many = Array.from({ length: 100 }, (_, at) => of("ann", `a${at}`, `t${at % 20}`));
    const all = [...many, of("bob", "b1", "t1"), one("k1", "platform")];
    expect(started(all, { cluster: 3, namespace: 5 })).toEqual(["a0", "b1", "k1"]);
    expect(started(all, { cluster: 20, namespace: 5, account: 10 })).toHaveLength(12);
    const slot = admission(all, { cluster: 1, namespace: 5, account: 10 });
    expect(slot("a0")).toEqual(free);
    expect([slot("b1"), slot("k1"), slot("a1")].map((one) => (one.free ? 0 : one.position))).toEqual([1, 2, 3]);
  });

  test("a slot that frees goes to whom has the fewest runs, not to whom waits longest", () => {
    const all = [
      of("ann", "a1", "t1", runs),
      of("ann", "a2", "t1", runs),
      of("ann", "a3", "t1"),
      of("bob", "b1", "t2", runs),
      of("bob", "b2", "t2"),
      of("cat", "c1", "t3"),
    ];
    expect(started(all, { cluster: 4 })).toContain("c1");
    expect(started(all, { cluster: 4 })).not.toContain("a3");
    expect(started(all, { cluster: 5 })).toEqual(expect.arrayContaining(["c1", "b2"]));
    expect(started(all, { cluster: 6 })).toEqual(expect.arrayContaining(["c1", "b2", "a3"]));
  });

  test("a team's full namespace does not hold back what its members wait for elsewhere", () => {
    const all = [
      of("ann", "a1", "t1", runs),
      of("ann", "a2", "t1", runs),
      of("bob", "b1", "t1"),
      of("bob", "b2", "t2"),
      of("bob", "b3", "t1"),
    ];
    const slot = admission(all);
    expect(slot("b2")).toEqual(free);
    expect(slot("b1")).toEqual(held(1, "namespace"));
    expect(slot("b3")).toEqual(held(2, "namespace"));
  });

  test.each(["platform", "rowferry-demo"])(
    "a label in a namespace that is no Team's is not believed, its runs are its namespace's: %s",
    (namespace) => {
      const forged = ["p1", "p2", "p3"].map((uid) => {
        const migration = one(uid, namespace);
        return { ...migration, metadata: { ...migration.metadata, labels: { [labels.account]: "ann" } } };
      });
      expect(started([...forged, of("ann", "a1", "t1")], { account: 1 })).toEqual(["p1", "p2", "p3", "a1"]);
    },
  );
});

describe("the reserved slots", () => {
  const many = (account: string, team: string, count: number, status?: MigrationStatus) =>
    Array.from({ length: count }, (_, at) =>
      of(account, `${account}${status === undefined ? "" : "-runs"}${at}`, team, status),
    );
  const few = { cluster: 6, namespace: 9, account: 9, reserved: 2 };

  test("two accounts that hold all others do not get them, and each one that comes later gets one", () => {
    const all = [...many("ann", "t1", 9), ...many("bob", "t2", 9)];
    expect(started(all, few)).toEqual(["ann0", "ann1", "bob0", "bob1"]);
    expect(started([...all, ...many("cat", "t3", 3)], few)).toEqual(["ann0", "ann1", "bob0", "cat0"]);
    const held = [...many("ann", "t1", 2, runs), ...many("bob", "t2", 2, runs)];
    const late = [...held, ...all, ...many("cat", "t3", 3), ...many("dan", "t4", 3), ...many("eve", "t5", 3)];
    expect(started(late, few).filter((uid) => !uid.includes("-runs"))).toEqual(["cat0", "dan0"]);
  });

  test("who waits for them reads why", () => {
    const slot = admission([...many("ann", "t1", 5, runs), ...many("ann", "t1", 2)], few);
    expect(slot("ann1")).toEqual({ free: false, position: 2, scope: "shared", limit: 4 });
    expect(whyWaiting({ slot: slot("ann1") }, "Migration")?.trouble.message).toBe(
      "4 runs or more are in progress, and the other places are kept for accounts and namespaces that run nothing; 1 is before it.",
    );
  });

  test("more of them than slots leave one for all", () => {
    expect(started(many("ann", "t1", 3), { ...few, cluster: 2, reserved: 5 })).toEqual(["ann0"]);
  });
});

test("of ten thousand that wait, few places a second are looked at again, and those of the first soon", () => {
  const looks = (count: number) =>
    Array.from({ length: count }, (_, at) => 1000 / untilNextLook(at + 1)).reduce((sum, each) => sum + each);
  expect([1, 8, 16, 1000].map(untilNextLook)).toEqual([5000, 5000, 10_000, 120_000]);
  expect(looks(300)).toBeLessThan(9);
  expect(looks(10_000)).toBeLessThan(90);
});
