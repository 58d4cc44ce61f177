import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleProgram, type Program } from "../../../dev/program.ts";
import type { CopyOptions } from "../../../src/engine/contract/index.ts";
import { start } from "../../cli/process.ts";
import { directions, type Kind, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** What a copy keeps of each table: ten thousand tables fit into the chart's memory only while it is little (run/memory/need.ts). */

const few = 20;
const many = 240;
/**
 * Bytes of heap for each table, a seventh above the measured ones; with the plans that are at hand (run/memory/recent.ts). `data`: of a
 * copy of rows alone, into the servers where each table is planned by the one that is there.
 */
const limits: Record<`${Kind}-${Kind}`, { all: number; data?: number }> = {
  "postgres-postgres": { all: 9_500 },
  "postgres-mariadb": { all: 12_300, data: 13_900 },
  "mariadb-postgres": { all: 16_600 },
  "mariadb-mariadb": { all: 10_000, data: 8_900 },
};

const nameOf = (at: number) => `customer_account_${at}`;
const tableSql = (at: number) => {
  const name = nameOf(at);
  return `CREATE TABLE ${name} (id BIGINT PRIMARY KEY, parent_id BIGINT, email VARCHAR(120) NOT NULL,
    balance DECIMAL(12,2) NOT NULL DEFAULT 0, created_at TIMESTAMP NULL, CONSTRAINT ${name}_email_key UNIQUE (email));
    CREATE INDEX ${name}_parent_id_idx ON ${name} (parent_id); INSERT INTO ${name} (id, email) VALUES (1, 'a')`;
};
const statements = (tables: number) =>
  Array.from({ length: tables / 20 }, (_, at) => Array.from({ length: 20 }, (_, n) => tableSql(at * 20 + n)).join(";"));

let servers: TwoKinds;
let program: Program;
beforeAll(async () => {
  [servers, program] = await Promise.all([
    startTwoKinds(),
    bundleProgram(join(import.meta.dirname, "../../support/engine/heap-program.ts")),
  ]);
});
afterAll(() => Promise.all([servers?.stop(), program?.remove()]));

const sources = new Map<string, ReturnType<TwoKinds["make"]>>();
const sourceOf = (kind: Kind, tables: number) => {
  const key = `${kind} ${tables}`;
  const made = sources.get(key) ?? servers.make(kind, statements(tables));
  sources.set(key, made);
  return made;
};

type Made = Awaited<ReturnType<TwoKinds["make"]>>;

async function heapOf(source: Made, target: Made, tables: number, options: Partial<CopyOptions> = {}): Promise<number> {
  const request = {
    ...{ owner: "owner-1", ownerName: "the test", source: source.endpoint, target: target.endpoint, reset: false },
    options: { jobs: 1, ...options },
  };
  const child = start([], {
    by: [process.execPath, "--expose-gc", program.path],
    env: { ROWFERRY_PG_BIN: process.env.ROWFERRY_PG_BIN ?? "" },
  });
  child.end(JSON.stringify({ request, every: 30 }));
  const { code } = await child.ended;
  expect(code, child.stderr()).toBe(0);
  const found = JSON.parse(child.stdout()) as { bytes: number; tables: number };
  expect(found.tables).toBe(tables);
  return found.bytes;
}

/** With the schema, and then the rows alone into the same tables. */
async function heapsOf(from: Kind, to: Kind, tables: number): Promise<{ all: number; data: number }> {
  const [source, target] = [await sourceOf(from, tables), await servers.make(to, [])];
  const all = await heapOf(source, target, tables);
  if (limits[`${from}-${to}`].data === undefined) return { all, data: 0 };
  const drop = Array.from({ length: tables }, (_, at) => nameOf(at));
  return { all, data: await heapOf(source, target, tables, { content: "data", drop }) };
}

test.each(directions)("%s to %s keeps no more of each table than it did", async (from, to) => {
  const [less, more] = [await heapsOf(from, to, few), await heapsOf(from, to, many)];
  const each = (content: keyof typeof less) => (more[content] - less[content]) / (many - few);
  const most = limits[`${from}-${to}`];
  expect(each("all")).toBeLessThan(most.all);
  if (most.data !== undefined) expect(each("data")).toBeLessThan(most.data);
});
