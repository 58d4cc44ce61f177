import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkArchive } from "../../src/backup/check.ts";
import { openRecipients } from "../../src/backup/encryption/age.ts";
import { writeManifest } from "../../src/backup/manifest.ts";
import { sqlFile } from "../../src/backup/mysql/sql-file.ts";
import { writePart } from "../../src/backup/parts.ts";
import { borrowDatabase } from "../servers/index.ts";
import { expectRows } from "../support/engine/mysql-everything.ts";
import { flavours, name, pair, useServers } from "../support/engine/mysql-mysql-support.ts";
import { endpoint, mysqlAs } from "../support/engine/mysql-support.ts";
import { backup, codeOf, hooks, type Kept, newFolder, newPlace, restore } from "./support.ts";

/** Names, values and archives that try to get out of their statement. */

const servers = useServers();
const bad = ["a`b", "'; DROP TABLE x; --", '"q"', "line\nfeed", "a\n;;\nb", "back\\slash", ";;"];

describe.each(flavours)("%s", (flavour) => {
  test("names and values with quotes, line feeds, backticks and delimiters", async () => {
    const tables = bad.map(
      (one) =>
        `CREATE TABLE ${name(one)} (id int PRIMARY KEY, ${name(`c ${one}`)} longtext, KEY ${name(`k ${one}`)} (id)) COMMENT = 'it''s;;\n;;'`,
    );
    const keys = bad.map((one, at) => `CONSTRAINT ${name(`f${at} ;;`)} FOREIGN KEY (id) REFERENCES ${name(one)} (id)`);
    tables.push(`CREATE TABLE kid (id int, ${keys.join(", ")})`);
    const values = bad.map((one) => `INSERT INTO ${name(one)} VALUES (1, ?), (2, NULL), (3, '')`);
    const where = await pair(servers, flavour, flavour, tables.join(";\n"));
    for (const [at, sql] of values.entries()) await where.from.query(sql, [`${bad[at]}\0\n;;\n\\N\t'`]);
    await where.from.query(`CREATE VIEW ${name("v\n;;\n`w")} AS SELECT * FROM ${name("a\n;;\nb")}`);
    await where.from.query(`CREATE PROCEDURE ${name("p;;")}() BEGIN /* ;; */ SELECT ';;\\n'; SELECT '\n;;\n'; END`);
    const kept = await newPlace();
    await backup(where.source, kept);
    const { restored } = await restore(where.target, kept);
    expect(restored).toMatchObject({ equal: true, rows: bad.length * 3 });
    await expectRows(where);
    expect((await where.to.query(`CALL ${name("p;;")}()`))[0]).toMatchObject([[{ ";;\n": ";;\n" }], {}, {}]);
  });

  test("rows of 16 MB go through, and are refused before anything is written where a statement is too long", async () => {
    const where = await pair(servers, flavour, flavour, "CREATE TABLE b (id int PRIMARY KEY, d longblob)");
    for (const id of [1, 2, 3]) await where.from.query("INSERT INTO b VALUES (?, ?)", [id, randomBytes(16 << 20)]);
    const kept = await newPlace();
    await backup(where.source, kept);
    const { restored } = await restore(where.target, kept);
    expect(restored).toMatchObject({ equal: true, rows: 3 });
    await expectRows(where);

    const small = await borrowDatabase(flavour, { args: ["--max-allowed-packet=4194304"] });
    const admin = await mysqlAs(small.adminUrl);
    try {
      await admin.query("CREATE DATABASE small");
      const refused = await restore(endpoint(small.urlOf("small", "admin"), "mysql"), kept).catch((error) => error);
      expect(refused).toMatchObject({ code: "row_too_large" });
      expect(String(refused)).toMatch(/a statement of \d{8} bytes \(table b\).*no more than 4194304/);
      expect((await admin.query("SHOW TABLES FROM small"))[0]).toEqual([]);
    } finally {
      await admin.end();
      await small.stop();
    }
  });

  test("a part that was changed, cut or exchanged is noticed before the target is written", async () => {
    const where = await pair(
      servers,
      flavour,
      flavour,
      "CREATE TABLE a (id int); INSERT INTO a VALUES (1); CREATE TABLE b (id int) ENGINE = MyISAM; INSERT INTO b VALUES (2)",
    );
    const { path, storage } = newFolder();
    const kept = await newPlace(storage);
    await backup(where.source, kept);
    const folder = join(path, ...kept.folder.split("/"));
    const file = (part: string) => join(folder, `${part}.sql.zst.age`);
    const parts = ["1-schema", "2-rows-000001", "2-rows-000002", "3-finish"];
    const refuses = async (code: string) => {
      expect(await codeOf(restore(where.target, kept))).toBe(code);
      expect((await where.to.query("SHOW TABLES"))[0]).toEqual([]);
    };
    for (const part of parts) {
      const bytes = readFileSync(file(part));
      const flipped = Buffer.from(bytes);
      flipped[bytes.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
      writeFileSync(file(part), flipped);
      await refuses("archive_part_changed");
      truncateSync(file(part), bytes.length - 1);
      await refuses("archive_part_changed");
      rmSync(file(part));
      await refuses("archive_part_missing");
      writeFileSync(file(part), bytes);
    }
    const [first, second] = [readFileSync(file("2-rows-000001")), readFileSync(file("2-rows-000002"))];
    writeFileSync(file("2-rows-000001"), second);
    writeFileSync(file("2-rows-000002"), first);
    await refuses("archive_part_changed");
  });
});

test.each([
  ["schema", "CREATE USER evil", "archive_damaged"],
  ["schema", "GRANT ALL ON *.* TO evil", "archive_damaged"],
  ["schema", "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t", "archive_damaged"],
  ["finish", "DROP DATABASE mysql", "archive_damaged"],
  ["finish", "system id", "archive_damaged"],
  ["rows", "DELETE FROM `t`", "archive_damaged"],
  ["rows", "INSERT INTO `t` SELECT 1; DROP TABLE `t`", "archive_damaged"],
  ["rows", "INSERT INTO `t` (`id`) VALUES (1); DROP TABLE `t`", "data_refused"],
  ["rows", "SELECT 1 INTO OUTFILE '/tmp/x'", "archive_damaged"],
] as const)("a part of the kind %s that holds another statement is not run: %s", async (holds, statement, code) => {
  const where = await pair(servers, "mysql", "mysql", "CREATE TABLE t (id int)");
  const kept = await newPlace();
  await backup(where.source, kept);
  await exchange(kept, holds, statement);
  expect(await codeOf(restore(where.target, kept))).toBe(code);
  expect((await where.to.query("SELECT COUNT(*) AS n FROM mysql.user WHERE User = 'evil'"))[0]).toEqual([{ n: "0" }]);
});

const loot = "hostile_loot";

test.each([
  ["rows", `INSERT INTO \`${loot}\`.\`l\` (\`id\`) VALUES (1)`],
  ["rows", "INSERT INTO `mine` (`id`) VALUES (1)"],
  ["rows", "SET SESSION sql_mode = '', GLOBAL max_connections = 77"],
  ["schema", "SET SESSION sql_mode = '', GLOBAL max_connections = 77"],
  ["schema", "SET NAMES utf8mb4, GLOBAL max_connections = 77"],
  ["schema", "SET SESSION sql_mode = '', PERSIST max_connections = 77"],
  ["schema", `CREATE TABLE \`${loot}\`.\`m\` (\n  \`id\` int\n)`],
  ["schema", `CREATE TABLE \`m\` LIKE ${loot}.l`],
  ["schema", `CREATE TABLE \`m\` (\n  LIKE ${loot}.l)`],
  ["schema", `CREATE TABLE \`m\` (\n  \`id\` int\n) AS SELECT * FROM ${loot}.l`],
  ["schema", `CREATE TABLE \`m\` (\n  \`id\` int\n) ENGINE=MERGE UNION=(${loot}.l) INSERT_METHOD=LAST`],
  ["schema", `CREATE VIEW \`${loot}\`.\`v\` AS SELECT 1 AS \`a\``],
  ["finish", `ALTER TABLE \`${loot}\`.\`l\` ADD KEY \`k\` (\`id\`)`],
  ["finish", `ALTER TABLE \`t\` ADD KEY \`k\` (\`id\`), RENAME TO ${loot}.t`],
  ["finish", "ALTER TABLE `mine` ADD KEY `k` (`id`)"],
  ["finish", `CREATE DEFINER=\`root\`@\`localhost\` PROCEDURE \`${loot}\`.\`p\`() SELECT 1`],
  ["finish", `CREATE DEFINER=\`root\`@\`localhost\` PROCEDURE \`${loot}\`/**/ . p() SELECT 1`],
  [
    "finish",
    `CREATE DEFINER=\`root\`@\`localhost\` TRIGGER ${loot}.g BEFORE INSERT ON ${loot}.l FOR EACH ROW SET @a = 1`,
  ],
  [
    "finish",
    "CREATE OR REPLACE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `own` AS select 2",
  ],
] as const)("nothing outside of what the archive made is written by its %s: %s", async (holds, statement) => {
  const where = await pair(servers, "mysql", "mysql", "CREATE TABLE t (id int)");
  await where.to.query("CREATE TABLE mine (id int); CREATE VIEW own AS SELECT 1 AS one");
  await where.to.query(
    `DROP DATABASE IF EXISTS ${loot}; CREATE DATABASE ${loot}; CREATE TABLE ${loot}.l (id int) ENGINE = MyISAM`,
  );
  try {
    const kept = await newPlace();
    await backup(where.source, kept);
    await exchange(kept, holds, statement);
    expect(await codeOf(restore(where.target, kept, { allowNotEmpty: true }))).toBe("archive_damaged");
    const [found] = await where.to.query(
      `SELECT (SELECT COUNT(*) FROM ${loot}.l) + (SELECT COUNT(*) FROM mine) + (SELECT @@GLOBAL.max_connections = 77) AS n`,
    );
    expect(found).toEqual([{ n: "0" }]);
    const [objects] = await where.to.query(
      `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${loot}' UNION SELECT INDEX_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = '${loot}' UNION SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = '${loot}' UNION SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = '${loot}'`,
    );
    expect(objects).toEqual([{ TABLE_NAME: "l" }]);
    expect((await where.to.query("SELECT one FROM own"))[0]).toEqual([{ one: 1 }]);
  } finally {
    await where.to.query(
      `DROP DATABASE IF EXISTS ${loot}; RESET PERSIST IF EXISTS max_connections; SET GLOBAL max_connections = DEFAULT`,
    );
  }
});

/** The run again, by somebody who has the public key: with this statement in its part. */
async function exchange(kept: Kept, holds: "schema" | "rows" | "finish", statement: string): Promise<void> {
  const { storage, folder, key } = kept;
  const { signal } = hooks();
  const { manifest } = await checkArchive({ storage, folder, identities: [key.identity], signal });
  const writing = { storage, folder, recipients: openRecipients([key.recipient]), signal, moved: () => undefined };
  const { file, longest } = sqlFile([statement]);
  const parts = await Promise.all(
    manifest.parts.map(async (part) => {
      if (part.holds !== holds) return part;
      const written = await writePart(
        writing,
        { name: part.name.replace(/\.zst\.age$/, ""), holds },
        (async function* () {
          yield file;
        })(),
      );
      return { ...part, ...written, longest };
    }),
  );
  await writeManifest(writing, { ...manifest, parts });
}
