import { describe, expect, test } from "vitest";
import type { Migration, MigrationState } from "../../src/resources/migration.ts";
import { paymentFinalizer } from "../../src/resources/payment.ts";
import { decide } from "./decide.ts";
import { createHistory } from "./history.ts";
import type { Observed } from "./observed.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

interface Made {
  name?: string;
  namespace?: string;
  state?: MigrationState;
  finishedAt?: string;
  ttl?: number;
  finalizers?: string[];
}
const made = (of: Made): Migration => ({
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "Migration",
  metadata: {
    ...{ name: of.name ?? "shop", namespace: of.namespace ?? "team", uid: `u-${of.name ?? "shop"}` },
    ...{ generation: 1, resourceVersion: "1", creationTimestamp: "2026-03-01T10:00:00Z" },
    ...(of.finalizers === undefined ? {} : { finalizers: of.finalizers }),
  },
  spec: {
    ...{ source: { secretRef: { name: "a", key: "url" } }, target: { secretRef: { name: "b", key: "url" } } },
    ...{ attempt: 1, reset: 0 },
    ...(of.ttl === undefined ? {} : { ttlSecondsAfterFinished: of.ttl }),
  },
  status: {
    ...{ state: of.state ?? "completed", run: 1, attempt: 1, reset: 0, job: { name: "shop-1", uid: "j1" } },
    ...{ observedGeneration: 1, finishedAt: of.finishedAt ?? "2026-03-01T11:00:00.000Z" },
  },
});
const passOver = (migration: Migration, more: Partial<Observed> = {}) =>
  decide({ migration, jobs: [], pods: [], slot: { free: true }, ...more }, now);
const hour = 3_600_000;

describe("a Migration that ended an hour ago", () => {
  test.each<[string, Migration, Partial<Observed>, { act?: object; lookAgain?: number }]>([
    ["is kept where nothing says otherwise", made({}), {}, {}],
    ["is deleted when its own time is over", made({ ttl: 3600 }), {}, { act: { kind: "remove" } }],
    ["is deleted at once with 0", made({ ttl: 0, finishedAt: now.toISOString() }), {}, { act: { kind: "remove" } }],
    ["also when it failed", made({ ttl: 60, state: "failed" }), {}, { act: { kind: "remove" } }],
    ["is looked at again when its time will be over", made({ ttl: 5400 }), {}, { lookAgain: hour / 2 }],
    ["is deleted by the installation's time", made({}), { finishedKept: hour }, { act: { kind: "remove" } }],
    ["but its own time counts first", made({ ttl: 7200 }), { finishedKept: hour / 2 }, { lookAgain: hour }],
    ["is deleted beyond the history's limit", made({}), { isSurplus: true }, { act: { kind: "remove" } }],
    [
      "is kept while a payment is open",
      made({ ttl: 0, finalizers: [paymentFinalizer] }),
      { isSurplus: true, finishedKept: 0 },
      {},
    ],
    ["is kept while it runs", made({ ttl: 0, state: "in_progress" }), { isSurplus: true }, {}],
  ])("%s", (_name, migration, more, { act, lookAgain }) => {
    const plan = passOver(migration, more);
    if (migration.status?.state === "in_progress") expect(plan.act).not.toEqual({ kind: "remove" });
    else expect({ act: plan.act, lookAgain: plan.lookAgain }).toEqual({ act, lookAgain });
  });

  test("waits for its Job's end first", () => {
    const job = { metadata: { name: "shop-1", namespace: "team", uid: "j1", labels: { "rowferry.dev/run": "1" } } };
    expect(passOver(made({ ttl: 0 }), { jobs: [job] }).act).toEqual({ kind: "delete-job", name: "shop-1", uid: "j1" });
  });

  test("says that it was deleted, in an event", () => {
    const { act, events } = passOver(made({ ttl: 60 }), { isRemoved: true });
    expect(act).toBeUndefined();
    expect(events).toEqual([
      { type: "Normal", reason: "Deleted", note: "A Migration is deleted 60 seconds after its end here." },
    ]);
  });
});

describe("a namespace's history", () => {
  const at = (minute: number) => `2026-03-01T11:${String(minute).padStart(2, "0")}:00.000Z`;
  const one = (name: string, minute: number, more: Made = {}) => made({ name, finishedAt: at(minute), ...more });

  test("keeps those that ended last, and says which others are beyond it", () => {
    const history = createHistory(2);
    const [a, b, c] = [one("a", 1), one("b", 2), one("c", 3)];
    expect(history.changed(undefined, b)).toEqual([]);
    expect(history.changed(undefined, a)).toEqual([]);
    expect(history.changed(undefined, c)).toEqual(["team/a"]);
    expect([a, b, c].map(history.isSurplus)).toEqual([true, false, false]);
  });

  test("is each namespace's own, counts what runs not at all, and is seeded with what is there", () => {
    const history = createHistory(1);
    const [a, b] = [one("a", 1), one("b", 2, { namespace: "other" })];
    history.seed([a, b, one("c", 3, { state: "in_progress" })]);
    expect([a, b].map(history.isSurplus)).toEqual([false, false]);
    expect(history.changed(one("c", 3, { state: "in_progress" }), one("c", 3))).toEqual(["team/a"]);
  });

  test("forgets those that are deleted or run again", () => {
    const history = createHistory(1);
    const [a, b] = [one("a", 1), one("b", 2)];
    history.seed([a, b]);
    expect(history.isSurplus(a)).toBe(true);
    history.changed(b, one("b", 2, { state: "pending" }));
    expect(history.isSurplus(a)).toBe(false);
    history.changed(one("b", 2, { state: "pending" }), b);
    expect(history.isSurplus(a)).toBe(true);
    history.changed(b, undefined);
    expect(history.isSurplus(a)).toBe(false);
  });

  test("says nothing for a change that moves no end", () => {
    const history = createHistory(1);
    history.seed([one("a", 1), one("b", 2)]);
    expect(history.changed(one("a", 1), one("a", 1))).toEqual([]);
  });

  test("has no limit with 0", () => {
    const history = createHistory(0);
    expect(history.changed(undefined, one("a", 1))).toEqual([]);
    expect(history.isSurplus(one("a", 1))).toBe(false);
  });
});
