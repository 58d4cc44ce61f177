// npm run bench [-- --quick] [-- --only DIRECTION] [-- --rounds N] [-- --memory] [-- --json]: Rowferry beside the programs that
// people use, on this machine. Takes half an hour at full size; nothing else should run meanwhile.
import { parseArgs } from "node:util";
import { runCommand } from "../dev/terminal/command.ts";
import { measure, type Tools } from "./measure.ts";
import { openOwn } from "./own.ts";
import { inPeers, openPeers, type Peers } from "./peers.ts";
import { lines, mediansOf, peakOf, type Result, ratiosOf } from "./report.ts";
import { type Direction, engines } from "./servers.ts";
import { manyShape, ordersShape, type Shape, wideShape } from "./shape.ts";

const fullRows = 3_000_000;
const jobs = 2;

const versionsOf = async (peers: Peers): Promise<Record<string, string>> => {
  const programs = ["pgloader", "pgcopydb", "pg_dump", "mydumper", "mariadb-dump"];
  const found = programs.map(async (name) => {
    const { output } = await inPeers(peers, `${name} --version 2>&1 || true`);
    return [name, /\d+\.\d+(\.\d+)?/.exec(output.replace(/^mariadb-dump from/, ""))?.[0] ?? ""] as const;
  });
  return Object.fromEntries(await Promise.all(found));
};

/** Peak memory of Rowferry alone on the table, on one ten times larger, and on rows of 16 MB. */
const memory = async (
  directions: Direction[],
  rows: number,
  tools: Tools,
): Promise<Record<string, Record<string, number | null>>> => {
  const shapes: [string, Shape][] = [
    ["orders", ordersShape(rows)],
    ["orders_x10", ordersShape(rows * 10)],
    ["rows_of_16_mb", wideShape()],
  ];
  const result: Record<string, Record<string, number | null>> = {};
  for (const direction of directions) {
    const row: Record<string, number | null> = {};
    for (const [name, shape] of shapes) {
      const measured = await measure(direction, shape, 1, tools, []);
      for (const words of Object.values(measured.failures)) tools.terminal.line(`${direction} ${name}: ${words}`);
      row[name] = peakOf(measured);
    }
    result[direction] = row;
  }
  return result;
};

const compare = async (directions: Direction[], rows: number, rounds: number, tools: Tools): Promise<Result> => {
  const result: Result = {
    ratios: {},
    peak_memory_mib: {},
    tables200: { ratios: {}, seconds: {} },
    seconds: {},
    failures: {},
    rows,
    rounds,
    jobs,
    versions: await versionsOf(tools.peers),
  };
  for (const direction of directions) {
    const big = await measure(direction, ordersShape(rows), rounds, tools);
    const many = await measure(direction, manyShape(), rounds, tools);
    Object.assign(result.ratios, Object.fromEntries(ratiosOf(direction, big, true)));
    Object.assign(result.tables200.ratios, Object.fromEntries(ratiosOf(direction, many, false)));
    result.seconds[direction] = mediansOf(big);
    result.tables200.seconds[direction] = mediansOf(many);
    result.peak_memory_mib[direction] = peakOf(big);
    for (const [shape, { failures }] of [
      ["orders", big],
      ["many", many],
    ] as const) {
      for (const [name, words] of Object.entries(failures)) result.failures[`${direction}/${name} (${shape})`] = words;
    }
  }
  return result;
};

await runCommand("bench", async ({ terminal, signal }) => {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      memory: { type: "boolean", default: false },
      only: { type: "string" },
      rounds: { type: "string", default: "3" },
    },
  });
  const all = Object.keys(engines) as Direction[];
  const directions = all.filter((direction) => values.only === undefined || values.only === direction);
  if (directions.length === 0) throw new Error(`--only takes one of ${all.join(", ")}`);
  const rows = values.quick ? fullRows / 10 : fullRows;
  const own = await openOwn(terminal.log, signal);
  try {
    const tools: Tools = { own, terminal, jobs, peers: await openPeers(terminal, signal) };
    if (values.memory) {
      const result = { peak_memory_mib: await memory(directions, rows, tools), rows, jobs };
      if (values.json) console.log(JSON.stringify(result));
      else console.log(JSON.stringify(result, undefined, 2));
      return 0;
    }
    const result = await compare(directions, rows, Number(values.rounds), tools);
    if (values.json) console.log(JSON.stringify(result));
    else for (const line of lines(result)) console.log(line);
    return 0;
  } finally {
    await own.close();
  }
});
