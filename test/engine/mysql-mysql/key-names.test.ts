import type mysql from "mysql2/promise";
import { expect, test } from "vitest";
import { copied, definitionsOf, flavours, pair, pairs, useServers } from "../../support/engine/mysql-mysql-support.ts";
import { check, reported } from "../../support/engine/verify-places.ts";

const servers = useServers();

// MariaDB shows the names of foreign keys and of their columns without doubling the backticks in them.
const schema = `
CREATE TABLE \`p\`\`t\` (\`k\`\`1\` int, \`k,\`\`) 2\` int, PRIMARY KEY (\`k\`\`1\`, \`k,\`\`) 2\`));
CREATE TABLE parent (\`t\`\`?é\` int PRIMARY KEY);
CREATE TABLE own (\`a\`\`1\` int, f int, KEY i (f), CONSTRAINT own_key FOREIGN KEY (\`a\`\`1\`) REFERENCES parent (\`t\`\`?é\`) ON DELETE SET NULL,
  CONSTRAINT own_check CHECK (f > 0), CONSTRAINT \`own\`\`other\` CHECK (f <> 7)) COMMENT 'own';
CREATE TABLE \`c\`\`t\` (\`a\`\`1\` int, \`a,\`\`) 2\` int, \`\`\`\` int, f int,
  CONSTRAINT \`f\`\`1\` FOREIGN KEY (\`a\`\`1\`, \`a,\`\`) 2\`) REFERENCES \`p\`\`t\` (\`k\`\`1\`, \`k,\`\`) 2\`) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT \`\`\`\` FOREIGN KEY (\`\`\`\`) REFERENCES parent (\`t\`\`?é\`) ON DELETE CASCADE, CONSTRAINT \`c\`\`\` CHECK (f <> 5)) COMMENT 'last';
INSERT INTO parent VALUES (1);
INSERT INTO own VALUES (1, 1);
INSERT INTO \`c\`\`t\` VALUES (NULL, NULL, 1, 1)`;

async function keysOf(client: mysql.Connection): Promise<unknown> {
  const [rows] = await client.query(
    `SELECT TABLE_NAME AS t, CONSTRAINT_NAME AS name, CONSTRAINT_TYPE AS type, r.DELETE_RULE AS del, r.UPDATE_RULE AS upd
       FROM information_schema.TABLE_CONSTRAINTS c LEFT JOIN information_schema.REFERENTIAL_CONSTRAINTS r USING (CONSTRAINT_SCHEMA, CONSTRAINT_NAME, TABLE_NAME)
      WHERE CONSTRAINT_SCHEMA = DATABASE() ORDER BY BINARY TABLE_NAME, BINARY CONSTRAINT_NAME`,
  );
  return JSON.parse(JSON.stringify(rows).replaceAll("NO ACTION", "RESTRICT"));
}

test.each(pairs)("%s → %s: what follows a foreign key with a backtick in its names arrives", async (from, to) => {
  const where = await pair(servers, from, to, schema);
  const copying = copied(where);
  await expect(copying).resolves.toHaveProperty("report");
  const { report } = await copying;
  expect(report.inventory.filter(({ outcome }) => outcome !== "copied" && outcome !== "converted")).toEqual([]);
  const keys = await keysOf(where.to);
  expect(keys).toEqual(await keysOf(where.from));
  const checks = report.inventory.filter(({ kind }) => kind === "check").map(({ name }) => name);
  expect(checks.sort()).toEqual(["c`t.c`", "own.own_check", "own.own`other"]);
  for (const refused of [0, 7])
    await expect(where.to.query(`INSERT INTO own VALUES (NULL, ${refused})`)).rejects.toThrow(/constraint/i);
  if (from === to) expect(await definitionsOf(where.to)).toEqual(await definitionsOf(where.from));
});

test.each(flavours)("%s: verify names what differs behind such a foreign key", async (kind) => {
  const where = await pair(servers, kind, kind, schema);
  await copied(where);
  expect(reported(await check(where))).toEqual([]);
  const drop = kind === "mysql" ? "DROP CHECK" : "DROP CONSTRAINT";
  await where.to.query(`ALTER TABLE own ${drop} own_check; ALTER TABLE own ADD CONSTRAINT own_check CHECK (f > -1)`);
  const name = `check ${where.database}.own.own_check`;
  expect(reported(await check(where))).toEqual([expect.stringContaining(`${name}: its definition`)]);
});

test("MariaDB's checks have one name in several tables: MySQL gets a free one for each, which is named", async () => {
  const long = "t".repeat(60);
  const where = await pair(
    servers,
    "mariadb",
    "mysql",
    `CREATE TABLE a (id int PRIMARY KEY, n int CHECK (n < 1000), CHECK (n > 0), CONSTRAINT Positive CHECK (n < 100), CONSTRAINT A_chk_1 CHECK (n < 77), CONSTRAINT own CHECK (n < 60));
     CREATE TABLE b (id int CHECK (id > 3), n int, CHECK (n > 0), CHECK (n < 9), CONSTRAINT positive CHECK (n < 100));
     CREATE TABLE ${long} (n int CHECK (n > 0), CHECK (n < 9)); INSERT INTO a VALUES (1, 1); INSERT INTO b VALUES (5, 1)`,
  );
  const { report } = await copied(where, { options: { jobs: 2, verify: "checksum" } });
  const [made] = await where.to.query({
    sql: "SELECT TABLE_NAME, CONSTRAINT_NAME FROM information_schema.TABLE_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() AND CONSTRAINT_TYPE = 'CHECK' ORDER BY 1, 2",
    rowsAsArray: true,
  });
  const names = (made as unknown as [string, string][]).map((row) => row.join(" "));
  const short = names.filter((name) => !name.startsWith(long));
  expect(short).toEqual([
    ...["a a_chk_1", "a a_chk_2", "a a_chk_3", "a a_chk_4", "a own"].map((name) => name.replace("a_chk_1", "A_chk_1")),
    ...["b b_chk_1", "b b_chk_2", "b b_chk_3", "b b_chk_4"],
  ]);
  expect(names.length - short.length).toBe(2);
  const checks = report.inventory.filter(({ kind }) => kind === "check");
  expect(checks.map(({ name, outcome }) => `${name} ${outcome}`).sort()).toEqual(
    [
      ...["a.A_chk_1 copied", "a.CONSTRAINT_1 converted", "a.Positive converted", "a.own copied"],
      ...[
        "b.CONSTRAINT_1 converted",
        "b.CONSTRAINT_2 converted",
        "b.positive converted",
        `${long}.CONSTRAINT_1 converted`,
      ],
    ].sort(),
  );
  expect(checks.find(({ name }) => name === "b.positive")?.note).toContain("b_chk_4");
});
