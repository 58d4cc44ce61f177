import { expect, test } from "vitest";
import { estimateTime, type Load } from "./estimate.ts";

/** The bench's table. */
const load: Load = {
  source: "mysql",
  target: "postgres",
  size: 1263e6,
  data: 800e6,
  tables: 1,
  jobs: 2,
  latency: { source: 0, target: 0 },
  measured: {},
  checksum: false,
  rowless: false,
};

test.each<[string, Load, number, number]>([
  ["the bench's table on its machine is in the middle", load, 7, 40],
  ["nothing", { ...load, size: 0, data: 0, tables: 0 }, 1, 1],
  ["a schema alone", { ...load, rowless: true }, 1, 1],
  ["200 tables", { ...load, size: 0, data: 0, tables: 200 }, 2, 3],
  ["far servers", { ...load, size: 0, data: 0, tables: 100, latency: { source: 50, target: 50 } }, 72, 72],
  ["a limit of the bandwidth", { ...load, bandwidth: 1e6 }, 801, 801],
  ["a comparison of values", { ...load, checksum: true }, 11, 60],
  ["a source that gives 1 MB a second and stream", { ...load, measured: { reading: 1e6 } }, 401, 801],
  ["a line of 2 MB a second to the target", { ...load, measured: { reading: 1e9, sending: 2e6 } }, 201, 401],
  ["measured rates that the rest is slower than", { ...load, measured: { reading: 1e9, sending: 1e9 } }, 7, 40],
])("%s", (_, given, least, most) => {
  expect(estimateTime(given).seconds).toEqual({ least, most });
});

test("it says what its rate rests on", () => {
  const { basis } = estimateTime({ ...load, measured: { reading: 210e6, sending: 2.5e6 } });
  expect(basis).toBe(
    "Assumed: 97 MB/s and 8 ms per table, up to twice as fast or three times as slow. Measured: 210 MB/s from the source, 2.5 MB/s to the target, round trips of 0.0 ms (source) and 0.0 ms (target).",
  );
});
