import type { Database } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { connect, type Session } from "../databases/connect.ts";
import { borrowDatabase } from "../servers/index.ts";

/** A MySQL and a PostgreSQL for the command line's tests, and fresh databases in them. */
export interface Servers {
  mysql: Database;
  postgres: Database;
  /** Folder of pg_dump. */
  tools: string;
  /** A new empty database of the user app; its URL without the password. */
  database(kind: "mysql" | "postgres"): Promise<Fresh>;
  stop(): Promise<void>;
}

export interface Fresh {
  name: string;
  /** With the password. */
  url: string;
  bare: string;
  password: string;
  session: Session;
}

export async function startServers(): Promise<Servers> {
  const tools = await pgTools();
  const [mysql, postgres] = await Promise.all([borrowDatabase("mysql"), borrowDatabase("postgres")]);
  const open: Session[] = [];
  let count = 0;
  return {
    mysql,
    postgres,
    tools,
    async database(kind) {
      const server = kind === "mysql" ? mysql : postgres;
      const name = `cli${++count}`;
      const admin = await connect(kind, server.adminUrl);
      await admin.query(kind === "mysql" ? `CREATE DATABASE ${name}` : `CREATE DATABASE ${name} OWNER app`);
      if (kind === "mysql") await admin.query(`GRANT ALL ON ${name}.* TO 'app'@'%'`);
      await admin.end();
      const url = server.urlOf(name);
      const session = await connect(kind, url);
      open.push(session);
      return { name, url, bare: url.replace(/:[^:@/]*@/, "@"), password: server.password, session };
    },
    async stop() {
      await Promise.all(open.map((session) => session.end().catch(() => undefined)));
      await Promise.all([mysql.stop(), postgres.stop()]);
    },
  };
}
