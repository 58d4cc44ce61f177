import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleProgram, type Program } from "../../../dev/program.ts";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { run } from "../../cli/process.ts";
import { directions, type Kind, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** Few tables of a database whose tables together do not fit into the memory of the process. */

const tables = 1_200;
/** Megabytes. */
const heap = 40;
const picked = ["customer_account_7", "customer_account_1199"];

const statements = Array.from({ length: tables / 50 }, (_, at) =>
  Array.from({ length: 50 }, (_, n) => {
    const name = `customer_account_${at * 50 + n}`;
    return `CREATE TABLE ${name} (id BIGINT PRIMARY KEY, parent_id BIGINT, email VARCHAR(120) NOT NULL,
      balance DECIMAL(12,2) NOT NULL DEFAULT 0, created_at TIMESTAMP NULL, CONSTRAINT ${name}_email_key UNIQUE (email));
      INSERT INTO ${name} (id, email) VALUES (1, 'a')`;
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

const rowferry = (words: string[]) =>
  run([...words, "--json"], {
    by: [process.execPath, `--max-old-space-size=${heap}`, "--max-semi-space-size=8", program.path],
    env: { ROWFERRY_PG_BIN: process.env.ROWFERRY_PG_BIN ?? "" },
  });

describe.each(directions)("%s to %s", (from, to) => {
  const pair = async () => {
    const target = await servers.make(to, []);
    const source = sources.get(from)?.endpoint as Endpoint;
    return { target, words: [urlOf(source), urlOf(target.endpoint)] };
  };
  const codesOf = (answer: { stdout: string }) =>
    (JSON.parse(answer.stdout).assessment.findings as { code: string }[]).map(({ code }) => code);

  test("all tables do not fit", async () => {
    const { words } = await pair();
    expect(codesOf(await rowferry(["assess", ...words]))).toContain("memory_too_small");
    // Nor do they without a few.
    const without = picked.map((name) => `--exclude=${name}`);
    expect(codesOf(await rowferry(["assess", ...words, ...without]))).toContain("memory_too_small");
  });

  test("the few that include names are copied", async () => {
    const { target, words } = await pair();
    const some = picked.map((name) => `--include=${name}`);
    expect(codesOf(await rowferry(["assess", ...words, ...some]))).not.toContain("memory_too_small");
    const copied = await rowferry(["copy", ...words, ...some]);
    expect(copied.stderr).not.toMatch(/out of memory/);
    expect(copied.code).toBe(0);
    expect(await servers.tables(target)).toBe(picked.length);
    const { inventory } = JSON.parse(copied.stdout).report as { inventory: { kind: string; outcome: string }[] };
    const left = inventory.filter(({ kind, outcome }) => kind === "table" && outcome === "not_applicable");
    expect(left).toHaveLength(tables - picked.length);
  });

  test("so are those that exclude spares", async () => {
    const { target, words } = await pair();
    const most = Array.from({ length: 9 }, (_, n) => `--exclude=customer_account_${n + 1}*`);
    const copied = await rowferry(["copy", ...words, ...most]);
    expect(copied.code).toBe(0);
    expect(await servers.tables(target)).toBe(1);
  });
});
