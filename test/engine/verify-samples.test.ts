import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import type { Endpoint } from "../../src/engine/contract.ts";
import { verify } from "../../src/engine/verify.ts";
import { borrowDatabase } from "../servers/index.ts";
import * as my from "./mysql-mysql-support.ts";
import { endpoint, type Flavour } from "./mysql-support.ts";
import { inSource } from "./postgres-mysql-support.ts";
import { run } from "./run.ts";

/** `verify` alone after copies of the sample databases in every direction: equal, and what is taken away later is named. */

const data = new URL("../../../shared/data/", import.meta.url);
const text = (name: string) => readFile(new URL(name, data), "utf8");
/** Chinook makes a database of its own and goes into it. */
const within = (sql: string) => sql.replaceAll(/^(?:(?:DROP|CREATE) DATABASE|USE|\\c) .*$/gim, "");

let servers: my.Servers;
let postgres: Database;

beforeAll(async () => {
  process.env.ROWFERRY_PG_BIN = await pgTools();
  [servers, postgres] = await Promise.all([my.startServers(), borrowDatabase("postgres")]);
});
afterAll(async () => {
  await my.closeClients();
  await Promise.all([servers?.close(), postgres?.stop()]);
});

const check = (both: { source: Endpoint; target: Endpoint }) =>
  verify(
    { ...both, options: { jobs: 2 } },
    { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
  );

const reported = ({ inventory }: Awaited<ReturnType<typeof verify>>) =>
  inventory.flatMap(({ kind, name, outcome, note }) => (outcome === "reported" ? [`${kind} ${name}: ${note}`] : []));

let counter = 0;
type Kind = Flavour | "postgres";

interface Place {
  endpoint: Endpoint;
  run(sql: string): Promise<unknown>;
}

async function place(kind: Kind): Promise<Place> {
  const name = `sample_${++counter}`;
  if (kind === "postgres") {
    await inSource(postgres.adminUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
    const url = postgres.urlOf(name, "admin");
    return { endpoint: endpoint(url, "postgres"), run: (sql) => inSource(url, sql) };
  }
  const { admin, server } = servers.of[kind];
  await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  return {
    endpoint: endpoint(server.urlOf(name, "admin"), "mysql"),
    async run(sql) {
      await admin.query(`USE ${name}`);
      await admin.query(sql);
    },
  };
}

const samples = {
  async sakila(to: Place) {
    const script = `${await text("sakila-mysql-schema.sql")}\n${await text("sakila-mysql-data.sql")}`;
    await to.run("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'");
    let delimiter = ";";
    let current = "";
    for (const line of script.replaceAll(/\bsakila\b/g, to.endpoint.database).split("\n")) {
      const change = /^DELIMITER\s+(\S+)/i.exec(line)?.[1];
      if (change !== undefined) delimiter = change;
      else current += `${line}\n`;
      if (change !== undefined || !line.trimEnd().endsWith(delimiter)) continue;
      const statement = current.trimEnd().slice(0, -delimiter.length);
      current = "";
      if (!/^\s*(?:DROP SCHEMA|CREATE SCHEMA)\b/i.test(statement) && statement.trim() !== "") await to.run(statement);
    }
    await to.run("SET autocommit = 1");
  },
  async chinook(to: Place) {
    if (to.endpoint.engine === "postgres") return to.run(within(await text("chinook-postgres.sql")));
    // Its names hold single backslashes, which are meant.
    await to.run("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'");
    await to.run(within(await text("chinook-mysql.sql")));
    return to.run("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'");
  },
  async pagila(to: Place) {
    await to.run(`${await text("pagila-postgres-schema.sql")}\n${await text("pagila-postgres-data.sql")}`);
  },
};

test.runIf(existsSync(data)).each<[keyof typeof samples, Kind, Kind[]]>([
  ["sakila", "mysql", ["postgres", "mariadb"]],
  ["sakila", "mariadb", ["postgres", "mysql"]],
  ["chinook", "mysql", ["postgres", "mariadb"]],
  ["chinook", "mariadb", ["postgres"]],
  ["chinook", "postgres", ["mysql", "mariadb", "postgres"]],
  ["pagila", "postgres", ["mysql", "mariadb", "postgres"]],
])("%s of %s is equal after copies into %s", async (sample, from, targets) => {
  const source = await place(from);
  await samples[sample](source);
  for (const kind of targets) {
    const target = await place(kind);
    const both = { source: source.endpoint, target: target.endpoint };
    const { copied } = await run(both);
    await copied.finish();
    const report = await check(both);
    expect([kind, reported(report)]).toEqual([kind, []]);
    expect([kind, report.missing, report.extra]).toEqual([kind, [], []]);
    expect(report).toMatchObject({ equal: true, verification: { differences: [], uncompared: [] } });
  }
});

test.each(["mysql", "mariadb"] as const)("%s → PostgreSQL: what is taken away from a copy is named", async (kind) => {
  const [source, target] = [await place(kind), await place("postgres")];
  await source.run(
    `CREATE TABLE p (id INT AUTO_INCREMENT PRIMARY KEY, a INT NOT NULL, b VARCHAR(20) NOT NULL, d DATE NOT NULL, e TEXT, n INT UNSIGNED, CONSTRAINT positive CHECK (a > 0), KEY bya (a), UNIQUE KEY byn (n), KEY prefixed (e(10)), FULLTEXT KEY words (e));
     CREATE TABLE c (id INT PRIMARY KEY, p INT, CONSTRAINT owned FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE); CREATE TABLE counted (id BIGINT AUTO_INCREMENT PRIMARY KEY);
     SET sql_mode = ''; INSERT INTO p (a, b, d, n) VALUES (1, 'a', '0000-00-00', 1), (2, 'b', '2020-01-01', 2); SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
     INSERT INTO c VALUES (1, 1); INSERT INTO counted VALUES (1), (9); CREATE VIEW seen AS SELECT id, a FROM p;
     CREATE PROCEDURE r() SELECT 1; CREATE TRIGGER t BEFORE INSERT ON c FOR EACH ROW SET NEW.p = 1`,
  );
  const both = { source: source.endpoint, target: target.endpoint };
  const { copied } = await run(both);
  await copied.finish();
  const equal = await check(both);
  expect(reported(equal)).toEqual([]);
  const d = source.endpoint.database;
  expect(equal).toMatchObject({ equal: true, objects: { different: 0 } });
  expect(equal.objects.notes.sort()).toEqual([
    `column ${d}.p.d: NULL stands there for values that the target does not know, and so it is nullable`,
    "procedure r: a routine's code is not translated",
    "trigger t: a trigger's code is not translated",
  ]);
  await removed(both, target, [
    ["DROP INDEX bya", `index ${d}.p.bya: the target has no index of this name or of its columns`],
    ["DROP INDEX prefixed", `index ${d}.p.prefixed: the target has no index of this name`],
    [
      "ALTER TABLE p DROP CONSTRAINT byn; CREATE INDEX byn ON p (n)",
      `index ${d}.p.byn: UNIQUE (n) in the source, (n) in the target`,
    ],
    ["ALTER TABLE p ALTER b DROP NOT NULL", `column ${d}.p.b: NOT NULL in the source, not in the target`],
    [
      "ALTER TABLE c DROP CONSTRAINT owned",
      `foreign key ${d}.c.owned: the target has no foreign key of this name or of its columns`,
    ],
    [
      "ALTER TABLE c DROP CONSTRAINT c_pkey",
      `primary key ${d}.c: the target has no primary key of this name or of its columns`,
    ],
    ["ALTER TABLE p DROP CONSTRAINT positive", `check ${d}.p.positive: the target has no check of this name`],
    ["DROP VIEW seen", "view seen: the target has no view of this name"],
    [
      "SELECT setval(pg_get_serial_sequence('counted', 'id'), 3)",
      `column ${d}.counted.id: its next number is 4, and 9 is there already`,
    ],
    ["ALTER TABLE p ALTER id DROP IDENTITY", `column ${d}.p.id: it counts up in the source, not in the target`],
  ]);
});

test.each(["mysql", "mariadb"] as const)("PostgreSQL → %s: what is taken away from a copy is named", async (kind) => {
  const [source, target] = [await place("postgres"), await place(kind)];
  await source.run(
    `CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN short AS varchar(5) NOT NULL;
     CREATE TABLE p (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, a int NOT NULL CHECK (a > 0), b text NOT NULL, m mood, s short, n numeric(5,2) NOT NULL, x tsvector, UNIQUE (b));
     CREATE INDEX bya ON p (a); CREATE INDEX part ON p (a) WHERE a > 5; CREATE INDEX words ON p USING gin (x);
     CREATE TABLE c (id serial PRIMARY KEY, p int, CONSTRAINT owned FOREIGN KEY (p) REFERENCES p (id)); CREATE SEQUENCE alone; CREATE TABLE nothing ();
     CREATE SCHEMA other; CREATE TABLE other.t (id int PRIMARY KEY); CREATE VIEW other.seen AS SELECT id FROM other.t; CREATE VIEW seen AS SELECT id, a FROM p; CREATE MATERIALIZED VIEW kept AS SELECT id FROM p;
     INSERT INTO p (a, b, s, n) VALUES (1, 'a', 'x', 1), (2, 'b', 'y', 'NaN'); INSERT INTO c (p) VALUES (1); CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
  );
  const both = { source: source.endpoint, target: target.endpoint };
  const { copied } = await run(both);
  await copied.finish();
  const equal = await check(both);
  expect(reported(equal)).toEqual([]);
  expect(equal).toMatchObject({ equal: true, missing: [], extra: [], objects: { different: 0 } });
  expect(equal.objects.notes.sort()).toEqual([
    "column public.p.n: NULL stands there for values that the target does not know, and so it is nullable",
    "function f: a routine's code is not translated",
    "index public.p.part: MySQL has no partial indexes",
    "index public.p.words: MySQL has no GIN indexes",
    "sequence alone: not the counter of one column; its last value is 1, not given out yet",
    "table public.nothing: it has no columns, and MySQL has no such tables",
  ]);
  await removed(both, target, [
    ["DROP INDEX bya ON p", "index public.p.bya: the target has no index of this name or of its columns"],
    [
      "ALTER TABLE p DROP INDEX p_b_key, ADD INDEX p_b_key (b)",
      "index public.p.p_b_key: UNIQUE (b) in the source, (b) in the target",
    ],
    ["ALTER TABLE p MODIFY a INT NULL", "column public.p.a: NOT NULL in the source, not in the target"],
    [
      "ALTER TABLE c DROP FOREIGN KEY owned",
      "foreign key public.c.owned: the target has no foreign key of this name or of its columns",
    ],
    ["ALTER TABLE p DROP CONSTRAINT p_a_check", "check public.p.p_a_check: the target has no check of this name"],
    ["DROP VIEW seen", "view seen: the target has no view of this name"],
    ["DROP TABLE kept", "materialized view kept: the target has no materialized view of this name"],
    ["ALTER TABLE c MODIFY id INT NOT NULL", "column public.c.id: it counts up in the source, not in the target"],
    [
      "ALTER TABLE other_t DROP PRIMARY KEY",
      "primary key other.t: the target has no primary key of this name or of its columns",
    ],
  ]);
});

async function removed(
  both: { source: Endpoint; target: Endpoint },
  target: Place,
  changes: [string, string][],
): Promise<void> {
  for (const [change] of changes) await target.run(change);
  const changed = await check(both);
  expect(reported(changed).sort()).toEqual(changes.map(([, words]) => words).sort());
  expect(changed).toMatchObject({ equal: false, objects: { different: changes.length } });
}
