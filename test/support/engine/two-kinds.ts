import type mysql from "mysql2/promise";
import type { Database } from "../../../dev/databases/index.ts";
import { pgTools } from "../../../dev/databases/pg-tools.ts";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, mysqlAs } from "./mysql-support.ts";
import { sql } from "./postgres-support.ts";

/** A PostgreSQL and a MariaDB server, each source and target, for what must hold alike in each direction. */

export type Kind = "postgres" | "mariadb";
const kinds = ["postgres", "mariadb"] as const;
export const directions = kinds.flatMap((from) => kinds.map((to) => [from, to] as const));

export interface TwoKinds {
  port(kind: Kind): number;
  /** A new database with what these statements, which both understand, make in it. `more`: of a PostgreSQL database. */
  make(
    kind: Kind,
    statements: readonly string[],
    more?: string,
  ): Promise<{ kind: Kind; database: string; endpoint: Endpoint }>;
  /** Runs one statement there as the administrator. Errors: the driver's. */
  run(where: { kind: Kind; database: string }, text: string): Promise<void>;
  /** How many tables are there, Rowferry's own too. */
  tables(where: { kind: Kind; database: string }): Promise<number>;
  stop(): Promise<void>;
}

let made = 0;

export async function startTwoKinds(): Promise<TwoKinds> {
  process.env.ROWFERRY_PG_BIN = await pgTools();
  const [postgres, mariadb] = await Promise.all([
    borrowDatabase("postgres"),
    borrowDatabase("mariadb", { args: ["--local-infile=1"] }),
  ]);
  const servers: Record<Kind, Database> = { postgres, mariadb };
  const admin: mysql.Connection = await mysqlAs(mariadb.adminUrl);
  const run: TwoKinds["run"] = async ({ kind, database }, text) => {
    if (kind === "postgres") await sql({ server: postgres, database }, text);
    else await admin.query(`USE ${database}; ${text}`);
  };
  return {
    port: (kind) => servers[kind].port,
    async make(kind, statements, more = "") {
      const database = `two_${process.pid}_${++made}`;
      if (kind === "postgres")
        await sql(
          { server: postgres, database: "postgres" },
          `CREATE DATABASE ${database} TEMPLATE template0 STRATEGY file_copy ${more}`,
        );
      else await admin.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`);
      for (const text of statements) await run({ kind, database }, text);
      const engine = kind === "postgres" ? "postgres" : "mysql";
      return { kind, database, endpoint: endpoint(servers[kind].urlOf(database, "admin"), engine) };
    },
    run,
    async tables({ kind, database }) {
      const within = kind === "postgres" ? "public" : database;
      const text = `SELECT COUNT(*) AS n FROM information_schema.tables WHERE table_schema = '${within}'`;
      const [row] =
        kind === "postgres"
          ? await sql<{ n: string }>({ server: postgres, database }, text)
          : ((await admin.query(text))[0] as { n: number }[]);
      return Number(row?.n);
    },
    async stop() {
      await admin.end();
      await Promise.all([postgres.stop(), mariadb.stop()]);
    },
  };
}
