// Runs everything of one direction in turns, and says what each took.
import type { Terminal } from "../dev/terminal/index.ts";
import { differences } from "./equal.ts";
import type { Own } from "./own.ts";
import { inPeers, type Peers } from "./peers.ts";
import { type Runner, runners } from "./runners.ts";
import { type Direction, emptyDatabase, engines, open } from "./servers.ts";
import type { Source } from "./source.ts";

export type Measured = {
  /** Seconds of each round, by program; `rowferry` is ours. */
  seconds: Record<string, number[]>;
  /** The program's words where it failed; it is not run again then, and has no ratio. */
  failures: Record<string, string>;
  /** Of Rowferry with its children, one figure a round. */
  peakMib: number[];
};

export type Tools = {
  peers: Peers;
  own: Own;
  /** Another revision, which runs in place of other programs. */
  beside?: Own | undefined;
  terminal: Terminal;
  jobs: number;
};

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

/**
 * Copies what the source holds `rounds` times with each program, one after the other, each time into a new database, and
 * compares the outcome with the source. Errors: only an interrupt, or a target server that does not start.
 */
export const measure = async (
  direction: Direction,
  { server: source, shape, facts }: Source,
  rounds: number,
  tools: Tools,
  others: readonly Runner[] = tools.beside === undefined ? runners[direction] : [],
): Promise<Measured> => {
  const { terminal, peers, own, beside, jobs } = tools;
  const target = await open(engines[direction][1]);
  const found: Measured = { seconds: {}, failures: {}, peakMib: [] };
  const able = others.filter((runner) => runner.general || shape.name === "orders");
  const turns: { name: string; copy(): Promise<number> }[] = [
    {
      name: "rowferry",
      copy: async () => {
        const { ms, peakMib } = await own.run(source, target, jobs);
        found.peakMib.push(peakMib);
        return ms;
      },
    },
    ...(beside === undefined
      ? []
      : [{ name: "beside", copy: async () => (await beside.run(source, target, jobs)).ms }]),
    ...able.map((runner) => ({
      name: runner.name,
      copy: async () => {
        const { script, files } = runner.script(source, target, shape);
        return (await inPeers(peers, script, files === undefined ? {} : { files })).ms;
      },
    })),
  ];
  try {
    for (let round = 0; round < rounds; round++) {
      // Each round begins with another one, so that nobody always comes first.
      const first = round % turns.length;
      for (const { name, copy } of [...turns.slice(first), ...turns.slice(0, first)]) {
        if (found.failures[name] !== undefined) continue;
        await terminal
          .step(`${direction} ${shape.name} ${round + 1}/${rounds} ${name}`, async (step) => {
            await emptyDatabase(target, "dst");
            const ms = await copy();
            step.note(`${(ms / 1000).toFixed(1)} s`);
            const wrong = await differences(target, shape, facts);
            if (wrong !== undefined) throw new Error(`what it made is not equal: ${wrong}`);
            found.seconds[name] = [...(found.seconds[name] ?? []), ms / 1000];
          })
          .catch((error: unknown) => {
            peers.signal.throwIfAborted();
            found.failures[name] = error instanceof Error ? error.message : String(error);
          });
      }
    }
    return found;
  } finally {
    await target.stop();
  }
};
