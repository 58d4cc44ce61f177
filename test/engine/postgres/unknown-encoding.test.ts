import { afterAll, beforeAll, expect, test } from "vitest";
import { pgTools } from "../../../dev/databases/pg-tools.ts";
import { endpoint, error } from "../../support/engine/mysql-support.ts";
import { inSource, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** A source in SQL_ASCII: its bytes are texts of no known encoding. */

let servers: Servers;
beforeAll(async () => {
  process.env.ROWFERRY_PG_BIN = await pgTools();
  servers = await startServers("mysql");
});
afterAll(() => servers?.close());

const bytes = (hex: string) => `convert_from('\\x${hex}'::bytea, 'SQL_ASCII')`;

async function source(name: string, schema: string) {
  await inSource(servers.source.adminUrl, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'`);
  const url = servers.source.urlOf(name, "admin");
  await inSource(url, schema);
  await servers.admin.query(`CREATE DATABASE ${name}`);
  return { source: endpoint(url, "postgres"), target: endpoint(servers.target.urlOf(name, "admin"), "mysql") };
}

test("into MySQL, bytes that are no UTF-8 are refused with table, column and number before a row is written", async () => {
  // Of each length of UTF-8 the first and last characters, and then bytes that only look so.
  const good = ["41", "c280", "dfbf", "e0a080", "ed9fbf", "ee8080", "efbfbd", "f0908080", "f48fbfbf"];
  const bad = ["80", "c0af", "c2", "e09f80", "eda080", "f08f8080", "f4908080", "f5808080", "e282", "41ff"];
  const values = (all: string[]) => all.map((hex, at) => `(${at}, ${bytes(hex)}, ARRAY[${bytes(hex)}])`).join(", ");
  const both = await source(
    "ascii_one",
    `CREATE TABLE good (id int PRIMARY KEY, v text, a text[]); INSERT INTO good VALUES ${values(good)}; CREATE TABLE bad (id int PRIMARY KEY, v text, a text[]); INSERT INTO bad VALUES ${values(bad)}, (99, 'x', '{}')`,
  );
  const refused = await error(run(both));
  expect(refused.code).toBe("data_refused");
  expect(refused.message).toMatch(
    /table public\.bad, column v .*: 10 values do not fit .*no text in UTF-8.*column a .*10 values/,
  );
  expect(refused.message).not.toContain("good");
  const { report } = await run(both, { owner: "owner-2", options: { jobs: 2, exclude: ["bad"], verify: "checksum" } });
  expect(report.verification?.differences).toEqual([]);
  const [[hex] = []] = await rows(servers.admin, "SELECT GROUP_CONCAT(HEX(v) ORDER BY id) FROM ascii_one.good");
  expect(hex?.toLowerCase()).toBe(good.join(","));
});

test("into PostgreSQL, a warning names what the target takes the bytes for", async () => {
  const both = await source("ascii_two", `CREATE TABLE t (v text); INSERT INTO t VALUES (${bytes("c3a9")})`);
  const into = async (encoding: string) => {
    const name = `into_${encoding.toLowerCase()}`;
    await inSource(
      servers.source.adminUrl,
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C'`,
    );
    const target = endpoint(servers.source.urlOf(name, "admin"), "postgres");
    return (await run({ ...both, target })).report.warnings;
  };
  expect(await into("LATIN1")).toEqual([expect.stringMatching(/SQL_ASCII.* takes their bytes as LATIN1/)]);
  expect(await into("UTF8")).toEqual([]);
  expect(await into("SQL_ASCII")).toEqual([]);
});
