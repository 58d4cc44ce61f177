import { describe, expect, test } from "vitest";
import { scheduleSpecSchema } from "../../resources/backup/schedule.ts";
import { Problem } from "../errors.ts";
import { type Given, withGiven } from "./spec.ts";

const source = { sealedUrl: "v1.k.e.c" };
const weekly = scheduleSpecSchema.parse({ source, interval: "weekly", retention: { daily: 7 } });
const cron = scheduleSpecSchema.parse({ source, cron: "30 2 * * *" });

describe("what is given replaces what is there, and the rest stays", () => {
  test.each<[string, typeof weekly, Given, object]>([
    ["nothing", weekly, {}, weekly],
    ["an interval", cron, { interval: "daily" }, { ...cron, cron: undefined, interval: "daily" }],
    ["a cron line", weekly, { cron: "0 4 * * *" }, { ...weekly, interval: undefined, cron: "0 4 * * *" }],
    ["a suspension", weekly, { suspend: true }, { ...weekly, suspend: true }],
    ["a retention", weekly, { retention: { keep_last: 3 } }, { ...weekly, retention: { keepLast: 3 } }],
    ["no retention", weekly, { retention: null }, { ...weekly, retention: undefined }],
    ["a time zone", cron, { time_zone: "Europe/Berlin" }, { ...cron, timeZone: "Europe/Berlin" }],
    ["a deadline", cron, { start_deadline_seconds: 60 }, { ...cron, startingDeadlineSeconds: 60 }],
    ["a deletion policy", cron, { deletion_policy: "delete" }, { ...cron, deletionPolicy: "Delete" }],
    [
      "a part of the verification",
      cron,
      { verification: { max_age_days: 30 } },
      { ...cron, verification: { policy: "Weekly", maxAgeDays: 30 } },
    ],
  ])("%s", (_what, spec, given, expected) => {
    expect(withGiven(spec, given)).toEqual(expected);
  });
});

describe("own recipients", () => {
  const recipients = [`age1${"q".repeat(58)}`];
  const codeOf = (spec: typeof weekly, given: Given): string => {
    try {
      withGiven(spec, given);
      return "accepted";
    } catch (error) {
      if (error instanceof Problem) return `${error.code} ${error.errors?.[0]?.field}`;
      throw error;
    }
  };
  const never = withGiven(weekly, { recipients, verification: { policy: "never" } });

  test("go without a verification, which could only fail", () => {
    expect(never.encryption).toEqual({ recipients });
    expect(codeOf(weekly, { recipients })).toBe("invalid verification.policy");
    expect(codeOf(never, { verification: { policy: "weekly" } })).toBe("invalid verification.policy");
  });

  test("are removed by null, and verification is possible again", () => {
    expect(withGiven(never, { recipients: null, verification: { policy: "each_run" } }).encryption).toBeUndefined();
  });

  test("whose private keys kubectl named can be verified", () => {
    const identities = { secretRef: { name: "keys", key: "identities" } };
    expect(codeOf({ ...never, encryption: { recipients, identities } }, { verification: { policy: "weekly" } })).toBe(
      "accepted",
    );
  });
});
