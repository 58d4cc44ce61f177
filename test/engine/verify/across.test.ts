import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import * as mysql from "../../support/engine/mysql-support.ts";
import * as postgres from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Across engines much has no counterpart, or one whose text nobody can compare: a verdict without it would read as more than it is. */

let servers: mysql.Servers;
let others: postgres.Servers;
beforeAll(async () => {
  [servers, others] = await Promise.all([mysql.startServers("mysql"), postgres.startServers("mysql")]);
});
afterAll(async () => {
  await Promise.all([servers?.close(), others?.close()]);
});

const hooks = { signal: new AbortController().signal, progress: () => undefined, log: () => undefined };
const columns = "types of columns: only the values in them are compared";
const defaults = "defaults of columns: numbers and plain texts are compared, of others only whether the target has one";

test("MySQL to PostgreSQL: a trigger that somebody made in the target counts by its name alone, and the report says so", async () => {
  const both = await mysql.pair(
    servers,
    `CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a','b'), n INT);
     CREATE TRIGGER trg BEFORE INSERT ON t FOR EACH ROW SET NEW.n = 1;
     CREATE PROCEDURE pr() SELECT 1;
     CREATE VIEW seen AS SELECT id FROM t`,
  );
  await run(both);
  const view = "1 view (seen): only the name was compared";
  const { objects } = await verify({ ...both, options: { jobs: 2 } }, hooks);
  expect(objects.not_compared).toEqual([columns, defaults, view]);
  expect(objects.notes).toContain("trigger trg: a trigger's code is not translated");

  await both.pg.query(`CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`);
  await both.pg.query("CREATE PROCEDURE pr() LANGUAGE sql AS 'SELECT 2'");
  await both.pg.query("CREATE TRIGGER trg BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION other()");
  const again = await verify({ ...both, options: { jobs: 2 } }, hooks);
  expect(again.objects.not_compared).toEqual([columns, defaults, view, "1 procedure (pr): only the name was compared"]);
  expect(again.objects.notes.join()).toContain("trigger trg");
});

test("PostgreSQL to MySQL: enumerated types, domains and checks are said not to be compared", async () => {
  const both = await postgres.pair(
    others,
    `CREATE TYPE mood AS ENUM ('a','b'); CREATE TYPE hue AS ENUM ('c'); CREATE DOMAIN pos AS int CHECK (VALUE > 0);
     CREATE TABLE t (id INT PRIMARY KEY, e mood, h hue, n pos, CONSTRAINT big CHECK (id > 0));`,
  );
  await run(both);
  const { objects } = await verify({ ...both, options: { jobs: 2 } }, hooks);
  const why = "not compared, since the target has no such object of its own";
  expect(objects.not_compared.sort()).toEqual([
    "1 check (public.t.big): only the name was compared",
    `1 domain (pos): ${why}`,
    `2 types (mood, hue): ${why}`,
    defaults,
    columns,
  ]);
});
