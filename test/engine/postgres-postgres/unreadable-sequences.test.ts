import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { assess } from "../../../src/engine/assess/index.ts";
import type { CopyOptions, Endpoint } from "../../../src/engine/contract/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import * as my from "../../support/engine/mysql-support.ts";
import {
  database,
  endpoint,
  type Servers,
  sql,
  startServers,
  type Where,
} from "../../support/engine/postgres-support.ts";
import { run } from "../../support/engine/run.ts";

/** A source user who may read the tables, but not the sequences. */

let servers: Servers;
let mysql: Database;

beforeAll(async () => {
  [servers, mysql] = await Promise.all([startServers(), borrowDatabase("mysql")]);
});
afterAll(() => Promise.all([servers?.stop(), mysql?.stop()]));

const role = `tables_only_${process.pid}`;
const grant = `GRANT USAGE ON SCHEMA "odd s", "public" TO "${role}"; GRANT SELECT ON ALL SEQUENCES IN SCHEMA "odd s", "public" TO "${role}"`;

async function poor(server: Database): Promise<{ where: Where; source: Endpoint }> {
  const where = await database(
    server,
    `CREATE SCHEMA "odd s"; CREATE TABLE a (id serial PRIMARY KEY); CREATE TABLE b (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
     CREATE SEQUENCE "odd s".numbers; INSERT INTO a DEFAULT VALUES; INSERT INTO b DEFAULT VALUES; SELECT nextval('"odd s".numbers');
     DO $$ BEGIN CREATE ROLE ${role} LOGIN PASSWORD 'poor'; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
     GRANT USAGE ON SCHEMA "odd s" TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`,
  );
  return { where, source: endpoint(where, { name: role, password: "poor" }) };
}

const findings = async (source: Endpoint, target: Endpoint, options: Partial<CopyOptions> = {}) =>
  (
    await assess(
      { source, target, options: { jobs: 2, ...options } },
      { signal: new AbortController().signal, log: () => undefined },
    )
  ).findings.filter(({ severity }) => severity !== "note");

const all = '"odd s".numbers, public.a_id_seq, public.b_id_seq';

test.each(["new", "old"] as const)(
  "PostgreSQL (%s): assess names them as a blocker, the copy fails with the same fix, and the fix helps",
  async (which) => {
    const { where, source } = await poor(servers[which]);
    const target = endpoint(await database(servers[which]));
    expect(await findings(source, target)).toEqual([
      expect.objectContaining({ severity: "blocker", code: "right_missing", object: all, fix: grant }),
    ]);
    await expect(run({ source, target })).rejects.toMatchObject({
      code: "schema_unreadable",
      retryable: false,
      message: expect.stringContaining(`${all}; ${grant}`),
    });
    await sql(where, grant);
    expect(await findings(source, target)).toEqual([]);
    const { copied, report } = await run({ source, target });
    await copied.finish();
    expect(report.tables).toHaveLength(2);
  },
);

test("what is left out has to be readable too, since pg_dump reads it", async () => {
  const { source } = await poor(servers.new);
  const target = endpoint(await database(servers.new));
  const options = { jobs: 2, include: ["public.a"] };
  expect(await findings(source, target, options)).toEqual([
    expect.objectContaining({ severity: "blocker", object: all }),
  ]);
  await expect(run({ source, target }, { options })).rejects.toMatchObject({ code: "schema_unreadable" });
});

test("PostgreSQL → MySQL: assess warns of them, and the copy says which counters it took from the rows", async () => {
  const { where, source } = await poor(servers.new);
  const name = `poor_${process.pid}`;
  const admin = await my.mysqlAs(mysql.adminUrl);
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const target = my.endpoint(mysql.urlOf(name, "admin"), "mysql");
  const refused = expect.objectContaining({ severity: "warning", code: "right_missing", object: all, fix: grant });
  expect(await findings(source, target)).toContainEqual(refused);
  const { copied, logs } = await run({ source, target });
  await copied.finish();
  expect(logs.filter((line) => line.includes("could not be read"))).toHaveLength(2);
  await sql(where, grant);
  expect((await findings(source, target)).filter(({ code }) => code === "right_missing")).toEqual([]);
});
