import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Flavour, pair, rows, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { type Ran, run } from "../../support/engine/run.ts";

const schema = [
  "CREATE TABLE parent (id int PRIMARY KEY, name varchar(20), UNIQUE KEY (name), CONSTRAINT positive CHECK (id > 0))",
  "CREATE TABLE `child-1` (id int PRIMARY KEY, parent_id int, up int, CONSTRAINT owner FOREIGN KEY (parent_id) REFERENCES parent (id) ON DELETE CASCADE ON UPDATE SET NULL, CONSTRAINT tree FOREIGN KEY (up) REFERENCES `child-1` (id))",
  "INSERT INTO parent VALUES (1, 'a'); INSERT INTO `child-1` VALUES (1, 1, NULL)",
  "CREATE VIEW seen AS SELECT id FROM parent",
  "CREATE TRIGGER touch BEFORE INSERT ON parent FOR EACH ROW SET NEW.name = 'b'",
  "CREATE EVENT tick ON SCHEDULE EVERY 1 DAY DO SELECT 1",
  "CREATE PROCEDURE work() SELECT 1",
  "CREATE FUNCTION one() RETURNS int DETERMINISTIC RETURN 1",
].join("; ");

const unseen = ({ report }: Ran) =>
  report.inventory
    .filter(({ kind, name }) => kind !== "grant" && name.includes("*"))
    .map(({ kind, name }) => `${kind} ${name}`);
const named = ({ report }: Ran) =>
  report.inventory
    .filter(({ kind }) => /^(view|trigger|event|function|procedure)$/.test(kind))
    .map(({ kind, name }) => `${kind} ${name}`)
    .filter((words) => !words.includes("*"))
    .sort();
const everything = ["event tick", "function one", "procedure work", "trigger touch", "view seen"];

describe.each<Flavour>(["mariadb", "mysql"])("rights on %s", (flavour) => {
  let servers: Servers;
  let users = 0;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  /** Copies as a user with these grants only; `DB` stands for the database. */
  async function copiedWith(...grants: string[]) {
    const both = await pair(servers, schema);
    const { database } = both.source;
    const user = `limited_${++users}`;
    await servers.admin.query(`CREATE USER ${user} IDENTIFIED BY 'pass-word-1'`);
    for (const grant of grants)
      await servers.admin.query(
        `${grant.startsWith("GRANT") ? grant : `GRANT ${grant}`} TO ${user}`.replace("DB", database),
      );
    const ran = await run({ ...both, source: { ...both.source, user, password: "pass-word-1" } });
    const constraints = await rows(
      both.pg,
      "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype IN ('p', 'u', 'f') ORDER BY conrelid::regclass::text, conname",
    );
    return { ran, database, constraints };
  }

  test("the target's default rights are not given on what is copied", async () => {
    const both = await pair(servers, "CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY); INSERT INTO t VALUES (1)");
    await both.pg.query(
      "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC; ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO PUBLIC",
    );
    await run(both);
    expect(
      await rows(
        both.pg,
        "SELECT relname FROM pg_class c, aclexplode(relacl) a WHERE a.grantee = 0 AND relnamespace = 'public'::regnamespace AND relname !~ '^_rowferry'",
      ),
    ).toEqual([]);
  });

  test("a user that may only read gets every table, key and rule, and the report says what it could not see", async () => {
    const { ran: whole, constraints: expected } = await copiedWith("ALL ON DB.*");
    expect(unseen(whole)).toEqual([]);
    expect(named(whole)).toEqual(everything);
    expect(expected.map(([, definition]) => definition).join()).toContain("ON UPDATE SET NULL ON DELETE CASCADE");

    const { ran, database, constraints } = await copiedWith("SELECT ON DB.*");
    expect(constraints).toEqual(expected);
    expect(ran.report.tables.map((table) => table.rows.target)).toEqual([1, 1]);
    expect(named(ran)).toEqual(["view seen"]);
    expect(unseen(ran)).toEqual([`trigger ${database}.*`, `event ${database}.*`, `routine ${database}.*`]);
    const told = ({ report }: Ran, of: string) =>
      report.inventory.some(({ kind, name }) => kind === "grant" && name === `${of}.*`);
    expect([told(ran, database), told(whole, whole.report.tables[0]?.source.split(".")[0] ?? "")]).toEqual([
      true,
      true,
    ]);
    const warnings = ran.report.warnings.join("\n");
    expect(warnings).toContain(`triggers cannot be seen: GRANT TRIGGER ON \`${database}\`.* TO 'limited_`);
    expect(warnings).toContain(`events cannot be seen: GRANT EVENT ON \`${database}\`.* TO 'limited_`);
    expect(warnings).toContain(
      `GRANT ${flavour === "mysql" ? "SHOW_ROUTINE ON *.*" : "SELECT ON mysql.proc"} TO 'limited_`,
    );
    expect(warnings).not.toMatch(/IDENTIFIED|PASSWORD/);
  });

  test("the rights that the warnings ask for are those that fix them, also by a role", async () => {
    const role = `role_${flavour}`;
    await servers.admin.query(`CREATE ROLE ${role}`);
    const routines = flavour === "mysql" ? "SHOW_ROUTINE ON *.*" : "SELECT ON mysql.proc";
    await servers.admin.query(`GRANT ${routines} TO ${role}`);
    const user = `limited_${users + 1}`;
    const both = await copiedWith("SELECT, TRIGGER, EVENT ON DB.*", `GRANT ${role}`);
    // A role that is not switched on counts for nothing.
    expect(unseen(both.ran)).toEqual([`routine ${both.database}.*`]);
    await servers.admin.query(
      flavour === "mysql" ? `SET DEFAULT ROLE ${role} TO ${user}` : `SET DEFAULT ROLE ${role} FOR ${user}`,
    );
    const again = await pair(servers, schema);
    await servers.admin.query(`GRANT SELECT, TRIGGER, EVENT ON ${again.source.database}.* TO ${user}`);
    const ran = await run({ ...again, source: { ...again.source, user, password: "pass-word-1" } });
    expect(unseen(ran)).toEqual([]);
    expect(named(ran)).toEqual(everything);
  });

  test("tables and columns out of the user's sight are told as not provable, and by name where the server's own lists show them", async () => {
    const { ran, database } = await copiedWith("SELECT (id) ON DB.parent", "TRIGGER ON DB.parent");
    expect(ran.report.tables.map(({ source }) => source)).toEqual([`${database}.parent`]);
    expect(unseen(ran).slice(0, 2)).toEqual([`table ${database}.*`, "column parent.*"]);
    expect(unseen(ran)).not.toContain(`trigger ${database}.*`);
    expect(ran.report.warnings.join("\n")).toContain("there may be others");
    const told = await copiedWith("SELECT ON DB.parent", "PROCESS ON *.*");
    const hidden = told.ran.report.inventory.filter(({ kind, outcome }) => kind === "table" && outcome === "reported");
    expect(hidden.map(({ name }) => name)).toEqual([`${told.database}.*`, `${told.database}.child-1`]);
  });
});
