import { afterAll, beforeAll, expect, test } from "vitest";
import { pair, rows, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers("mysql");
});
afterAll(() => servers?.close());

test("a default with a character above U+FFFF is kept where the table is empty and the column takes no NULL, as SHOW CREATE tells it", async () => {
  const both = await pair(
    servers,
    `CREATE TABLE t (id int PRIMARY KEY, \`a\`\`b\` varchar(9) NOT NULL DEFAULT '😀?', c varchar(9) CHARACTER SET utf16 NOT NULL DEFAULT 'x😀',
       d varchar(40) NOT NULL DEFAULT 'plain ?', e varchar(20) NOT NULL DEFAULT 'DEFAULT 0xF0' COMMENT 'DEFAULT 0xF09F9880')`,
  );
  const { report } = await run(both);
  expect(report.inventory.filter(({ outcome }) => outcome === "reported")).toEqual([]);
  await both.pg.query("INSERT INTO t (id) VALUES (1)");
  expect(await rows(both.pg, "SELECT * FROM t")).toEqual([["1", "😀?", "x😀", "plain ?", "DEFAULT 0xF0"]]);
});

test("expressions, checks and views with such a character are the source's, or are reported", async () => {
  const both = await pair(
    servers,
    `CREATE TABLE t (id int PRIMARY KEY, v varchar(9) COLLATE utf8mb4_0900_bin, w varchar(9) DEFAULT (_utf8mb4'😀'), g varchar(9) AS (CONCAT(v, '😀')) STORED, CONSTRAINT smile CHECK (v <> '😀'));
     INSERT INTO t (id, v) VALUES (1, 'a'); CREATE VIEW seen AS SELECT id, '😀' AS c FROM t`,
  );
  const { report } = await run(both);
  const reported = new Set(
    report.inventory.flatMap(({ kind, name, outcome }) => (outcome === "reported" ? [`${kind} ${name}`] : [])),
  );
  await both.pg.query("INSERT INTO t (id, v) VALUES (2, 'b')");
  const all = ["default t.w", "generated column t.g", "view seen", "check t.smile"];
  expect(report.inventory.map(({ kind, name }) => `${kind} ${name}`)).toEqual(expect.arrayContaining(all.slice(1)));
  if (!reported.has("default t.w")) expect(await rows(both.pg, "SELECT DISTINCT w FROM t")).toEqual([["😀"]]);
  if (!reported.has("generated column t.g"))
    expect(await rows(both.pg, "SELECT g FROM t ORDER BY id")).toEqual([["a😀"], ["b😀"]]);
  if (!reported.has("view seen")) expect(await rows(both.pg, "SELECT DISTINCT c FROM seen")).toEqual([["😀"]]);
  if (!reported.has("check t.smile"))
    await expect(both.pg.query("INSERT INTO t (id, v) VALUES (3, '😀')")).rejects.toMatchObject({ code: "23514" });
});
