import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import * as my from "../../support/engine/mysql-mysql-support.ts";
import * as postgres from "../../support/engine/postgres-support.ts";
import { run } from "../../support/engine/run.ts";
import { sqlFile } from "../../support/sql-file.ts";

/** `verify` alone within one engine: one object of the target after the other is changed, and each change is told. */

let servers: my.Servers;
let pg: postgres.Servers;

beforeAll(async () => {
  [servers, pg] = await Promise.all([my.startServers(), postgres.startServers()]);
});
afterAll(async () => {
  await my.closeClients();
  await Promise.all([servers?.close(), pg?.stop()]);
});

const check = (both: Pick<my.Pair, "source" | "target">, options: { exclude?: string[] } = {}) =>
  verify(
    { source: both.source, target: both.target, options: { jobs: 2, ...options } },
    { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
  );

const reported = ({ inventory }: Awaited<ReturnType<typeof verify>>) =>
  inventory.flatMap(({ kind, name, outcome, note }) => (outcome === "reported" ? [`${kind} ${name}: ${note}`] : []));

const postgresSchema = sqlFile(import.meta, "objects.sql");

test("PostgreSQL: every object that is changed in the target is named, and the databases are not equal", async () => {
  const source = await postgres.database(pg.new, postgresSchema);
  const target = await postgres.database(pg.new);
  const both = { source: postgres.endpoint(source), target: postgres.endpoint(target) };
  const { copied } = await run(both as my.Pair, { options: { jobs: 2 } });
  await copied.finish();
  const equal = await check(both);
  expect(reported(equal)).toEqual([]);
  expect(equal).toMatchObject({ equal: true, objects: { by: "definition", different: 0, undecided: [] } });
  const changes: [string, string][] = [
    ["SELECT setval('alone', 5, false)", "sequence public.alone: its next value differs"],
    ["ALTER SEQUENCE c_id_seq INCREMENT 2", "sequence public.c_id_seq: its definition differs"],
    ["SELECT lo_put(70001, 1200000, 'X')", "large object 70001: its content differs"],
    [
      "ALTER TABLE p ALTER v SET DEFAULT 'b'",
      `column public.p.v: its definition differs: "text" NOT NULL   default 'a'::"text" in the source, "text" NOT NULL   default 'b'::"text" in the target`,
    ],
    ["CREATE OR REPLACE VIEW seen AS SELECT id FROM p WHERE id > 2", "view public.seen: its definition differs"],
    [
      "CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
      "function public.f(): its definition differs",
    ],
    [
      "ALTER FUNCTION g(int) SET work_mem = '1MB'",
      "function public.g(integer): its definition differs; its settings differ",
    ],
    ["ALTER TABLE p NO FORCE ROW LEVEL SECURITY", "table public.p: its enforced row security differs"],
    [
      "ALTER TABLE c DROP CONSTRAINT owned, ADD CONSTRAINT owned FOREIGN KEY (p) REFERENCES p (id) ON DELETE RESTRICT NOT VALID",
      'constraint public.c owned: its definition differs: FOREIGN KEY ("p") REFERENCES "public"."p"("id") ON DELETE CASCADE in the source, FOREIGN KEY ("p") REFERENCES "public"."p"("id") ON DELETE RESTRICT NOT VALID in the target',
    ],
    ["COMMENT ON TABLE p IS 'second'", 'comment table "public"."p": its text differs'],
    ["COMMENT ON COLUMN p.v IS NULL", 'comment table column "public"."p"."v": the target has no comment of this name'],
    ["DROP POLICY mine ON p", "policy public.p mine: the target has no policy of this name"],
    ["ALTER TABLE p DISABLE TRIGGER t", "trigger public.p t: its definition differs"],
    ["CREATE INDEX more ON p (v)", "index public.more: only the target has it"],
    [
      "DROP AGGREGATE total(int); CREATE AGGREGATE total(int) (SFUNC = int4mul, STYPE = int)",
      "aggregate public.total(integer): its definition differs",
    ],
    ["ALTER TYPE mood ADD VALUE 'fine'", "type public.mood: its definition differs"],
    ["ALTER TABLE other.parted_1 SET (fillfactor = 50)", "table other.parted_1: its options differ"],
  ];
  for (const [change] of changes) await postgres.sql(target, change);
  const changed = await check(both);
  const all = reported(changed);
  expect(all.sort()).toEqual(changes.map(([, words]) => words).sort());
  expect(changed).toMatchObject({ equal: false, objects: { different: changes.length } });
  expect(changed.verification.differences).toEqual([]);
});

test("PostgreSQL: between versions, and without what the options leave out, nothing is told that is not so", async () => {
  const source = await postgres.database(pg.old, postgresSchema);
  const target = await postgres.database(pg.new);
  const both = { source: postgres.endpoint(source), target: postgres.endpoint(target) };
  const { copied } = await run(both as my.Pair, { options: { jobs: 2, exclude: ["logs"] } });
  await copied.finish();
  const equal = await check(both, { exclude: ["logs"] });
  expect(reported(equal)).toEqual([]);
  expect(equal.equal).toBe(true);
  await postgres.sql(target, "SELECT setval('alone', 99); ALTER TABLE p ALTER v DROP NOT NULL");
  expect(reported(await check(both, { exclude: ["logs"] }))).toEqual([
    "sequence public.alone: its next value differs",
    "column public.p.v: its nullability differs",
  ]);
});

const mysqlSchema = `
  CREATE TABLE p (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20) NOT NULL DEFAULT 'a', w VARCHAR(20) COLLATE utf8mb4_bin, f FLOAT DEFAULT 1.2345678, d DOUBLE, CONSTRAINT positive CHECK (d > -1), KEY byv (v)) AUTO_INCREMENT = 20 COMMENT 'first';
  CREATE TABLE c (id INT PRIMARY KEY, p INT, j JSON, CONSTRAINT owned FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE);
  CREATE TABLE logs (id INT PRIMARY KEY, p INT);
  INSERT INTO p (id, v, f, d) VALUES (1, 'a', 1e-5, 1e-5), (2, 'b', 123456789, 1.7976931348623157e308), (3, 'c', 1e-20, -0e0);
  INSERT INTO c VALUES (1, 1, '{}');
  CREATE VIEW seen AS SELECT id FROM p WHERE id > 1; CREATE VIEW logged AS SELECT id FROM logs;
  CREATE TRIGGER t BEFORE INSERT ON p FOR EACH ROW SET NEW.v = CONCAT(NEW.v, 'x');
  CREATE PROCEDURE r() SELECT 1; CREATE FUNCTION h(n INT) RETURNS INT DETERMINISTIC RETURN n + 1; `;

test.each(my.pairs)("%s → %s: every object that is changed in the target is named", async (from, to) => {
  const where = await my.pair(servers, from, to, mysqlSchema);
  const { copied } = await run(where, { options: { jobs: 2, exclude: ["logs"] } });
  await copied.finish();
  const equal = await check(where, { exclude: ["logs"] });
  expect(equal.verification.differences).toEqual([]);
  expect(reported(equal)).toEqual([]);
  expect(equal).toMatchObject({ equal: true, objects: { by: "definition", different: 0 } });
  const d = where.database;
  const both: [string, string][] = [
    [
      "DROP TRIGGER t; CREATE TRIGGER t BEFORE INSERT ON p FOR EACH ROW SET NEW.v = CONCAT(NEW.v, 'y')",
      "trigger t: its body differs",
    ],
    [
      "ALTER TABLE c DROP FOREIGN KEY owned, ADD CONSTRAINT owned2 FOREIGN KEY (p) REFERENCES p (id)",
      `foreign key ${d}.c.owned: the target has no foreign key of this name`,
    ],
    [
      "ALTER TABLE p AUTO_INCREMENT = 50",
      `table ${d}.p: its next AUTO_INCREMENT differs: 20 in the source, 50 in the target`,
    ],
    ["ALTER TABLE p MODIFY v VARCHAR(20) NULL DEFAULT 'a'", `column ${d}.p.v: its `],
    ["DROP PROCEDURE r", "procedure r: the target has no procedure of this name"],
    [
      "ALTER TABLE p COMMENT 'second'",
      `table ${d}.p: its next AUTO_INCREMENT differs: 20 in the source, 50 in the target; its comment differs`,
    ],
    [
      "ALTER TABLE p DROP KEY byv, ADD UNIQUE KEY byv (v)",
      `index ${d}.p.byv: its ${from === to ? "definition differs" : "parts differ"}: `,
    ],
  ];
  const one: [string, string][] = [
    ["CREATE OR REPLACE VIEW seen AS SELECT id FROM p WHERE id > 2", "view seen: its definition differs"],
    ["ALTER TABLE p MODIFY w VARCHAR(20) COLLATE utf8mb4_general_ci", `column ${d}.p.w: its definition differs`],
    [
      "ALTER TABLE p DROP CONSTRAINT positive, ADD CONSTRAINT positive CHECK (d > -5)",
      `check ${d}.p.positive: its definition differs`,
    ],
    ["ALTER TABLE p ALTER f SET DEFAULT 2", `column ${d}.p.f: its definition differs: float DEFAULT `],
  ];
  const changes = from === to ? [...both, ...one] : both;
  for (const [change] of changes) for (const sql of change.split("; ")) await where.to.query(sql);
  const changed = await check(where, { exclude: ["logs"] });
  const all = reported(changed);
  for (const [change, words] of changes)
    expect([change, all]).toEqual([change, expect.arrayContaining([expect.stringContaining(words)])]);
  expect(all).toHaveLength(from === to ? 11 : 7);
  expect(changed.equal).toBe(false);
  expect(changed.verification.differences).toEqual([]);
});
