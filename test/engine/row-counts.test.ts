import type mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, startDatabase } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { openProxy } from "../chaos/proxy.ts";
import { endpoint, error, mysqlAs } from "./mysql-support.ts";
import { sql } from "./postgres-support.ts";
import { run } from "./run.ts";

/** Somebody changes the target in the one moment that nothing but the counts can see: after the rows were loaded, before they are counted. */

type Kind = "postgres" | "mariadb";
const kinds = ["postgres", "mariadb"] as const;

let servers: Record<Kind, Database>;
let admin: mysql.Connection;
beforeAll(async () => {
  process.env.ROWFERRY_PG_BIN = await pgTools();
  const [postgres, mariadb] = await Promise.all([
    startDatabase("postgres"),
    startDatabase("mariadb", { args: ["--local-infile=1"] }),
  ]);
  servers = { postgres, mariadb };
  admin = await mysqlAs(mariadb.adminUrl);
});
afterAll(async () => {
  await admin?.end();
  await Promise.all(Object.values(servers ?? {}).map((server) => server.stop()));
});

/** Runs SQL as the administrator; answers how many rows it changed. */
async function change(kind: Kind, database: string, text: string): Promise<number> {
  if (kind === "postgres") return (await sql({ server: servers.postgres, database }, `${text} RETURNING 1`)).length;
  const [{ affectedRows }] = await admin.query<mysql.ResultSetHeader>(text.replace("counted", `${database}.counted`));
  return affectedRows;
}

const table = "CREATE TABLE counted (id int PRIMARY KEY, word varchar(20))";
const rows = "INSERT INTO counted VALUES (1, 'one'), (2, 'two'), (3, 'three')";

async function make(kind: Kind, database: string, filled: boolean): Promise<void> {
  const statements = filled ? [table, rows] : [];
  if (kind === "postgres") {
    await sql({ server: servers.postgres, database: "postgres" }, `CREATE DATABASE ${database} TEMPLATE template0`);
    for (const text of statements) await sql({ server: servers.postgres, database }, text);
    return;
  }
  await admin.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4; USE ${database}`);
  for (const text of statements) await admin.query(text);
}

const at = (kind: Kind, database: string) =>
  endpoint(servers[kind].urlOf(database, "admin"), kind === "postgres" ? "postgres" : "mysql");

let made = 0;

describe.each(kinds.flatMap((from) => kinds.map((to) => [from, to] as const)))("%s to %s", (from, to) => {
  test.each([
    ["lost", "DELETE FROM counted WHERE id = 2", 2],
    ["gained", "INSERT INTO counted VALUES (4, 'four')", 4],
  ])(
    "a row that the target %s after the load fails the copy, with the table and both numbers",
    async (_, text, left) => {
      const [source, target] = [`from_${++made}`, `to_${made}`];
      await make(from, source, true);
      await make(to, target, false);
      let changed = 0;
      const proxy = await openProxy(servers[to].port, async (sent) => {
        if (changed === 0 && /count\(\*\).*counted/is.test(sent.toString("latin1")))
          changed = await change(to, target, text);
      });
      try {
        // Readable on its way, which the proxy needs.
        const through = { ...at(to, target), port: proxy.port, tls: { mode: "disable" as const } };
        const ended = await error(run({ source: at(from, source), target: through }));
        expect(changed).toBe(1);
        expect(ended.code).toBe(from === "postgres" && to === "postgres" ? "count_mismatch" : "row_count_mismatch");
        expect(ended.message).toContain("counted");
        expect(ended.message).toContain("3 rows in the source");
        expect(ended.message).toContain(`${left} in the target`);
      } finally {
        await proxy.close();
      }
    },
  );
});
