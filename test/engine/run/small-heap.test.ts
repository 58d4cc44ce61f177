import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleProgram, type Program } from "../../../dev/program.ts";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { type MemoryDirection, neededMemory } from "../../../src/engine/run/memory/need.ts";
import { run } from "../../cli/process.ts";
import { directions, type Kind, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** A database whose tables do not fit into the memory of the process: it ends before the first write, not in the middle by the kernel. */

const tables = 600;
const counted = { tables, columns: tables * 5 };
/** The database is refused, and what is needed to say so fits. */
const smallHeap = 32;

const statements = Array.from({ length: tables / 50 }, (_, at) =>
  Array.from({ length: 50 }, (_, n) => {
    const name = `customer_account_${at * 50 + n}`;
    return `CREATE TABLE ${name} (id BIGINT PRIMARY KEY, parent_id BIGINT, email VARCHAR(120) NOT NULL,
      balance DECIMAL(12,2) NOT NULL DEFAULT 0, created_at TIMESTAMP NULL, CONSTRAINT ${name}_email_key UNIQUE (email));
      CREATE INDEX ${name}_parent_id_idx ON ${name} (parent_id); INSERT INTO ${name} (id, email) VALUES (1, 'a')`;
  }).join(";"),
);
let servers: TwoKinds;
let program: Program;
const sources = new Map<Kind, Awaited<ReturnType<TwoKinds["make"]>>>();
beforeAll(async () => {
  [servers, program] = await Promise.all([
    startTwoKinds(),
    bundleProgram(join(import.meta.dirname, "../../../src/main/cli.ts")),
  ]);
  for (const kind of ["postgres", "mariadb"] as const) sources.set(kind, await servers.make(kind, statements));
});
afterAll(() => Promise.all([servers?.stop(), program?.remove()]));

const urlOf = ({ engine, user, password, host, port, database }: Endpoint) =>
  `${engine}://${user}:${password}@${host}:${port}/${database}?sslmode=disable`;

/** The command line in a process with so many megabytes of heap. */
const rowferry = (heap: number, words: string[]) =>
  run([...words, "--json"], {
    by: [process.execPath, `--max-old-space-size=${heap}`, "--max-semi-space-size=8", program.path],
    env: { ROWFERRY_PG_BIN: process.env.ROWFERRY_PG_BIN ?? "" },
  });

describe.each(directions)("%s to %s", (from, to) => {
  const engineOf = (kind: Kind): Endpoint["engine"] => (kind === "postgres" ? "postgres" : "mysql");
  const direction: MemoryDirection = `${engineOf(from)}-${engineOf(to)}`;
  const need = neededMemory(direction, counted);
  const heap = need.heap / 2 ** 20;
  const pair = async () => {
    const target = await servers.make(to, []);
    const source = sources.get(from)?.endpoint as Endpoint;
    return { target, words: [urlOf(source), urlOf(target.endpoint)] };
  };

  test("a heap that is too small is a blocker, and nothing is written", async () => {
    const { target, words } = await pair();
    const assessed = await rowferry(smallHeap, ["assess", ...words]);
    expect(JSON.parse(assessed.stdout).assessment).toMatchObject({
      ready: false,
      source: { tables },
      findings: expect.arrayContaining([
        expect.objectContaining({
          severity: "blocker",
          code: "memory_too_small",
          reason: expect.stringContaining("600 tables and views with 3,000 columns"),
          fix: expect.stringMatching(
            new RegExp(`--max-old-space-size=${heap} in worker.command .* to ${need.container / 2 ** 20}Mi`),
          ),
        }),
      ]),
    });
    const copied = await rowferry(smallHeap, ["copy", ...words]);
    expect(copied.code).not.toBe(0);
    expect(JSON.parse(copied.stdout)).toMatchObject({ error: { code: "memory_too_small", retryable: false } });
    expect(await servers.tables(target)).toBe(0);
  });

  test("the heap that the message names is enough", async () => {
    const { target, words } = await pair();
    const copied = await rowferry(heap, ["copy", ...words]);
    expect(copied.stderr).not.toMatch(/out of memory/);
    expect(copied.code).toBe(0);
    expect(await servers.tables(target)).toBe(tables);
  });
});
