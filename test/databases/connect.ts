import mysql from "mysql2/promise";
import pg from "pg";
import { type DatabaseKind, kinds } from "../../dev/databases/kinds.ts";

export interface Session {
  /** Rows as arrays of strings. */
  query(sql: string): Promise<string[][]>;
  end(): Promise<void>;
}

/** One connection of either driver; `ca` asks for TLS that verifies the certificate and its name. */
export async function connect(kind: DatabaseKind, url: string, ca?: string): Promise<Session> {
  if (kinds[kind].engine === "postgres") {
    const client = new pg.Client({ connectionString: url, ...(ca === undefined ? {} : { ssl: { ca } }) });
    client.on("error", () => {});
    await client.connect();
    return {
      query: async (text) => {
        const result = await client.query({ text, rowMode: "array" });
        return result.rows.map((row: unknown[]) => row.map(String));
      },
      end: () => client.end(),
    };
  }
  const connection = await mysql.createConnection({
    uri: url.replace(/^mariadb:/, "mysql:"),
    rowsAsArray: true,
    ...(ca === undefined ? {} : { ssl: { ca, verifyIdentity: true } }),
  });
  connection.on("error", () => {});
  return {
    query: async (sql) => {
      const [rows] = await connection.query(sql);
      return Array.isArray(rows) ? (rows as unknown[][]).map((row) => row.map(String)) : [];
    },
    end: async () => connection.destroy(),
  };
}
