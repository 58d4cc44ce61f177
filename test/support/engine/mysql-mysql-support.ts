import type mysql from "mysql2/promise";
import { afterAll, beforeAll } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import type { CopyRequest, Endpoint } from "../../../src/engine/contract/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, type Flavour, mysqlAs } from "./mysql-support.ts";
import { type Ran, run } from "./run.ts";

/** Servers for the tests of MySQL → MySQL, and readers of both sides that share no code with the engine. */

export const flavours: readonly Flavour[] = ["mysql", "mariadb"];
/** Every pair of source and target. */
export const pairs = flavours.flatMap((from) => flavours.map((to) => [from, to] as const));

export interface Servers {
  of: Record<Flavour, { server: Database; admin: mysql.Connection }>;
  close(): Promise<void>;
}

export async function startServers(args: readonly string[] = []): Promise<Servers> {
  const one = async (flavour: Flavour) => {
    const server = await borrowDatabase(flavour, {
      args: ["--max-allowed-packet=1073741824", "--local-infile=1", ...args],
    });
    const admin = await mysqlAs(server.adminUrl);
    await admin.query("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO', SESSION time_zone = '+00:00'");
    return { server, admin };
  };
  const [first, second] = await Promise.all([one("mysql"), one("mariadb")]);
  return {
    of: { mysql: first, mariadb: second },
    async close() {
      for (const { admin, server } of [first, second]) {
        await admin.end();
        await server.stop();
      }
    },
  };
}

/** Both servers for a file: started before its tests, and gone after them, with the clients that its tests left open. */
export function useServers(): Servers {
  let started: Servers | undefined;
  const servers = {} as Servers;
  beforeAll(async () => {
    started = await startServers();
    Object.assign(servers, started);
  });
  afterAll(async () => {
    await closeClients();
    await started?.close();
  });
  return servers;
}

let counter = 0;

export interface Pair {
  source: Endpoint;
  target: Endpoint;
  /** Administrators, each in its side's database. */
  from: mysql.Connection;
  to: mysql.Connection;
  database: string;
}

/** An empty database of one name on each side (of two where both are one server); `schema` is run in the source's. */
export async function pair(servers: Servers, from: Flavour, to: Flavour, schema = ""): Promise<Pair> {
  const [source, target] = [servers.of[from], servers.of[to]];
  const name = `t${process.pid}_${++counter}`;
  const other = from === to ? `${name}_copy` : name;
  await source.admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4; USE ${name}`);
  if (schema !== "") await source.admin.query(schema);
  const client = from === to ? await mysqlAs(target.server.adminUrl) : target.admin;
  await client.query(`CREATE DATABASE ${other} CHARACTER SET utf8mb4; USE ${other}`);
  await client.query("SET SESSION time_zone = '+00:00'");
  if (from === to) clients.push(client);
  return {
    source: endpoint(source.server.urlOf(name, "admin"), "mysql"),
    target: endpoint(target.server.urlOf(other, "admin"), "mysql"),
    from: source.admin,
    to: client,
    database: name,
  };
}

const clients: mysql.Connection[] = [];
export const closeClients = async (): Promise<void> => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
};

/** Copies and removes the checkpoint. */
export async function copied(where: Pair, more: Partial<CopyRequest> = {}): Promise<Ran> {
  const ran = await run(where, more);
  await ran.copied.finish();
  return ran;
}

export const name = (text: string): string => `\`${text.replaceAll("`", "``")}\``;

/** Every row of a table as hex of the bytes that the server holds, in an order that does not depend on it. */
export async function bytesOf(client: mysql.Connection, table: string, columns: readonly string[]): Promise<string[]> {
  const [types] = await client.query({
    sql: "SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?",
    values: [table],
    rowsAsArray: true,
  });
  const typeOf = new Map(types as [string, string][]);
  const value = (column: string) => {
    const type = typeOf.get(column);
    if (type === "vector") return name(column);
    // The text of a FLOAT is rounded.
    return `CONCAT(${name(column)}${type === "float" ? " * 1e0" : ""})`;
  };
  const list = columns.map((column) => `COALESCE(HEX(${value(column)}), '-')`).join(", ");
  const [rows] = await client.query({ sql: `SELECT CONCAT_WS('|', ${list}) FROM ${name(table)}`, rowsAsArray: true });
  return (rows as [string][]).map(([row]) => row).sort();
}

/** Columns that hold values of their own. */
export async function columnsOf(client: mysql.Connection, table: string): Promise<string[]> {
  const [rows] = await client.query({
    sql: "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION",
    values: [table],
    rowsAsArray: true,
  });
  return (rows as [string][]).map(([column]) => column);
}

export async function tablesOf(client: mysql.Connection): Promise<string[]> {
  const [rows] = await client.query({
    sql: "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') ORDER BY TABLE_NAME",
    rowsAsArray: true,
  });
  return (rows as [string][]).map(([table]) => table);
}

/** SHOW CREATE of every object, without counters. */
export async function definitionsOf(client: mysql.Connection): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const show = async (what: string, list: string) => {
    const [rows] = await client.query({ sql: list, rowsAsArray: true });
    for (const [object] of rows as [string][]) {
      const [[row]] = (await client.query({
        sql: `SHOW CREATE ${what} ${name(object)}`,
        rowsAsArray: true,
      })) as unknown as [[string[]]];
      const text = (row ?? []).filter((cell) => typeof cell === "string" && !/^\d{4}-\d\d-\d\d /.test(cell)).join("\n");
      found[`${what} ${object}`] = text.replace(/ AUTO_INCREMENT=\d+/, "");
    }
  };
  const from = (view: string, column: string, and = "") =>
    `FROM information_schema.${view} WHERE ${column} = DATABASE() ${and} ORDER BY 1`;
  await show(
    "TABLE",
    `SELECT TABLE_NAME ${from("TABLES", "TABLE_SCHEMA", "AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')")}`,
  );
  await show("VIEW", `SELECT TABLE_NAME ${from("VIEWS", "TABLE_SCHEMA")}`);
  await show(
    "PROCEDURE",
    `SELECT ROUTINE_NAME ${from("ROUTINES", "ROUTINE_SCHEMA", "AND ROUTINE_TYPE = 'PROCEDURE'")}`,
  );
  await show("FUNCTION", `SELECT ROUTINE_NAME ${from("ROUTINES", "ROUTINE_SCHEMA", "AND ROUTINE_TYPE = 'FUNCTION'")}`);
  await show("TRIGGER", `SELECT TRIGGER_NAME ${from("TRIGGERS", "TRIGGER_SCHEMA")}`);
  await show("EVENT", `SELECT EVENT_NAME ${from("EVENTS", "EVENT_SCHEMA")}`);
  await show("SEQUENCE", `SELECT TABLE_NAME ${from("TABLES", "TABLE_SCHEMA", "AND TABLE_TYPE = 'SEQUENCE'")}`);
  return found;
}
