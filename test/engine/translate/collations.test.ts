import mysql from "mysql2/promise";
import { expect, test } from "vitest";
import { isAlone, mysqlComparison } from "../../../src/engine/plan/translate/collation.ts";
import { borrowDatabase } from "../../servers/index.ts";

/** What the translation takes for granted of utf8mb4_general_ci, by every character that there is. */

const alone = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter(isAlone);

test.each(["mysql", "mariadb"] as const)(
  "no other character of %s equals one that is taken to be alone",
  async (engine) => {
    const server = await borrowDatabase(engine);
    const client = await mysql.createConnection({ uri: server.adminUrl, multipleStatements: true, charset: "utf8mb4" });
    try {
      expect(alone.length).toBeGreaterThan(30);
      expect(mysqlComparison("utf8mb4_general_ci").equality).toBe("simple");
      await client.query("SET NAMES utf8mb4 COLLATE utf8mb4_general_ci");
      const list = alone.map((character) => client.escape(character)).join(", ");
      const every = `WITH RECURSIVE n AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM n WHERE n < 511),
              codes AS (SELECT a.n + b.n * 512 + c.n * 262144 AS code FROM n a JOIN n b JOIN n c ON c.n < 5)`;
      const where = "FROM codes WHERE code < 0x110000 AND code NOT BETWEEN 0xd800 AND 0xdfff";
      const character = "CONVERT(CONVERT(UNHEX(LPAD(HEX(code), 8, '0')) USING utf32) USING utf8mb4)";
      const [[all]] = (await client.query(`${every} SELECT COUNT(*) AS many ${where}`)) as unknown as [
        { many: number }[],
      ];
      expect(Number(all?.many)).toBe(0x110000 - 0x800);
      const [found] = (await client.query(
        `${every} SELECT HEX(${character}) AS hex ${where} AND ${character} COLLATE utf8mb4_general_ci IN (${list}, '')`,
      )) as unknown as [{ hex: string }[]];
      const hex = (text: string) => Buffer.from(text).toString("hex").toUpperCase();
      expect(found.map((row) => row.hex).sort()).toEqual(alone.map(hex).sort());
      // Nor does one of them equal another.
      const union = alone.map((character) => `SELECT ${client.escape(character)} AS c`).join(" UNION ALL ");
      const [equal] = await client.query(
        `SELECT a.c, b.c FROM (${union}) a JOIN (${union}) b ON a.c COLLATE utf8mb4_general_ci = b.c WHERE BINARY a.c <> BINARY b.c`,
      );
      expect(equal).toEqual([]);
    } finally {
      await client.end();
      await server.stop();
    }
  },
);
