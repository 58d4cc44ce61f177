import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { pair, useServers } from "../../support/engine/mysql-mysql-support.ts";
import { endpoint, error } from "../../support/engine/mysql-support.ts";
import { inSource } from "../../support/engine/postgres-mysql-support.ts";
import { assessed, run } from "../../support/engine/run.ts";

/** A MySQL server may want a primary key of every table, or make one, and let only administrators change that. */

const servers = useServers();
let postgres: Database;
beforeAll(async () => {
  postgres = await borrowDatabase("postgres");
});
afterAll(() => postgres?.stop());

describe.each(["mariadb", "mysql", "postgres"] as const)("from %s", (from) => {
  const keyless = from === "postgres" ? "bare, hashed" : "bare";

  async function limited() {
    const schema = "CREATE TABLE bare (v int); CREATE TABLE keyed (id int PRIMARY KEY)";
    // Its key becomes a unique index over a hash.
    const more = "; CREATE TABLE hashed (doc jsonb PRIMARY KEY)";
    const where = await pair(servers, from === "postgres" ? "mariadb" : from, "mysql", schema);
    const user = `keyless_${from}_${where.database}`.slice(0, 32);
    await where.to.query(
      `CREATE USER ${user} IDENTIFIED BY 'pass-word-1'; GRANT ALL ON ${where.target.database}.* TO ${user}`,
    );
    if (from === "postgres") {
      await inSource(postgres.adminUrl, `CREATE DATABASE ${where.database}`);
      await inSource(postgres.urlOf(where.database, "admin"), schema + more);
    }
    const source = from === "postgres" ? endpoint(postgres.urlOf(where.database, "admin"), "postgres") : where.source;
    return { ...where, source, admin: where.target, target: { ...where.target, user, password: "pass-word-1" } };
  }

  async function under(setting: string, work: () => Promise<void>) {
    const { admin } = servers.of.mysql;
    await admin.query(`SET GLOBAL ${setting} = ON`);
    try {
      await work();
    } finally {
      await admin.query(`SET GLOBAL ${setting} = OFF`);
    }
  }

  test("tables without a key are refused before the first write where the server requires one", async () => {
    const where = await limited();
    await under("sql_require_primary_key", async () => {
      const { findings } = await assessed(where);
      expect(findings).toContainEqual(
        expect.objectContaining({
          severity: "blocker",
          code: "table_refused",
          reason: expect.stringMatching(new RegExp(`sql_require_primary_key.*: ${keyless}$`)),
          fix: expect.stringContaining("SET GLOBAL sql_require_primary_key = OFF"),
        }),
      );
      expect(await error(run(where))).toMatchObject({
        code: "table_refused",
        message: expect.stringContaining("sql_require_primary_key"),
      });
      const left = `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${where.target.database}' AND TABLE_NAME <> '_rowferry'`;
      expect((await where.to.query(left))[0]).toEqual([]);
      // Whoever may switch it off for the session is not held up.
      await (await run({ ...where, target: where.admin })).copied.finish();
    });
  });

  test("tables that get an invisible key are named where the user may not switch that off", async () => {
    const where = await limited();
    await under("sql_generate_invisible_primary_key", async () => {
      const words = expect.stringMatching(new RegExp(`my_row_id.*: ${keyless}$`));
      const [severity, code] = from === "postgres" ? ["blocker", "table_refused"] : ["warning", "invisible_keys"];
      expect((await assessed(where)).findings).toContainEqual(
        expect.objectContaining({ severity, code, reason: words }),
      );
      if (from === "postgres") {
        expect(await error(run(where))).toMatchObject({ code, message: expect.stringContaining("my_row_id") });
        return;
      }
      const { report, copied } = await run(where);
      expect(report.warnings).toContainEqual(words);
      await copied.finish();
    });
  });
});
