// The servers of each direction and how they are asked. All are set alike for every program; durability is untouched.
import mysql from "mysql2/promise";
import pg from "pg";
import { type Database, startDatabase } from "../dev/databases/index.ts";
import type { Shape } from "./shape.ts";

export type Engine = "mysql" | "postgres";
export type Direction = "mysql-pg" | "pg-pg" | "mysql-mysql" | "pg-mysql";

export const engines: Record<Direction, [source: Engine, target: Engine]> = {
  "mysql-pg": ["mysql", "postgres"],
  "pg-pg": ["postgres", "postgres"],
  "mysql-mysql": ["mysql", "mysql"],
  "pg-mysql": ["postgres", "mysql"],
};

/** Buffers and logs of a small production server; everything else is the servers' own default. */
const settings: Record<Engine, string[]> = {
  mysql: ["--innodb-buffer-pool-size=1G", "--innodb-log-file-size=512M", "--max-allowed-packet=1G", "--local-infile=1"],
  postgres: ["shared_buffers=512MB", "max_wal_size=2GB", "maintenance_work_mem=128MB"].flatMap((value) => [
    "-c",
    value,
  ]),
};

/** Sources are databases `src`, targets `dst`; both are reached as the administrator. */
export const open = (engine: Engine): Promise<Database> =>
  startDatabase(engine === "mysql" ? "mariadb" : "postgres", { args: settings[engine] });

export const engineOf = (database: Database): Engine => (database.kind === "mariadb" ? "mysql" : "postgres");

/** Runs statements on the server, in its own database or the one named. Resolves with the last one's rows as arrays. */
export const ask = async (server: Database, sql: string, database?: string): Promise<unknown[][]> => {
  const url = database === undefined ? server.adminUrl : server.urlOf(database, "admin");
  if (engineOf(server) === "mysql") {
    const connection = await mysql.createConnection({
      uri: url.replace(/^mariadb:/, "mysql:"),
      multipleStatements: true,
      rowsAsArray: true,
    });
    const [rows] = await connection.query(sql);
    connection.destroy();
    return rows as unknown[][];
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const answer: unknown = await client.query({ text: sql, rowMode: "array" });
    return ((Array.isArray(answer) ? answer.at(-1) : answer) as pg.QueryArrayResult).rows;
  } finally {
    await client.end();
  }
};

/** Drops the database if it is there, makes it anew, and lets the server write out what it has. */
export const emptyDatabase = async (server: Database, name: string): Promise<void> => {
  if (engineOf(server) === "mysql") {
    await ask(server, `DROP DATABASE IF EXISTS ${name}; CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
    return;
  }
  await ask(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await ask(server, `CREATE DATABASE ${name}`);
  await ask(server, "CHECKPOINT");
};

/** The client's command line for the server, without the database. */
export const mariadb = (server: Database): string =>
  `mariadb --no-defaults -h127.0.0.1 -P${server.port} -uroot -p${server.password} --default-character-set=utf8mb4`;

export const postgres = (server: Database, database: string): string =>
  `postgres://postgres:${server.password}@127.0.0.1:${server.port}/${database}?sslmode=disable`;

export const countSql = (shape: Shape): string =>
  shape.tables.map((table) => `SELECT count(*) FROM ${table}`).join(" UNION ALL ");
