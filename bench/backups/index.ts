// npm run bench -- backups: a backup and its restore beside the programs that people use, in turns, each with its memory.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { bundleProgram } from "../../dev/program.ts";
import type { Terminal } from "../../dev/terminal/index.ts";
import { generateKey } from "../../src/backup/index.ts";
import { differences } from "../equal.ts";
import { median } from "../measure.ts";
import { endpoint } from "../own.ts";
import { openPeers, type Peers } from "../peers.ts";
import { type Engine, emptyDatabase, open } from "../servers.ts";
import { ordersShape } from "../shape.ts";
import { withSource } from "../source.ts";
import { runOwn, type Tools } from "./own.ts";
import { byPeers, names, type Taken } from "./peers.ts";
import { measureSample, type Times, timesOf } from "./times.ts";

const works = ["backup", "restore"] as const;
type Work = (typeof works)[number];

/** Rowferry's time by the other's, at most. */
const targets: Record<Engine, Record<Work, number>> = {
  postgres: { backup: 1 / 0.9, restore: 1 },
  mysql: { backup: 1 / 0.9, restore: 0.7 },
};
const mostMib = 256;

interface Figures {
  /** Medians. */
  ratio: number;
  seconds: { rowferry: number; other: number };
  peak_memory_mib: { rowferry: number; other: number };
  target: number;
  met: boolean;
  /** Rowferry's, of the last round. */
  phases: Record<string, number>;
}

export type Result = {
  rows: number;
  rounds: number;
  figures: Record<string, Figures>;
  times: Record<string, Times | string>;
};

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** Errors: a program's, or that what it restored is not equal. */
const measureEngine = async (
  engine: Engine,
  { rows, rounds }: { rows: number; rounds: number },
  tools: Tools & { peers: Peers },
): Promise<Pick<Result, "figures" | "times">> => {
  const { terminal, peers } = tools;
  const times: Result["times"] = {};
  const found = { own: { backup: [], restore: [] }, other: { backup: [], restore: [] } } as Record<
    "own" | "other",
    Record<Work, Taken[]>
  >;
  const phases: Record<Work, Record<string, number>> = { backup: {}, restore: {} };
  const key = await generateKey();
  const own = async (source: Database, target: Database) => {
    const folder = await mkdtemp(join(tmpdir(), "rowferry-bench-"));
    try {
      const asked = { folder, key: key.identity, recipient: key.recipient };
      for (const [work, database] of [
        ["backup", endpoint(source, "src")],
        ["restore", endpoint(target, "dst")],
      ] as const) {
        const { phases: its, ...taken } = await runOwn({ ...asked, work, database }, tools);
        found.own[work].push(taken);
        phases[work] = its;
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  const other = async (source: Database, target: Database) => {
    const taken = await byPeers(engine, source, target, peers);
    for (const work of works) found.other[work].push(taken[work]);
  };
  await withSource(engine, ordersShape(rows), tools, async ({ server, shape, facts }) => {
    const target = await open(engine);
    try {
      for (let round = 0; round < rounds; round++) {
        const turns = [
          ["rowferry", own],
          [names[engine].backup, other],
        ] as const;
        // Each round begins with another one, so that nobody always comes first.
        for (const [name, run] of round % 2 === 0 ? turns : turns.toReversed())
          await terminal.step(`${engine} ${round + 1}/${rounds} ${name}`, async () => {
            await emptyDatabase(target, "dst");
            await run(server, target);
            const wrong = await differences(target, shape, facts);
            if (wrong !== undefined) throw new Error(`what it restored is not equal: ${wrong}`);
          });
      }
    } finally {
      await target.stop();
    }
    times[`${engine} ${rows} rows`] = await terminal.step(`${engine} run and verification`, () =>
      timesOf(engine, endpoint(server, "src"), tools),
    );
  });
  const sample = await terminal.step(`${engine} run and verification of Sakila`, () => measureSample(engine, tools));
  times[`${engine} Sakila`] = sample;
  const figures = Object.fromEntries(
    works.map((work) => {
      const of = (who: "own" | "other") => rounded(median(found[who][work].map(({ ms }) => ms / 1000)));
      const peak = (who: "own" | "other") => Math.round(Math.max(...found[who][work].map(({ peakMib }) => peakMib)));
      const [ratio, target] = [rounded(of("own") / of("other")), rounded(targets[engine][work])];
      return [
        `${engine} ${work} by ${names[engine][work]}`,
        {
          ...{ ratio, target, met: ratio <= target && peak("own") <= mostMib },
          seconds: { rowferry: of("own"), other: of("other") },
          peak_memory_mib: { rowferry: peak("own"), other: peak("other") },
          phases: phases[work],
        },
      ];
    }),
  );
  return { figures, times };
};

export const measureBackups = async (
  { rows, rounds, engines }: { rows: number; rounds: number; engines: readonly Engine[] },
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Result> => {
  const program = await bundleProgram(join(import.meta.dirname, "program.ts"));
  try {
    const tools = { program, pgBin: await pgTools(terminal), terminal, signal };
    const peers = await openPeers(terminal, signal);
    const result: Result = { rows, rounds, figures: {}, times: {} };
    for (const engine of engines) {
      const { figures, times } = await measureEngine(engine, { rows, rounds }, { ...tools, peers });
      Object.assign(result.figures, figures);
      Object.assign(result.times, times);
    }
    return result;
  } finally {
    await program.remove();
  }
};

/** One line for each figure. */
export const backupLines = ({ rows, rounds, figures, times }: Result): string[] => [
  `Rowferry's time by the other's, ${rows} rows, ${rounds} rounds:`,
  ...Object.entries(figures).map(
    ([name, { ratio, target, met, seconds, peak_memory_mib: mib }]) =>
      `  ${name.padEnd(42)}${ratio.toFixed(2)}  at most ${target.toFixed(2)}${met ? "  met" : "  MISSED"}  (${seconds.rowferry} s and ${seconds.other} s; ${mib.rowferry} MiB of ${mostMib}, and ${mib.other} MiB)`,
  ),
  "A run with checksums, and its verification: a new server, the restore, counts and checksums:",
  ...Object.entries(times).map(
    ([name, one]) => `  ${name.padEnd(42)}${typeof one === "string" ? one : `${one.run} s and ${one.verification} s`}`,
  ),
];
