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
