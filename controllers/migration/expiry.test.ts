import { describe, expect, test } from "vitest";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";
import { decide } from "./decide.ts";
import { expiry } from "./expiry.ts";

const hour = 3_600_000;
const now = new Date("2026-03-01T12:00:00.000Z");
const ended = "2026-03-01T10:00:00.000Z";
const status: MigrationStatus = {
  observedGeneration: 1,
  state: "failed",
  run: 1,
  attempt: 1,
  reset: 0,
  startedAt: ended,
  finishedAt: ended,
};

const migration = (spec: Partial<Migration["spec"]> = {}, of: MigrationStatus | undefined = status): Migration => ({
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "Migration",
  metadata: {
    name: "6f6d8f6a-0000-4000-8000-000000000001",
    namespace: "rowferry-shop",
    uid: "m",
    generation: 2,
    resourceVersion: "1",
    creationTimestamp: ended,
  },
  spec: { source: { sealedUrl: "v1.k.a.b" }, target: { sealedUrl: "v1.k.c.d" }, attempt: 1, reset: 0, ...spec },
  ...(of === undefined ? {} : { status: of }),
});
const completed: MigrationStatus = { ...status, state: "completed" };
const gone = { source: { sealedUrl: "expired" }, target: { sealedUrl: "expired" } };

describe("when a sealed URL is taken out", () => {
  test.each<[string, Migration, number | undefined, ReturnType<typeof expiry>]>([
    ["its time is over", migration(), hour, { due: ["source", "target"] }],
    ["its time is not over", migration(), 3 * hour, { wait: hour }],
    ["it was to go at once, and the run failed", migration({ urlsKeptDays: 0 }), 3 * hour, { wait: hour }],
    ["it was to go at once", migration({ urlsKeptDays: 0 }, completed), 720 * hour, { due: ["source", "target"] }],
    [
      "it was to go at once, of what is kept for ever",
      migration({ urlsKeptDays: 0 }, completed),
      undefined,
      {
        due: ["source", "target"],
      },
    ],
    ["its day is not over", migration({ urlsKeptDays: 1 }, completed), 720 * hour, { wait: 12 * hour }],
    ["it may not be kept for longer than others", migration({ urlsKeptDays: 9 }, completed), 3 * hour, { wait: hour }],
    ["its time is far", migration(), 720 * hour, { wait: 12 * hour }],
    ["one is a Secret", migration({ source: { secretRef: { name: "a", key: "url" } } }), hour, { due: ["target"] }],
    ["one was taken out already", migration({ source: gone.source }), hour, { due: ["target"] }],
    ["both were", migration(gone), hour, undefined],
    ["it is kept for ever", migration(), undefined, undefined],
    ["the run has not ended", migration({}, { state: "in_progress", run: 1 }), hour, undefined],
  ])("%s", (_what, of, kept, due) => {
    expect(expiry(of, kept, now)).toEqual(due);
  });
});

const decided = (of: Migration, urlsKept = hour) =>
  decide({ migration: of, jobs: [], pods: [], slot: { free: true }, urlsKept }, now);

test("the state stays as it is when a URL goes, and only the generation moves", () => {
  expect(decided(migration())).toMatchObject({ act: { kind: "expire-urls", of: ["source", "target"] } });
  const plan = decided(migration(gone));
  expect(plan).toEqual({ status: { ...status, observedGeneration: 2, conditions: [] }, events: [] });
});

test.each<[string, Migration]>([
  ["a retry", migration({ ...gone, attempt: 2 })],
  ["a reset", migration({ ...gone, reset: 1 })],
  ["a reset of a completed one", migration({ ...gone, reset: 1 }, { ...status, state: "completed" })],
])("%s without URLs fails at once, without a Job, and says the fix", (_what, of) => {
  const plan = decided(of);
  expect(plan.act).toBeUndefined();
  expect(plan.worker).toBe("next-run");
  expect(plan.status).toMatchObject({ state: "failed", run: 2, observedGeneration: 2 });
  const failed = plan.status.conditions?.find(({ type }) => type === "Failed");
  expect(failed).toMatchObject({ status: "True", reason: "SealedUrlExpired" });
  expect(failed?.message).toContain("Create a new Migration with both URLs");
});

test("a Migration that is made with the word in place of a URL fails at once", () => {
  const of = migration({ target: gone.target }, undefined);
  delete of.status;
  expect(decided(of).status).toMatchObject({ state: "failed", run: 1 });
  expect(decided(of).status.log?.[0]?.message).toContain("The connection URL of the target");
});

test("while a run goes on, nothing is taken out", () => {
  const of = migration({}, { ...status, state: "in_progress", finishedAt: ended, job: { name: "j", uid: "j" } });
  expect(decided(of).act?.kind).toBe("confirm-gone");
});
