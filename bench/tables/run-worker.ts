// One run of the worker between two servers, with the heap and the memory that the chart gives it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import type { Database } from "../../dev/databases/index.ts";
import type { Terminal } from "../../dev/terminal/index.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import type { WorkerAssignment } from "../../src/worker/protocol.ts";
import { runChild } from "../child.ts";
import { openMemoryGroup } from "./group.ts";
import { createMemoryWatch, type Peaks } from "./memory.ts";
import type { Ran } from "./worker.ts";

const chart = join(import.meta.dirname, "../../charts/rowferry/values.yaml");

/** What the chart gives the worker: the flags of node in its command, and the container's limit in MiB. */
export type WorkerSettings = { flags: string[]; limitMib: number };

/** `heap`: MB; 0: the chart's. */
export const workerSettings = async (heap: number): Promise<WorkerSettings> => {
  const { worker } = parse(await readFile(chart, "utf8")) as {
    worker: { command: string[]; resources: { limits: { memory: string } } };
  };
  const flags = worker.command.filter((word) => word.startsWith("--"));
  const limit = worker.resources.limits.memory;
  const limitMib = Number(/^(\d+)Mi$/.exec(limit)?.[1] ?? Number.NaN);
  if (Number.isNaN(limitMib)) throw new Error(`the chart's memory of the worker is ${limit}, not in Mi`);
  return { flags: heap === 0 ? flags : withHeap(flags, heap), limitMib };
};

const withHeap = (flags: readonly string[], heap: number): string[] =>
  flags.map((flag) => (flag.startsWith("--max-old-space-size=") ? `--max-old-space-size=${heap}` : flag));

/** What the image sets for the C library's memory. */
const imageSettings = async (): Promise<Record<string, string>> => {
  const dockerfile = await readFile(join(import.meta.dirname, "../../Dockerfile"), "utf8");
  return Object.fromEntries(
    [...dockerfile.matchAll(/^ENV (MALLOC_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
};

const location = (server: Database, database: string): WorkerAssignment["source"] => {
  const url = new URL(server.urlOf(database, "admin"));
  return { url: url.href, guard: { allow: ["127.0.0.0/8"], refuse: [] } };
};

export type WorkerTools = {
  program: string;
  settings: WorkerSettings;
  pgBin: string;
  terminal: Terminal;
  signal: AbortSignal;
};

/** `groupMib`: the peak of the control group's memory, or why there is none. */
export type WorkerRan = Ran & { peaks: Peaks; groupMib: number | string };

/** Copies the database `src` into `into`. Errors: none of the run's own. */
export const runWorker = async (
  { source, target, into, content }: { source: Database; target: Database; into: string; content: "all" | "schema" },
  { program, settings, pgBin, terminal, signal }: WorkerTools,
): Promise<WorkerRan> => {
  const work: WorkerAssignment = {
    owner: "bench-tables",
    ownerName: "the bench",
    run: 1,
    reached: false,
    reset: false,
    made: [],
    source: location(source, "src"),
    target: location(target, into),
    options: optionsSchema.parse(content === "all" ? {} : { content }),
  };
  const memory = createMemoryWatch();
  const group = await openMemoryGroup(`rowferry-bench-${process.pid}`, settings.limitMib);
  const isGroup = typeof group !== "string";
  const node = [...settings.flags, program];
  const [command, args] = isGroup ? group.command(process.execPath, node) : [process.execPath, node];
  try {
    const { output, words } = await runChild(
      command,
      args,
      {
        input: JSON.stringify(work),
        env: { PATH: process.env["PATH"], ROWFERRY_PG_BIN: pgBin, ...(await imageSettings()) },
        log: terminal.log,
        signal,
      },
      memory.watch,
    );
    const killed =
      isGroup && group.killed() > 0 ? `the kernel ended a process: ${settings.limitMib} MiB were full` : "";
    const died: Ran = {
      ok: false,
      message: /heap out of memory/.test(words) ? "out of memory" : words,
      seconds: {},
      tables: 0,
    };
    const ran = output === "" ? died : (JSON.parse(output) as Ran);
    return {
      ...ran,
      ...(killed === "" ? {} : { message: `${killed}; ${ran.message}` }),
      peaks: memory.peaks(),
      groupMib: isGroup ? (group.peakMib() ?? "the kernel has no memory.peak") : `no control group: ${group}`,
    };
  } finally {
    if (isGroup) await group.close();
  }
};
