// npm run bench: Rowferry beside the programs that people use, on this machine. Takes half an hour at full size; nothing else
// should run meanwhile.
import { resolve } from "node:path";
import { runCommand } from "../dev/terminal/command.ts";
import { type Options, wholeNumber } from "../dev/terminal/options.ts";
import { backupLines, measureBackups } from "./backups/index.ts";
import { type Measured, measure, type Tools } from "./measure.ts";
import { openOwn } from "./own.ts";
import { inPeers, openPeers, type Peers } from "./peers.ts";
import { lines, peakOf, resultOf } from "./report.ts";
import type { Runner } from "./runners.ts";
import { type Direction, type Engine, engines } from "./servers.ts";
import { manyShape, ordersShape, type Shape, wideShape } from "./shape.ts";
import { withSource } from "./source.ts";
import { measureTables } from "./tables/index.ts";

const fullRows = 3_000_000;
const jobs = 2;

const versionsOf = async (peers: Peers): Promise<Record<string, string>> => {
  const programs = ["pgloader", "pgcopydb", "pg_dump", "mydumper", "mariadb-dump"];
  const found = programs.map(async (name) => {
    const { output } = await inPeers(peers, `${name} --version 2>&1 || true`);
    return [name, /(?:version "?|PostgreSQL\) |mydumper v?|from )(\d+(?:\.\d+)+)/.exec(output)?.[1] ?? ""] as const;
  });
  return Object.fromEntries(await Promise.all(found));
};

/** One after the other, so that nothing else runs; directions with the same source have it in common. Never throws for a program. */
const measureAll = async (
  directions: readonly Direction[],
  shapes: readonly Shape[],
  rounds: number,
  tools: Tools,
  others?: readonly Runner[],
): Promise<Map<Direction, Map<string, Measured>>> => {
  const found = new Map(directions.map((direction) => [direction, new Map<string, Measured>()]));
  const sources = new Set(directions.map((direction) => engines[direction][0]));
  for (const engine of sources) {
    const its = directions.filter((direction) => engines[direction][0] === engine);
    const failed = (direction: Direction, shape: Shape, error: unknown): void => {
      tools.peers.signal.throwIfAborted();
      const words = error instanceof Error ? error.message : String(error);
      tools.terminal.line(`${direction} ${shape.name}: ${words}`);
      found.get(direction)?.set(shape.name, { seconds: {}, failures: { servers: words }, peakMib: [] });
    };
    for (const shape of shapes) {
      await withSource(engine, shape, tools, async (source) => {
        for (const direction of its) {
          await measure(direction, source, rounds, tools, others).then(
            (measured) => found.get(direction)?.set(shape.name, measured),
            (error: unknown) => failed(direction, shape, error),
          );
        }
      }).catch((error: unknown) => {
        for (const direction of its) if (!found.get(direction)?.has(shape.name)) failed(direction, shape, error);
      });
    }
  }
  return found;
};

/** Peak memory of Rowferry alone on the table, on one ten times larger, and on rows of 16 MB. */
const memory = async (directions: readonly Direction[], rows: number, tools: Tools) => {
  const names = { orders: ordersShape(rows), orders_x10: ordersShape(rows * 10), rows_of_16_mb: wideShape() };
  const failures: Record<string, string> = {};
  const peaks: Record<string, Record<string, number | null>> = Object.fromEntries(directions.map((name) => [name, {}]));
  for (const [name, shape] of Object.entries(names)) {
    for (const [direction, byShape] of await measureAll(directions, [shape], 1, tools, [])) {
      const measured = byShape.get(shape.name);
      Object.assign(peaks[direction] ?? {}, { [name]: measured === undefined ? null : peakOf(measured) });
      for (const words of Object.values(measured?.failures ?? {})) failures[`${direction} (${name})`] = words;
    }
  }
  return { peak_memory_mib: peaks, failures, rows, jobs };
};

const all = Object.keys(engines) as Direction[];
const options = {
  quick: { type: "boolean", default: false, about: "A tenth of the rows" },
  rounds: { type: "string", value: "N", default: "3", about: "Measurements of each program (3)" },
  memory: { type: "boolean", default: false, about: "Rowferry's peak memory instead of its speed" },
  tables: { type: "string", value: "N", default: "10000", about: "How many, with tables (10000)" },
  beside: { type: "string", value: "FOLDER", about: "Another checkout, with its packages, in place of other programs" },
  heap: { type: "string", value: "MB", default: "0", about: "The worker's heap, with tables (the chart's)" },
  json: { type: "boolean", default: false, about: "Print one JSON object" },
} satisfies Options;
/** A schema of many tables with the worker's memory of the chart, or with --heap, in place of speed. */
const tablesWord = "tables";
/** Backups and restores in place of copies; with it `postgres` or `mysql` alone. */
const backupsWord = "backups";
const backedUp: readonly Engine[] = ["mysql", "postgres"];
const words = {
  usage: "[backups|tables] [DIRECTION]…",
  about: "These alone; backups: of mysql or postgres; tables: many tables in place of speed; of",
  among: [backupsWord, tablesWord, ...all, ...backedUp],
};
const about = "Compares Rowferry's speed with other programs on this machine.";

await runCommand({ name: "bench", about, options, words }, async ({ terminal, signal, values, words: only }) => {
  const rounds = wholeNumber("--rounds", values.rounds, 1);
  const named = all.filter((direction) => only.includes(direction));
  const directions = named.length === 0 ? all : named;
  if (only.includes(tablesWord)) {
    const tables = wholeNumber("--tables", values.tables, 1);
    const heap = wholeNumber("--heap", values.heap, 0);
    const measured = await measureTables({ tables, directions, heap }, terminal, signal);
    console.log(JSON.stringify(measured, undefined, values.json ? 0 : 2));
    return Object.values(measured.directions).every(({ ok }) => ok) ? 0 : 1;
  }
  const rows = values.quick ? fullRows / 10 : fullRows;
  if (only.includes(backupsWord)) {
    const some = backedUp.filter((engine) => only.includes(engine));
    const result = await measureBackups(
      { rows, rounds, engines: some.length === 0 ? backedUp : some },
      terminal,
      signal,
    );
    if (values.json) console.log(JSON.stringify(result));
    else for (const line of backupLines(result)) console.log(line);
    return 0;
  }
  const own = await openOwn(terminal.log, signal);
  const beside = values.beside === undefined ? undefined : await openOwn(terminal.log, signal, resolve(values.beside));
  try {
    const tools: Tools = { own, beside, terminal, jobs, peers: await openPeers(terminal, signal) };
    if (values.memory) {
      console.log(JSON.stringify(await memory(directions, rows, tools), undefined, values.json ? 0 : 2));
      return 0;
    }
    const shapes = [ordersShape(rows), manyShape()];
    const measured = await measureAll(directions, shapes, rounds, tools);
    const versions = await versionsOf(tools.peers);
    const result = resultOf(measured, {
      ...{ rows, rounds, jobs, versions },
      ...(values.beside === undefined ? {} : { beside: values.beside }),
    });
    if (values.json) console.log(JSON.stringify(result));
    else for (const line of lines(result)) console.log(line);
    return 0;
  } finally {
    await Promise.all([own.close(), beside?.close()]);
  }
});
