import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyReport } from "../../../src/engine/contract/index.ts";
import {
  type AnyFlavour,
  type Pair,
  pair,
  rows,
  type Servers,
  startServers,
} from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** One of each thing that a database can hold; what information_schema lists must be in the report, whatever became of it. */
describe.each<AnyFlavour>(["mariadb", "mariadb-11", "mysql"])("everything that %s has", (flavour) => {
  const maria = flavour !== "mysql";
  let servers: Servers;
  let both: Pair;
  let report: CopyReport;

  const common = [
    `CREATE TABLE parent (id int AUTO_INCREMENT PRIMARY KEY COMMENT 'the key', code varchar(20) NOT NULL UNIQUE, secret int INVISIBLE DEFAULT 5,
      kind enum('x','y') NOT NULL DEFAULT 'y', marks set('a','b'), doc json, at timestamp NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
      twice int GENERATED ALWAYS AS (id + 1) ${maria ? "PERSISTENT" : "VIRTUAL"}, words text, place point NOT NULL,
      CONSTRAINT positive CHECK (secret > 0), CONSTRAINT odd CHECK (code <> REVERSE(code)), FULLTEXT KEY words (words), SPATIAL KEY place (place), KEY start (words(10)),
      KEY down (secret DESC)) COMMENT 'parents'`.replace(
      "twice int GENERATED ALWAYS AS (id + 1)",
      "twice int GENERATED ALWAYS AS (secret + 1)",
    ),
    "INSERT INTO parent (code, doc, words, place) VALUES ('ab', '{}', 'some words', ST_GeomFromText('POINT(1 2)'))",
    "CREATE TABLE child (id int PRIMARY KEY, up int, CONSTRAINT to_parent FOREIGN KEY (up) REFERENCES parent (id) ON DELETE SET NULL)",
    "CREATE TABLE by_range (id int, PRIMARY KEY (id)) PARTITION BY RANGE (id) (PARTITION low VALUES LESS THAN (10), PARTITION rest VALUES LESS THAN MAXVALUE)",
    "CREATE TABLE by_list (id int) PARTITION BY LIST (id) (PARTITION one VALUES IN (1, NULL), PARTITION two VALUES IN (2))",
    "CREATE TABLE by_hash (id int PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 3",
    "CREATE TABLE by_key (id int PRIMARY KEY) PARTITION BY KEY () PARTITIONS 2",
    "CREATE TABLE by_year (day date) PARTITION BY RANGE (YEAR(day)) (PARTITION old VALUES LESS THAN (2000), PARTITION late VALUES LESS THAN MAXVALUE)",
    "INSERT INTO by_range VALUES (1), (50); INSERT INTO by_list VALUES (NULL), (2); INSERT INTO by_hash VALUES (1), (2); INSERT INTO by_key VALUES (3); INSERT INTO by_year VALUES ('1999-01-01')",
    "CREATE VIEW plain AS SELECT id, code FROM parent; CREATE VIEW strange AS SELECT REVERSE(code) AS r, CONNECTION_ID() AS c FROM parent",
    "CREATE FUNCTION doubled(n int) RETURNS int DETERMINISTIC RETURN n * 2; CREATE PROCEDURE nothing() SELECT 1",
    "CREATE TRIGGER watch BEFORE INSERT ON child FOR EACH ROW SET NEW.up = NEW.up",
    "CREATE EVENT sometimes ON SCHEDULE EVERY 1 DAY DO DELETE FROM child",
    "CREATE USER zoo_reader IDENTIFIED BY 'pass-word-1'; CREATE USER zoo_writer@localhost IDENTIFIED BY 'pass-word-1'; CREATE USER zoo_stranger IDENTIFIED BY 'pass-word-1'",
    "GRANT SELECT, CREATE VIEW ON DATABASE_NAME.* TO zoo_reader; GRANT INSERT, UPDATE (up) ON child TO zoo_writer@localhost; GRANT DELETE ON child TO zoo_stranger; GRANT EXECUTE ON PROCEDURE nothing TO zoo_reader",
  ];
  const own = maria
    ? [
        "CREATE SEQUENCE numbers START WITH 7",
        ...(flavour === "mariadb-11"
          ? ["CREATE TABLE arrows (id int PRIMARY KEY, v vector(3) NOT NULL, VECTOR INDEX near (v))"]
          : []),
        "CREATE TABLE versions (id int PRIMARY KEY, v int) WITH SYSTEM VERSIONING; INSERT INTO versions VALUES (1, 1); UPDATE versions SET v = 2",
        "SET sql_mode = 'ORACLE'; CREATE PACKAGE tools AS FUNCTION one RETURN int; END; CREATE PACKAGE BODY tools AS FUNCTION one RETURN int AS BEGIN RETURN 1; END; END; SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'",
      ]
    : [
        "CREATE TABLE computed (n int, KEY by_sum ((n + 1)), KEY unlikely ((REVERSE(CAST(n AS CHAR(9))))))",
        "ALTER TABLE child ADD CONSTRAINT lax CHECK (id <> 7) NOT ENFORCED",
      ];

  beforeAll(async () => {
    servers = await startServers(flavour);
    const role = await (await pair(servers, "DO 0")).pg.query("CREATE ROLE zoo_reader; CREATE ROLE zoo_writer");
    expect(role).toBeDefined();
    both = await pair(servers, "DO 0");
    const name = both.source.database;
    for (const sql of [...common, ...own]) await servers.admin.query(sql.replace("DATABASE_NAME", name));
    report = (await run(both)).report;
  }, 120_000);
  afterAll(() => servers?.close());

  if (flavour === "mariadb-11")
    test("an index on vectors is named, and no other is made for it", async () => {
      expect(report.inventory.filter(({ name }) => name === "arrows.near")).toEqual([
        expect.objectContaining({ kind: "index", outcome: "reported", definition: "VECTOR KEY `near` (`v`)" }),
      ]);
      expect(await rows(both.pg, "SELECT indexname FROM pg_indexes WHERE tablename = 'arrows'")).toEqual([
        ["arrows_pkey"],
      ]);
    });

  test("stands in the report, with its text where it was not copied", async () => {
    const schema = `'${both.source.database}'`;
    const list = async (kind: string, sql: string) =>
      ((await servers.admin.query({ sql, rowsAsArray: true }))[0] as unknown as string[][]).map(
        (row) => `${kind} ${row.join(".")}`,
      );
    const listed = (
      await Promise.all([
        list(
          "table",
          `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ${schema} AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')`,
        ),
        list("view", `SELECT TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ${schema}`),
        list(
          "column",
          `SELECT c.TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS c JOIN information_schema.TABLES t USING (TABLE_SCHEMA, TABLE_NAME) WHERE TABLE_SCHEMA = ${schema} AND TABLE_TYPE NOT IN ('VIEW', 'SEQUENCE')`,
        ),
        list(
          "generated column",
          `SELECT c.TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS c WHERE TABLE_SCHEMA = ${schema} AND EXTRA LIKE '%GENERATED%' AND EXTRA NOT LIKE '%DEFAULT_GENERATED%'`,
        ),
        list(
          "index",
          `SELECT DISTINCT TABLE_NAME, INDEX_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ${schema}`,
        ),
        list(
          "foreign key",
          `SELECT TABLE_NAME, CONSTRAINT_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ${schema}`,
        ),
        list(
          "check",
          maria
            ? `SELECT TABLE_NAME, CONSTRAINT_NAME FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ${schema}`
            : `SELECT TABLE_NAME, CONSTRAINT_NAME FROM information_schema.TABLE_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ${schema} AND CONSTRAINT_TYPE = 'CHECK'`,
        ),
        list(
          "partitions",
          `SELECT DISTINCT TABLE_NAME FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = ${schema} AND PARTITION_NAME IS NOT NULL`,
        ),
        list("trigger", `SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ${schema}`),
        list("event", `SELECT EVENT_NAME FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ${schema}`),
        list(
          "function",
          `SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ${schema} AND ROUTINE_TYPE = 'FUNCTION'`,
        ),
        list(
          "procedure",
          `SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ${schema} AND ROUTINE_TYPE = 'PROCEDURE'`,
        ),
        ...(maria
          ? [
              list(
                "package",
                `SELECT DISTINCT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ${schema} AND ROUTINE_TYPE LIKE 'PACKAGE%'`,
              ),
              list(
                "sequence",
                `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ${schema} AND TABLE_TYPE = 'SEQUENCE'`,
              ),
              list(
                "system versioning",
                `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ${schema} AND TABLE_TYPE = 'SYSTEM VERSIONED'`,
              ),
            ]
          : []),
      ])
    ).flat();
    const told = new Set(report.inventory.map(({ kind, name }) => `${kind} ${name}`));
    expect(listed.length).toBeGreaterThan(50);
    expect(listed.filter((thing) => !told.has(thing))).toEqual([]);
    // Nothing twice, and a reason with each that is not copied; code with its text.
    expect(
      [...report.inventory.map(({ kind, name }) => `${kind} ${name}`)]
        .sort()
        .filter((name, at, all) => name === all[at + 1] && !name.startsWith("package")),
    ).toEqual([]);
    const left = report.inventory.filter(({ outcome }) => outcome === "reported");
    expect(left.filter(({ note }) => note === undefined || note === "")).toEqual([]);
    const code = left.filter(({ kind }) => /^(view|trigger|event|function|procedure|package|check)$/.test(kind));
    expect(code.filter(({ definition }) => definition === undefined).map(({ name }) => name)).toEqual([]);
    expect(left.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
      expect.arrayContaining([
        "view strange",
        "function doubled",
        "procedure nothing",
        "trigger watch",
        "event sometimes",
        "check parent.odd",
        "partitions by_year",
        "index parent.place",
      ]),
    );
  });

  test("is in the target as far as it can be", async () => {
    const one = async (sql: string) => (await rows(both.pg, sql))[0]?.[0];
    expect(
      await rows(
        both.pg,
        "SELECT relname, count(*) FROM pg_inherits JOIN pg_class ON oid = inhparent AND relkind = 'p' GROUP BY 1 ORDER BY 1",
      ),
    ).toEqual([
      ["by_hash", "3"],
      ["by_key", "2"],
      ["by_list", "2"],
      ["by_range", "2"],
    ]);
    expect(await one("SELECT secret FROM public.parent")).toBe("5");
    expect(await one("INSERT INTO public.parent (code, place) VALUES ('cd', '') RETURNING kind")).toBe("y");
    await expect(both.pg.query("UPDATE public.parent SET secret = -1")).rejects.toThrow("positive");
    expect(
      await rows(
        both.pg,
        "SELECT indexdef FROM pg_indexes WHERE tablename = 'parent' AND indexdef ~ 'gin|left|DESC' ORDER BY 1",
      ),
    ).toHaveLength(3);
    expect(
      await rows(
        both.pg,
        "SELECT grantee, privilege_type FROM information_schema.role_table_grants WHERE table_name = 'child' AND grantee LIKE 'zoo%' ORDER BY 1",
      ),
    ).toEqual([
      ["zoo_reader", "SELECT"],
      ["zoo_writer", "INSERT"],
    ]);
    expect(
      await rows(
        both.pg,
        "SELECT column_name FROM information_schema.column_privileges WHERE grantee = 'zoo_writer' AND privilege_type = 'UPDATE'",
      ),
    ).toEqual([["up"]]);
    const grants = report.inventory.filter(({ kind }) => kind === "grant");
    expect(grants.find(({ name }) => name.startsWith("CREATE VIEW on "))?.note).toContain("CREATE on the schema");
    expect(grants.map(({ name, outcome }) => `${outcome} ${name}`)).toEqual(
      expect.arrayContaining([
        "reported DELETE on child to zoo_stranger@%",
        "converted INSERT on child to zoo_writer@localhost",
        "converted UPDATE on child (up) to zoo_writer@localhost",
        `reported CREATE VIEW on ${both.source.database}.* to zoo_reader@%`,
        `converted SELECT on ${both.source.database}.* to zoo_reader@%`,
      ]),
    );
    expect(report.inventory.find(({ name }) => name === "parent.secret")?.note).toContain("INVISIBLE");
    if (maria) expect(await one("SELECT nextval('public.numbers')")).toBe("7");
  });
});
