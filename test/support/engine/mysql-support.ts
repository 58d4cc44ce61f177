import mysql from "mysql2/promise";
import pg from "pg";
import type { Database } from "../../../dev/databases/index.ts";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { borrowDatabase } from "../../servers/index.ts";

/** Servers for the tests of MySQL → PostgreSQL, and readers of both sides that share no code with the engine. */

export type Flavour = "mysql" | "mariadb";

export type AnyFlavour = Flavour | "mariadb-11";

export interface Servers {
  source: Database;
  target: Database;
  /** A connection as the source's administrator that may run several statements at once. */
  admin: mysql.Connection;
  /** Open readers of the target. */
  readers: pg.Client[];
  close(): Promise<void>;
}

export async function startServers(flavour: AnyFlavour, to: "postgres" | "postgis" = "postgres"): Promise<Servers> {
  const [source, target] = await Promise.all([
    borrowDatabase(flavour, { args: ["--max-allowed-packet=1073741824", "--local-infile=1"] }),
    borrowDatabase(to),
  ]);
  const admin = await mysqlAs(source.adminUrl);
  await admin.query("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO', SESSION time_zone = '+00:00'");
  const readers: pg.Client[] = [];
  return {
    source,
    target,
    admin,
    readers,
    async close() {
      await Promise.all([admin.end(), ...readers.map((client) => client.end())]);
      await Promise.all([source.stop(), target.stop()]);
    },
  };
}

export const mysqlAs = (url: string): Promise<mysql.Connection> =>
  mysql.createConnection({
    uri: url,
    multipleStatements: true,
    charset: "utf8mb4_bin",
    supportBigNumbers: true,
    bigNumberStrings: true,
  });

export function endpoint(url: string, engine: Endpoint["engine"]): Endpoint {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    engine,
    host: hostname,
    port: Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    tls: { mode: "prefer" },
  };
}

let counter = 0;

export interface Pair {
  source: Endpoint;
  target: Endpoint;
  pg: pg.Client;
}

/** An empty database on each side; `schema` is run in the source's. */
export async function pair({ source, target, admin, readers }: Servers, schema: string): Promise<Pair> {
  const name = `t${++counter}`;
  await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4; USE ${name}`);
  await admin.query(schema);
  const server = new pg.Client(target.adminUrl);
  await server.connect();
  await server.query(`CREATE DATABASE ${name}`);
  await server.end();
  const [from, to] = [source.urlOf(name, "admin"), target.urlOf(name, "admin")];
  const client = await reader(to);
  readers.push(client);
  return { source: endpoint(from, "mysql"), target: endpoint(to, "postgres"), pg: client };
}

/** A reader whose values are the server's own text. */
export async function reader(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    types: { getTypeParser: () => (text: unknown) => text } as pg.CustomTypesConfig,
  });
  await client.connect();
  await client.query("SET TimeZone = 'UTC'");
  return client;
}

/** Every row of a query as arrays of text, in the server's order. */
export async function rows(client: pg.Client, sql: string): Promise<(string | null)[][]> {
  return (await client.query<(string | null)[]>({ text: sql, rowMode: "array" })).rows;
}

/** Rows of the source as the server writes them: UTF-8, or hex for the columns that `binary` names by position. */
export async function sourceRows(
  client: mysql.Connection,
  sql: string,
  binary: (column: number) => boolean = () => false,
): Promise<(string | null)[][]> {
  const [found] = await client.query({ sql, rowsAsArray: true, typeCast: (field) => field.buffer() });
  return (found as (Buffer | null)[][]).map((row) =>
    row.map((bytes, column) => bytes?.toString(binary(column) ? "hex" : "utf8") ?? null),
  );
}

/** MySQL writes each digit of a time's fraction, PostgreSQL none of the zeros at its end. */
export const withoutLastZeros = (value: string): string => value.replace(/(:\d\d(?:\.\d*[1-9])?)\.?0+$/, "$1");

/** A file's time is the kernel's coarse clock's, which is some milliseconds late. */
const coarseSeconds = 0.05;

/** Until what the server does has another time than what it has done: it keeps times of tables in seconds, MariaDB by their files. */
export async function nextSecond(client: mysql.Connection): Promise<void> {
  const [[{ begun }]] = (await client.query("SELECT UNIX_TIMESTAMP() AS begun")) as unknown as [[{ begun: number }]];
  await client.query(`DO SLEEP(GREATEST(0, ${begun} + 1 + ${coarseSeconds} - UNIX_TIMESTAMP(NOW(6))))`);
}

export const error = async (work: Promise<unknown>): Promise<{ code: string; message: string; retryable: boolean }> =>
  work.then(
    () => ({ code: "none", message: "it did not fail", retryable: false }),
    (thrown: { code?: string; message: string; retryable?: boolean }) => ({
      code: thrown.code ?? "",
      message: thrown.message,
      retryable: thrown.retryable ?? false,
    }),
  );
