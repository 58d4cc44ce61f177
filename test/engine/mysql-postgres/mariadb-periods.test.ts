import { afterAll, beforeAll, expect, test } from "vitest";
import { pair, rows, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

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

test("a period whose name a check has, in whatever letters, is named, and both hold in PostgreSQL", async () => {
  const both = await pair(
    servers,
    `CREATE TABLE t (id int, s date, e date, CONSTRAINT \`Pe\` CHECK (id > 4), CONSTRAINT pe_1 CHECK (s < e), PERIOD FOR pe (s, e), UNIQUE KEY k (id, pe WITHOUT OVERLAPS));
     INSERT INTO t VALUES (5, '2020-01-01', '2020-02-01');
     CREATE TABLE none (s date, e date, \`none\n  PERIOD FOR none (s, e)\` int, CONSTRAINT none CHECK (s < e))`,
  );
  const { report } = await run(both);
  const told = report.inventory.filter(({ kind, outcome }) => kind === "check" || outcome === "reported");
  expect(told.map(({ kind, name, definition }) => [kind, name, definition]).sort()).toEqual([
    ["check", "none.none", undefined],
    ["check", "t.Pe", undefined],
    ["check", "t.pe_1", undefined],
    ["check", "t.pe_2", undefined],
    ["index", "t.k", "UNIQUE KEY `k` (`id`, `pe` WITHOUT OVERLAPS)"],
    ["period", "t.pe", "PERIOD FOR `pe` (`s`, `e`)"],
  ]);
  for (const row of ["4, '2020-01-01', '2020-02-01'", "6, '2020-02-01', '2020-01-01'"])
    await expect(both.pg.query(`INSERT INTO t VALUES (${row})`)).rejects.toMatchObject({ code: "23514" });
});

test("with the extension btree_gist in the target, a constraint keeps periods apart as MariaDB does", async () => {
  const both = await pair(
    servers,
    `CREATE TABLE stay (room int, \`fr\`\`om\` date, till date, v varchar(9), PERIOD FOR p (\`fr\`\`om\`, till), UNIQUE KEY booked (room, p WITHOUT OVERLAPS));
     INSERT INTO stay VALUES (1, '2020-01-01', '2020-02-01', 'a'), (1, '2020-02-01', '2020-03-01', 'b'), (NULL, '2020-01-01', '2020-02-01', 'c'), (NULL, '2020-01-01', '2020-02-01', 'd');
     CREATE TABLE held (id int, n decimal(9,2), s datetime(3), e datetime(3), PERIOD FOR p (s, e), PRIMARY KEY (id, n, p WITHOUT OVERLAPS));
     INSERT INTO held VALUES (1, 1.5, '2020-01-01', '2020-02-01');
     CREATE TABLE moment (id int, s timestamp(6), e timestamp(6), PERIOD FOR p (s, e), PRIMARY KEY (id, p WITHOUT OVERLAPS));
     INSERT INTO moment VALUES (1, '2020-01-01', '2020-02-01');
     CREATE TABLE named (name varchar(9), s date, e date, PERIOD FOR p (s, e), UNIQUE KEY named (name, p WITHOUT OVERLAPS))`,
  );
  await both.pg.query("CREATE EXTENSION btree_gist");
  const { report, copied } = await run(both);
  await copied.finish();
  const index = (name: string) => report.inventory.find((entry) => entry.kind === "index" && entry.name === name);
  expect(index("stay.booked")).toMatchObject({
    outcome: "converted",
    note: "with an exclusion constraint, booked_excl, that keeps the periods apart",
  });
  expect(index("held.PRIMARY")).toMatchObject({ outcome: "converted" });
  expect(index("moment.PRIMARY")).toMatchObject({ outcome: "converted" });
  // Equal in the source are names that differ by case.
  expect(index("named.named")).toMatchObject({
    outcome: "reported",
    note: expect.stringMatching(/periods may overlap/),
  });
  expect(
    await rows(
      both.pg,
      "SELECT conrelid::regclass, conname FROM pg_constraint WHERE contype = 'x' ORDER BY conrelid::regclass::text",
    ),
  ).toEqual([
    ["held", "held_pkey_excl"],
    ["moment", "moment_pkey_excl"],
    ["stay", "booked_excl"],
  ]);
  // Both refuse the same rows.
  const answers = async (statement: string) => [
    await servers.admin.query(`USE ${both.source.database}; ${statement}`).then(
      () => "taken",
      () => "refused",
    ),
    await both.pg.query(statement).then(
      () => "taken",
      (error: { code?: string }) => (error.code === "23P01" ? "refused" : error.code),
    ),
  ];
  for (const [statement, answer] of [
    ["INSERT INTO stay VALUES (1, '2020-02-29', '2020-04-01', 'x')", "refused"],
    ["INSERT INTO stay VALUES (1, '2020-03-01', '2020-04-01', 'x')", "taken"],
    ["INSERT INTO stay VALUES (2, '2020-01-01', '2020-04-01', 'x')", "taken"],
    ["INSERT INTO stay VALUES (NULL, '2020-01-15', '2020-04-01', 'x')", "taken"],
    ["UPDATE stay SET room = 1 WHERE room = 2", "refused"],
    ["INSERT INTO held VALUES (1, 1.5, '2020-01-31 23:59:59.999', '2020-03-01')", "refused"],
    ["INSERT INTO held VALUES (1, 1.5, '2020-02-01', '2020-03-01')", "taken"],
    ["INSERT INTO held VALUES (1, 1.25, '2020-01-15', '2020-03-01')", "taken"],
    ["INSERT INTO moment VALUES (1, '2020-01-15', '2020-01-16')", "refused"],
  ] as const)
    expect([statement, ...(await answers(statement))]).toEqual([statement, answer, answer]);
});

test("a period of the source that ends before it starts is copied, and that no constraint keeps periods apart is reported", async () => {
  const both = await pair(
    servers,
    `CREATE TABLE stay (room int, s date, e date, PERIOD FOR p (s, e), UNIQUE KEY booked (room, p WITHOUT OVERLAPS));
     SET check_constraint_checks = 0; INSERT INTO stay VALUES (1, '2020-03-01', '2020-02-01'); SET check_constraint_checks = 1`,
  );
  await both.pg.query("CREATE EXTENSION btree_gist");
  const { report } = await run(both);
  const found = report.inventory.filter(({ outcome }) => outcome === "reported");
  expect(found.map(({ kind, name, note }) => [kind, name, note])).toEqual([
    ["period", "stay.p", expect.any(String)],
    [
      "index",
      "stay.booked",
      expect.stringMatching(/^periods may overlap in the target.* could not be made: range lower/),
    ],
    ["check", "stay.p", expect.stringMatching(/NOT VALID/)],
  ]);
  expect(report.warnings.join("\n")).toMatch(/unique index stay\.booked: periods may overlap/);
  expect(await rows(both.pg, "SELECT room, s::text, e::text FROM stay")).toEqual([["1", "2020-03-01", "2020-02-01"]]);
});
