// npm run bench -- tables: how long a schema of many tables takes, and how much memory, with the worker's heap as the chart
// sets it. Servers have their default settings.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { type Database, startDatabase } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { bundleProgram } from "../../dev/program.ts";
import type { Terminal } from "../../dev/terminal/index.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import type { WorkerAssignment } from "../../src/worker/protocol.ts";
import { runChild } from "../child.ts";
import { openPeers } from "../peers.ts";
import { type Direction, type Engine, emptyDatabase, engineOf, engines } from "../servers.ts";
import { dumpIntoMariadb, dumpIntoPsql, dumpSchema, type Named } from "./dump.ts";
import { createMemoryWatch } from "./memory.ts";
import { countsOf, makeTables } from "./schema.ts";
import type { Ran } from "./worker.ts";

/** `heap`: MB; 0: the chart's. */
export type Asked = { tables: number; directions: readonly Direction[]; heap: number };

const chart = join(import.meta.dirname, "../../charts/rowferry/values.yaml");

/** The flags of node in the chart's command of the worker. */
export const heapFlags = async (): Promise<string[]> => {
  const { worker } = parse(await readFile(chart, "utf8")) as { worker: { command: string[] } };
  return worker.command.filter((word) => word.startsWith("--"));
};

/** What the image sets for the C library's memory. */
const imageSettings = async (): Promise<Record<string, string>> => {
  const dockerfile = await readFile(join(import.meta.dirname, "../../Dockerfile"), "utf8");
  return Object.fromEntries(
    [...dockerfile.matchAll(/^ENV (MALLOC_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
};

const withHeap = (flags: readonly string[], heap: number): string[] =>
  heap === 0
    ? [...flags]
    : flags.map((flag) => (flag.startsWith("--max-old-space-size=") ? `--max-old-space-size=${heap}` : flag));

const location = (server: Database, database: string): WorkerAssignment["source"] => {
  const url = new URL(server.urlOf(database, "admin"));
  return { url: url.href, guard: { allow: ["127.0.0.0/8"], refuse: [] } };
};

/** Data are in memory: a disk that waits for each of ten thousand tables would be measured, and nothing else. */
const startKind = (engine: Engine): Promise<Database> =>
  startDatabase(engine === "mysql" ? "mariadb" : "postgres", { diskMegabytes: 6000 });

type Tools = { program: string; flags: readonly string[]; pgBin: string; terminal: Terminal; signal: AbortSignal };

/** Runs the worker. Errors: none of the run's own. */
const runWorker = async (source: Database, target: Database, { program, flags, pgBin, terminal, signal }: Tools) => {
  const work: WorkerAssignment = {
    owner: "bench-tables",
    ownerName: "the bench",
    run: 1,
    reached: false,
    reset: false,
    made: [],
    source: location(source, "src"),
    target: location(target, "dst"),
    options: optionsSchema.parse({}),
  };
  const memory = createMemoryWatch();
  const { output, words } = await runChild(
    process.execPath,
    [...flags, program],
    {
      input: JSON.stringify(work),
      env: { PATH: process.env["PATH"], ROWFERRY_PG_BIN: pgBin, ...(await imageSettings()) },
      log: terminal.log,
      signal,
    },
    memory.watch,
  );
  const died: Ran = {
    ok: false,
    message: /heap out of memory/.test(words) ? "out of memory" : words,
    seconds: {},
    tables: 0,
  };
  return { ...(output === "" ? died : (JSON.parse(output) as Ran)), peaks: memory.peaks() };
};

const rounded = (seconds: Record<string, number>) =>
  Object.fromEntries(Object.entries(seconds).map(([name, value]) => [name, Math.round(value * 10) / 10]));

const besideDump = (assess: number, dump: { seconds: number; peakMib: number }) => ({
  dump_seconds: Math.round(dump.seconds * 10) / 10,
  dump_mib: dump.peakMib,
  assess_by_dump: Math.round((assess / dump.seconds) * 100) / 100,
});

/** The same by the engine's own dump and client, into another database of the same server right after it. */
const byPipe = async (
  { source, target, tools }: { source: Database; target: Database; tools: Tools },
  total: number,
) => {
  await emptyDatabase(target, "piped");
  const from: Named = { server: source, database: "src" };
  const into: Named = { server: target, database: "piped" };
  const { terminal, signal } = tools;
  const pipe =
    engineOf(target) === "postgres"
      ? () => dumpIntoPsql(from, into, tools)
      : async () => dumpIntoMariadb(from, into, await openPeers(terminal, signal));
  const seconds = await terminal.step("Copy by the engine's dump, piped", pipe);
  return { piped_seconds: Math.round(seconds * 10) / 10, total_by_piped: Math.round((total / seconds) * 100) / 100 };
};

/** Copies `tables` tables in each direction. Resolves with one object for each, in the order of `directions`. */
export const measureTables = async ({ tables, directions, heap }: Asked, terminal: Terminal, signal: AbortSignal) => {
  const program = await bundleProgram(join(import.meta.dirname, "worker.ts"));
  const pgBin = await pgTools(terminal);
  const tools: Tools = { program: program.path, flags: withHeap(await heapFlags(), heap), pgBin, terminal, signal };
  const found: Record<string, { ok: boolean; [figure: string]: unknown }> = {};
  try {
    for (const engine of new Set(directions.map((direction) => engines[direction][0]))) {
      const source = await startKind(engine);
      try {
        await terminal.step(`Make ${tables} tables (${engine})`, () => makeTables(source, tables, signal));
        const dump = engine === "postgres" ? await dumpSchema({ server: source, database: "src" }, tools) : undefined;
        const wanted = await countsOf(source, "src");
        for (const direction of directions.filter((one) => engines[one][0] === engine)) {
          const target = await startKind(engines[direction][1]);
          try {
            await emptyDatabase(target, "dst");
            const ran = await terminal.step(`Copy ${direction}`, () => runWorker(source, target, tools));
            const there = await countsOf(target, "dst");
            const equal = JSON.stringify(there) === JSON.stringify(wanted);
            const { ok, message, seconds, peaks } = ran;
            const piped =
              engineOf(source) === engineOf(target)
                ? await byPipe({ source, target, tools }, seconds["total"] ?? 0)
                : {};
            found[direction] = {
              ok: ok && equal,
              message: equal || !ok ? message : `it made ${JSON.stringify(there)} of ${JSON.stringify(wanted)}`,
              worker_mib: peaks.own,
              children_mib: peaks.children,
              together_mib: peaks.together,
              ...(dump === undefined ? {} : besideDump(seconds["assess"] ?? 0, dump)),
              ...piped,
              seconds: rounded(seconds),
            };
            terminal.line(`${direction}: ${JSON.stringify(found[direction])}`);
          } finally {
            await target.stop();
          }
        }
      } finally {
        await source.stop();
      }
    }
  } finally {
    await program.remove();
  }
  return { tables, flags: tools.flags, directions: found };
};
