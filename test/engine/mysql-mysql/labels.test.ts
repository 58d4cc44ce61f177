import { expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import { bytesOf, copied, definitionsOf, pair, pairs, useServers } from "../../support/engine/mysql-mysql-support.ts";
import { sqlFile } from "../../support/sql-file.ts";

/** Tables that were made without strict mode, with labels that are there twice: made as they are, and each value is the one that it was. */

const servers = useServers();

const schema = sqlFile(import.meta, "labels.sql");
const digits =
  "CREATE TABLE digits (n int PRIMARY KEY); INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9); ";

const numbers = ["a", "e", "c", "s", "t", "d", "q"];

test.each(pairs)("%s → %s: labels that are one to a collation keep their values", async (from, to) => {
  const kana = from === "mysql" ? "utf8mb4_0900_ai_ci" : "utf8mb4_unicode_ci";
  const where = await pair(
    servers,
    from,
    to,
    `SET SESSION sql_mode = '';
     CREATE TABLE l (id int PRIMARY KEY, k enum('か','カ','x') COLLATE ${kana}, w set('Ａ1','①','a1') COLLATE ${kana}, g enum('ß','ss','sz') CHARACTER SET latin1 COLLATE latin1_german2_ci,
       u enum('ä','ae') CHARACTER SET latin1 COLLATE latin1_german2_ci, p enum('é','e ') CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, o enum('か','き') COLLATE ${kana});
     INSERT INTO l VALUES (1, 1, 1, 1, 1, 1, 1), (2, 2, 4, 2, 2, 2, 2), (3, 3, 5, 3, 0, NULL, 2);
     SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'`,
  );
  const { report } = await copied(where, { options: { jobs: 1, verify: "checksum" } });
  expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  const sql = "SELECT id, k + 0, w + 0, g + 0, u + 0, p + 0, o + 0 FROM l ORDER BY id";
  const values = async (client: typeof where.to) => (await client.query({ sql, rowsAsArray: true }))[0];
  expect(await values(where.to)).toEqual(await values(where.from));
  expect(await values(where.to)).toEqual([
    [1, 1, 1, 1, 1, 1, 1],
    [2, 2, 4, 2, 2, 2, 2],
    [3, 3, 5, 3, 0, null, 2],
  ]);
});

test.each(pairs)("%s → %s: doubled and empty labels", async (from, to) => {
  for (const local of [1, 0]) {
    const where = await pair(servers, from, to, digits + schema);
    await servers.of[to].admin.query(`SET GLOBAL local_infile = ${local}`);
    try {
      const { report } = await copied(where, { options: { jobs: 2, verify: "checksum" } });
      expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
    } finally {
      await servers.of[to].admin.query("SET GLOBAL local_infile = 1");
    }
    const values = async (client: typeof where.to) =>
      (
        await client.query({
          sql: `SELECT ${numbers.map((column) => `${column} + 0`).join(", ")} FROM doubled ORDER BY id`,
          rowsAsArray: true,
        })
      )[0];
    expect(await values(where.to)).toEqual(await values(where.from));
    expect(await values(where.to)).toEqual([
      [1, 1, 1, 1, 1, 1, 1],
      [2, 2, 2, 4, 4, 2, 2],
      [3, 3, 3, 7, 5, 0, 3],
      [0, 0, 0, 0, 0, 0, 0],
      [null, null, null, null, null, null, null],
    ]);
    expect(await bytesOf(where.to, "doubled", numbers)).toEqual(await bytesOf(where.from, "doubled", numbers));
    const labels = async (client: typeof where.to) =>
      Object.values(await definitionsOf(client)).flatMap((text) => text.match(/ (?:enum|set)\([^)]*\)/g) ?? []);
    expect(await labels(where.to)).toEqual(await labels(where.from));
    const options = { jobs: 2, include: ["doubled"] };
    const hooks = { signal: new AbortController().signal, progress: () => undefined, log: () => undefined };
    // Labels of one text differ by their numbers.
    await where.to.query("UPDATE doubled SET a = 1, s = 1 WHERE id = 3");
    const { verification } = await verify({ source: where.source, target: where.target, options }, hooks);
    expect(verification.differences).toMatchObject([{ differing: 1 }]);
    await where.to.query("UPDATE doubled SET a = 3, s = 4 WHERE id = 3");
    const again = await verify({ source: where.source, target: where.target, options }, hooks);
    expect(again.verification.differences).toMatchObject([{ differing: 1 }]);
  }
});
