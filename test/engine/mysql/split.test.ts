import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCatalogue } from "../../../src/engine/mysql/catalogue/catalogue.ts";
import { connect, type Session } from "../../../src/engine/mysql/driver/session.ts";
import { splitTable } from "../../../src/engine/mysql/source/split.ts";
import { endpoint, type Flavour, type Servers, startServers } from "../../support/engine/mysql-support.ts";

describe.each<Flavour>(["mariadb", "mysql"])("parts of %s's tables", (flavour) => {
  let servers: Servers;
  let session: Session;
  beforeAll(async () => {
    servers = await startServers(flavour);
    await servers.admin.query(
      `CREATE DATABASE s CHARACTER SET utf8mb4; USE s; CREATE TABLE n (n int PRIMARY KEY); INSERT INTO n VALUES ${Array.from({ length: 20_000 }, (_, at) => `(${at})`).join(",")}`,
    );
    session = await connect(endpoint(servers.source.urlOf("s", "admin"), "mysql"), { role: "source", program: "test" });
  });
  afterAll(async () => {
    await session?.end();
    await servers?.close();
  });

  test.each<[name: string, columns: string, values: string, most?: number]>([
    ["numbers", "id bigint unsigned PRIMARY KEY", "n * 400000000000000"],
    ["numbers after a tenant, most rows of one", "t int, id int, PRIMARY KEY (t, id)", "IF(n < 500, n MOD 7, 9), n"],
    ["hex digits", "id char(36) CHARACTER SET ascii PRIMARY KEY", "LOWER(SHA2(n, 256))"],
    ["texts with a long start in common", "id varchar(60) PRIMARY KEY", "CONCAT('customer-Größe-', LPAD(n, 8, '0'))"],
    [
      "letters of both cases and accents",
      "id varchar(40) COLLATE utf8mb4_general_ci, n int, PRIMARY KEY (id, n)",
      "CONCAT(ELT(1 + n MOD 4, 'a', 'A', 'ä', 'b'), n MOD 50), n",
      16_000,
    ],
    ["bytes", "id binary(16) PRIMARY KEY", "UNHEX(LEFT(SHA2(n, 256), 32))"],
    ["moments", "at datetime(3), n int, PRIMARY KEY (at, n)", "'2020-01-01' + INTERVAL n DIV 3 HOUR, n"],
    [
      "days, one of them no date",
      "at date NOT NULL, n int NOT NULL, UNIQUE KEY (at, n)",
      "IF(n = 0, '0000-00-00', '2020-01-01' + INTERVAL n DIV 30 DAY), n",
    ],
    ["characters beyond ASCII", "id varchar(9) PRIMARY KEY", "CONCAT('漢', n)", 12_000],
    [
      "latin1",
      "id varchar(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci PRIMARY KEY",
      "CONCAT(n * 7919 MOD 20011, 'ü')",
    ],
  ])(
    "by %s hold every row once, and none holds far more than its share",
    async (name, columns, values, most = 8_000) => {
      const table = `p_${name.replaceAll(/\W/g, "")}`.slice(0, 30);
      await servers.admin.query(
        `CREATE TABLE ${table} (${columns}, pad varchar(200) NOT NULL); INSERT INTO ${table} SELECT ${values}, REPEAT('x', 200) FROM n; ANALYZE TABLE ${table}`,
      );
      const found = (await readCatalogue(session, "s")).tables.find((one) => one.name === table);
      if (found === undefined) throw new Error("the table is not in the catalogue");
      const parts = await splitTable(session, "s", { ...found, dataBytes: 5_000_000, rows: 20_000 }, 500_000);
      expect(parts.length).toBeGreaterThan(4);
      const counts = await Promise.all(
        parts.map(async ({ where }) => {
          const [[count] = []] = await session.query(`SELECT COUNT(*) FROM ${table} WHERE ${where ?? "TRUE"}`);
          return Number(count);
        }),
      );
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20_000);
      expect(Math.max(...counts)).toBeLessThan(most);
      // No row is in two.
      const twice = parts.map(({ where }) => `(${where ?? "TRUE"})`).join(" + ");
      expect(await session.query(`SELECT COUNT(*) FROM ${table} WHERE (${twice}) <> 1`)).toEqual([["0"]]);
    },
  );
});
