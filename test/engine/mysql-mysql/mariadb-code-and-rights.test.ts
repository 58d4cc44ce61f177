import type mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, mysqlAs } from "../../support/engine/mysql-support.ts";
import { outcomes, run } from "../../support/engine/run.ts";

/** What MariaDB says otherwise than MySQL: its roles and PUBLIC, packages, sequences, sql_mode of code, views without rights. */

interface Side {
  server: Database;
  admin: mysql.Connection;
}
let from: Side;
let to: Side;
let other: Side;

const start = async (kind: "mariadb" | "mysql"): Promise<Side> => {
  const server = await borrowDatabase(kind, { args: ["--local-infile=1"] });
  return { server, admin: await mysqlAs(server.adminUrl) };
};

beforeAll(async () => {
  [from, to, other] = await Promise.all([start("mariadb"), start("mariadb"), start("mysql")]);
}, 300_000);

afterAll(async () => {
  for (const { admin, server } of [from, to, other]) {
    await admin.end();
    await server.stop();
  }
});

const cells = async ({ admin }: Side, sql: string): Promise<string[]> => {
  const [rows] = await admin.query({ sql, rowsAsArray: true });
  return (rows as unknown[][]).map((row) => row.map(String).join(" "));
};

/** A database on each side, of another name in the target, which a view's text has to follow. */
async function pair(target: Side, schema: string): Promise<{ source: Endpoint; target: Endpoint }> {
  await from.admin.query(`DROP DATABASE IF EXISTS src; CREATE DATABASE src; USE src; ${schema}`);
  await target.admin.query("DROP DATABASE IF EXISTS dst; CREATE DATABASE dst");
  return {
    source: endpoint(from.server.urlOf("src", "admin"), "mysql"),
    target: endpoint(target.server.urlOf("dst", "admin"), "mysql"),
  };
}

async function copied(both: { source: Endpoint; target: Endpoint }) {
  const { report, copied } = await run(both);
  await copied.finish();
  return report;
}

const verified = (both: { source: Endpoint; target: Endpoint }) =>
  verify(
    { ...both, options: { jobs: 2 } },
    { signal: new AbortController().signal, log: () => undefined, progress: () => undefined },
  );

const users = (side: Side) => cells(side, "SELECT CONCAT(User, '@', Host) FROM mysql.user ORDER BY 1");

describe("MariaDB to MariaDB", () => {
  it("grants to roles and PUBLIC, on sequences and packages, and makes no account", async () => {
    const both = await pair(
      to,
      `CREATE TABLE t (a int, b int); CREATE SEQUENCE s; CREATE VIEW v AS SELECT a FROM t;
       CREATE PROCEDURE p() SELECT 1;
       SET sql_mode = 'ORACLE';
       CREATE PACKAGE k AS PROCEDURE x(); END; CREATE PACKAGE BODY k AS PROCEDURE x() AS BEGIN SELECT 1; END; END;
       CREATE OR REPLACE ROLE reading; CREATE OR REPLACE ROLE absent; CREATE OR REPLACE USER u@localhost;
       GRANT EXECUTE ON PACKAGE k TO u@localhost; GRANT EXECUTE ON PACKAGE BODY k TO u@localhost;
       SET sql_mode = DEFAULT;
       GRANT SELECT ON t TO reading; GRANT UPDATE (b) ON t TO reading WITH GRANT OPTION; GRANT EXECUTE ON PROCEDURE p TO reading;
       GRANT SELECT ON v TO PUBLIC; GRANT INSERT ON src.* TO PUBLIC; GRANT SELECT ON t TO absent;
       GRANT SELECT, INSERT ON s TO u@localhost`,
    );
    await to.admin.query("CREATE ROLE reading; CREATE USER u@localhost");
    const before = await users(to);
    const { inventory } = await copied(both);
    expect(await users(to)).toEqual([...before, "PUBLIC@"].sort());
    expect(outcomes(inventory.filter(({ kind }) => kind === "grant"))).toEqual([
      "grant EXECUTE on package body k to u@localhost copied",
      "grant EXECUTE on package k to u@localhost copied",
      "grant EXECUTE on procedure p to reading copied",
      "grant INSERT on dst.* to PUBLIC copied",
      "grant INSERT on s to u@localhost copied",
      "grant SELECT on s to u@localhost copied",
      "grant SELECT on t to absent reported",
      "grant SELECT on t to reading copied",
      "grant SELECT on v to PUBLIC copied",
      "grant UPDATE (`b`) on t to reading copied",
    ]);
    expect(inventory.find(({ name }) => name === "SELECT on t to absent")?.note).toBe(
      "the target has no role absent: create it there, then run the GRANT",
    );
    const grants = async (side: Side, database: string) =>
      (await Promise.all(["reading", "u@localhost", "PUBLIC"].map((name) => cells(side, `SHOW GRANTS FOR ${name}`))))
        .flat()
        .filter((line) => line.includes(`\`${database}\``))
        .map((line) => line.replace(`\`${database}\``, "DB"))
        .sort();
    expect(await grants(to, "dst")).toEqual(await grants(from, "src"));
  });

  it("keeps the whole sql_mode of code, so that a comparison finds nothing", async () => {
    const both = await pair(
      to,
      `SET sql_mode = DEFAULT; CREATE TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES (1);
       CREATE FUNCTION f() RETURNS int RETURN 1; CREATE PROCEDURE p() SELECT 1;
       CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.a = NEW.a;
       CREATE EVENT e ON SCHEDULE EVERY 1 DAY DISABLE DO SELECT 1`,
    );
    await copied(both);
    const modes = (side: Side, database: string) =>
      cells(
        side,
        `SELECT ROUTINE_NAME, SQL_MODE FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = '${database}'
         UNION SELECT TRIGGER_NAME, SQL_MODE FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = '${database}'
         UNION SELECT EVENT_NAME, SQL_MODE FROM information_schema.EVENTS WHERE EVENT_SCHEMA = '${database}' ORDER BY 1`,
      );
    expect(await modes(to, "dst")).toEqual(await modes(from, "src"));
    expect((await modes(to, "dst")).every((mode) => mode.includes("NO_AUTO_CREATE_USER"))).toBe(true);
    expect((await verified(both)).equal).toBe(true);
  });
});

describe("a view that draws from a sequence, whose text MariaDB tells in information_schema alone", () => {
  const drawn = (more: string) =>
    `CREATE TABLE t (a varchar(9) CHARACTER SET latin1); INSERT INTO t VALUES ('a'); CREATE SEQUENCE s;
     CREATE VIEW plain AS SELECT NEXTVAL(s) AS n, a, X'41' AS h, b'1' AS i FROM t;
     CREATE VIEW texts AS SELECT NEXTVAL(s) AS n, _latin1'b' AS b, CONCAT(a, 'c') AS c FROM t;${more}`;
  const likely = "CREATE VIEW likely AS SELECT NEXTVAL(s) AS n, a LIKE 'a?' AS l FROM t";

  it("is copied without texts, made with a note about their character sets, and reported where a ? may be a letter", async () => {
    const both = await pair(to, drawn(likely));
    const { inventory } = await copied(both);
    const views = inventory.filter(({ kind }) => kind === "view");
    expect(outcomes(views)).toEqual(["view likely reported", "view plain copied", "view texts converted"]);
    const noteOf = (name: string) => views.find((view) => view.name === name)?.note;
    expect(noteOf("texts")).toMatch(/^it draws from a sequence, .* without their character sets/);
    expect(noteOf("likely")).toMatch(/where \? may stand for a letter of four bytes: make it from SHOW CREATE VIEW$/);
    expect(views.find(({ name }) => name === "likely")?.definition).toContain("like 'a?'");
    expect(await cells(to, "SELECT b, c FROM dst.texts")).toEqual(["b ac"]);
  });

  it("is reported to MySQL, which has no sequences", async () => {
    const { inventory } = await copied(await pair(other, drawn(likely)));
    const views = inventory.filter(({ kind }) => kind === "view");
    expect(outcomes(views)).toEqual(["view likely reported", "view plain reported", "view texts reported"]);
    expect(views.map(({ note }) => note)).toEqual(Array(3).fill("it draws from a sequence, and MySQL has none"));
  });
});

describe.each(["MariaDB", "MySQL"])("MariaDB to %s", (kind) => {
  it("copies views whose definer has no rights or is gone, though the source names its database in their columns", async () => {
    const target = kind === "MySQL" ? other : to;
    const both = await pair(
      target,
      `CREATE TABLE t (a int PRIMARY KEY, b int); INSERT INTO t VALUES (1, 2), (2, 3); CREATE TABLE u (a int);
       CREATE FUNCTION fu() RETURNS int DETERMINISTIC RETURN 7;
       CREATE DEFINER = gone@'%' VIEW v1 AS SELECT a FROM t;
       CREATE DEFINER = gone@'%' VIEW v2 AS SELECT x.a, t.b, fu() AS f FROM t JOIN t x ON x.a = t.a
         WHERE x.a NOT IN (SELECT a FROM u) AND '\`src\`.\`t\`.\`a\`' <> ''`,
    );
    const [[{ "Create View": shown }]] = (await from.admin.query("SHOW CREATE VIEW src.v1")) as unknown as [
      [{ "Create View": string }],
    ];
    expect(shown).toContain("`src`.`t`.`a`");
    const { inventory } = await copied(both);
    expect(outcomes(inventory.filter(({ kind }) => kind === "view"))).toEqual([
      "view v1 converted",
      "view v2 converted",
    ]);
    expect(await cells(target, "SELECT a FROM dst.v1 ORDER BY a")).toEqual(["1", "2"]);
    expect(await cells(target, "SELECT * FROM dst.v2 ORDER BY a")).toEqual(["1 2 7", "2 3 7"]);
    expect((await verified(both)).equal).toBe(true);
  });
});
