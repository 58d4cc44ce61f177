import { describe, expect, test } from "vitest";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import { at, names, pass, run, schedule, settings, since } from "../../test/support/controllers/schedules.ts";
import { decide, finalizer } from "./decide.ts";
import type { ScheduleSettings } from "./observed.ts";

describe("runs that are deleted", () => {
  const ofRetention: ScheduleSettings = { jitter: 0, expired: (runs) => runs };
  const lastTwo: ScheduleSettings = { jitter: 0, expired: (runs) => runs.toSorted((a, b) => b.at - a.at).slice(2) };
  test("by retention, but never the last completed one, whatever retention says", () => {
    const runs = [
      run("2026-11-21T03:00:00Z"),
      run("2026-11-22T03:00:00Z"),
      run("2026-11-23T03:00:00Z", { state: "failed" }),
    ];
    const { plan } = pass(
      { schedule: schedule({ retention: { keepLast: 1 } }, since("2026-11-23T03:00:00.000Z")), runs },
      "2026-11-23T12:00:00Z",
      ofRetention,
    );
    expect(names(plan, "delete-run")).toEqual(["nightly-202611210300"]);
  });
  test("a run that failed its verification replaces no other, and the last good one stays", () => {
    const failed = { state: "completed", verification: { outcome: "failed", at: "2026-11-23T04:00:00Z" } } as const;
    const old = ["2026-11-18", "2026-11-19", "2026-11-20"].map((day) => run(`${day}T03:00:00Z`));
    const damaged = ["2026-11-21", "2026-11-22", "2026-11-23"].map((day) => run(`${day}T03:00:00Z`, failed));
    const of = (runs: BackupRun[]) =>
      pass(
        { schedule: schedule({ retention: { keepLast: 2 } }, since("2026-11-23T03:00:00.000Z")), runs },
        "2026-11-23T12:00:00Z",
        lastTwo,
      ).plan;
    expect(names(of([...old, ...damaged]), "delete-run")).toEqual(["nightly-202611180300", "nightly-202611210300"]);
    expect(names(of([...old.slice(0, 1), ...damaged]), "delete-run")).toEqual(["nightly-202611210300"]);
  });
  test("the newest verified run stays, and a run of a time to come replaces no other", () => {
    const verified = { state: "completed", verification: { outcome: "verified", at: "2026-11-18T04:00:00Z" } } as const;
    const future = run("2099-01-01T00:00:00Z");
    const runs = [
      run("2026-11-18T03:00:00Z", verified),
      ...["2026-11-19", "2026-11-22", "2026-11-23"].map((day) => run(`${day}T03:00:00Z`)),
      { ...future, metadata: { ...future.metadata, creationTimestamp: "2026-11-20T12:00:00Z" } },
    ];
    const { plan } = pass(
      { schedule: schedule({ retention: { keepLast: 2 } }, since("2026-11-23T03:00:00.000Z")), runs },
      "2026-11-23T12:00:00Z",
      lastTwo,
    );
    expect(names(plan, "delete-run")).toEqual(["nightly-202611190300", "nightly-209901010000"]);
  });
  test("none without retention", () => {
    const runs = [run("2026-11-21T03:00:00Z"), run("2026-11-22T03:00:00Z")];
    const { plan } = pass(
      { schedule: schedule({}, since("2026-11-23T03:00:00.000Z")), runs },
      "2026-11-23T12:00:00Z",
      ofRetention,
    );
    expect(names(plan, "delete-run")).toEqual([]);
  });
  test("not while it is verified", () => {
    const runs = [
      run("2026-11-21T03:00:00Z", { state: "completed" }, { verifications: 1 }),
      run("2026-11-22T03:00:00Z"),
    ];
    const { plan } = pass(
      { schedule: schedule({ retention: { keepLast: 1 } }, since("2026-11-23T03:00:00.000Z")), runs },
      "2026-11-23T12:00:00Z",
      ofRetention,
    );
    expect(names(plan, "delete-run")).toEqual([]);
  });
  test("of failed runs the last ten are kept", () => {
    const runs = Array.from({ length: 12 }, (_, index) =>
      run(`2026-11-${String(index + 1).padStart(2, "0")}T03:00:00Z`, { state: "failed" }),
    );
    const { plan } = pass({ schedule: schedule({}, since("2026-11-23T03:00:00.000Z")), runs }, "2026-11-23T12:00:00Z");
    expect(names(plan, "delete-run")).toEqual(["nightly-202611010300", "nightly-202611020300"]);
  });
});

describe("a schedule that is deleted", () => {
  const gone = { deletionTimestamp: "2026-11-24T00:00:00Z" };
  test("keeps its runs by default: it has no finalizer and nothing is done", () => {
    const plan = decide(
      { schedule: schedule({}, {}, gone), runs: [run("2026-11-22T03:00:00Z")] },
      settings,
      at("2026-11-24T03:00:00Z"),
    );
    expect(plan.acts).toEqual([]);
  });
  test("with the policy Delete it has a finalizer, deletes its runs and ends when they are gone", () => {
    const living = decide(
      { schedule: schedule({ deletionPolicy: "Delete" }), runs: [] },
      settings,
      at("2026-11-01T01:00:00Z"),
    );
    expect(living.acts).toContainEqual({ kind: "set-finalizers", finalizers: [finalizer] });
    const deleted = schedule({ deletionPolicy: "Delete" }, {}, { ...gone, finalizers: [finalizer] });
    const first = decide(
      { schedule: deleted, runs: [run("2026-11-22T03:00:00Z")] },
      settings,
      at("2026-11-24T03:00:00Z"),
    );
    expect(names(first, "delete-run")).toEqual(["nightly-202611220300"]);
    const last = decide({ schedule: deleted, runs: [] }, settings, at("2026-11-24T03:00:00Z"));
    expect(last.acts).toEqual([{ kind: "set-finalizers", finalizers: [] }]);
  });
});
