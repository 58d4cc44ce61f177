import mysql from "mysql2/promise";
import { expect, test } from "vitest";
import { startDatabase } from "../../dev/databases/index.ts";
import { isAlone, mysqlComparison } from "../../src/engine/translate/collation.ts";

/** What the translation takes for granted of utf8mb4_general_ci, by every character that there is. */

const alone = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter(isAlone);

test.each(["mysql", "mariadb"] as const)(
  "no other character of %s equals one that is taken to be alone",
  async (engine) => {
    const server = await startDatabase(engine);
    const client = await mysql.createConnection({ uri: server.adminUrl, multipleStatements: true, charset: "utf8mb4" });
    try {
      expect(alone.length).toBeGreaterThan(30);
      expect(mysqlComparison("utf8mb4_general_ci").equality).toBe("simple");
      await client.query(
        "CREATE DATABASE c CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci; USE c; CREATE TABLE c (c varchar(2)) ; CREATE TABLE l (l varchar(2))",
      );
      await client.query("INSERT INTO l VALUES ?", [alone.map((character) => [character])]);
      for (let from = 0; from < 0x110000; from += 0x4000) {
        const batch: string[][] = [];
        for (let code = from; code < from + 0x4000; code++)
          if (code < 0xd800 || code > 0xdfff) batch.push([String.fromCodePoint(code)]);
        if (batch.length > 0) await client.query("INSERT INTO c VALUES ?", [batch]);
      }
      const [others] = await client.query(
        "SELECT HEX(c) AS other, l FROM c JOIN l ON c = l WHERE BINARY c <> BINARY l UNION ALL SELECT HEX(c), '' FROM c WHERE c = '' AND c <> ' '",
      );
      expect(others).toEqual([]);
      const [[{ found }]] = (await client.query("SELECT COUNT(*) AS found FROM c JOIN l ON c = l")) as unknown as [
        [{ found: number }],
      ];
      expect(found).toBe(alone.length);
    } finally {
      await client.end();
      await server.stop();
    }
  },
);
