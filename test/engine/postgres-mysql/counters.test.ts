import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { error } from "../../support/engine/mysql-support.ts";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** AUTO_INCREMENT stores a number for each NULL. A nullable column therefore cannot be one. */

describe.each(["mysql", "mariadb", "mariadb-11"] as const)(
  "columns with a sequence, from PostgreSQL to %s",
  (flavour) => {
    let servers: Servers;
    beforeAll(async () => {
      servers = await startServers(flavour);
    });
    afterAll(() => servers?.close());

    test("NULL stays NULL, the default is reported, and a column that is NOT NULL still counts up", async () => {
      const both = await pair(
        servers,
        `CREATE SEQUENCE s; CREATE TABLE n (id int UNIQUE DEFAULT nextval('s'), v text);
       INSERT INTO n (v) VALUES ('a'), ('b'); INSERT INTO n VALUES (NULL, 'c'), (NULL, 'd');
       CREATE TABLE k (id serial PRIMARY KEY, v text); INSERT INTO k (v) VALUES ('a')`,
      );
      const { report } = await run(both, { options: { jobs: 2, verify: "checksum" } });
      expect(await rows(servers.admin, `SELECT id, v FROM ${both.name}.n ORDER BY v`)).toEqual([
        ["1", "a"],
        ["2", "b"],
        [null, "c"],
        [null, "d"],
      ]);
      const [[extra] = []] = await rows(servers.admin, `SHOW COLUMNS FROM ${both.name}.k LIKE 'id'`).then((found) =>
        found.map((row) => [row[5]]),
      );
      expect(extra).toBe("auto_increment");
      expect(report.inventory.find(({ kind, name }) => kind === "default" && name === "public.n.id")).toMatchObject({
        outcome: "reported",
        note: expect.stringContaining("NULL"),
        definition: expect.stringContaining("nextval"),
      });
    });

    test("rows alone: a column that takes NULL is not copied into AUTO_INCREMENT; one that is NOT NULL is", async () => {
      const schema = (type: string) =>
        `CREATE TABLE t (id int ${type}, v int PRIMARY KEY); INSERT INTO t VALUES (7, 1)${type === "" ? ", (NULL, 2)" : ""}`;
      const into = async (type: string) => {
        const both = await pair(servers, schema(type));
        await servers.admin.query(
          `CREATE TABLE ${both.name}.t (id int NOT NULL AUTO_INCREMENT UNIQUE, v int PRIMARY KEY)`,
        );
        const done = await error(run(both, { options: { jobs: 2, content: "data" } }));
        return { done, there: await rows(servers.admin, `SELECT id, v FROM ${both.name}.t`) };
      };
      const refused = await into("");
      expect(refused.done.code).toBe("schema_differs");
      expect(refused.done.message).toContain("id takes NULL in the source");
      expect(refused.there).toEqual([]);
      expect(await into("NOT NULL")).toMatchObject({ done: { code: "none" }, there: [["7", "1"]] });
    });

    test("0 stays 0 beside columns whose text the target converts", async () => {
      const schema =
        "CREATE TABLE t (id serial PRIMARY KEY, v varchar(20), j json); INSERT INTO t VALUES (7, 'ü', '[]'), (0, 'ä', '{}'), (9, NULL, NULL)";
      const all = [
        ["0", "ä", "{}"],
        ["7", "ü", "[]"],
        ["9", null, null],
      ];
      const made = await pair(servers, schema);
      const types = { "t.v": "varchar(20) character set latin1" };
      await run(made, { options: { jobs: 2, types } });
      expect(await rows(servers.admin, `SELECT id, v, j FROM ${made.name}.t ORDER BY id`)).toEqual(all);
      const both = await pair(servers, schema);
      await servers.admin.query(
        `CREATE TABLE ${both.name}.t (id int AUTO_INCREMENT PRIMARY KEY, v varchar(20) CHARACTER SET latin1, j json)`,
      );
      await run(both, { options: { jobs: 2, content: "data" } });
      expect(await rows(servers.admin, `SELECT id, v, j FROM ${both.name}.t ORDER BY id`)).toEqual(all);
    });
  },
);
