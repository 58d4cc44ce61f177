import type mysql from "mysql2/promise";
import { describe, expect, test } from "vitest";
import type { EngineProgress } from "../../../src/engine/contract/index.ts";
import { reset } from "../../../src/engine/run/reset.ts";
import { copied, definitionsOf, type Pair, pair, useServers } from "../../support/engine/mysql-mysql-support.ts";
import type { Flavour } from "../../support/engine/mysql-support.ts";
import { interrupted, run } from "../../support/engine/run.ts";

const servers = useServers();

const doubled = "INSERT INTO big (v) SELECT v FROM big; ";
const schema = `CREATE TABLE same (id int PRIMARY KEY, e enum('x','y'), KEY same_e (e)) COMMENT 'it''s kept'; INSERT INTO same VALUES (1, 'x'), (2, 'y');
  CREATE TABLE moved (id int PRIMARY KEY, up int, v varchar(20), CONSTRAINT to_same FOREIGN KEY (up) REFERENCES same (id)); INSERT INTO moved VALUES (1, 1, 'old');
  CREATE TABLE twin (id int AUTO_INCREMENT PRIMARY KEY, v varchar(20), up int, UNIQUE KEY same_v (v), CONSTRAINT to_moved FOREIGN KEY (up) REFERENCES moved (id)); INSERT INTO twin (v, up) VALUES ('a', 1), ('b', NULL);
  CREATE TABLE counter (id int AUTO_INCREMENT PRIMARY KEY); INSERT INTO counter VALUES (1), (2);
  CREATE TABLE big (id int PRIMARY KEY AUTO_INCREMENT, v varchar(200)); INSERT INTO big (v) VALUES (REPEAT('x', 190)); ${doubled.repeat(14)} ANALYZE TABLE big;
  CREATE VIEW seen AS SELECT v FROM moved; CREATE TRIGGER twins BEFORE INSERT ON twin FOR EACH ROW SET NEW.v = CONCAT(NEW.v, '!')`;

const smallOnes = ({ table }: EngineProgress) =>
  table.length > 0 && table.every(({ name, state }) => name === "big" || state === "done");
const slowly = { bandwidth: 300_000 };

/** The server's own number of each table, which a new table of the same name has not. */
async function tableIds(client: mysql.Connection, kind: Flavour, database: string): Promise<Record<string, string>> {
  const view = kind === "mysql" ? "INNODB_TABLES" : "INNODB_SYS_TABLES";
  const [found] = await client.query({
    sql: `SELECT SUBSTRING_INDEX(NAME, '/', -1), TABLE_ID FROM information_schema.${view} WHERE NAME LIKE '${database}/%'`,
    rowsAsArray: true,
  });
  return Object.fromEntries(found as [string, string][]);
}

describe.each<Flavour>(["mariadb", "mysql"])("a second attempt at a copy from %s to its own kind", (kind) => {
  test("keeps the tables that were finished and are equal by their hashes, and copies again what has changed or was not finished", async () => {
    const both = await pair(servers, kind, kind, schema);
    const here = `${both.database}_copy`;
    await interrupted(both, smallOnes, slowly);
    const before = await tableIds(both.to, kind, here);
    await both.from.query(
      "UPDATE moved SET v = 'new'; INSERT INTO moved VALUES (2, NULL, NULL); INSERT INTO counter VALUES (9); DELETE FROM counter WHERE id = 9",
    );
    const { report, logs, copied: done } = await run(both);
    expect(report.resumed?.kept.sort()).toEqual(["same", "twin"]);
    expect(report.resumed?.copied_again.sort()).toEqual(["counter", "moved"]);
    const after = await tableIds(both.to, kind, here);
    expect(
      Object.keys(after)
        .filter((table) => after[table] === before[table] && table !== "_rowferry")
        .sort(),
    ).toEqual(["same", "twin"]);
    expect(logs.join("\n")).toContain(
      "table same was finished by an earlier attempt and is equal to the source: it is kept",
    );
    await done.finish();
    expect(await moved(both)).toEqual(await definitionsOf(both.from));
    for (const table of ["same", "moved", "twin", "counter"])
      expect((await both.to.query(`SELECT * FROM ${table} ORDER BY 1`))[0]).toEqual(
        (await both.from.query(`SELECT * FROM ${table} ORDER BY 1`))[0],
      );
    expect((await both.to.query("SELECT COUNT(*) AS n FROM big"))[0]).toEqual([{ n: "16384" }]);
    // What was taken over is on the list of what a reset drops.
    await reset(
      { owner: "owner-1", ownerName: "the test", target: both.target, made: report.made, madeIn: report.target },
      { signal: new AbortController().signal, log: () => undefined },
    );
    expect((await both.to.query("SHOW TABLES"))[0]).toEqual([]);
  });

  test("keeps what was finished also after foreign keys, comments and views were made", async () => {
    const both = await pair(servers, kind, kind, schema);
    await interrupted(both, ({ phase }) => phase === "verifying");
    const { report, copied: done } = await run(both);
    expect(report.resumed).toEqual({ kept: ["big", "counter", "moved", "same", "twin"], copied_again: [] });
    await done.finish();
    expect(await moved(both)).toEqual(await definitionsOf(both.from));
  });

  test("names what others put on tables that would be made anew, each by itself, and leaves it; named in options.drop they go", async () => {
    const both = await pair(servers, kind, kind, schema);
    await interrupted(both, smallOnes, slowly);
    const others: [make: string, named: string, undo: string][] = [
      ["CREATE INDEX theirs ON big (v(5))", "big (index theirs)", "DROP INDEX theirs ON big"],
      ["ALTER TABLE big ADD theirs int DEFAULT 42", "big (column theirs)", "ALTER TABLE big DROP theirs"],
      [
        "CREATE TRIGGER theirs BEFORE INSERT ON big FOR EACH ROW SET NEW.v = NEW.v",
        "big (trigger theirs)",
        "DROP TRIGGER theirs",
      ],
      ["INSERT INTO big VALUES (999999, 'theirs')", "big (1 row)", "DELETE FROM big WHERE id = 999999"],
      [
        "CREATE TABLE own (id int PRIMARY KEY); ALTER TABLE big ADD CONSTRAINT theirs FOREIGN KEY (id) REFERENCES own (id)",
        "big (foreign key theirs)",
        "ALTER TABLE big DROP FOREIGN KEY theirs; DROP TABLE own",
      ],
      ["ALTER TABLE same ADD KEY more (id, e)", "same (index more)", "SELECT 1"],
    ];
    for (const [make, named, undo] of others) {
      await both.to.query(make);
      await expect(run(both), make).rejects.toMatchObject({
        code: "target_changed",
        retryable: false,
        message: expect.stringContaining(`anew: ${named}. Nothing was dropped`),
      });
      await both.to.query(undo);
    }
    const { report, copied: done } = await run(both, { options: { jobs: 2, drop: ["same"] } });
    expect(report.resumed?.copied_again).toEqual(["same"]);
    await done.finish();
    expect(await moved(both)).toEqual(await definitionsOf(both.from));
  });

  test("names what others did to a table that the server's statistics called small", async () => {
    const both = await pair(
      servers,
      kind,
      kind,
      `CREATE TABLE late (id int PRIMARY KEY AUTO_INCREMENT, v varchar(200)) STATS_PERSISTENT=1 STATS_AUTO_RECALC=0;
       INSERT INTO late (v) VALUES (REPEAT('x', 190)); ${doubled.replaceAll("big", "late").repeat(14)}`,
    );
    await interrupted(both, ({ table }) => table.some(({ state }) => state === "copying"), slowly);
    for (const [change, named, undo] of [
      ["ADD INDEX theirs (v(5))", "index theirs", "DROP INDEX theirs"],
      ["ADD theirs int DEFAULT 42", "column theirs", "DROP theirs"],
      ["MODIFY v varchar(300)", "column v", "MODIFY v varchar(200)"],
    ]) {
      await both.to.query(`ALTER TABLE late ${change}`);
      await expect(run(both), change).rejects.toMatchObject({
        code: "target_changed",
        message: expect.stringContaining(`late (${named})`),
      });
      await both.to.query(`ALTER TABLE late ${undo}`);
    }
    await (await run(both)).copied.finish();
    expect(await moved(both)).toEqual(await definitionsOf(both.from));
  });

  test("leaves a foreign key that others put on a finished table, or names it where the table was rebuilt", async () => {
    const both = await pair(servers, kind, kind, schema);
    await interrupted(both, ({ phase }) => phase === "verifying");
    await both.to.query(
      "CREATE TABLE own (id int PRIMARY KEY); INSERT INTO own VALUES (1), (2); ALTER TABLE twin ADD CONSTRAINT theirs FOREIGN KEY (id) REFERENCES own (id)",
    );
    // MariaDB tells the moment of creation, which the change of a table moves, in seconds.
    const second = await run(both).catch((error: unknown) => error as Error);
    if (second instanceof Error) {
      expect(second).toMatchObject({
        code: "target_changed",
        message: expect.stringContaining("twin (foreign key theirs)"),
      });
      return;
    }
    expect(second.report.resumed?.kept).toContain("twin");
    await second.copied.finish();
    const sql =
      "SELECT CONSTRAINT_NAME AS name FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() AND TABLE_NAME = 'twin' ORDER BY 1";
    expect((await both.to.query(sql))[0]).toEqual([{ name: "theirs" }, { name: "to_moved" }]);
  });

  test("finds a value that was changed in the target meanwhile, and copies its table again", async () => {
    const both = await pair(servers, kind, kind, schema);
    await interrupted(both, smallOnes, slowly);
    await both.to.query("UPDATE twin SET v = 'c' WHERE id = 2");
    const { report, copied: done } = await run(both);
    expect(report.resumed?.copied_again).toEqual(["twin"]);
    await done.finish();
    expect(await moved(both)).toEqual(await definitionsOf(both.from));
    expect((await both.to.query("SELECT v FROM twin ORDER BY id"))[0]).toEqual([{ v: "a" }, { v: "b" }]);
  });

  test("names a trigger that others put on a table of its own meanwhile, and goes on when that is gone", async () => {
    const both = await pair(servers, kind, kind, schema);
    await interrupted(both, ({ phase }) => phase === "verifying");
    await both.to.query("CREATE TRIGGER aside AFTER UPDATE ON same FOR EACH ROW SET @seen = 1");
    await expect(run(both)).rejects.toMatchObject({
      code: "target_changed",
      retryable: false,
      message: expect.stringMatching(/same \(aside\)\. Drop these triggers and run again/),
    });
    await both.to.query("DROP TRIGGER aside");
    const { report, copied: done } = await run(both);
    expect(report.resumed).toEqual({ kept: ["big", "counter", "moved", "same", "twin"], copied_again: [] });
    await done.finish();
    expect(await moved(both)).toEqual(await definitionsOf(both.from));
  });

  test("keeps rows that were put into tables of the target, and empties only its own", async () => {
    const both = await pair(servers, kind, kind, schema);
    await copied(both, { options: { jobs: 1, content: "schema" } });
    await both.to.query("DROP TRIGGER twins");
    await interrupted(both, smallOnes, { ...slowly, content: "data" });
    await both.from.query("UPDATE moved SET v = 'new'");
    await both.to.query("INSERT INTO counter VALUES (77)");
    await expect(run(both, { options: { jobs: 2, content: "data" } })).rejects.toMatchObject({
      code: "target_not_empty",
      message: expect.stringContaining("rows in counter that"),
    });
    expect((await both.to.query("SELECT id FROM counter WHERE id = 77"))[0]).toHaveLength(1);
    await both.to.query("DELETE FROM counter WHERE id = 77");
    const { report, copied: done } = await run(both, { options: { jobs: 2, content: "data" } });
    expect(report.resumed?.kept.sort()).toEqual(["counter", "same", "twin"]);
    expect(report.made).toEqual([]);
    await done.finish();
    expect((await both.to.query("SELECT v FROM moved"))[0]).toEqual([{ v: "new" }]);
    expect((await both.to.query("SELECT COUNT(*) AS n FROM big"))[0]).toEqual([{ n: "16384" }]);
  });
});

/** The target's definitions, with the source's name for the database. */
async function moved({ to, database }: Pair): Promise<Record<string, string>> {
  const found = Object.entries(await definitionsOf(to));
  return Object.fromEntries(found.map(([object, text]) => [object, text.replaceAll(`${database}_copy`, database)]));
}
