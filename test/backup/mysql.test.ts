import { describe, expect, test } from "vitest";
import { checkArchive, restoreBackup } from "../../src/backup/index.ts";
import { verify } from "../../src/engine/verify/index.ts";
import { mysqlStatements } from "../samples/index.ts";
import { borrowDatabase } from "../servers/index.ts";
import { expectRows, shapes, zoo } from "../support/engine/mysql-everything.ts";
import { flavours, type Pair, pair, useServers } from "../support/engine/mysql-mysql-support.ts";
import { endpoint, mysqlAs } from "../support/engine/mysql-support.ts";
import { backup, codeOf, hooks, type Kept, newPlace, objectsIn, restore } from "./support.ts";

const servers = useServers();

/** Tables, objects and the values of every column by the engine's own comparison, which shares no code with the archive. */
async function expectEqual({ source, target }: Pick<Pair, "source" | "target">): Promise<void> {
  const { signal, log, progress } = { ...hooks(), progress: () => undefined };
  const found = await verify({ source, target, options: { jobs: 2 } }, { signal, log, progress });
  expect(found.verification.differences).toEqual([]);
  expect([...found.missing, ...found.extra, ...found.warnings]).toEqual([]);
  expect(found.equal).toBe(true);
}

async function roundTrip(where: Pair, kept?: Kept) {
  const place = kept ?? (await newPlace());
  const { taken } = await backup(where.source, place, { checksums: true });
  const { restored, heard } = await restore(where.target, place, {
    expect: { run: place.run.id, manifestDigest: taken.manifestDigest },
  });
  expect(restored.differences).toEqual([]);
  expect(restored).toMatchObject({ equal: true, tables: taken.tables, rows: taken.rows, checksummed: taken.tables });
  return { taken, restored, heard, place };
}

describe.each(flavours)("%s", (flavour) => {
  test("every object and row is in a restored database", async () => {
    const where = await pair(servers, flavour, flavour, zoo);
    const { taken, restored, place } = await roundTrip(where);
    expect(taken.engine).toBe(flavour === "mysql" ? "MySQL" : "MariaDB");
    expect(taken.warnings).toEqual([]);
    expect(restored.warnings).toEqual([]);
    const names = [...(await objectsIn(place.storage)).keys()].map((name) => name.split("/").at(-1));
    expect(names[0]).toBe("1-schema.sql.zst.age");
    expect(names.slice(-2)).toEqual(["3-finish.sql.zst.age", "manifest.json.zst.age"]);
    await expectRows(where);
    expect(await shapes(where.to, where.database)).toEqual(await shapes(where.from, where.database));
    await where.to.query("CALL fill(1, @t)");
    await where.to.query("INSERT INTO log (what) VALUES ('x')");
    expect((await where.to.query("SELECT what FROM log WHERE what IS NOT NULL"))[0]).toEqual([{ what: "x132" }]);
  });

  test.each(["rental", "shop"] as const)("the sample database %s has equal values after a restore", async (sample) => {
    const where = await pair(servers, flavour, flavour);
    for (const statement of mysqlStatements(sample)) await where.from.query(statement);
    await roundTrip(where);
    await expectEqual(where);
  });

  test("the archive is of one moment, whatever is written meanwhile", async () => {
    const where = await pair(
      servers,
      flavour,
      flavour,
      "CREATE TABLE a (id int PRIMARY KEY, pad varchar(500)); INSERT INTO a WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT x.i * 1000 + y.i, REPEAT('x', 500) FROM n x JOIN n y ON y.i <= 20; CREATE TABLE b (id int)",
    );
    const kept = await newPlace();
    let written: Promise<unknown> = Promise.resolve();
    let begun = false;
    await backup(where.source, kept, {
      progress({ phase }) {
        if (phase !== "copying" || begun) return;
        begun = true;
        written = where.from.query("DELETE FROM a WHERE id % 2 = 0; INSERT INTO b VALUES (1), (2)");
      },
    });
    await written;
    const { restored } = await restore(where.target, kept);
    expect(restored).toMatchObject({ equal: true, rows: 18_000 });
    expect((await where.to.query("SELECT (SELECT COUNT(*) FROM a) AS a, (SELECT COUNT(*) FROM b) AS b"))[0]).toEqual([
      { a: "18000", b: "0" },
    ]);
  });

  test("a view whose table is gone is no hindrance, views that build on others come in their order", async () => {
    const where = await pair(
      servers,
      flavour,
      flavour,
      `CREATE TABLE t (id int, v int); INSERT INTO t VALUES (1, 2); CREATE TABLE gone (id int);
       CREATE VIEW z AS SELECT id, v FROM t; CREATE VIEW m AS SELECT id, v FROM z WHERE id > 0 WITH CASCADED CHECK OPTION; CREATE VIEW a AS SELECT m.id AS v FROM m JOIN z v ON v.id = m.id;
       CREATE VIEW lost AS SELECT id FROM gone; CREATE VIEW besides AS SELECT id FROM lost; DROP TABLE gone`,
    );
    const kept = await newPlace();
    const { taken } = await backup(where.source, kept);
    expect(taken.warnings.filter((words) => words.includes("cannot be read in the source"))).toHaveLength(2);
    const { restored } = await restore(where.target, kept);
    expect(restored).toMatchObject({ equal: true, rows: 1, differences: [] });
    expect(restored.warnings).toEqual([
      expect.stringMatching(/^view lost is not made: what it refers to is not there \(.*gone' doesn't exist\)$/),
      expect.stringMatching(/^view besides is not made: what it refers to is not there \(/),
    ]);
    expect((await where.to.query("SELECT v FROM a"))[0]).toEqual([{ v: 1 }]);
    await expect(where.to.query("INSERT INTO m VALUES (-1, 1)")).rejects.toThrow(/CHECK OPTION failed/);
  });

  test("code keeps the default collation that its database had when it was made, and a restore that may not give it says so", async () => {
    const where = await pair(
      servers,
      flavour,
      flavour,
      `CREATE TABLE t (id int); ALTER DATABASE CHARACTER SET latin1 COLLATE latin1_german1_ci;
       CREATE FUNCTION earlier(a varchar(9)) RETURNS varchar(40) DETERMINISTIC RETURN CHARSET(a);
       CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.id = 7;
       CREATE EVENT e ON SCHEDULE EVERY 1 DAY DISABLE DO SELECT 1;
       ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
       CREATE FUNCTION now_is(a varchar(9)) RETURNS varchar(40) DETERMINISTIC RETURN CHARSET(a)`,
    );
    const { restored, place } = await roundTrip(where);
    expect(restored.warnings).toEqual([]);
    expect((await where.to.query("SELECT earlier('a') AS earlier, now_is('a') AS present"))[0]).toEqual([
      { earlier: "latin1", present: "utf8mb4" },
    ]);
    expect(
      (
        await where.to.query(
          `SELECT DATABASE_COLLATION AS made_with FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()
           UNION ALL SELECT DATABASE_COLLATION FROM information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE()
           UNION ALL SELECT DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = DATABASE()`,
        )
      )[0],
    ).toEqual(["latin1_german1_ci", "latin1_german1_ci", "utf8mb4_bin"].map((made_with) => ({ made_with })));
    await expectEqual(where);
    const filled = await pair(servers, flavour, flavour, "SELECT 1");
    await filled.to.query("ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_bin; CREATE TABLE own (id int)");
    const beside = await restore(filled.target, place, { allowNotEmpty: true });
    expect(beside.restored.warnings).toEqual([
      "function earlier, and other code that was made with the default collation latin1_german1_ci: variables and parameters without a character set have the target database's default, utf8mb4_bin",
    ]);
  });

  test("a user with no other right than on the target database becomes the definer, and that is said", async () => {
    const where = await pair(
      servers,
      flavour,
      flavour,
      `CREATE TABLE t (id int); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT id FROM t;
       CREATE FUNCTION f() RETURNS int DETERMINISTIC RETURN 1; CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.id = 7`,
    );
    const kept = await newPlace();
    await backup(where.source, kept);
    const { database } = where.target;
    const user = `plain${database}`.slice(0, 30);
    await where.to.query(`CREATE USER ${user}@'%' IDENTIFIED BY 'p'; GRANT ALL ON ${database}.* TO ${user}@'%'`);
    const { restored } = await restore({ ...where.target, user, password: "p" }, kept);
    expect(restored).toMatchObject({ equal: true, rows: 1 });
    for (const what of ["view v", "function f", "trigger g"])
      expect(restored.warnings.filter((words) => words.startsWith(`${what}: its definer is `))).toHaveLength(1);
    const [definers] = await where.to.query(
      "SELECT DEFINER AS d FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() UNION SELECT DEFINER FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE() UNION SELECT DEFINER FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()",
    );
    expect(definers).toEqual([{ d: `${user}@%` }]);
    await where.to.query(`DROP USER ${user}@'%'`);
  });

  test("a target that has objects is refused, unless that is allowed and none is in the way", async () => {
    const where = await pair(servers, flavour, flavour, "CREATE TABLE mine (id int); INSERT INTO mine VALUES (1)");
    const kept = await newPlace();
    await backup(where.source, kept);
    await where.to.query("CREATE TABLE other (id int)");
    expect(await codeOf(restore(where.target, kept))).toBe("target_not_empty");
    expect((await where.to.query("SHOW TABLES LIKE 'mine'"))[0]).toEqual([]);
    const { restored } = await restore(where.target, kept, { allowNotEmpty: true });
    expect(restored).toMatchObject({ equal: true, tables: 1, rows: 1 });
    expect(await codeOf(restore(where.target, kept, { allowNotEmpty: true }))).toBe("target_conflict");
  });
});

test("the manifest has the position in the source's log and what wrote it", async () => {
  const server = await borrowDatabase("mysql", {
    args: ["--log-bin=log", "--server-id=7", "--gtid-mode=ON", "--enforce-gtid-consistency=ON"],
  });
  const admin = await mysqlAs(server.adminUrl);
  try {
    await admin.query("CREATE DATABASE logged; CREATE TABLE logged.t (id int); INSERT INTO logged.t VALUES (1)");
    const [[row]] = (await admin.query("SELECT @@GLOBAL.gtid_executed AS gtid")) as unknown as [[{ gtid: string }]];
    const kept = await newPlace();
    const { taken } = await backup(endpoint(server.urlOf("logged", "admin"), "mysql"), kept);
    expect(taken.position).toMatchObject({ binlog: { file: expect.stringMatching(/^log\.\d+$/) }, gtid: row.gtid });
    const { storage, folder, key } = kept;
    const { manifest } = await checkArchive({ storage, folder, identities: [key.identity], signal: hooks().signal });
    expect(manifest).toMatchObject({
      engine: "mysql",
      source: { product: "MySQL", version: taken.serverVersion, database: "logged" },
      position: taken.position,
      tables: [{ name: "t", rows: 1 }],
    });
    expect(Object.keys(manifest.tools)).toEqual(["rowferry"]);
  } finally {
    await admin.end();
    await server.stop();
  }
});

test("a backup of one product is not restored into the other, nor into another engine", async () => {
  const where = await pair(servers, "mysql", "mariadb", "CREATE TABLE t (id int)");
  const kept = await newPlace();
  await backup(where.source, kept);
  expect(await codeOf(restore(where.target, kept))).toBe("engine_differs");
  const postgres = { ...where.target, engine: "postgres" as const };
  const { storage, folder, key } = kept;
  const other = restoreBackup({ ...hooks(), target: postgres, storage, folder, identities: [key.identity] });
  expect(await codeOf(other)).toBe("engine_differs");
});
