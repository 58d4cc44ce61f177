import type mysql from "mysql2/promise";
import { expect, test } from "vitest";
import { qualified } from "../../../src/engine/mysql/driver/names.ts";
import { connect, type Session } from "../../../src/engine/mysql/driver/session.ts";
import { type MysqlFence, openFence } from "../../../src/engine/mysql/fence/fence.ts";
import { shapeOf } from "../../../src/engine/mysql/fence/identity.ts";
import { createMarkedTable, finishTables, makeRenamed, recordTables } from "../../../src/engine/mysql/target/create.ts";
import { reset } from "../../../src/engine/run/reset.ts";
import {
  bytesOf,
  columnsOf,
  copied,
  type Pair,
  pair,
  tablesOf,
  useServers,
} from "../../support/engine/mysql-mysql-support.ts";
import { error, type Flavour, mysqlAs, nextSecond } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

const servers = useServers();

const both: readonly Flavour[] = ["mysql", "mariadb"];
const mine = { owner: "me", ownerName: "Migration shop/me" };
const names = async (client: mysql.Connection) =>
  ((await client.query({ sql: "SHOW TABLES", rowsAsArray: true }))[0] as unknown as [string][]).map(([one]) => one);

test.each(both)("%s: a worker that was cut off writes nothing beside its successor", async (kind) => {
  const { target, to } = await pair(servers, kind, kind);
  const first = await openFence(target, mine);
  const held = await first.open();
  await held.run("CREATE TABLE t (i int PRIMARY KEY)");
  await held.run("START TRANSACTION");
  await first.guard(held);
  await held.run("INSERT INTO t VALUES (1)");
  // Its successor cannot raise the epoch while that transaction is open, and so ends it.
  const second = await openFence(target, mine);
  expect(second.epoch).toBe(first.epoch + 1);
  expect(await error(held.run("COMMIT"))).toMatchObject({ code: "connection_lost" });
  expect(await error(first.open())).toMatchObject({ code: "superseded", retryable: false });
  await second.claim([{ kind: "table", name: "t" }]);
  const other = await openFence(target, { owner: "you", ownerName: "Migration other/you" });
  const refused = await error(other.claim([{ kind: "table", name: "t" }]));
  expect(refused).toMatchObject({ code: "target_in_use" });
  expect(refused.message).toContain("Migration shop/me");
  expect((await to.query("SELECT * FROM t"))[0]).toEqual([]);
  await second.drop();
  await other.drop();
  await Promise.all([first.close(), second.close(), other.close(), held.end()]);
});

test.each(both)("%s: a session that the successor did not know of does not pass the fence", async (kind) => {
  const { target, to } = await pair(servers, kind, kind, "");
  await to.query("CREATE TABLE t (i int PRIMARY KEY)");
  const first = await openFence(target, mine);
  const second = await openFence(target, mine);
  // Not opened by the fence, so that no lock tells of it and nobody ends it.
  const unknown = await connect(target, { role: "target", program: "test", signal: new AbortController().signal });
  await unknown.run("START TRANSACTION");
  expect(await error(first.guard(unknown))).toMatchObject({ code: "superseded", retryable: false });
  await second.guard(unknown);
  await unknown.run("ROLLBACK");
  await second.drop();
  await Promise.all([first.close(), second.close(), unknown.end()]);
});

/** Records tables and makes them, as a run does that has not finished them yet. */
async function makeTables(
  session: Session,
  fence: MysqlFence,
  database: string,
  tables: readonly string[],
  columns: string,
): Promise<void> {
  const own = tables.map((table) => [database, table] as const);
  await recordTables(session, fence, own);
  for (const name of own)
    await createMarkedTable(
      session,
      fence,
      name,
      (comment) => `CREATE TABLE ${qualified(...name)} (${columns}) COMMENT=${comment}`,
    );
}

test.each(both)(
  "%s: a table that another's foreign key refers to is not dropped by a reset, and nothing else is",
  async (kind) => {
    const { target, to, database } = await pair(servers, kind, kind);
    const here = `${database}_copy`;
    const fence = await openFence(target, mine);
    const session = await fence.open();
    await makeTables(session, fence, here, ["parent", "beside"], "i int PRIMARY KEY");
    await session.end();
    await fence.close();
    await to.query("CREATE TABLE theirs (i int, FOREIGN KEY (i) REFERENCES parent (i))");
    const doing = { signal: new AbortController().signal, log: () => undefined };
    const refused = await error(reset({ ...mine, target }, doing));
    expect(refused).toMatchObject({ code: "dependents_exist" });
    expect(refused.message).toContain("theirs");
    expect(await names(to)).toEqual(["_rowferry", "beside", "parent", "theirs"]);
    await to.query("DROP TABLE theirs");
    await reset({ ...mine, target }, doing);
    expect(await names(to)).toEqual([]);
  },
);

test.each(both)("%s: a reset drops exactly what the run made, at whatever point it was killed", async (kind) => {
  const { target, to, database } = await pair(servers, kind, kind);
  const here = `${database}_copy`;
  const fence = await openFence(target, mine);
  const session = await fence.open();
  await makeTables(
    session,
    fence,
    here,
    ["filled", "finished", "altered", "replaced", "halfway"],
    "i int, UNIQUE KEY (i)",
  );
  await finishTables([session], fence, [
    { name: [here, "finished"], comment: "a comment" },
    { name: [here, "altered"], comment: "" },
    { name: [here, "replaced"], comment: "" },
  ]);
  // Killed between the last change of a table and its record.
  await fence.expect(
    session,
    { kind: "table", name: [here, "halfway"] },
    { shape: (await shapeOf(session, [here, "halfway"])) ?? "" },
  );
  await session.run(
    "ALTER TABLE halfway ADD CONSTRAINT up FOREIGN KEY (i) REFERENCES filled (i) ON DELETE CASCADE, COMMENT = ''",
  );
  // Killed between the making of a view and its renaming.
  const renaming = makeRenamed(
    session,
    fence,
    "view",
    [here, "seen"],
    (name) => `CREATE VIEW ${name} AS SELECT 1`,
    async (work) => {
      await work();
      throw new Error("killed");
    },
  );
  await expect(renaming).rejects.toThrow("killed");
  expect((await names(to)).some((name) => /^_rowferry .{36}$/.test(name))).toBe(true);
  await session.end();
  await fence.close();
  await nextSecond(to);
  await to.query(
    "DROP TABLE replaced; CREATE TABLE replaced (i int); INSERT INTO replaced VALUES (1); CREATE TABLE others (i int)",
  );
  await to.query("DROP TABLE altered; CREATE TABLE altered (i int, j int) COMMENT 'somebody''s'");
  const left = await reset({ ...mine, target }, { signal: new AbortController().signal, log: () => undefined });
  expect(await names(to)).toEqual(["altered", "others", "replaced"]);
  expect(left.left).toHaveLength(2);
});

const rows = `
CREATE TABLE t (id int PRIMARY KEY, l varchar(20) CHARACTER SET latin1, b blob, j json, e enum('a'), n int);
INSERT INTO t VALUES (0, _latin1 X'E927', X'00090A0D5C27221A', '{"a": "''\\\\\\\\"}', 'a', NULL), (1, '', '', NULL, NULL, -5), (2, '\\\\N', 'x''y', '[]', 'a', 7);
INSERT IGNORE INTO t (id, e) VALUES (3, 'none');
CREATE TABLE one (a varchar(5) NOT NULL);
INSERT INTO one VALUES (''), ('x');
`;

test.each(both)("%s with local_infile off: rows go by INSERT, byte for byte", async (kind) => {
  const where = await pair(servers, kind, kind, rows);
  await where.from.query(
    "INSERT INTO t (id, b) SELECT 100 + seq, REPEAT(CHAR(seq), 20000) FROM (WITH RECURSIVE s (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM s WHERE seq < 200) SELECT seq FROM s) x",
  );
  const { admin } = servers.of[kind];
  await admin.query("SET GLOBAL local_infile = 0");
  try {
    await copied(where);
    for (const table of await tablesOf(where.from)) {
      const columns = await columnsOf(where.from, table);
      expect(await bytesOf(where.to, table, columns)).toEqual(await bytesOf(where.from, table, columns));
    }
    await admin.query("SET GLOBAL max_allowed_packet = 1048576");
    const big = await pair(
      servers,
      kind,
      kind,
      "CREATE TABLE big (b longblob); INSERT INTO big VALUES (REPEAT('x', 900000))",
    );
    await copied(big);
    await big.from.query("SET GLOBAL max_allowed_packet = 1073741824");
    const bigger = await pair(servers, kind, kind, "CREATE TABLE big (b longblob)");
    const writer = await mysqlAs(servers.of[kind].server.urlOf(bigger.database, "admin"));
    await writer.query("INSERT INTO big VALUES (REPEAT('x', 1100000))");
    await writer.end();
    await admin.query("SET GLOBAL max_allowed_packet = 1048576");
    const failed = await error(run(bigger));
    expect(failed).toMatchObject({ code: "row_too_large", retryable: false });
    expect(failed.message).toContain("max_allowed_packet");
  } finally {
    await admin.query("SET GLOBAL local_infile = 1, GLOBAL max_allowed_packet = 1073741824");
  }
});

test.each(both)("%s: rows of 20 MB go over several packets and blocks", async (kind) => {
  const where = await pair(
    servers,
    kind,
    kind,
    `CREATE TABLE big (id int PRIMARY KEY, a longblob, b longtext, e enum('a'));
     INSERT INTO big VALUES (1, REPEAT(X'5C0009', 7000000), 'x', 'a'), (2, '', REPEAT('é', 8388600), NULL), (3, REPEAT('y', 16777215), 'z', 'a'), (4, REPEAT('y', 16777201), '', 'a')`,
  );
  await copied(where);
  const sums = "SELECT id, SHA2(a, 256) AS a, SHA2(b, 256) AS b, e, LENGTH(a) AS l FROM big ORDER BY id";
  expect((await where.to.query(sums))[0]).toEqual((await where.from.query(sums))[0]);
});

test("a value that the target refuses fails the run, with the server's words and no other column's value", async () => {
  const where = await pair(
    servers,
    "mysql",
    "mysql",
    "CREATE TABLE t (id int PRIMARY KEY, s varchar(20), secret varchar(20)); INSERT INTO t VALUES (1, 'bad', 'hidden')",
  );
  await where.to.query(
    "CREATE TABLE t (id int PRIMARY KEY, s varchar(20) CONSTRAINT good CHECK (REVERSE(s) <> 'dab'), secret varchar(20))",
  );
  const failed = await error(run(where, { options: { jobs: 1, content: "data" } }));
  expect(failed).toMatchObject({ code: "data_refused", retryable: false });
  expect(failed.message).toContain("'good'");
  expect(failed.message).not.toContain("hidden");
});

test("a table or view of the fence's name that is not ours is not touched", async () => {
  for (const planted of [
    "CREATE TABLE _rowferry (id bigint AUTO_INCREMENT PRIMARY KEY, kind varchar(16), name longtext, epoch bigint, body longtext)",
    "CREATE TABLE x (id bigint, kind varchar(16), name longtext, epoch bigint, body longtext); CREATE SQL SECURITY INVOKER VIEW _rowferry AS SELECT * FROM x",
  ]) {
    const where = await pair(servers, "mariadb", "mariadb", "CREATE TABLE t (i int)");
    await where.to.query(planted);
    const before = await names(where.to);
    expect(await error(run(where))).toMatchObject({ code: "target_in_use", retryable: false });
    expect(await names(where.to)).toEqual(before);
  }
});

const some =
  "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY, a int, FOREIGN KEY fk (a) REFERENCES a (id)); CREATE TABLE c (id int); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1, 1); INSERT INTO c VALUES (1); CREATE VIEW v AS SELECT * FROM c";

test("options: selection, schema or data alone, prefix, and a target with a table in the way", async () => {
  const only = await pair(servers, "mysql", "mariadb", some);
  const picked = await copied(only, { options: { jobs: 1, exclude: ["a", "v"] } });
  expect(await names(only.to)).toEqual(["b", "c"]);
  expect(picked.report.inventory).toContainEqual(
    expect.objectContaining({ kind: "foreign key", outcome: "not_applicable" }),
  );

  const bare = await pair(servers, "mysql", "mysql", some);
  await copied(bare, { options: { jobs: 2, content: "schema" } });
  expect((await bare.to.query("SELECT * FROM b"))[0]).toEqual([]);
  await copied(bare, { options: { jobs: 2, content: "data" } });
  expect((await bare.to.query("SELECT * FROM b"))[0]).toEqual([{ id: 1, a: 1 }]);
  expect(await error(run(bare, { options: { jobs: 2, content: "data" } }))).toMatchObject({ code: "target_not_empty" });
  const again = await error(run(bare));
  expect(again).toMatchObject({ code: "target_not_empty" });
  expect(again.message).toContain('"a", "b", "c", "v"');
  const drop = ["a", "b", `${bare.database}_copy.c`, "v"];
  for (const content of ["all", "data"] as const)
    expect(await error(run(bare, { options: { jobs: 2, content, drop: [...drop, "nope"] } }))).toMatchObject({
      code: "option_unmatched",
      message: expect.stringContaining('"nope"'),
    });
  expect((await bare.to.query("SELECT * FROM b"))[0]).toEqual([{ id: 1, a: 1 }]);
  // What failed left its fence only where something was begun.
  await copied(bare, { options: { jobs: 2, drop }, reset: true });
  expect((await bare.to.query("SELECT * FROM b"))[0]).toEqual([{ id: 1, a: 1 }]);

  const prefixed = await pair(servers, "mariadb", "mysql", some);
  const { report } = await copied(prefixed, { options: { jobs: 2, schemas: { [prefixed.database]: "old_" } } });
  expect(await names(prefixed.to)).toEqual(["old_a", "old_b", "old_c"]);
  expect(report.inventory).toContainEqual(expect.objectContaining({ kind: "view", name: "v", outcome: "reported" }));
});

test("definers: an account that the target lacks gives way to the target's user, and is named", async () => {
  const where: Pair = await pair(
    servers,
    "mariadb",
    "mysql",
    "CREATE TABLE t (i int); CREATE DEFINER='ghost'@'%' VIEW v AS SELECT i FROM t; CREATE DEFINER='ghost'@'%' PROCEDURE p() SELECT 1",
  );
  const { report } = await copied(where);
  const entries = report.inventory.filter(({ kind }) => kind === "view" || kind === "procedure");
  expect(entries.map(({ outcome, note }) => [outcome, note?.includes("ghost@%")])).toEqual([
    ["converted", true],
    ["converted", true],
  ]);
  expect((await where.to.query("SELECT * FROM v"))[0]).toEqual([]);
});
