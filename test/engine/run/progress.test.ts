import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { EngineProgress, Phase } from "../../../src/engine/contract/index.ts";
import { copy } from "../../../src/engine/index.ts";
import { percentOf } from "../../../src/engine/run/pace.ts";
import { directions, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** What a person sees of a copy of many tables: a percentage that moves in each phase, and never back. */

let servers: TwoKinds;
beforeAll(async () => {
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

const count = 700;
const tables = Array.from({ length: count }, (_, n) => {
  const key = n % 3 === 0 ? "" : `, CONSTRAINT f${n} FOREIGN KEY (up) REFERENCES t${n - 1} (id)`;
  return `CREATE TABLE t${n} (id int PRIMARY KEY, up int, note varchar(40)${key})`;
});

test.each(directions)(
  "%s to %s: the percentage moves within the schema and within the keys, and never back",
  async (from, to) => {
    const source = await servers.make(from, [tables.join("; "), "INSERT INTO t0 VALUES (1, NULL, 'one')"]);
    const target = await servers.make(to, []);
    const shown: EngineProgress[] = [];
    // A notice is due after 10 ms and not after 200: a quick machine would be done with a phase before the second one.
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() * 20);
    const copied = await copy(
      {
        ...{ owner: "owner-1", ownerName: "the test", source: source.endpoint, target: target.endpoint, reset: false },
        options: { jobs: 2 },
      },
      {
        signal: new AbortController().signal,
        measured: () => undefined,
        log: () => undefined,
        progress: (progress) => void shown.push(progress),
      },
    );
    await copied.finish();
    vi.restoreAllMocks();
    const percents = shown.map(percentOf);
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    const within = (phase: Phase) => new Set(shown.filter((one) => one.phase === phase).map(percentOf)).size;
    expect(within("schema")).toBeGreaterThan(2);
    expect(within("constraints")).toBeGreaterThan(2);
    expect(percents.at(-1)).toBe(100);
  },
  300_000,
);
