import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleProgram, type Program } from "../../../dev/program.ts";
import { start } from "../../cli/process.ts";
import { directions, type Kind, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** What a copy keeps of each table: ten thousand tables fit into the chart's memory only while it is little (memory/need.ts). */

const few = 20;
const many = 240;
/** Bytes of heap for each table, a seventh above the measured ones; with the plans that are at hand (recent.ts). */
const most: Record<`${Kind}-${Kind}`, number> = {
  "postgres-postgres": 9_500,
  "postgres-mariadb": 12_300,
  "mariadb-postgres": 16_600,
  "mariadb-mariadb": 10_000,
};

const tableSql = (at: number) => {
  const name = `customer_account_${at}`;
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

async function heapOf(from: Kind, to: Kind, tables: number): Promise<number> {
  const source = await sourceOf(from, tables);
  const target = await servers.make(to, []);
  const request = {
    ...{ owner: "owner-1", ownerName: "the test", source: source.endpoint, target: target.endpoint, reset: false },
    options: { jobs: 1 },
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

test.each(directions)("%s to %s keeps no more of each table than it did", async (from, to) => {
  const [less, more] = [await heapOf(from, to, few), await heapOf(from, to, many)];
  const each = (more - less) / (many - few);
  expect(each).toBeLessThan(most[`${from}-${to}`]);
});
