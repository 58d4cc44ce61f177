import { describe, expect, test } from "vitest";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { ScheduleStatus } from "../../src/resources/backup/schedule.ts";
import {
  at,
  condition,
  names,
  pass,
  run,
  schedule,
  settings,
  since,
  timing,
} from "../../test/support/controllers/schedules.ts";
import { runName } from "../jobs/names.ts";
import { decide } from "./decide.ts";

test("Ready says why the last run failed, so that nobody has to wait for the deadline to see it", () => {
  const why = "The storage does not exist: create the bucket.";
  const failed = {
    state: "failed",
    conditions: [{ type: "Failed", status: "True", reason: "StorageMissing", message: why }],
  };
  const of = (...runs: BackupRun[]) =>
    condition(
      pass({ schedule: schedule({}, since("2026-11-23T03:00:00.000Z")), runs }, "2026-11-23T12:00:00Z").plan,
      "Ready",
    );
  expect(of(run("2026-11-22T03:00:00Z"), run("2026-11-23T03:00:00Z", failed))).toMatchObject({
    ...{
      status: "True",
      reason: "LastRunFailed",
      message: expect.stringContaining(`nightly-202611230300, failed: ${why}`),
    },
  });
  expect(of(run("2026-11-22T03:00:00Z", failed), run("2026-11-23T03:00:00Z"))).toMatchObject({ reason: "Scheduled" });
});

describe("the run of a slot", () => {
  test.each([
    ["before the first slot", undefined, "2026-11-01T02:59:59Z", undefined, "2026-11-01T00:00:00.000Z", 0],
    [
      "at the slot",
      since("2026-11-23T03:00:00.000Z"),
      "2026-11-24T03:00:00Z",
      "nightly-202611240300",
      "2026-11-24T03:00:00.000Z",
      0,
    ],
    [
      "within the deadline",
      since("2026-11-23T03:00:00.000Z"),
      "2026-11-24T03:59:00Z",
      "nightly-202611240300",
      "2026-11-24T03:00:00.000Z",
      0,
    ],
    [
      "past the deadline it is missed",
      since("2026-11-23T03:00:00.000Z"),
      "2026-11-24T04:00:01Z",
      undefined,
      "2026-11-24T03:00:00.000Z",
      1,
    ],
    [
      "of five, the newest is caught up and four are missed",
      since("2026-11-19T03:00:00.000Z", { missed: 2 }),
      "2026-11-24T03:10:00Z",
      "nightly-202611240300",
      "2026-11-24T03:00:00.000Z",
      6,
    ],
    [
      "of five past the deadline, all are missed",
      since("2026-11-19T03:00:00.000Z"),
      "2026-11-24T12:00:00Z",
      undefined,
      "2026-11-24T03:00:00.000Z",
      5,
    ],
    [
      "a clock set back by an hour makes no second run",
      since("2026-11-24T03:00:00.000Z"),
      "2026-11-24T02:30:00Z",
      undefined,
      "2026-11-24T03:00:00.000Z",
      0,
    ],
    [
      "a clock that was years ahead does not silence the schedule",
      since("2031-01-01T03:00:00.000Z"),
      "2026-11-24T03:00:00Z",
      undefined,
      "2026-11-24T03:00:00.000Z",
      0,
    ],
    [
      "a changed time counts from the change",
      since("2026-11-01T03:00:00.000Z", { timing: "0 3 1 * * Etc/UTC" }),
      "2026-11-24T03:10:00Z",
      undefined,
      "2026-11-24T03:10:00.000Z",
      0,
    ],
  ])("%s", (_what, status, now, made, lastSlot, missed) => {
    const result = pass({ schedule: schedule({}, status), runs: [] }, now);
    expect(result.made).toBe(made);
    expect(result.plan.status).toMatchObject({ lastSlot, timing });
    expect(result.plan.status.missed ?? 0).toBe(missed);
  });

  test("a run whose status was lost is adopted: nothing is made, and the slot is done with", () => {
    const observed = {
      schedule: schedule({}, since("2026-11-23T03:00:00.000Z")),
      runs: [run("2026-11-24T03:00:00Z", {})],
    };
    const { made, plan } = pass(observed, "2026-11-24T03:05:00Z");
    expect(made).toBeUndefined();
    expect(plan.status.lastSlot).toBe("2026-11-24T03:00:00.000Z");
    expect(plan.status.nextRunAt).toBe("2026-11-25T03:00:00.000Z");
  });

  test("lastSlot stays where it is until the run exists", () => {
    const observed = { schedule: schedule({}, since("2026-11-23T03:00:00.000Z")), runs: [] };
    const plan = decide(observed, settings, at("2026-11-24T03:05:00Z"));
    expect(names(plan, "make-run")).toEqual(["nightly-202611240300"]);
    expect(plan.status.lastSlot).toBe("2026-11-23T03:00:00.000Z");
  });

  test("over a week of passes at any moments, each slot has one run and none is missed", () => {
    let status: ScheduleStatus | undefined;
    const runs: BackupRun[] = [];
    const made: string[] = [];
    for (let time = Date.parse("2026-11-01T00:00:00Z"); time < Date.parse("2026-11-08T00:00:00Z"); time += 1_234_567) {
      const result = pass({ schedule: schedule({}, status), runs }, new Date(time).toISOString());
      // Every third status is lost.
      if (time % 3 !== 0) status = result.plan.status;
      if (result.made !== undefined) {
        made.push(result.made);
        const day = result.made.slice(14, 16);
        runs.push(run(`2026-11-${day}T03:00:00Z`));
      }
    }
    expect(made).toEqual(["01", "02", "03", "04", "05", "06", "07"].map((day) => `nightly-202611${day}0300`));
    expect(status?.missed).toBeUndefined();
  });

  test("missed slots are an event with the first and the last of them", () => {
    const { plan } = pass(
      { schedule: schedule({}, since("2026-11-19T03:00:00.000Z")), runs: [] },
      "2026-11-24T12:00:00Z",
    );
    expect(plan.events).toMatchObject([{ type: "Warning", reason: "SlotsMissed" }]);
    expect(plan.events[0]?.note).toContain("5 slots were missed: 2026-11-20T03:00:00.000Z to 2026-11-24T03:00:00.000Z");
  });

  test("it waits for an active run, and is missed if that takes longer than the deadline", () => {
    const active = run("2026-11-23T03:00:00Z", { state: "in_progress" });
    const observed = { schedule: schedule({}, since("2026-11-23T03:00:00.000Z")), runs: [active] };
    const waiting = pass(observed, "2026-11-24T03:10:00Z");
    expect(waiting.made).toBeUndefined();
    expect(waiting.plan.status.lastSlot).toBe("2026-11-23T03:00:00.000Z");
    expect(condition(waiting.plan, "Ready")).toMatchObject({ status: "True", reason: "WaitingForRun" });
    const ended = pass({ ...observed, runs: [run("2026-11-23T03:00:00Z")] }, "2026-11-24T03:20:00Z");
    expect(ended.made).toBe("nightly-202611240300");
    const late = pass(observed, "2026-11-24T04:10:00Z");
    expect(late.plan.status).toMatchObject({ lastSlot: "2026-11-24T03:00:00.000Z", missed: 1 });
  });

  test("while suspended slots pass without a run and are not missed", () => {
    const { made, plan } = pass(
      { schedule: schedule({ suspend: true }, since("2026-11-19T03:00:00.000Z")), runs: [] },
      "2026-11-24T03:00:00Z",
    );
    expect(made).toBeUndefined();
    expect(plan.status).toMatchObject({ lastSlot: "2026-11-24T03:00:00.000Z" });
    expect(plan.status.missed).toBeUndefined();
    expect(plan.status.nextRunAt).toBeUndefined();
    expect(condition(plan, "Overdue")).toMatchObject({ status: "False", reason: "Suspended" });
  });

  test("jitter moves the start, never the slot or the name", () => {
    const observed = { schedule: schedule({}, since("2026-11-23T03:00:00.000Z")), runs: [] };
    const of = { ...settings, jitter: 600_000 };
    const early = pass(observed, "2026-11-24T03:00:00Z", of);
    const start = early.plan.status.nextRunAt ?? "";
    expect(early.made).toBeUndefined();
    expect(Date.parse(start)).toBeGreaterThan(Date.parse("2026-11-24T03:00:00Z"));
    expect(Date.parse(start)).toBeLessThan(Date.parse("2026-11-24T03:10:00Z"));
    expect(pass(observed, start, of).made).toBe("nightly-202611240300");
  });

  test.each([
    ["at the moment at which the next run starts", "2026-11-24T02:52:00Z", { lookAgain: 480_000, isDue: true }],
    ["at that moment, not two minutes after it", "2026-11-24T02:49:00Z", { lookAgain: 660_000, isDue: true }],
    // The clock may be set forward, or the machine may sleep.
    ["within ten minutes where that is far off", "2026-11-24T02:00:00Z", { lookAgain: 600_000, isDue: false }],
  ])("it is looked at again %s", (_when, now, expected) => {
    const { plan } = pass({ schedule: schedule({}, since("2026-11-23T03:00:00.000Z")), runs: [] }, now);
    expect(plan).toMatchObject(expected);
  });

  test("a foreign BackupRun of the slot's name counts the slot as missed", () => {
    const slot = Date.parse("2026-11-24T03:00:00Z");
    const made = { slot, outcome: "taken" as const, name: runName("nightly", slot) };
    const plan = decide(
      { schedule: schedule({}, since("2026-11-23T03:00:00.000Z")), runs: [], made },
      settings,
      at("2026-11-24T03:01:00Z"),
    );
    expect(plan.status).toMatchObject({ lastSlot: "2026-11-24T03:00:00.000Z", missed: 1 });
    expect(plan.events.map(({ reason }) => reason)).toEqual(["SlotsMissed", "RunNameTaken"]);
  });

  test("a wrong time zone keeps what is known and says the fix once", () => {
    const wrong = { timeZone: "Mars/Olympus" };
    const first = pass(
      { schedule: schedule(wrong, since("2026-11-23T03:00:00.000Z", { missed: 4 })), runs: [] },
      "2026-11-24T03:00:00Z",
    );
    expect(condition(first.plan, "Ready")).toMatchObject({ status: "False", reason: "InvalidTimeZone" });
    expect(first.plan.status).toMatchObject({ lastSlot: "2026-11-23T03:00:00.000Z", missed: 4 });
    expect(first.plan.events).toHaveLength(1);
    expect(
      pass({ schedule: schedule(wrong, first.plan.status), runs: [] }, "2026-11-24T04:00:00Z").plan.events,
    ).toEqual([]);
  });
});

describe("conditions", () => {
  const completed = [run("2026-11-22T03:00:00Z"), run("2026-11-23T03:00:00Z")];
  test.each([
    ["a completed run of the newest slot", completed, "2026-11-23T12:00:00Z", "False", "UpToDate"],
    ["the deadline of the next slot has not passed", completed, "2026-11-24T03:30:00Z", "False", "UpToDate"],
    ["the deadline of the next slot has passed", completed, "2026-11-24T04:00:01Z", "True", "NoCompletedRun"],
    [
      "a failed run does not count",
      [...completed, run("2026-11-24T03:00:00Z", { state: "failed" })],
      "2026-11-24T05:00:00Z",
      "True",
      "NoCompletedRun",
    ],
    ["no slot yet", [], "2026-11-01T02:00:00Z", "False", "UpToDate"],
  ])("Overdue: %s", (_what, runs, now, status, reason) => {
    const { plan } = pass({ schedule: schedule({}, since("2026-11-23T03:00:00.000Z")), runs }, now);
    expect(condition(plan, "Overdue")).toMatchObject({ status, reason });
  });

  const verifications = (at: string, outcome = "verified") => ({ lastVerification: { run: "nightly-x", at, outcome } });
  test.each([
    ["none yet", { policy: "Weekly" }, {}, "Unknown", "NotYetVerified"],
    ["none, and none required", { policy: "Never" }, {}, "Unknown", "NotRequired"],
    ["a recent one", { policy: "Weekly" }, verifications("2026-11-20T03:00:00Z"), "True", "Verified"],
    ["an old one", { policy: "Weekly" }, verifications("2026-11-10T03:00:00Z"), "False", "VerificationTooOld"],
    ["an old one that was asked for", { policy: "Never" }, verifications("2026-11-10T03:00:00Z"), "True", "Verified"],
    [
      "a failed one",
      { policy: "Weekly" },
      verifications("2026-11-23T03:00:00Z", "failed"),
      "False",
      "VerificationFailed",
    ],
  ])("Verified: %s", (_what, verification, last, status, reason) => {
    const spec = { verification: { maxAgeDays: 10, ...verification } };
    const { plan } = pass(
      { schedule: schedule(spec, since("2026-11-23T03:00:00.000Z", last)), runs: [] },
      "2026-11-24T02:00:00Z",
    );
    expect(condition(plan, "Verified")).toMatchObject({ status, reason });
  });
});

describe("verification by policy", () => {
  const two = [run("2026-11-22T03:00:00Z"), run("2026-11-23T03:00:00Z")];
  const verified = (at: string, outcome = "verified") => ({
    state: "completed",
    verifications: 1,
    verification: { at, outcome, tables: 1, rows: 1, seconds: 1 },
  });
  const before = run("2026-11-15T03:00:00Z", verified("2026-11-15T04:00:00Z"), { verifications: 1 });
  const lately = run("2026-11-20T03:00:00Z", verified("2026-11-20T04:00:00Z"), { verifications: 1 });
  test.each([
    ["each run: the newest", "EachRun", two, ["nightly-202611230300"]],
    ["weekly, never before", "Weekly", two, ["nightly-202611230300"]],
    ["weekly, eight days ago", "Weekly", [before, ...two], ["nightly-202611230300"]],
    ["weekly, three days ago", "Weekly", [lately, ...two], []],
    [
      "weekly, three days ago and failed",
      "Weekly",
      [run("2026-11-20T03:00:00Z", verified("2026-11-20T04:00:00Z", "failed"), { verifications: 1 }), ...two],
      ["nightly-202611230300"],
    ],
    ["never", "Never", two, []],
    [
      "one is in progress",
      "EachRun",
      [run("2026-11-22T03:00:00Z", { state: "completed" }, { verifications: 1 }), run("2026-11-23T03:00:00Z")],
      [],
    ],
    ["no completed run", "EachRun", [run("2026-11-23T03:00:00Z", { state: "failed" })], []],
  ])("%s", (_what, policy, runs, expected) => {
    const spec = { verification: { policy, maxAgeDays: 10 } };
    const { plan } = pass(
      { schedule: schedule(spec, since("2026-11-23T03:00:00.000Z")), runs },
      "2026-11-23T12:00:00Z",
    );
    expect(names(plan, "verify-run")).toEqual(expected);
  });
});
