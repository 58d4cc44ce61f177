import { expect, test } from "vitest";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";
import { attemptAnnotation } from "../../src/resources/run.ts";
import { decide } from "./decide.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

const after = (state: "completed" | "failed", annotation: string, log: MigrationStatus["log"] = []): Migration => ({
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "Migration",
  metadata: {
    ...{ name: "shop", namespace: "team", uid: "m", generation: 1, resourceVersion: "1" },
    creationTimestamp: "2026-03-01T11:00:00Z",
    annotations: { [attemptAnnotation]: annotation },
  },
  spec: {
    ...{ source: { secretRef: { name: "a", key: "url" } }, target: { secretRef: { name: "b", key: "url" } } },
    ...{ attempt: 1, reset: 0 },
  },
  status: {
    ...{ state, run: 1, attempt: 1, reset: 0, job: { name: "shop-1", uid: "j1" } },
    ...{ observedGeneration: 1, finishedAt: "2026-03-01T11:30:00.000Z", log },
  },
});
const passOver = (migration: Migration) => decide({ migration, jobs: [], pods: [], slot: { free: true } }, now);

test.each<[string, "completed" | "failed", string, string, RegExp]>([
  ["an annotation that is no number", "failed", "soon", "AttemptInvalid", /"soon" is no whole number from 1 to 1000/],
  ["one on a completed Migration", "completed", "2", "AttemptIgnored", /annotation rowferry\.dev\/attempt changes/],
])("%s is said to be ignored, once", (_name, state, annotation, reason, note) => {
  const first = passOver(after(state, annotation));
  expect(first.events).toEqual([{ type: "Warning", reason, note: expect.stringMatching(note) as string }]);
  expect(first.status.log?.at(-1)).toMatchObject({ level: "warning", message: expect.stringMatching(note) as string });
  const second = passOver(after(state, annotation, first.status.log));
  expect(second.events).toEqual([]);
  expect(second.status.log).toEqual(first.status.log);
});

test("one that is as high as the run says nothing", () => {
  expect(passOver(after("completed", "1")).events).toEqual([]);
});

test("one that is higher runs a failed Migration again", () => {
  expect(passOver(after("failed", "2"))).toMatchObject({
    act: { kind: "confirm-idle" },
    status: { state: "pending", run: 2, attempt: 2 },
  });
});
