import { expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import { mysqlStatements } from "../../samples/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import {
  bytesOf,
  columnsOf,
  copied,
  definitionsOf,
  pair,
  pairs,
  tablesOf,
  useServers,
} from "../../support/engine/mysql-mysql-support.ts";
import { mysqlAs } from "../../support/engine/mysql-support.ts";
import { expectWhole } from "../../support/engine/whole-mysql.ts";
import { sqlFile } from "../../support/sql-file.ts";

/** Features of one kind of server, and the film rental. */

const servers = useServers();

/** MariaDB has no index on an expression and no REGEXP_LIKE, as which MySQL keeps REGEXP. */
const notInMariadb = ["index film.film_shouted", "view numbered_titles"];

test.each(pairs)("%s → %s: the film rental is copied completely", async (from, to) => {
  const where = await pair(servers, from, to);
  for (const statement of mysqlStatements("rental")) await where.from.query(statement);
  const { report } = await copied(where);
  const reported = from === "mysql" && to === "mariadb" ? notInMariadb : [];
  await expectWhole(where, report, { tables: 18, rows: 12_518, views: 33, reported });
});

const mysqlOnly = sqlFile(import.meta, "own-mysql.sql");

test("MySQL's own: functional and hidden indexes, hidden columns, SRID, vectors, checks that are not enforced", async () => {
  const where = await pair(servers, "mysql", "mysql", mysqlOnly);
  const { report } = await copied(where, { options: { jobs: 2, verify: "checksum" } });
  expect(await definitionsOf(where.to)).toEqual(await definitionsOf(where.from));
  expect(report.inventory.filter(({ outcome }) => outcome !== "copied")).toEqual([]);
  for (const table of await tablesOf(where.from)) {
    const columns = await columnsOf(where.from, table);
    expect(await bytesOf(where.to, table, columns)).toEqual(await bytesOf(where.from, table, columns));
  }
});

test("MySQL's own to MariaDB: what has no equal is left out alone, and named with its text", async () => {
  const where = await pair(servers, "mysql", "mariadb", mysqlOnly);
  const { report } = await copied(where, { options: { jobs: 2, verify: "checksum" } });
  expect(report.verification?.differences).toEqual([]);
  for (const table of await tablesOf(where.from)) {
    const columns = (await columnsOf(where.from, table)).filter((column) => column !== "j");
    expect(await bytesOf(where.to, table, columns)).toEqual(await bytesOf(where.from, table, columns));
  }
  const reported = report.inventory.filter(({ outcome }) => outcome === "reported");
  expect(reported.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
    "check f.rx",
    "check f.soft",
    "index f.ft",
    "index f.low",
    "index f.multi",
  ]);
  expect(reported.every(({ definition }) => (definition ?? "").length > 10)).toBe(true);
  const shown = (await definitionsOf(where.to))["TABLE f"];
  expect(shown).toContain("IGNORED");
  expect(shown).toContain("INVISIBLE");
  expect((await definitionsOf(where.to))["TABLE cs"]).toContain("uca1400_nopad_as_cs");
});

const mariaOnly = sqlFile(import.meta, "own-mariadb.sql");

test("MariaDB's own: sequences, versions of rows with their times, periods, types and compression", async () => {
  const where = await pair(servers, "mariadb", "mariadb", mariaOnly);
  const { report } = await copied(where);
  expect(report.inventory.filter(({ outcome }) => outcome !== "copied")).toEqual([]);
  const moved = Object.entries(await definitionsOf(where.to)).map(([object, text]) => [
    object,
    text.replaceAll(`${where.database}_copy`, where.database),
  ]);
  expect(Object.fromEntries(moved)).toEqual(await definitionsOf(where.from));
  const history = "SELECT id, v, row_start, row_end FROM ver FOR SYSTEM_TIME ALL ORDER BY id, row_end";
  expect((await where.to.query(history))[0]).toEqual((await where.from.query(history))[0]);
  const named = "SELECT * FROM ver2 FOR SYSTEM_TIME ALL ORDER BY id, e";
  expect((await where.to.query(named))[0]).toEqual((await where.from.query(named))[0]);
  expect((await where.to.query("SELECT NEXTVAL(sq) AS n"))[0]).toEqual(
    (await where.from.query("SELECT NEXTVAL(sq) AS n"))[0],
  );
});

test("MariaDB's defaults draw from the target's sequences; those of another database's are named", async () => {
  const other = `other_${process.pid}`;
  const where = await pair(
    servers,
    "mariadb",
    "mariadb",
    `CREATE SEQUENCE sq; CREATE DATABASE ${other}; CREATE SEQUENCE ${other}.far;
     CREATE TABLE d (id int PRIMARY KEY, a int DEFAULT NEXTVAL(sq), b int DEFAULT (NEXTVAL(sq) + 1) COMMENT 'nextval(');
     CREATE TABLE f (id int PRIMARY KEY, a int DEFAULT NEXTVAL(${other}.far))`,
  );
  try {
    const { report } = await copied(where);
    const copy = where.target.database;
    const texts = await definitionsOf(where.to);
    expect(texts["TABLE d"]).toContain(`DEFAULT nextval(\`${copy}\`.\`sq\`)`);
    expect(texts["TABLE d"]).not.toContain(`\`${where.database}\``);
    expect(texts["TABLE f"]).toContain(`nextval(\`${other}\`.\`far\`)`);
    expect(report.inventory.filter(({ outcome }) => outcome !== "copied")).toEqual([
      expect.objectContaining({ kind: "column", name: "f.a", note: expect.stringContaining(`\`${other}\`.\`far\``) }),
    ]);
    const said = await verify(
      { source: where.source, target: where.target, options: { jobs: 1 } },
      { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
    );
    expect(said).toMatchObject({ equal: true, objects: { different: 0, undecided: [] } });

    // A server without that database.
    await where.to.query("DROP TABLE f, d; DROP SEQUENCE sq");
    await where.from.query(`DROP DATABASE ${other}`);
    const less = await copied(where, { owner: "owner-2" });
    expect((await definitionsOf(where.to))["TABLE f"]).not.toContain("nextval");
    expect(less.report.inventory.filter(({ outcome }) => outcome !== "copied")).toEqual([
      expect.objectContaining({ kind: "column", name: "f.a", outcome: "reported" }),
    ]);
  } finally {
    await where.from.query(`DROP DATABASE IF EXISTS ${other}`);
  }
});

test("MariaDB's own to MySQL: types by their text, what has no equal is named", async () => {
  const where = await pair(servers, "mariadb", "mysql", mariaOnly);
  const { report } = await copied(where);
  const [rows] = await where.to.query("SELECT id, u, i4, i6, j, c, l, n, hid FROM m ORDER BY id");
  expect(rows).toEqual([
    {
      id: 1,
      u: "123e4567-e89b-12d3-a456-426655440000",
      i4: "1.2.3.4",
      i6: "::1",
      j: '{"b":1,  "a":1.10}',
      c: "zip",
      l: "q",
      n: "é",
      hid: 3,
    },
    { id: 2, u: null, i4: null, i6: null, j: null, c: null, l: null, n: null, hid: 3 },
  ]);
  const reported = report.inventory
    .filter(({ outcome }) => outcome === "reported")
    .map(({ kind, name }) => `${kind} ${name}`);
  expect(reported.sort()).toEqual([
    "column m.id",
    "column ver2.e",
    "column ver2.s",
    "index m.blobby",
    "index per.id",
    "period per.p",
    "period per2.app",
    "period per3.app",
    "period ver2.",
    "primary key per2",
    "sequence sq",
    "table option ver",
    "table option ver2",
    "view drawn",
  ]);
  expect(report.inventory.find(({ kind }) => kind === "view")?.note).toBe(
    "it draws from a sequence, and MySQL has none",
  );
  expect((await where.to.query("SELECT id, v FROM ver"))[0]).toEqual([{ id: 1, v: 10 }]);
});

test("MariaDB's indexes of vectors are kept where the target has them, and named where it has none", async () => {
  const server = await borrowDatabase("mariadb-11", { args: ["--local-infile=1"] });
  const admin = await mysqlAs(server.adminUrl);
  try {
    const both = { ...servers, of: { ...servers.of, mariadb: { server, admin } } };
    for (const to of ["mariadb", "mysql"] as const) {
      const where = await pair(
        both,
        "mariadb",
        to,
        "CREATE TABLE vec (id int AUTO_INCREMENT PRIMARY KEY, v vector(3) NOT NULL, VECTOR INDEX vi (v) M=8 DISTANCE=cosine); INSERT INTO vec VALUES (1, VEC_FromText('[1,2,3]'))",
      );
      const { report } = await copied(where, { options: { jobs: 1, verify: "checksum" } });
      expect(await bytesOf(where.to, "vec", ["id", "v"])).toEqual(await bytesOf(where.from, "vec", ["id", "v"]));
      const index = report.inventory.find(({ name }) => name === "vec.vi");
      if (to === "mysql")
        expect(index).toMatchObject({ kind: "index", outcome: "reported", note: expect.stringContaining("vectors") });
      else {
        expect(index).toMatchObject({ outcome: "copied" });
        expect(await definitionsOf(where.to)).toEqual(await definitionsOf(where.from));
      }
    }
  } finally {
    await admin.end();
    await server.stop();
  }
});

test("MariaDB's partition for all other values: the table is plain in MySQL, and the partitions are named", async () => {
  const where = await pair(
    servers,
    "mariadb",
    "mysql",
    `CREATE TABLE p (id int, k int) PARTITION BY LIST (k) (PARTITION a VALUES IN (1, 2), PARTITION d DEFAULT); INSERT INTO p VALUES (1, 1), (2, 99);
     CREATE TABLE q (id int, k int) PARTITION BY LIST (k) (PARTITION \`x DEFAULT\` VALUES IN (1, 2)); INSERT INTO q VALUES (1, 1);
     CREATE TABLE m (id int) ENGINE=MyISAM PARTITION BY HASH (id) PARTITIONS 2; INSERT INTO m VALUES (1)`,
  );
  const { report } = await copied(where, { options: { jobs: 1, verify: "checksum" } });
  const outcomes = report.inventory.flatMap(({ kind, name, outcome }) =>
    kind === "partitions" ? [`${name} ${outcome}`] : [],
  );
  expect(outcomes.sort()).toEqual(["m copied", "p reported", "q copied"]);
  expect(report.inventory.find(({ kind, name }) => kind === "table" && name === "m")).toMatchObject({
    outcome: "converted",
    note: expect.stringContaining("MyISAM became InnoDB"),
  });
});

test("a vector that became its bytes is equal to them", async () => {
  const where = await pair(
    servers,
    "mysql",
    "mariadb",
    "CREATE TABLE v (id int PRIMARY KEY, v vector(3)); INSERT INTO v VALUES (1, STRING_TO_VECTOR('[1,2,3]')), (2, NULL)",
  );
  const { report } = await copied(where, { options: { jobs: 1, verify: "checksum" } });
  expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  expect(await bytesOf(where.to, "v", ["v"])).toEqual(["-", "0000803F0000004000004040"]);
});
