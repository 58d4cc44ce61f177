import type mysql from "mysql2/promise";
import { expect, test } from "vitest";
import type { CopyReport } from "../../../src/engine/contract/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { copied, flavours, pair, pairs, useServers } from "../../support/engine/mysql-mysql-support.ts";
import { endpoint, mysqlAs } from "../../support/engine/mysql-support.ts";

/** Values that the target's server would make of the same definition otherwise. */

const servers = useServers();

const all = async (client: mysql.Connection, sql: string) =>
  (await client.query({ sql, rowsAsArray: true }))[0] as unknown as (string | null)[][];

test.each(pairs)(
  "%s → %s: a TIMESTAMP's default is the same instant, whatever the time zone of the session that made the table",
  async (from, to) => {
    const where = await pair(
      servers,
      from,
      to,
      `SET time_zone = '+05:30'; CREATE TABLE t (id int PRIMARY KEY, a timestamp NOT NULL DEFAULT '2020-01-01 00:00:00', b timestamp(3) NULL DEFAULT '2020-01-01 00:00:00.5')`,
    );
    await copied(where);
    await where.to.query("SET time_zone = '+00:00'; INSERT INTO t (id) VALUES (1)");
    const sql = "SELECT CAST(a AS CHAR), CAST(b AS CHAR) FROM t";
    expect(await all(where.to, sql)).toEqual([["2019-12-31 18:30:00", "2019-12-31 18:30:00.500"]]);
  },
);

test.each(pairs)(
  "%s → %s: a zero keeps its sign, or is counted where the target knows no minus zero",
  async (from, to) => {
    const doubled = "INSERT INTO z SELECT id + (SELECT MAX(id) FROM z), f, d, p, l FROM z; ";
    const where = await pair(
      servers,
      from,
      to,
      `CREATE TABLE z (id int PRIMARY KEY, f float, d double, p double(10,2), l longtext);
     INSERT INTO z VALUES (1, '-0', '-0', '-0', 'l'), (2, '-0', 0, '-0.5', ''), (3, -0.25, '-0', NULL, REPEAT('l', 600000)); ${doubled.repeat(3)}
     CREATE TABLE n (id int PRIMARY KEY, d double NOT NULL); INSERT INTO n VALUES (1, 1.5), (2, -10)`,
    );
    const { report } = await copied(where, { options: { jobs: 2, verify: "checksum" } });
    const read = (client: mysql.Connection) => all(client, "SELECT id, CONCAT(f * 1e0), CONCAT(d), CONCAT(p) FROM z");
    const knows = async (client: mysql.Connection) => (await all(client, "SELECT CONCAT('-0' * 1e0)"))[0]?.[0] === "-0";
    expect(report.verification?.differences).toEqual([]);
    const lost = (await knows(where.from)) && !(await knows(where.to));
    if (!lost) expect(await read(where.to)).toEqual(await read(where.from));
    const said = (column: string, count: number) =>
      `column ${where.database}.z.${column}: ${count} values of -0 became 0, since this server knows no minus zero`;
    const zeros = ({ warnings }: CopyReport) => warnings.filter((words) => words.includes("-0"));
    expect(zeros(report)).toEqual(lost ? [said("f", 16), said("d", 16)] : []);
    expect(report.changed_columns).toBe(lost ? 2 : undefined);

    // Into a text, which keeps it.
    await where.to.query(
      "DROP TABLE n, z; CREATE TABLE z (id int PRIMARY KEY, f float, d varchar(30), p double(10,2), l longtext)",
    );
    const filled = await copied(where, { owner: "owner-2", options: { jobs: 1, content: "data", exclude: ["n"] } });
    expect(zeros(filled.report)).toEqual(lost ? [said("f", 16)] : []);
    expect((await all(where.to, "SELECT d FROM z WHERE id = 1"))[0]?.[0]).toBe((await knows(where.from)) ? "-0" : "0");
  },
);

test.each(pairs)("%s → %s: a SET with an empty member keeps its values", async (from, to) => {
  const members = ["''", ...Array.from({ length: 63 }, (_, at) => `'m${at}'`)].join();
  const where = await pair(
    servers,
    from,
    to,
    `CREATE TABLE s (id int PRIMARY KEY, few set('','a','b'), many set(${members}));
     INSERT INTO s VALUES (1, 0, 0), (2, 1, 1), (3, 2, 9223372036854775808), (4, 3, 9223372036854775809), (5, 7, 18446744073709551615), (6, NULL, NULL)`,
  );
  const { report } = await copied(where, { options: { jobs: 1, verify: "checksum" } });
  const sql = "SELECT id, CAST(CAST(few AS UNSIGNED) AS CHAR), CAST(CAST(many AS UNSIGNED) AS CHAR) FROM s ORDER BY id";
  expect(await all(where.to, sql)).toEqual(await all(where.from, sql));
  expect(report.verification?.differences).toEqual([]);
});

test.each(pairs)(
  "%s → %s: generated columns have the source's values, also where the servers compute others",
  async (from, to) => {
    const where = await pair(
      servers,
      from,
      to,
      `CREATE TABLE g (id int PRIMARY KEY, dt datetime(3), z date AS (dt) STORED, y int AS (id + 1) STORED, l varchar(9) AS (lpad(id, 3, '')) VIRTUAL,
       KEY by_z (z), KEY by_y (y));
     CREATE TABLE child (id int PRIMARY KEY, FOREIGN KEY of_g (id) REFERENCES g (id));
     CREATE TABLE alike (id int PRIMARY KEY, y int AS (id * 2) VIRTUAL);
     CREATE VIEW seen AS SELECT z FROM g;
     INSERT INTO g (id, dt) VALUES (1, '2020-12-31 23:59:59.999'), (2, '2020-01-01 00:00:00'), (1234, NULL);
     INSERT INTO child VALUES (1), (2); INSERT INTO alike (id) VALUES (1)`,
    );
    const { report, logs } = await copied(where, { options: { jobs: 2, verify: "checksum" } });
    const sql = "SELECT id, CAST(z AS CHAR), y, l FROM g ORDER BY id";
    expect(await all(where.to, sql)).toEqual(await all(where.from, sql));
    const reported = report.inventory.filter(({ outcome }) => outcome === "reported");
    const generated = await all(
      where.to,
      `SELECT CONCAT(TABLE_NAME, '.', COLUMN_NAME) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND EXTRA LIKE '%GENERATED%' ORDER BY 1`,
    );
    if (from === to) {
      expect(reported).toEqual([]);
      expect(generated.flat()).toEqual(["alike.y", "g.l", "g.y", "g.z"]);
      return;
    }
    expect(reported).toContainEqual(
      expect.objectContaining({
        kind: "column",
        name: "g.z",
        definition: expect.stringContaining("GENERATED ALWAYS AS"),
      }),
    );
    expect(logs.filter((line) => line.includes("computes other values"))).toHaveLength(1);
    expect(generated.flat()).toEqual(expect.arrayContaining(["alike.y", "g.y"]));
    expect(generated.flat()).not.toContain("g.z");
    const keys =
      "SELECT DISTINCT INDEX_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'g' ORDER BY 1";
    expect((await all(where.to, keys)).flat()).toEqual(["by_y", "by_z", "PRIMARY"]);
    expect(report.made.filter(({ kind }) => kind === "table")).toHaveLength(3);
    expect(report.tables.map(({ rows }) => rows.target).sort()).toEqual([1, 2, 3]);
  },
);

test.each(pairs)(
  "%s → %s: an ENUM's error value and its empty label stay two values, by file and by INSERT",
  async (from, to) => {
    for (const local of [1, 0]) {
      const where = await pair(
        servers,
        from,
        to,
        `CREATE TABLE e (id int PRIMARY KEY, v enum('a', '', 'b'), w enum('1', '0'));
       INSERT IGNORE INTO e VALUES (1, 'wrong', 'wrong'), (2, '', '0'), (3, 'a', '1'), (4, 'b', NULL), (5, NULL, '1')`,
      );
      await servers.of[to].admin.query(`SET GLOBAL local_infile = ${local}`);
      try {
        const { report } = await copied(where, { options: { jobs: 1, verify: "checksum" } });
        expect(report.verification).toMatchObject({ differences: [] });
      } finally {
        await servers.of[to].admin.query("SET GLOBAL local_infile = 1");
      }
      const sql = "SELECT id, v + 0, v, w + 0, w FROM e ORDER BY id";
      const rows = await all(where.from, sql);
      expect(rows.map(([, number]) => (number === null ? null : Number(number)))).toEqual([0, 2, 1, 3, null]);
      expect(await all(where.to, sql)).toEqual(rows);

      if (local === 0) continue;
      await where.to.query("TRUNCATE TABLE e");
      await copied(where, { options: { jobs: 1, content: "data" } });
      expect(await all(where.to, sql)).toEqual(rows);
      await where.to.query("TRUNCATE TABLE e; ALTER TABLE e MODIFY v enum('b', 'a', '')");
      await expect(copied(where, { options: { jobs: 1, content: "data" } })).rejects.toMatchObject({
        code: "schema_differs",
      });
    }
  },
);

test("collations that the source does not show are the source's on a server with other defaults, and verify tells another", async () => {
  const server = await borrowDatabase("mariadb-11", { args: ["--local-infile=1"] });
  const admin = await mysqlAs(server.adminUrl);
  try {
    for (const from of flavours) {
      const sets = ["latin1", "ucs2", "utf16", "utf32", "utf8mb3", "utf8mb4"];
      const tables = sets.map(
        (set) =>
          `CREATE TABLE of_${set} (id int PRIMARY KEY, a varchar(5), b text, ${sets.map((other) => `c_${other} varchar(5) CHARACTER SET ${other}`).join(", ")}) CHARACTER SET ${set}; INSERT INTO of_${set} (id, a) VALUES (1, 'ß'), (2, 'ss')`,
      );
      const where = await pair(servers, from, from, tables.join("; "));
      await admin.query(`CREATE DATABASE ${where.database} COLLATE utf8mb4_unicode_ci; USE ${where.database}`);
      const target = endpoint(server.urlOf(where.database, "admin"), "mysql");
      await copied({ ...where, target }, { options: { jobs: 1, verify: "checksum" } });
      const sql =
        "SELECT TABLE_NAME, COLUMN_NAME, COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() UNION ALL SELECT TABLE_NAME, '', TABLE_COLLATION FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1, 2";
      expect(await all(admin, sql)).toEqual(await all(where.from, sql));
      const check = () =>
        verify(
          { source: where.source, target, options: { jobs: 1 } },
          { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
        );
      expect(await check()).toMatchObject({ equal: true, objects: { undecided: [] } });
      await admin.query("ALTER TABLE of_utf8mb3 MODIFY b text CHARACTER SET utf8mb3 COLLATE utf8mb3_uca1400_ai_ci");
      const { equal, inventory } = await check();
      expect(equal).toBe(false);
      expect(inventory.flatMap(({ outcome, note }) => (outcome === "reported" ? [note] : []))).toEqual([
        expect.stringContaining("utf8mb3_uca1400_ai_ci"),
      ]);
    }
  } finally {
    await admin.end();
    await server.stop();
  }
});

test("a function's result has the source's collation on a server with other defaults; what takes the server's own is named", async () => {
  const server = await borrowDatabase("mariadb-11", { args: ["--local-infile=1"] });
  const admin = await mysqlAs(server.adminUrl);
  try {
    for (const from of flavours) {
      const sets = ["latin1", "ucs2", "utf8mb3", "utf8mb4"];
      const body = "DETERMINISTIC COMMENT ') RETURNS int' RETURN a";
      const functions = sets.map(
        (set) =>
          `CREATE FUNCTION of_${set}(a enum('x) RETURNS','y') CHARACTER SET ${set}) RETURNS enum(') RETURNS','y') CHARSET ${set} ${body}`,
      );
      const where = await pair(
        servers,
        from,
        from,
        `CREATE TABLE t (id int PRIMARY KEY); ${functions.join("; ")}; CREATE FUNCTION plain(a varchar(3)) RETURNS varchar(3) ${body}; CREATE VIEW v AS SELECT CAST(id AS CHAR CHARACTER SET ucs2) AS a FROM t`,
      );
      await admin.query(`CREATE DATABASE ${where.database} COLLATE utf8mb4_unicode_ci; USE ${where.database}`);
      const target = endpoint(server.urlOf(where.database, "admin"), "mysql");
      const { report } = await copied({ ...where, target }, { options: { jobs: 1 } });
      const results =
        "SELECT SPECIFIC_NAME, COLLATION_NAME FROM information_schema.PARAMETERS WHERE SPECIFIC_SCHEMA = DATABASE() AND ORDINAL_POSITION = 0 ORDER BY 1";
      expect(await all(admin, results)).toEqual(await all(where.from, results));
      const noteOf = (name: string) => report.inventory.find((one) => one.name === name)?.note ?? "";
      expect(noteOf("of_latin1")).not.toContain("collation");
      expect(noteOf("of_ucs2")).toContain("its parameter a has the collation ucs2_uca1400_ai_ci, not ucs2_general_ci");
      expect(noteOf("plain")).toContain("its parameter a has the collation utf8mb4_unicode_ci, not utf8mb4_");
      expect(noteOf("v")).toContain("character set ucs2 without a collation");
      const check = () =>
        verify(
          { source: where.source, target, options: { jobs: 1 } },
          { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
        );
      const reported = ({ inventory }: Awaited<ReturnType<typeof check>>) =>
        inventory.flatMap(({ name, outcome, note }) => (outcome === "reported" ? [`${name}: ${note}`] : []));
      // Its parameter takes the database's collation, which is another one; between MySQL and MariaDB it always is.
      const others = from === "mariadb" ? [expect.stringMatching(/^plain: .*utf8mb4_unicode_ci/)] : [];
      const before = await check();
      expect(before).toMatchObject({ equal: others.length === 0, objects: { undecided: [] } });
      expect(reported(before)).toEqual(others);
      await admin.query(
        `DROP FUNCTION of_ucs2; CREATE FUNCTION of_ucs2(a enum('x) RETURNS','y') CHARACTER SET ucs2) RETURNS enum(') RETURNS','y') CHARSET ucs2 ${body}`,
      );
      const after = await check();
      expect(after.equal).toBe(false);
      expect(reported(after)).toEqual([expect.stringContaining("ucs2_uca1400_ai_ci in the target"), ...others]);
    }
  } finally {
    await admin.end();
    await server.stop();
  }
});

test.each(pairs)("%s → %s: rows alone, NULL is not copied into AUTO_INCREMENT", async (from, to) => {
  const where = await pair(
    servers,
    from,
    to,
    "CREATE TABLE n (id int, v int PRIMARY KEY); INSERT INTO n VALUES (NULL, 1)",
  );
  await where.to.query("CREATE TABLE n (id int NOT NULL AUTO_INCREMENT UNIQUE, v int PRIMARY KEY)");
  await expect(copied(where, { options: { jobs: 1, content: "data" } })).rejects.toMatchObject({
    code: "schema_differs",
    message: expect.stringContaining("id takes NULL in the source"),
  });
  expect(await all(where.to, "SELECT * FROM n")).toEqual([]);
});

test.each(pairs)("%s → %s: 0 in AUTO_INCREMENT stays 0 beside columns that are loaded by SET", async (from, to) => {
  const beside = ["c json", "c enum('','a')", "c set('','a')", ...(from === "mariadb" ? ["c uuid", "c inet6"] : [])];
  const tables = beside.map((column, at) => {
    const value = { json: "'[]'", uuid: "UUID()", inet6: "'::1'" }[column.slice(2)] ?? "'a'";
    // MySQL no longer counts in doubles.
    const type = ["int", "bigint unsigned", from === "mysql" || to === "mysql" ? "smallint" : "double"][at % 3];
    return `CREATE TABLE t${at} (id ${type} NOT NULL AUTO_INCREMENT, ${column}, KEY (id)); INSERT INTO t${at} VALUES (7, ${value}), (0, NULL), (0, ${value})`;
  });
  const where = await pair(servers, from, to, `SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'; ${tables.join("; ")}`);
  const { report } = await copied(where, { options: { jobs: 2, verify: "checksum" } });
  expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  for (const at of beside.keys()) {
    const sql = `SELECT id FROM t${at} ORDER BY id`;
    expect(await all(where.to, sql)).toEqual(await all(where.from, sql));
  }
  // Rows alone: texts are converted.
  const latin = await pair(
    servers,
    from,
    to,
    "CREATE TABLE l (c varchar(9) CHARACTER SET latin1, id int AUTO_INCREMENT PRIMARY KEY); INSERT INTO l VALUES ('ü', 0), ('ö', 9)",
  );
  await latin.to.query("CREATE TABLE l (c varchar(9), id int AUTO_INCREMENT PRIMARY KEY)");
  await copied(latin, { options: { jobs: 1, content: "data" } });
  expect(await all(latin.to, "SELECT c, id FROM l ORDER BY id")).toEqual(
    await all(latin.from, "SELECT c, id FROM l ORDER BY id"),
  );
});
