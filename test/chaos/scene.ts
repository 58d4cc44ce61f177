import { type Database, startDatabase } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import type { Endpoint } from "../../src/engine/contract/index.ts";
import { catalogueOf, isPostgres, type Place, rowsOf, sql } from "./contents.ts";
import { bundleWorker } from "./worker.ts";
import { ledgerTables } from "./writer.ts";

/** The servers of one direction, a source that takes long enough to be disturbed, and targets with something in them. */

export type Direction = "mysql-pg" | "pg-pg" | "mysql-mysql" | "pg-mysql";
export const directions: readonly Direction[] = ["mysql-pg", "pg-pg", "mysql-mysql", "pg-mysql"];

export interface Scene {
  direction: Direction;
  source: Place;
  target: Database;
  tools: string;
  /** The engine as a program of one file. */
  program: string;
  tables: readonly string[];
  /** What the source holds. */
  rows: Record<string, string>;
  /** A new database on the target, which holds an application's own things. */
  newTarget(): Promise<{ place: Place; catalogue: string[] }>;
  close(): Promise<void>;
}

export const small = 17;
/** Three tables of some 5 MB, and small ones that refer to each other. */
const bigRows = 30_000;

const tables = Array.from({ length: small + 3 }, (_, n) => (n < small ? `t${n}` : `big${n - small}`));

function postgresSource(): string {
  const fill = (name: string, rows: number) =>
    `INSERT INTO ${name} SELECT i, ${rows > 1000 ? "repeat(md5(i::text), 3)" : "'größe ' || i"}, i / 7.0, timestamp '2020-01-01' + i * interval '1 minute',
      decode(md5(i::text), 'hex'), i % 2, CASE WHEN i > 1 THEN i - 1 END FROM generate_series(1, ${rows}) i;`;
  return tables
    .map((name, n) => {
      const parent = n > 0 && n < small ? `, FOREIGN KEY (parent) REFERENCES t${n - 1} (id)` : "";
      return `CREATE TABLE ${name} (id integer PRIMARY KEY, name varchar(120) NOT NULL, amount numeric(12,2), made timestamp(0), raw bytea, flag smallint, parent integer${parent});
        ${fill(name, n < small ? 100 : bigRows)} CREATE INDEX ${name}_name ON ${name} (name); CREATE INDEX ${name}_made ON ${name} (made);`;
    })
    .join("\n");
}

function mysqlSource(): string {
  const digits =
    "(SELECT 0 d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";
  const series = `CREATE TABLE series (i INT PRIMARY KEY); INSERT INTO series SELECT 1 + a.d + 10*b.d + 100*c.d + 1000*e.d + 10000*f.d FROM ${digits} a, ${digits} b, ${digits} c, ${digits} e, ${digits} f WHERE f.d < 3;`;
  const fill = (name: string, rows: number) =>
    `INSERT INTO ${name} SELECT i, ${rows > 1000 ? "repeat(left(sha2(i, 256), 32), 3)" : "concat('größe ', i)"}, i / 7, timestamp('2020-01-01') + INTERVAL i MINUTE,
      unhex(left(sha2(i, 256), 32)), i % 2, CASE WHEN i > 1 THEN i - 1 END FROM series WHERE i <= ${rows};`;
  const made = tables.map((name, n) => {
    const parent = n > 0 && n < small ? `, CONSTRAINT ${name}_fk FOREIGN KEY (parent) REFERENCES t${n - 1} (id)` : "";
    return `CREATE TABLE ${name} (id INT PRIMARY KEY, name VARCHAR(120) NOT NULL, amount DECIMAL(12,2), made DATETIME, raw VARBINARY(64), flag SMALLINT, parent INT,
      KEY ${name}_name (name), KEY ${name}_made (made)${parent}) CHARSET utf8mb4; ${fill(name, n < small ? 100 : bigRows)}`;
  });
  return `${series} ${made.join("\n")} DROP TABLE series;`;
}

const application = `CREATE TABLE mine (id int PRIMARY KEY, word varchar(20)); INSERT INTO mine VALUES (1, 'mine'), (2, 'too');
  CREATE VIEW mine_seen AS SELECT word FROM mine;`;

export function endpoint({ server, database }: Place, port = server.port): Endpoint {
  const url = new URL(server.adminUrl);
  return {
    engine: isPostgres({ server, database }) ? "postgres" : "mysql",
    host: "127.0.0.1",
    port,
    user: url.username,
    password: server.password,
    database,
    // MySQL that was restarted knows no password until it has been sent, which is done over TLS alone.
    tls: { mode: server.kind === "mysql" ? "require" : "disable" },
  };
}

/** A run of all directions has MySQL and MariaDB; which is where, the seed says. */
const flavourOf = (seed: number, direction: Direction, side: 0 | 1) =>
  (seed + (seed >>> 1) * side + directions.indexOf(direction)) % 2 === 0 ? "mariadb" : "mysql";

export async function openScene(direction: Direction, seed: number): Promise<Scene> {
  const [from, to] = direction.split("-");
  const args = ["--max-allowed-packet=64M", "--local-infile=1"];
  const start = (engine: string | undefined, side: 0 | 1) =>
    engine === "mysql" ? startDatabase(flavourOf(seed, direction, side), { args }) : startDatabase("postgres");
  const [tools, worker] = await Promise.all([pgTools(), bundleWorker()]);
  const started = await Promise.allSettled([start(from, 0), start(to, 1)]);
  const servers = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const close = async () => void (await Promise.all([...servers.map((server) => server.stop()), worker.remove()]));
  try {
    const [sourceServer, target] = servers;
    if (sourceServer === undefined || target === undefined) {
      throw started.find((result) => result.status === "rejected")?.reason;
    }
    const source = { server: sourceServer, database: "app" };
    await sql(source, `${isPostgres(source) ? postgresSource() : mysqlSource()} ${ledgerTables()}`);
    if (isPostgres(source)) await sql(source, "ANALYZE");
    let made = 0;
    const newTarget = async () => {
      const place = { server: target, database: `target${++made}` };
      const server = { server: target, database: new URL(target.adminUrl).pathname.slice(1) };
      if (made > 1)
        await sql(server, `DROP DATABASE IF EXISTS target${made - 1}${isPostgres(place) ? " WITH (FORCE)" : ""}`);
      await sql(server, `CREATE DATABASE ${place.database}`);
      await sql(place, application);
      return { place, catalogue: await catalogueOf(place) };
    };
    return {
      direction,
      source,
      target,
      tools,
      program: worker.path,
      tables,
      rows: await rowsOf(source, tables),
      newTarget,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
