// npm run bench -- tables: how long a schema of many tables takes, and how much memory, with the heap and the memory that the
// chart gives the worker. Servers have their default settings.
import { join } from "node:path";
import { type Database, startDatabase } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { bundleProgram } from "../../dev/program.ts";
import type { Terminal } from "../../dev/terminal/index.ts";
import { type Direction, type Engine, emptyDatabase, engines } from "../servers.ts";
import { dumpInto, dumpSchema } from "./dump.ts";
import { runWorker, type WorkerTools, workerSettings } from "./run-worker.ts";
import { countsOf, makeTables } from "./schema.ts";

/** `heap`: MB; 0: the chart's. */
export type Asked = { tables: number; directions: readonly Direction[]; heap: number };

/** Data are in memory: a disk that waits for each of ten thousand tables would be measured, and nothing else. */
const startKind = (engine: Engine): Promise<Database> =>
  startDatabase(engine === "mysql" ? "mariadb" : "postgres", { diskMegabytes: 6000 });

const tenths = (value: number): number => Math.round(value * 10) / 10;
const hundredths = (value: number): number => Math.round(value * 100) / 100;

const rounded = (seconds: Record<string, number>) =>
  Object.fromEntries(Object.entries(seconds).map(([name, value]) => [name, tenths(value)]));

type Found = { ok: boolean; [figure: string]: unknown };
type Servers = { source: Database; target: Database };

/** What is not the making of a schema: looking at both sides before it, and comparing them after it. */
const besideMaking = ["assess", "verifying", "finished", "total"];

/** Everything, beside the engine's own dump where both servers are of one engine. */
const copyAll = async (direction: Direction, servers: Servers, tools: WorkerTools): Promise<Found> => {
  const { source, target } = servers;
  await emptyDatabase(target, "dst");
  const ran = await tools.terminal.step(`Copy ${direction}`, () =>
    runWorker({ ...servers, into: "dst", content: "all" }, tools),
  );
  const { ok, message, seconds, peaks, groupMib } = ran;
  const [wanted, there] = [await countsOf(source, "src"), await countsOf(target, "dst")];
  const equal = JSON.stringify(there) === JSON.stringify(wanted);
  const found = {
    ok: ok && equal,
    message: equal || !ok ? message : `it made ${JSON.stringify(there)} of ${JSON.stringify(wanted)}`,
    group_mib: groupMib,
    worker_mib: peaks.own,
    children_mib: peaks.children,
    together_mib: peaks.together,
    seconds: rounded(seconds),
  };
  const [from, to] = engines[direction];
  if (from !== to) return found;
  const piped = await dumpInto({ server: source, database: "src" }, { server: target, database: "dst" }, "all", tools);
  return { ...found, piped_seconds: tenths(piped), total_by_piped: hundredths((seconds["total"] ?? 0) / piped) };
};

/** The schema alone, beside the dump and the client of the source's engine, into a server of that engine. */
const copySchema = async (direction: Direction, servers: Servers, tools: WorkerTools): Promise<Found> => {
  const { source, target } = servers;
  const [from, to] = engines[direction];
  await emptyDatabase(target, "dst");
  const { ok, message, seconds, groupMib } = await tools.terminal.step(`Copy the schema alone, ${direction}`, () =>
    runWorker({ ...servers, into: "dst", content: "schema" }, tools),
  );
  const peer = from === to ? target : await startKind(from);
  try {
    const into = { server: peer, database: "dst" };
    const piped = await dumpInto({ server: source, database: "src" }, into, "schema", tools);
    const making = Object.entries(seconds)
      .filter(([phase]) => !besideMaking.includes(phase))
      .reduce((sum, [, value]) => sum + value, 0);
    return {
      ok,
      ...(ok ? {} : { message }),
      group_mib: groupMib,
      seconds: { ...rounded(seconds), making: tenths(making) },
      piped_seconds: tenths(piped),
      schema_by_dump: hundredths(making / piped),
      total_by_dump: hundredths((seconds["total"] ?? 0) / piped),
    };
  } finally {
    if (peer !== target) await peer.stop();
  }
};

const dumpAlone = async (server: Database, tools: WorkerTools) => {
  const { seconds, peakMib } = await dumpSchema({ server, database: "src" }, tools);
  return { dump_seconds: tenths(seconds), dump_mib: peakMib };
};

/** Copies `tables` tables in each direction. Resolves with one object for each, in the order of `directions`. */
export const measureTables = async ({ tables, directions, heap }: Asked, terminal: Terminal, signal: AbortSignal) => {
  const settings = await workerSettings(heap);
  const program = await bundleProgram(join(import.meta.dirname, "worker.ts"));
  const tools: WorkerTools = { program: program.path, settings, pgBin: await pgTools(terminal), terminal, signal };
  const found: Record<string, Found> = {};
  try {
    for (const engine of new Set(directions.map((direction) => engines[direction][0]))) {
      const source = await startKind(engine);
      try {
        await terminal.step(`Make ${tables} tables (${engine})`, () => makeTables(source, tables, signal));
        const dump = engine === "postgres" ? await dumpAlone(source, tools) : undefined;
        for (const direction of directions.filter((one) => engines[one][0] === engine)) {
          const target = await startKind(engines[direction][1]);
          try {
            const all = await copyAll(direction, { source, target }, tools);
            const schema = await copySchema(direction, { source, target }, tools);
            found[direction] = { ...all, ok: all.ok && schema.ok, ...(dump ?? {}), schema };
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
  return { tables, flags: settings.flags, limit_mib: settings.limitMib, directions: found };
};
