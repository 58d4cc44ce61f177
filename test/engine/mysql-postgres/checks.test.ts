import { afterAll, beforeAll, expect, test } from "vitest";
import { pair, rows, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers("mariadb");
});
afterAll(() => servers?.close());

test("a check with the name of a JSON column is made, and the check that makes the column JSON is named beside it", async () => {
  const both = await pair(
    servers,
    `CREATE TABLE t (id int PRIMARY KEY, x json, y json, CONSTRAINT x CHECK (id < 45), CONSTRAINT y CHECK (json_valid(y)));
     INSERT INTO t VALUES (1, '{}', '[]')`,
  );
  const { report } = await run(both);
  const checks = report.inventory.filter(({ kind }) => kind === "check");
  const json = "it marks a longtext as MariaDB's JSON: the column's type replaces it";
  expect(checks.map(({ name, outcome, note }) => [name, outcome, note]).sort()).toEqual([
    ["t.x", "converted", undefined],
    ["t.x", "converted", json],
    ["t.y", "converted", json],
    ["t.y", "converted", json],
  ]);
  expect(
    await rows(both.pg, "SELECT conname FROM pg_constraint WHERE conrelid = 'public.t'::regclass AND contype = 'c'"),
  ).toEqual([["x"]]);
  await expect(both.pg.query("INSERT INTO t VALUES (46, '{}', '{}')")).rejects.toMatchObject({
    code: "23514",
    constraint: "x",
  });
});

test("a table's check with the name of a column's own: both are made, or each is named", async () => {
  const both = await pair(
    servers,
    `CREATE TABLE t (id int PRIMARY KEY, a int CHECK (a > 0), b int CHECK (b <> 5), CONSTRAINT a CHECK (id < 45),
       CONSTRAINT b CHECK (soundex(b) <> 'T000'))`,
  );
  const { report } = await run(both);
  const checks = report.inventory.filter(({ kind }) => kind === "check");
  expect(checks.map(({ name, outcome, definition }) => [name, outcome, definition]).sort()).toEqual([
    ["t.a", "converted", undefined],
    ["t.a", "converted", undefined],
    ["t.b", "converted", undefined],
    ["t.b", "reported", expect.stringContaining("soundex")],
  ]);
  for (const row of ["1, 0, 1", "46, 1, 1", "2, 1, 5"])
    await expect(both.pg.query(`INSERT INTO t VALUES (${row})`)).rejects.toMatchObject({ code: "23514" });
});

test("checks, keys and periods that share a name are all made; a check gives way", async () => {
  const both = await pair(
    servers,
    `CREATE TABLE t (id int PRIMARY KEY, e set('a', 'b'), ref int, s date, till date, PERIOD FOR x (s, till), KEY (ref),
       CONSTRAINT t_e_check CHECK (id < 45), CONSTRAINT t_pkey CHECK (id <> 7));
     ALTER TABLE t ADD CONSTRAINT x FOREIGN KEY (ref) REFERENCES t (id);
     INSERT INTO t VALUES (1, 'a', 1, '2020-01-01', '2020-02-01')`,
  );
  const { report } = await run(both);
  const entries = report.inventory.filter(({ kind }) => kind === "check" || kind === "foreign key");
  const names = await rows(
    both.pg,
    "SELECT contype, conname FROM pg_constraint WHERE conrelid = 'public.t'::regclass AND contype IN ('c', 'f', 'p') ORDER BY 1, 2",
  );
  expect(names.filter(([type]) => type !== "c")).toEqual([
    ["f", "x"],
    ["p", "t_pkey"],
  ]);
  const checks = names.flatMap(([type, name]) => (type === "c" ? [name as string] : []));
  expect(checks).toEqual([
    "t_e_check",
    ...["t_e_check", "t_pkey", "x"].map((name) => expect.stringMatching(new RegExp(`^${name}_[0-9a-f]{8}$`))),
  ]);
  expect(entries.map(({ name, outcome, note }) => [name, outcome, note]).sort()).toEqual(
    [
      ...["t_e_check", "t_pkey", "x"].map((name, at) => [`t.${name}`, "converted", `as ${checks[at + 1]}`]),
      ["t.x", "converted", undefined],
    ].sort(),
  );
  for (const row of [
    "45, '{a}', 1, '2020-01-01', '2020-02-01'",
    "7, '{a}', 1, '2020-01-01', '2020-02-01'",
    "2, '{a}', 1, '2020-02-01', '2020-01-01'",
  ])
    await expect(both.pg.query(`INSERT INTO t VALUES (${row})`)).rejects.toMatchObject({ code: "23514" });
});
