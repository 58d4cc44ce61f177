import { expect, test } from "vitest";
import { estimateTime, type Load } from "./estimate.ts";

const load: Load = {
  source: "mysql",
  target: "postgres",
  size: 33e6 * 60,
  tables: 10,
  jobs: 2,
  latency: { source: 0, target: 0 },
  checksum: false,
};

test.each([
  ["a minute at the measured rate", load, 21, 181],
  ["nothing", { ...load, size: 0 }, 1, 1],
  ["far servers", { ...load, size: 0, latency: { source: 50, target: 50 } }, 8, 8],
  ["a limit of the bandwidth", { ...load, bandwidth: 1e6 }, 1981, 1981],
  ["a comparison of values", { ...load, checksum: true }, 31, 271],
])("%s", (_, given, least, most) => {
  expect(estimateTime(given).seconds).toEqual({ least, most });
});

test("it says what its rate rests on", () => {
  expect(estimateTime(load).basis).toContain(
    "33 MB a second with two streams on two cores, a third to three times as fast: 0.3 of the time that pgloader took",
  );
});
