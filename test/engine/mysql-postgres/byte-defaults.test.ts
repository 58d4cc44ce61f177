import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import * as my from "../../support/engine/mysql-mysql-support.ts";
import { endpoint, type Flavour, mysqlAs, reader, rows } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Defaults whose bytes are no text, which the servers' catalogues do not show. */

let servers: my.Servers;
/** MariaDB 11 in its place. */
let newer: my.Servers;
let postgres: Database;

beforeAll(async () => {
  const [both, eleven, other] = await Promise.all([
    my.startServers(),
    borrowDatabase("mariadb-11", { args: ["--local-infile=1"] }),
    borrowDatabase("postgres"),
  ]);
  const admin = await mysqlAs(eleven.adminUrl);
  const close = async () => {
    await admin.end();
    await eleven.stop();
  };
  servers = both;
  newer = { of: { ...both.of, mariadb: { server: eleven, admin } }, close };
  postgres = other;
});
afterAll(async () => {
  await my.closeClients();
  await Promise.all([servers?.close(), newer?.close(), postgres?.stop()]);
});

const columns: [string, string, string][] = [
  ["m", "varbinary(5) NOT NULL DEFAULT 0xff41", "FF41"],
  ["b", "binary(2) NOT NULL DEFAULT 0x80ff COMMENT 'it''s'", "80FF"],
  ["padded", "binary(4) DEFAULT 0x80", "80000000"],
  ["nul", "varbinary(9) NOT NULL DEFAULT 0x0027", "0027"],
  ["quotes", "varbinary(20) DEFAULT 0x5c0a0d1a27226000ff3f", "5C0A0D1A27226000FF3F"],
  ["letter", "varbinary(9) NOT NULL DEFAULT 0xc3a9", "C3A9"],
  ["wide", "varbinary(9) NOT NULL DEFAULT 0xf09f9880", "F09F9880"],
  ["question", "varbinary(9) NOT NULL DEFAULT '?'", "3F"],
  ["plain", "varbinary(9) NOT NULL DEFAULT 'a''b'", "612762"],
  ["none", "varbinary(9) NOT NULL DEFAULT ''", ""],
  ["é`", "varbinary(9) NOT NULL DEFAULT 0xfe", "FE"],
];
const blobs: Record<Flavour, [string, string, string][]> = {
  mysql: [["large", "blob DEFAULT (0xff41)", "FF41"]],
  mariadb: [
    ["large", "blob NOT NULL DEFAULT 0xff41", "FF41"],
    ["letters", "blob DEFAULT 'é?'", "C3A93F"],
  ],
};
const columnsOf = (from: Flavour) => [...columns, ...blobs[from]];
const schemaOf = (from: Flavour) =>
  `CREATE TABLE t (id int PRIMARY KEY, ${columnsOf(from)
    .map(([name, type]) => `${my.name(name)} ${type}`)
    .join(", ")})`;
const on = (version: string) => (version === "11" ? newer : servers);

test.each([
  ...my.pairs.map((pair) => [...pair, "10"] as const),
  ["mariadb", "mariadb", "11"],
  ["mariadb", "mysql", "11"],
] as const)(
  "%s → %s (MariaDB %s): a default of bytes that are no text is the same bytes, and verify sees another",
  async (from, to, version) => {
    const where = await my.pair(on(version), from, to, schemaOf(from));
    const { report } = await my.copied(where);
    const of = columnsOf(from);
    await where.to.query("INSERT INTO t (id) VALUES (1)");
    const [[found]] = (await where.to.query({
      sql: `SELECT ${of.map(([name]) => `HEX(${my.name(name)})`).join(", ")} FROM t`,
      rowsAsArray: true,
    })) as unknown as [string[][]];
    expect(found).toEqual(of.map(([, , hex]) => hex));
    expect(report.inventory.filter(({ outcome }) => outcome === "reported")).toEqual([]);

    await where.to.query("DELETE FROM t");
    const check = async () => {
      const { inventory, equal } = await verify(
        { source: where.source, target: where.target, options: { jobs: 2 } },
        { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
      );
      return { equal, differs: inventory.flatMap(({ name, outcome }) => (outcome === "reported" ? [name] : [])) };
    };
    expect(await check()).toEqual({ equal: true, differs: [] });
    await where.to.query("ALTER TABLE t ALTER m SET DEFAULT 0xfe41, ALTER nul SET DEFAULT 0x0028");
    const { equal, differs } = await check();
    expect(equal).toBe(false);
    expect(differs.sort()).toEqual([`${where.database}.t.m`, `${where.database}.t.nul`]);
  },
);

test.each([
  ["mysql", "10"],
  ["mariadb", "10"],
  ["mariadb", "11"],
] as const)("%s → PostgreSQL (MariaDB %s): a default of bytes is copied", async (from, version) => {
  const { source, database } = await my.pair(on(version), from, from, schemaOf(from));
  const server = await reader(postgres.adminUrl);
  const name = `${database}_${from}`;
  await server.query(`CREATE DATABASE ${name}`);
  await server.end();
  const url = postgres.urlOf(name, "admin");
  const { copied, report } = await run({ source, target: endpoint(url, "postgres") });
  await copied.finish();
  const client = await reader(url);
  try {
    await client.query("INSERT INTO t (id) VALUES (1)");
    const of = columnsOf(from);
    const sql = `SELECT ${of.map(([column]) => `upper(encode("${column}", 'hex'))`).join(", ")} FROM t`;
    expect(await rows(client, sql)).toEqual([of.map(([, , hex]) => hex)]);
    expect(report.inventory.filter(({ outcome }) => outcome === "reported")).toEqual([]);
  } finally {
    await client.end();
  }
});
