import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import type { Pair } from "../../support/engine/mysql-mysql-support.ts";
import * as postgres from "../../support/engine/postgres-support.ts";
import { run } from "../../support/engine/run.ts";
import { sqlFile } from "../../support/sql-file.ts";

/** `verify` alone between PostgreSQL servers: what stands beside tables, and in no definition, counts too. */

let pg: postgres.Servers;

beforeAll(async () => {
  pg = await postgres.startServers();
});
afterAll(async () => pg?.stop());

const check = (both: Pick<Pair, "source" | "target">) =>
  verify(
    { source: both.source, target: both.target, options: { jobs: 2, verify: "counts" } },
    { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
  );

const reported = ({ inventory }: Awaited<ReturnType<typeof verify>>) =>
  inventory.flatMap(({ kind, name, outcome, note }) => (outcome === "reported" ? [`${kind} ${name}: ${note}`] : []));

const schema = sqlFile(import.meta, "particulars.sql");

const changes: [string, string][] = [
  ["ALTER SEQUENCE sq OWNED BY NONE", "sequence public.sq: its owning column differs"],
  ["ALTER TABLE p1 DISABLE TRIGGER ptr", "table public.p1: its state of triggers differs"],
  [
    "ALTER TEXT SEARCH CONFIGURATION tsc ALTER MAPPING FOR word WITH english_stem",
    "text search configuration public.tsc: its mappings differs",
  ],
  ["ALTER TEXT SEARCH DICTIONARY tsd (ACCEPT = false)", "text search dictionary public.tsd: its options differ"],
  ["ALTER PUBLICATION pb SET TABLE t (id, v)", "publication pb: its list of columns differs"],
  ["ALTER PUBLICATION pf SET TABLE t WHERE (id > 1)", "publication pf: its row filters differs"],
  ["ALTER PUBLICATION ps SET TABLE t, TABLES IN SCHEMA o", "publication ps: its list of schemas differs"],
  ["ALTER FOREIGN DATA WRAPPER fw OPTIONS (zz '1')", "foreign data wrapper fw: its options differ"],
  ["ALTER USER MAPPING FOR PUBLIC SERVER sv OPTIONS (SET x 'z')", "user mapping sv public: its options differ"],
  [
    "ALTER FOREIGN TABLE ft ALTER a OPTIONS (SET k 'w')",
    "column public.ft.a: its options of the foreign table differs",
  ],
  [
    "DROP OPERATOR === (int, int); CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq, NEGATOR = !==)",
    "operator public.=== (integer, integer): its commutator differs; its negator differs",
  ],
  ["ALTER TABLE t SET (toast.autovacuum_enabled = false)", "table public.t: its options of its TOAST table differs"],
  ["ALTER INDEX te ALTER COLUMN 1 SET STATISTICS 77", "index public.te: its statistics targets differs"],
  ["CREATE STATISTICS more ON id, v FROM t", "statistics public.more: only the target has it"],
  ["COMMENT ON INDEX ti IS 'x'", 'comment index "public"."ti": only the target has it'],
];

test.each(["new", "old"] as const)("PostgreSQL (%s): what no definition says is compared too", async (from) => {
  const source = await postgres.database(pg[from], schema);
  const target = await postgres.database(pg.new);
  const both = { source: postgres.endpoint(source), target: postgres.endpoint(target) };
  const { copied } = await run(both as Pair, { options: { jobs: 2 } });
  await copied.finish();
  const equal = await check(both);
  expect(reported(equal)).toEqual([]);
  expect(equal).toMatchObject({ equal: true, missing: [], extra: [] });
  for (const [change] of changes) await postgres.sql(target, change);
  const changed = await check(both);
  const told = [...reported(changed), ...changed.objects.undecided];
  for (const [change, words] of changes)
    expect([change, told]).toEqual([
      change,
      expect.arrayContaining([
        expect.stringContaining(from === "old" && /WHERE/.test(change) ? "publication pf" : words),
      ]),
    ]);
});
