// Runs everything of one direction in turns, and says what each took.
import type { Database } from "../dev/databases/index.ts";
import type { Terminal } from "../dev/terminal/index.ts";
import type { Own } from "./own.ts";
import { inPeers, type Peers } from "./peers.ts";
import { type Runner, runners } from "./runners.ts";
import { countRows, type Direction, emptyDatabase, engines, fill, open } from "./servers.ts";
import type { Shape } from "./shape.ts";

export type Measured = {
  /** Seconds of each round, by program; `rowferry` is ours, and absent where it does not copy in this direction. */
  seconds: Record<string, number[]>;
  /** The program's words where it failed. */
  failures: Record<string, string>;
  peakMib: number[];
};

export type Tools = { peers: Peers; own: Own; terminal: Terminal; jobs: number };

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

/** Copies the shape `rounds` times with each program, one after the other, each time into a new database. */
export const measure = async (
  direction: Direction,
  shape: Shape,
  rounds: number,
  tools: Tools,
  others: readonly Runner[] = runners[direction],
): Promise<Measured> => {
  const { terminal, peers, own, jobs } = tools;
  const [from, to] = engines[direction];
  const [source, target] = await Promise.all([open(from), open(to)]);
  const found: Measured = { seconds: {}, failures: {}, peakMib: [] };
  const note = (name: string, ms: number) => {
    found.seconds[name] = [...(found.seconds[name] ?? []), ms / 1000];
  };
  const ourTurn = async (): Promise<void> => {
    const done = await own.run(source, target, jobs);
    if (done === undefined) return;
    await check(target, shape, "rowferry");
    note("rowferry", done.ms);
    found.peakMib.push(done.peakMib);
  };
  try {
    await terminal.step(`Fill the source of ${direction} (${shape.name}, ${shape.rows} rows)`, () =>
      fill(source, shape, peers),
    );
    const able = others.filter((runner) => runner.general || shape.name === "orders");
    for (let round = 1; round <= rounds; round++) {
      const turns = [
        { name: "rowferry", turn: ourTurn },
        ...able.map((runner) => ({
          name: runner.name,
          turn: async () => {
            const { script, files } = runner.script(source, target, shape);
            const { ms } = await inPeers(peers, script, files === undefined ? {} : { files });
            await check(target, shape, runner.name);
            note(runner.name, ms);
          },
        })),
      ];
      // Each round begins with another one, so that nobody always comes first.
      const first = (round - 1) % turns.length;
      for (const { name, turn } of [...turns.slice(first), ...turns.slice(0, first)]) {
        if (found.failures[name] !== undefined) continue;
        await emptyDatabase(target, "dst");
        await terminal.step(`${direction} ${shape.name} ${round}/${rounds} ${name}`, turn).catch((error: unknown) => {
          peers.signal.throwIfAborted();
          found.failures[name] = error instanceof Error ? error.message : String(error);
        });
      }
    }
    return found;
  } finally {
    await Promise.all([source.stop(), target.stop()]);
  }
};

/** A program that loses rows is not fast. */
const check = async (target: Database, shape: Shape, name: string): Promise<void> => {
  const rows = await countRows(target, "dst", shape);
  if (rows !== shape.rows) throw new Error(`${name} brought ${rows} of ${shape.rows} rows`);
};
