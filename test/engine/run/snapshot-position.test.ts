import type { Connection } from "mysql2/promise";
import { describe, test } from "vitest";
import type { DatabaseKind } from "../../../dev/databases/kinds.ts";
import type { SourceSnapshot } from "../../../src/engine/contract/index.ts";
import { openSnapshot } from "../../../src/engine/mysql/source/snapshot.ts";
import { atFileEnd } from "../../file-end.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, mysqlAs } from "../../support/engine/mysql-support.ts";

/** The place of a snapshot in its server's log, against what the server says by itself. */

const log = ["--log-bin=log", "--server-id=7"];

async function started(kind: DatabaseKind, args: readonly string[]) {
  const server = await borrowDatabase(kind, { args });
  const admin = await mysqlAs(server.adminUrl);
  atFileEnd(async () => {
    await admin.end();
    await server.stop();
  });
  await admin.query("CREATE DATABASE p; CREATE TABLE p.t (id int PRIMARY KEY); INSERT INTO p.t VALUES (1)");
  let users = 0;
  return {
    admin,
    /** Of a user with these rights; before and after it something is written. */
    async facts(rights: string, onAll: string | undefined, sessions: number): Promise<SourceSnapshot> {
      const user = `u${users++}`;
      await admin.query(`CREATE USER ${user} IDENTIFIED BY 'pass-word-1'; GRANT ${rights} ON p.* TO ${user}`);
      if (onAll !== undefined) await admin.query(`GRANT ${onAll} ON *.* TO ${user}`);
      const source = { ...endpoint(server.urlOf("p", "admin"), "mysql"), user, password: "pass-word-1" };
      const { signal } = new AbortController();
      const snapshot = await openSnapshot(source, sessions, "test", signal, () => undefined);
      await snapshot.close();
      return snapshot.facts;
    },
  };
}

const row = async (admin: Connection, sql: string): Promise<unknown[]> => {
  const [rows] = await admin.query({ sql, rowsAsArray: true });
  return (rows as unknown[][])[0] ?? [];
};

describe.concurrent("the place of a snapshot in the log", () => {
  test("of MariaDB is file, offset and GTID, whatever the user's rights", async ({ expect }) => {
    const { admin, facts } = await started("mariadb", log);
    for (const [rights, onAll, sessions, connections] of [
      ["SELECT", undefined, 3, 1],
      ["SELECT", "BINLOG MONITOR", 3, 1],
      ["SELECT, LOCK TABLES", undefined, 3, 3],
      ["SELECT", "RELOAD", 3, 3],
    ] as const) {
      const found = await facts(rights, onAll, sessions);
      const [file, offset] = await row(admin, "SHOW MASTER STATUS");
      const [gtid] = await row(admin, "SELECT @@GLOBAL.gtid_binlog_pos");
      expect(found).toEqual({ connections, binlog: { file, offset: Number(offset) }, gtid });
    }
  });

  test("of MySQL is its GTIDs, and file and offset under a lock with the right to see them", async ({ expect }) => {
    const { admin, facts } = await started("mysql", [...log, "--gtid-mode=ON", "--enforce-gtid-consistency=ON"]);
    const known = async () => {
      const [file, offset, , , set] = await row(admin, "SHOW BINARY LOG STATUS");
      return { binlog: { file, offset: Number(offset) }, gtid: String(set).replaceAll(/\s/g, "") };
    };
    const alone = await facts("SELECT", undefined, 3);
    expect(alone).toEqual({ connections: 1, gtid: (await known()).gtid });
    const locked = await facts("SELECT, LOCK TABLES", "REPLICATION CLIENT", 3);
    expect(locked).toEqual({ connections: 3, ...(await known()) });
  });

  test("of a server without a log is left out", async ({ expect }) => {
    const { facts } = await started("mariadb", ["--skip-log-bin"]);
    expect(await facts("SELECT", "RELOAD", 2)).toEqual({ connections: 2 });
  });
});
