import { expect, test } from "vitest";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";
import { admission } from "./admission.ts";

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
    creationTimestamp: `2026-03-01T11:${String(minute++).padStart(2, "0")}:00Z`,
  },
  spec: { source: {}, target: {}, attempt, reset: 0 },
  ...(status ? { status } : {}),
});
const runs: MigrationStatus = { state: "in_progress", run: 1, attempt: 1, reset: 0, job: { name: "x", uid: "x" } };
const failed: MigrationStatus = { ...runs, state: "failed" };
const limits = { cluster: 3, namespace: 2 };
const free = { free: true };
const held = (position: number, scope: "cluster" | "namespace") => ({
  free: false,
  position,
  scope,
  limit: limits[scope],
});

test("the oldest get the slots, and the others their places in the line that holds them back", () => {
  const all = [
    one("a1", "a", runs),
    one("a2", "a"),
    one("a3", "a"),
    one("a4", "a"),
    one("b1", "b"),
    one("b2", "b"),
    one("c1", "c"),
  ];
  const slot = admission(all.reverse(), new Set(), limits);
  expect(slot("a2")).toEqual(free);
  expect(slot("a3")).toEqual(held(1, "namespace"));
  expect(slot("a4")).toEqual(held(2, "namespace"));
  expect(slot("b1")).toEqual(free);
  expect(slot("b2")).toEqual(held(1, "cluster"));
  expect(slot("c1")).toEqual(held(2, "cluster"));
});

test("one that was let start and is not seen with a Job yet takes its slot already", () => {
  const all = [one("a1", "a"), one("a2", "a"), one("a3", "a")];
  const slot = admission(all, new Set(["a2", "a3"]), limits);
  expect(slot("a1")).toEqual(held(1, "namespace"));
  expect(slot("a2"), "it goes on").toEqual(free);
});

test("what ended takes no slot, and a retry queues behind those that wait", () => {
  const all = [
    one("a1", "a", failed, 2),
    one("a2", "a", { state: "completed", run: 1, attempt: 1, reset: 0 }),
    one("a3", "a"),
    one("a4", "a"),
  ];
  const slot = admission(all, new Set(), limits);
  expect(slot("a3")).toEqual(free);
  expect(slot("a4")).toEqual(free);
  expect(slot("a1")).toEqual(held(1, "namespace"));
});
