import { afterAll, beforeAll, expect, test } from "vitest";
import type { CopyOptions, EngineProgress } from "../../../src/engine/contract/index.ts";
import { copy } from "../../../src/engine/index.ts";
import { bytesPerSecond, etaSeconds, type PaceSample, percentOf, withSample } from "../../../src/engine/run/pace.ts";
import { directions, type Kind, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** What a person is shown of a copy between real servers. */

let servers: TwoKinds;
beforeAll(async () => {
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

/** Copies, and answers with a sample for each report of progress. `clock`: of the samples. */
async function watched(
  [from, to]: readonly [Kind, Kind],
  tables: readonly string[],
  options: Partial<CopyOptions>,
  clock: (reports: number) => number,
): Promise<{ progress: EngineProgress; at: number; samples: readonly PaceSample[] }[]> {
  const [source, target] = [await servers.make(from, tables), await servers.make(to, [])];
  const seen: Awaited<ReturnType<typeof watched>> = [];
  const { finish } = await copy(
    {
      ...{ owner: "owner-1", ownerName: "the test", reset: false },
      ...{ source: source.endpoint, target: target.endpoint },
      options: { jobs: 1, ...options },
    },
    {
      signal: new AbortController().signal,
      measured: () => undefined,
      log: () => undefined,
      progress(progress) {
        const at = clock(seen.length);
        seen.push({
          progress: structuredClone(progress),
          at,
          samples: withSample(seen.at(-1)?.samples ?? [], progress, at),
        });
      },
    },
  );
  await finish();
  return seen;
}

const rows = (name: string, doublings: number) => [
  `CREATE TABLE ${name} (id int PRIMARY KEY, v varchar(200))`,
  `INSERT INTO ${name} VALUES (1, REPEAT('x', 190))`,
  ...Array.from(
    { length: doublings },
    () => `INSERT INTO ${name} SELECT id + (SELECT MAX(id) FROM ${name}), v FROM ${name}`,
  ),
];

test.each(directions)(
  "%s to %s: while values are compared the percentage rises, and the time left is known",
  async (...way) => {
    const tables = Array.from({ length: 4 }, (_, at) => rows(`t${at}`, 16)).flat();
    const seen = await watched(way, tables, { verify: "checksum" }, (reports) => reports * 3_000);
    const percents = seen.map(({ progress }) => percentOf(progress));
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    const verifying = seen.filter(({ progress }) => progress.phase === "verifying");
    const shown = new Set(verifying.map(({ progress }) => percentOf(progress)));
    expect([...shown].some((percent) => percent > 96 && percent < 99)).toBe(true);
    expect(verifying.some(({ samples }) => etaSeconds(samples) !== undefined)).toBe(true);
    expect(seen.at(-1)?.progress.compared).toBe(4 * 65_536);
  },
);

const limit = 400_000;
/** What the limit lets through at once, and two blocks of a socket. */
const burst = limit / 4 + 2 * 65_536;

test.each(directions)(
  "%s to %s: bandwidth holds for the bytes that are read, and for the rate that is shown",
  async (...way) => {
    const seen = await watched(way, rows("t", 13), { bandwidth: limit }, () => performance.now());
    const copying = seen.filter(({ progress }) => progress.phase === "copying");
    const [first] = copying;
    const over = copying.map(({ at, progress }) => progress.read - (limit * (at - (first?.at ?? 0))) / 1000);
    const rates = copying.flatMap(({ samples }) => bytesPerSecond(samples) ?? []);
    expect(Math.max(...over)).toBeLessThan(burst);
    expect(copying.at(-1)?.progress.read).toBeGreaterThan(1_500_000);
    expect(rates.length).toBeGreaterThan(0);
    expect(Math.max(...rates)).toBeLessThan(limit + burst / 2);
  },
);
