import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import * as my from "../../support/engine/mysql-mysql-support.ts";
import { sqlFile } from "../../support/sql-file.ts";

/** `verify` alone between MySQL and MariaDB, whose definitions are written differently: what is otherwise is found all the same. */

let servers: my.Servers;

beforeAll(async () => {
  servers = await my.startServers();
});
afterAll(async () => {
  await my.closeClients();
  await servers?.close();
});

const check = (both: Pick<my.Pair, "source" | "target">) =>
  verify(
    { source: both.source, target: both.target, options: { jobs: 2 } },
    { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
  );

const reported = ({ inventory }: Awaited<ReturnType<typeof verify>>) =>
  inventory.flatMap(({ kind, name, outcome, note }) => (outcome === "reported" ? [`${kind} ${name}: ${note}`] : []));

const shared = sqlFile(import.meta, "crossing.sql");

const own = {
  mysql:
    "CREATE TABLE odd (id INT PRIMARY KEY, v VARCHAR(20), w VARCHAR(20) DEFAULT ('abc'), KEY lowered ((LOWER(v))));",
  mariadb:
    "CREATE SEQUENCE numbers; CREATE TABLE odd (id INT PRIMARY KEY, u UUID, n INET6, w TEXT DEFAULT 'abc') WITH SYSTEM VERSIONING; CREATE TABLE told (id INT PRIMARY KEY, s TIMESTAMP(6) GENERATED ALWAYS AS ROW START, e TIMESTAMP(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING;",
};

test.each([
  ["mysql", "mariadb"],
  ["mariadb", "mysql"],
] as const)("%s → %s: a copy is equal, and what is changed in the target is named", async (from, to) => {
  const where = await my.pair(servers, from, to, shared + own[from]);
  await my.copied(where, { options: { jobs: 2, verify: "checksum" } });
  const equal = await check(where);
  expect(reported(equal)).toEqual([]);
  expect(equal.missing).toEqual([]);
  expect(equal).toMatchObject({ equal: true, objects: { by: "definition", different: 0, undecided: [] } });
  const d = where.database;
  const changes: [string, string][] = [
    ["ALTER TABLE p DROP KEY bya", `index ${d}.p.bya: the target has no index of this name`],
    ["ALTER TABLE p ALTER a SET DEFAULT 6", `column ${d}.p.a: its default differs: 5 in the source, 6 in the target`],
    [
      "ALTER TABLE p MODIFY b VARCHAR(20) NULL DEFAULT 'it''s'",
      `column ${d}.p.b: its nullability differs: NOT NULL in the source, NULL in the target`,
    ],
    [
      "ALTER TABLE p ALTER c DROP DEFAULT",
      `column ${d}.p.c: its default differs: 1.5 in the source, none in the target`,
    ],
    [
      "ALTER TABLE p MODIFY x BIGINT DEFAULT -1",
      `column ${d}.p.x: its type differs: int in the source, bigint in the target`,
    ],
    [
      "ALTER TABLE p MODIFY k DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3)",
      `column ${d}.p.k: its ON UPDATE differs: current_timestamp(3) in the source, none in the target`,
    ],
    [
      "ALTER TABLE p ALTER i SET DEFAULT 'x'",
      `column ${d}.p.i: its default differs: 'y' in the source, 'x' in the target`,
    ],
    [
      "ALTER TABLE p ALTER v SET DEFAULT 'none'",
      `column ${d}.p.v: its default differs: an expression in the source, 'none' in the target`,
    ],
    [
      "ALTER TABLE p DROP KEY byb, ADD KEY byb (b, a)",
      `index ${d}.p.byb: its parts differ: UNIQUE BTREE (b, a) in the source, BTREE (b, a) in the target`,
    ],
    ["ALTER TABLE p DROP CONSTRAINT positive", `check ${d}.p.positive: the target has no check of this name`],
    ["ALTER TABLE c DROP FOREIGN KEY owned", `foreign key ${d}.c.owned: the target has no foreign key of this name`],
    [
      "ALTER TABLE parts REMOVE PARTITIONING",
      `table ${d}.parts: its partitions differ: RANGE, 2 in the source, none in the target`,
    ],
    [
      `ALTER TABLE kept ALTER INDEX byv ${to === "mysql" ? "INVISIBLE" : "IGNORED"}`,
      `index ${d}.kept.byv: its visibility differs`,
    ],
    [
      "DROP PROCEDURE pa; CREATE PROCEDURE pa(OUT a INT) COMMENT 'x' SELECT a",
      "procedure pa: its list of parameters differs",
    ],
    [
      "DROP PROCEDURE pb; CREATE PROCEDURE pb(IN a INT) SQL SECURITY INVOKER READS SQL DATA SELECT a",
      "procedure pb: its SQL SECURITY differs",
    ],
    [
      "DROP FUNCTION fa; CREATE FUNCTION fa(a INT, b VARCHAR(5)) RETURNS INT READS SQL DATA RETURN a",
      "function fa: its determinism differs",
    ],
    ["ALTER PROCEDURE pc COMMENT 'second'", "procedure pc: its comment differs"],
    ["ALTER EVENT ea ON SCHEDULE EVERY 2 DAY STARTS '2030-01-01 00:00:00'", "event ea: its schedule differs"],
    ["ALTER EVENT eb ENABLE", "event eb: its status differs"],
    ["ALTER EVENT ec COMMENT 'there'", "event ec: its comment differs"],
    ["ALTER TABLE c DEFAULT CHARACTER SET latin1", `table ${d}.c: its collation differs`],
    ["ALTER TABLE kept MODIFY v VARCHAR(20) COLLATE utf8mb4_bin", `column ${d}.kept.v: its collation differs`],
    ["DROP VIEW seen", "view seen: the target has no view of this name"],
  ];
  /** What the servers write each in their own way. */
  const doubtful: [string, string][] = [
    ["ALTER TABLE p MODIFY g INT", `column ${d}.p.g`],
    ["ALTER TABLE kept ROW_FORMAT=COMPRESSED", `table ${d}.kept`],
    ["ALTER TABLE moved REORGANIZE PARTITION p1 INTO (PARTITION p1 VALUES LESS THAN (30))", `table ${d}.moved`],
    ["DROP FUNCTION fb; CREATE FUNCTION fb(a INT) RETURNS INT DETERMINISTIC RETURN a", "function fb"],
    [
      "SET SESSION sql_mode = 'ANSI_QUOTES'; DROP PROCEDURE pm; CREATE PROCEDURE pm() SELECT 1; SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'",
      "procedure pm",
    ],
  ];
  for (const [change] of [...changes, ...doubtful]) for (const sql of change.split("; ")) await where.to.query(sql);
  const changed = await check(where);
  for (const [told, all] of [
    [changes, reported(changed)],
    [doubtful, changed.objects.undecided],
  ] as const)
    for (const [change, words] of told)
      expect([change, all]).toEqual([change, expect.arrayContaining([expect.stringContaining(words)])]);
  expect(reported(changed)).toHaveLength(changes.length);
  expect(changed.equal).toBe(false);
});

test.each([
  [
    "mysql",
    "mariadb",
    "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), w INT, x BINARY(16) DEFAULT (UUID_TO_BIN(UUID())), CONSTRAINT ne CHECK (w > 0) NOT ENFORCED, CONSTRAINT re CHECK (v REGEXP '^a'), CONSTRAINT ok CHECK (w > -5))",
    ["t.ne", "t.re"],
  ],
  [
    "mariadb",
    "mysql",
    "CREATE TABLE t (id INT PRIMARY KEY, w INT, s DATE, e DATE, PERIOD FOR app (s, e), CONSTRAINT ok CHECK (w > -5)); CREATE TABLE u (w INT, s DATE, e DATE, CONSTRAINT other CHECK (w > -5), PERIOD FOR other (s, e))",
    ["t.app", "u.other_1"],
  ],
] as const)(
  "%s → %s: what the target's server refuses is told, and what is dropped there is a difference",
  async (from, to, schema, refused) => {
    const where = await my.pair(servers, from, to, schema);
    await my.copied(where, { options: { jobs: 2 } });
    const equal = await check(where);
    expect(reported(equal)).toEqual([]);
    const d = where.database;
    expect(equal.objects.notes).toEqual(
      refused.map((name) => expect.stringContaining(`check ${d}.${name}: the target's server `)),
    );
    expect(equal.objects.undecided).toEqual(from === "mysql" ? [`column ${d}.t.x`] : []);
    await where.to.query("ALTER TABLE t DROP CONSTRAINT ok");
    expect(reported(await check(where))).toEqual([`check ${d}.t.ok: the target has no check of this name`]);
    if (from === "mysql") return;
    await where.to.query("ALTER TABLE u DROP CONSTRAINT other");
    expect(reported(await check(where))).toEqual([
      `check ${d}.t.ok: the target has no check of this name`,
      `check ${d}.u.other: the target has no check of this name`,
    ]);
  },
);
