import { expect, test } from "vitest";
import { jobName } from "../jobs/names.ts";
import { reportName } from "./names.ts";

test("a run's children are named after the Migration and the run", () => {
  expect(jobName("shop", 3)).toBe("shop-3");
  expect(reportName("7a0b7e3c-95f4-4d5e-9f0a-000000000000", 12)).toBe("7a0b7e3c-95f4-4d5e-9f0a-000000000000-12-report");
});

test("a long name is cut to 63 characters and stays different from its neighbour's", () => {
  const [one, two] = [`${"a".repeat(200)}1`, `${"a".repeat(200)}2`];
  expect(jobName(one, 1)).toHaveLength(63);
  expect(jobName(one, 1)).not.toBe(jobName(two, 1));
  expect(jobName(one, 1)).toMatch(/^a+-[0-9a-f]{10}-1$/);
  expect(reportName(one, 1000).length).toBeLessThanOrEqual(63);
});

test("dots become dashes without colliding with a name that has dashes", () => {
  expect(jobName("shop.eu", 1)).toMatch(/^shop-eu-[0-9a-f]{10}-1$/);
  expect(jobName("shop.eu", 1)).not.toBe(jobName("shop-eu", 1));
});
