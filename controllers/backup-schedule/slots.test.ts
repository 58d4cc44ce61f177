import { describe, expect, test } from "vitest";
import { type BackupSchedule, dailyCron } from "../../src/resources/backup/schedule.ts";
import { runName } from "../jobs/names.ts";
import { parseCron } from "./cron.ts";
import { delayOf, type ScheduleSlots, slotsOf } from "./slots.ts";
import { zoneOf } from "./zone.ts";

function schedule(spec: object, uid = "0b5c"): BackupSchedule {
  return {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "BackupSchedule",
    metadata: {
      ...{ name: "nightly", namespace: "team", uid, generation: 1, resourceVersion: "1" },
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: {
      source: { secretRef: { name: "shop", key: "url" } },
      ...{ timeZone: "Etc/UTC", suspend: false, startingDeadlineSeconds: 3600, deletionPolicy: "Keep" },
      verification: { policy: "Weekly", maxAgeDays: 10 },
      ...spec,
    } as BackupSchedule["spec"],
  };
}

function slots(spec: object): ScheduleSlots {
  const found = slotsOf(schedule(spec));
  if ("reason" in found) throw new Error(found.message);
  return found;
}
const at = (text: string) => Date.parse(text);
const between = (spec: object, from: string, to: string) =>
  slots(spec)
    .between(at(from), at(to))
    .map((slot) => new Date(slot).toISOString().slice(0, 16));

describe("slots in UTC", () => {
  test.each([
    [
      "a summer day in Berlin",
      { cron: "30 2 * * *", timeZone: "Europe/Berlin" },
      ["2026-07-01T00:00Z", "2026-07-02T12:00Z"],
      ["2026-07-01T00:30", "2026-07-02T00:30"],
    ],
    [
      "a time that clocks jump over comes an hour later",
      { cron: "30 2 * * *", timeZone: "Europe/Berlin" },
      ["2026-03-28T00:00Z", "2026-03-30T12:00Z"],
      ["2026-03-28T01:30", "2026-03-29T01:30", "2026-03-30T00:30"],
    ],
    [
      "a time that clocks show twice comes once, the first time",
      { cron: "30 2 * * *", timeZone: "Europe/Berlin" },
      ["2026-10-24T00:00Z", "2026-10-26T12:00Z"],
      ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"],
    ],
    [
      "New York, both changes' neighbours",
      { cron: "0 2 * * *", timeZone: "America/New_York" },
      ["2026-03-07T12:00Z", "2026-03-09T12:00Z"],
      ["2026-03-08T07:00", "2026-03-09T06:00"],
    ],
    [
      "clocks that change by half an hour",
      { cron: "15 2 * * *", timeZone: "Australia/Lord_Howe" },
      ["2026-10-02T20:00Z", "2026-10-04T20:00Z"],
      ["2026-10-03T15:45", "2026-10-04T15:15"],
    ],
    [
      "a date that a country leapt over has no slot of its own",
      { cron: "0 12 * * *", timeZone: "Pacific/Apia" },
      ["2011-12-29T00:00Z", "2011-12-31T23:00Z"],
      ["2011-12-29T22:00", "2011-12-30T22:00", "2011-12-31T22:00"],
    ],
    [
      "midnight on the day when midnight is jumped over",
      { cron: "0 0 * * *", timeZone: "America/Santiago" },
      ["2026-09-05T12:00Z", "2026-09-07T12:00Z"],
      ["2026-09-06T04:00", "2026-09-07T03:00"],
    ],
    [
      "weekdays only",
      { cron: "5 4 * * MON-FRI" },
      ["2026-11-20T00:00Z", "2026-11-24T12:00Z"],
      ["2026-11-20T04:05", "2026-11-23T04:05", "2026-11-24T04:05"],
    ],
    [
      "the first, or a Sunday, as cron does with two day fields",
      { cron: "0 3 1 * 7" },
      ["2026-11-25T00:00Z", "2026-12-07T00:00Z"],
      ["2026-11-29T03:00", "2026-12-01T03:00", "2026-12-06T03:00"],
    ],
    [
      "29 February",
      { cron: "0 3 29 2 *" },
      ["2026-01-01T00:00Z", "2033-01-01T00:00Z"],
      ["2028-02-29T03:00", "2032-02-29T03:00"],
    ],
    [
      "every second month from March",
      { cron: "0 3 1 3/2 *" },
      ["2026-01-01T00:00Z", "2026-12-31T00:00Z"],
      ["2026-03-01T03:00", "2026-05-01T03:00", "2026-07-01T03:00", "2026-09-01T03:00", "2026-11-01T03:00"],
    ],
  ])("%s", (_what, spec, [from = "", to = ""], expected) => {
    expect(between(spec, from, to)).toEqual(expected);
  });

  test("no two slots share a local date, in any zone, over all changes of three years", () => {
    for (const timeZone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"]) {
      const zone = zoneOf(timeZone);
      for (const hour of [0, 1, 2, 3, 23]) {
        const found = slots({ cron: `30 ${hour} * * *`, timeZone }).between(at("2025-01-01"), at("2028-01-01"));
        const dates = new Set(found.map((slot) => Math.floor((zone?.localAt(slot) ?? 0) / 86_400_000)));
        expect(dates.size).toBe(found.length);
        expect(found.length).toBeGreaterThanOrEqual(1094);
      }
    }
  });

  test("an interval has a time of its own in the first six hours of the day, the same for ever", () => {
    const spec = { interval: "daily", timeZone: "Asia/Kathmandu" };
    const [first = 0, second = 0] = slots(spec).between(at("2026-05-01"), at("2026-05-03"));
    expect(second - first).toBe(86_400_000);
    const local = new Date(zoneOf("Asia/Kathmandu")?.localAt(first) ?? 0);
    expect(local.getUTCHours()).toBeLessThan(6);
    const other = slotsOf(schedule(spec, "another"));
    expect("after" in other && other.after(at("2026-05-01"))).not.toBe(first);
    expect(
      between({ interval: "weekly" }, "2026-11-01T12:00Z", "2026-11-16T12:00Z").map((one) => one.slice(0, 10)),
    ).toEqual(["2026-11-08", "2026-11-15"]);
    expect(
      between({ interval: "monthly" }, "2026-11-02T12:00Z", "2027-01-02T12:00Z").map((one) => one.slice(0, 10)),
    ).toEqual(["2026-12-01", "2027-01-01"]);
  });
});

test.each([
  ["a zone that does not exist", { cron: "0 3 * * *", timeZone: "Mars/Olympus" }, "InvalidTimeZone"],
  ["a date that never comes", { cron: "0 3 31 2 *" }, "NeverFires"],
  ["a range that runs backwards", { cron: "0 3 * * 5-1" }, "InvalidCron"],
])("%s has a reason", (_what, spec, reason) => {
  expect(slotsOf(schedule(spec))).toMatchObject({ reason });
});

describe("a cron line has one minute and one hour", () => {
  test.each(["30 2 * * *", "0 0 1,15 * *", "5 23 * JAN-MAR mon", "0 3 */2 * *", "07 03 * * 7"])(
    "%s is taken",
    (line) => {
      expect(dailyCron.test(line)).toBe(true);
      expect(parseCron(line)).toBeDefined();
    },
  );
  test.each([
    "* 2 * * *",
    "0,30 2 * * *",
    "0 */2 * * *",
    "0 1-2 * * *",
    "@hourly",
    "0 2 * *",
    "60 2 * * *",
    "0 24 * * *",
  ])("%s is refused", (line) => {
    expect(dailyCron.test(line)).toBe(false);
  });
});

test("a run is named by its slot in UTC", () => {
  expect(runName("nightly", at("2026-11-24T03:00:00Z"))).toBe("nightly-202611240300");
});

test("the delay is below the jitter, differs between schedules, and stays the same", () => {
  const delays = Array.from({ length: 1000 }, (_, index) => delayOf(`uid-${index}`, 300_000));
  expect(Math.max(...delays)).toBeLessThan(300_000);
  expect(new Set(delays.map((delay) => Math.floor(delay / 30_000))).size).toBe(10);
  expect(delayOf("uid-1", 300_000)).toBe(delays[1]);
  expect(delayOf("uid-1", 0)).toBe(0);
});
