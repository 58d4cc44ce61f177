// Whether a database answers a login: what "ready" means here.
import mysql from "mysql2/promise";
import pg from "pg";
import { type DatabaseKind, kinds } from "./kinds.ts";

/** Logs in and runs one statement; rejects with the driver's error. */
export const logIn = async (kind: DatabaseKind, url: string): Promise<void> => {
  if (kinds[kind].engine === "postgres") {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("SELECT 1");
    } finally {
      await client.end();
    }
    return;
  }
  const connection = await mysql.createConnection({ uri: url.replace(/^mariadb:/, "mysql:"), connectTimeout: 5_000 });
  try {
    await connection.query("SELECT 1");
  } finally {
    connection.destroy();
  }
};
