import { afterAll, beforeAll, expect, test } from "vitest";
import { pair, type Servers, startServers } from "./mysql-support.ts";
import { run } from "./run.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers("mariadb");
});
afterAll(() => servers?.close());

test("a period of application time and a key WITHOUT OVERLAPS are named, with what keeps periods apart in PostgreSQL", async () => {
  const both = await pair(
    servers,
    `CREATE TABLE stay (room int, \`fr\`\`om\` date, till date, v varchar(9), PERIOD FOR \`pe\`\`riod\` (\`fr\`\`om\`, till), UNIQUE KEY booked (room, \`pe\`\`riod\` WITHOUT OVERLAPS));
     INSERT INTO stay VALUES (1, '2020-01-01', '2020-02-01', 'a');
     CREATE TABLE held (id int, s datetime, e datetime, PERIOD FOR p (s, e), PRIMARY KEY (id, p WITHOUT OVERLAPS));
     CREATE TABLE plain (id int PRIMARY KEY, s date, e date, CONSTRAINT p CHECK (s < e), UNIQUE KEY u (id, e, s))`,
  );
  const { report } = await run(both);
  const reported = report.inventory.filter(({ outcome }) => outcome === "reported");
  expect(reported.map(({ kind, name, definition }) => [kind, name, definition]).sort()).toEqual([
    ["index", "held.PRIMARY", "PRIMARY KEY (`id`, `p` WITHOUT OVERLAPS)"],
    ["index", "stay.booked", "UNIQUE KEY `booked` (`room`, `pe``riod` WITHOUT OVERLAPS)"],
    ["period", "held.p", "PERIOD FOR `p` (`s`, `e`)"],
    ["period", "stay.pe`riod", "PERIOD FOR `pe``riod` (`fr``om`, `till`)"],
  ]);
  expect(report.warnings.join("\n")).toMatch(/2 periods/);
  // What the note says holds in the target.
  const note = reported.find(({ name }) => name === "stay.booked")?.note ?? "";
  const exclude = /EXCLUDE USING gist .*$/.exec(note)?.[0];
  expect(exclude).toBe('EXCLUDE USING gist ("room" WITH =, daterange("fr`om", "till") WITH &&)');
  await both.pg.query(`CREATE EXTENSION btree_gist; ALTER TABLE stay ADD ${exclude}`);
  await expect(both.pg.query("INSERT INTO stay VALUES (1, '2020-01-15', '2020-03-01', 'b')")).rejects.toMatchObject({
    code: "23P01",
  });
  await both.pg.query("INSERT INTO stay VALUES (1, '2020-02-01', '2020-03-01', 'b')");
});

test("a key WITHOUT OVERLAPS is named whatever its columns are called", async () => {
  const both = await pair(
    servers,
    `CREATE TABLE odd (\`a\n), b\` int, \`c\`\`,\nd\` int, \`s\ns\` date, e date, PERIOD FOR \`p\n(\` (\`s\ns\`, e),
       UNIQUE KEY \`k\nk\` (\`a\n), b\`, \`c\`\`,\nd\`, \`p\n(\` WITHOUT OVERLAPS)) COMMENT 'UNIQUE KEY \`none\` (\`p\` WITHOUT OVERLAPS)'`,
  );
  const { report } = await run(both);
  const reported = report.inventory.filter(({ outcome }) => outcome === "reported");
  expect(reported.map(({ kind, definition }) => [kind, definition]).sort()).toEqual([
    ["index", "UNIQUE KEY `k\nk` (`a\n), b`, `c``,\nd`, `p\n(` WITHOUT OVERLAPS)"],
    ["period", "PERIOD FOR `p\n(` (`s\ns`, `e`)"],
  ]);
});
