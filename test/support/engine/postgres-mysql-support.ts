import { execFile } from "node:child_process";
import { once } from "node:events";
import type mysql from "mysql2/promise";
import type { Database } from "../../../dev/databases/index.ts";
import { pgTools } from "../../../dev/databases/pg-tools.ts";
import type { CopyRequest } from "../../../src/engine/contract/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, type Flavour, mysqlAs } from "./mysql-support.ts";

/** Servers for the tests of PostgreSQL → MySQL, and readers of both sides that share no code with the engine. */

export interface Servers {
  source: Database;
  target: Database;
  /** The target's administrator. */
  admin: mysql.Connection;
  close(): Promise<void>;
}

export async function startServers(
  flavour: Flavour | "mariadb-11",
  from: "postgres" | "postgres-old" | "postgis" = "postgres",
  args: readonly string[] = ["--local-infile=1"],
  start: typeof borrowDatabase = borrowDatabase,
): Promise<Servers> {
  const [source, target] = await Promise.all([
    start(from),
    start(flavour, { args: ["--max-allowed-packet=268435456", ...args] }),
  ]);
  const admin = await mysqlAs(target.adminUrl);
  await admin.query("SET SESSION time_zone = '+00:00'");
  return {
    source,
    target,
    admin,
    async close() {
      await admin.end();
      await Promise.all([source.stop(), target.stop()]);
    },
  };
}

let counter = 0;

export interface Pair {
  name: string;
  source: CopyRequest["source"];
  target: CopyRequest["target"];
}

/** An empty database on each side; `schema` is run in the source's. */
export async function pair({ source, target, admin }: Servers, schema: string): Promise<Pair> {
  const name = `t${++counter}`;
  await inSource(source.adminUrl, `CREATE DATABASE ${name} TEMPLATE template0 STRATEGY file_copy`);
  await inSource(source.urlOf(name, "admin"), schema);
  await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  return {
    name,
    source: endpoint(source.urlOf(name, "admin"), "postgres"),
    target: endpoint(target.urlOf(name, "admin"), "mysql"),
  };
}

/** Statement by statement, as psql does. */
export async function inSource(url: string, sql: string): Promise<void> {
  const tools = await pgTools();
  const psql = execFile(`${tools}/psql`, ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", url, "-f", "-"], {
    maxBuffer: 1 << 28,
    env: { ...process.env, PGTZ: "UTC", PGCLIENTENCODING: "UTF8" },
  });
  psql.stdin?.on("error", () => undefined);
  psql.stdin?.end(sql);
  const said: string[] = [];
  psql.stderr?.on("data", (text) => said.push(String(text)));
  const [code] = (await once(psql, "exit")) as [number];
  if (code !== 0) throw new Error(`psql ended with ${code}: ${said.join("").slice(0, 2000)}`);
}

/** Every row as the server's own text, UTF-8. */
export async function rows(admin: mysql.Connection, sql: string): Promise<(string | null)[][]> {
  const [found] = await admin.query({ sql, rowsAsArray: true, typeCast: (field) => field.string("utf8") });
  return found as (string | null)[][];
}
