import { expect, test } from "vitest";
import type { EngineProgress } from "../../../src/engine/contract/index.ts";
import { copy } from "../../../src/engine/index.ts";
import { copied, type Pair, pair, pairs, tablesOf, useServers } from "../../support/engine/mysql-mysql-support.ts";
import { error, type Flavour, mysqlAs } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Many tables, long rows, locks, stalls and rights between MySQL and MariaDB. */

const servers = useServers();

const both: readonly Flavour[] = ["mysql", "mariadb"];
const rowsOf = async ({ to }: Pair, sql: string) => (await to.query({ sql, rowsAsArray: true }))[0];

test("1,000 tables with foreign keys, comments and a view are all there", async () => {
  const tables = Array.from({ length: 1000 }, (_, n) => {
    const key = n % 20 === 19 ? `, CONSTRAINT f${n} FOREIGN KEY (up) REFERENCES t${n - 1} (id)` : "";
    return `CREATE TABLE t${n} (id int PRIMARY KEY, up int${key}) COMMENT 'c${n}'`;
  });
  const where = await pair(servers, "mariadb", "mariadb", `${tables.join("; ")}; CREATE VIEW v AS SELECT * FROM t999`);
  await where.from.query("INSERT INTO t999 VALUES (7, NULL); INSERT INTO t0 VALUES (1, 2)");
  const { report } = await copied(where);
  expect(report.tables).toHaveLength(1000);
  expect((await tablesOf(where.to)).length).toBe(1000);
  expect(report.inventory.filter(({ outcome }) => outcome !== "copied")).toEqual([]);
  expect(await rowsOf(where, "SELECT * FROM v")).toEqual([[7, null]]);
  expect(
    await rowsOf(
      where,
      "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_COMMENT = CONCAT('c', SUBSTR(TABLE_NAME, 2))",
    ),
  ).toEqual([["1000"]]);
}, 300_000);

test.each(both)("%s: a row that the target cannot take ends the run before anything is written", async (kind) => {
  const where = await pair(
    servers,
    kind,
    kind,
    "CREATE TABLE a (id int); CREATE TABLE big (id int PRIMARY KEY, b longblob); INSERT INTO big VALUES (1, REPEAT('x', 3000000))",
  );
  const { admin } = servers.of[kind];
  await admin.query("SET GLOBAL local_infile = 0, GLOBAL max_allowed_packet = 2097152");
  try {
    const failed = await error(run(where));
    expect(failed).toMatchObject({ code: "row_too_large", retryable: false });
    expect(failed.message).toContain("big (3000000 bytes)");
    expect(await tablesOf(where.to)).toEqual([]);
    await admin.query("SET GLOBAL local_infile = 1");
    await copied(where);
    expect(await rowsOf(where, "SELECT CONCAT(LENGTH(b)) FROM big")).toEqual([["3000000"]]);
  } finally {
    await admin.query("SET GLOBAL local_infile = 1, GLOBAL max_allowed_packet = 1073741824");
  }
});

/** Calls `work` once, when the copy has come to `reached`. */
async function during(
  { source, target }: Pair,
  options: Parameters<typeof copy>[0]["options"],
  reached: (progress: EngineProgress) => boolean,
  work: () => Promise<unknown>,
) {
  let done: Promise<unknown> | undefined;
  const copying = copy(
    { owner: "owner-1", ownerName: "the test", source, target, options, reset: false },
    {
      signal: new AbortController().signal,
      measured: () => undefined,
      log: () => undefined,
      progress(progress) {
        if (reached(progress)) done ??= work();
      },
    },
  );
  const ended = await copying.then(
    (value) => ({ value }),
    (failure: unknown) => ({ failure }),
  );
  await done;
  return ended;
}

const copying = ({ table }: EngineProgress) => table.some(({ state }) => state === "copying");
const doubled = "INSERT INTO big (v) SELECT v FROM big; ".repeat(14);
const big = (engine: string) =>
  `CREATE TABLE big (id int PRIMARY KEY AUTO_INCREMENT, v varchar(200)) ENGINE=${engine}; INSERT INTO big (v) VALUES (REPEAT('x', 190)); ${doubled}`;

test.each(both)("%s: TRUNCATE waits for the snapshot, which loses no row", async (kind) => {
  const where = await pair(
    servers,
    kind,
    kind,
    `${big("InnoDB")} CREATE TABLE last (id int); INSERT INTO last VALUES (1), (2)`,
  );
  const other = await mysqlAs(servers.of[kind].server.urlOf(where.database, "admin"));
  let truncated: Promise<unknown> | undefined;
  await during(where, { jobs: 1, bandwidth: 2_000_000 }, copying, async () => {
    truncated = other.query("TRUNCATE TABLE last");
  }).then((ended) => expect(ended).toHaveProperty("value"));
  await truncated;
  await other.end();
  expect(await rowsOf(where, "SELECT COUNT(*) FROM last")).toEqual([["2"]]);
});

test.each(both)("%s: a table that knows no snapshot stays locked against writers until it is copied", async (kind) => {
  const where = await pair(servers, kind, kind, big("MyISAM"));
  const other = await mysqlAs(servers.of[kind].server.urlOf(where.database, "admin"));
  let written: Promise<unknown> | undefined;
  await during(where, { jobs: 1, bandwidth: 2_000_000 }, copying, async () => {
    written = other.query("DELETE FROM big");
  });
  await written;
  await other.end();
  expect(await rowsOf(where, "SELECT COUNT(*) FROM big")).toEqual([["16384"]]);
});

test.each(both)(
  "%s: a copy that waits for a lock in the target ends with who holds it, and a retry completes it",
  async (kind) => {
    const where = await pair(servers, kind, kind, `CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)`);
    const name = new URL(`x://${where.target.host}/${where.target.database}`).pathname.slice(1);
    const holder = await mysqlAs(servers.of[kind].server.urlOf(name, "admin"));
    await where.to.query("CREATE TABLE t (id int PRIMARY KEY)");
    await holder.query("BEGIN; SELECT * FROM t");
    const failed = await error(run(where, { options: { jobs: 1, drop: ["t"], stall_timeout: 2 } }));
    expect(failed).toMatchObject({ code: "stalled", retryable: true });
    expect(failed.message).toMatch(
      kind === "mysql"
        ? /DROP TABLE waits for a lock .*held up by session \d+ \(user root/
        : /on the target database, DROP TABLE waits for a lock/,
    );
    await holder.query("ROLLBACK");
    await holder.end();
    await copied(where, { options: { jobs: 1, drop: ["t"] } });
    expect(await rowsOf(where, "SELECT * FROM t")).toEqual([[1]]);
  },
);

test.each(pairs)(
  "%s → %s: rights are granted to the accounts that the target has, and named where it has not",
  async (from, to) => {
    const where = await pair(
      servers,
      from,
      to,
      "CREATE TABLE t (id int, n int); CREATE VIEW v AS SELECT id FROM t; CREATE FUNCTION f() RETURNS int DETERMINISTIC RETURN 1; CREATE TABLE left_out (i int)",
    );
    const users = [`here${where.database}`, `gone${where.database}`];
    for (const user of users) await where.from.query(`CREATE USER ${user} IDENTIFIED BY 'secret-of-it'`);
    if (from !== to) await where.to.query(`CREATE USER ${users[0]} IDENTIFIED BY 'x'`);
    const db = where.database;
    await where.from.query(
      `GRANT SELECT, INSERT ON ${db}.t TO ${users[0]} WITH GRANT OPTION; GRANT UPDATE (n) ON ${db}.t TO ${users[0]}; GRANT EXECUTE ON FUNCTION ${db}.f TO ${users[0]};
     GRANT CREATE ON \`${db.replace("_", "\\_")}\`.* TO ${users[0]}; GRANT SELECT ON ${db}.v TO ${users[0]}; GRANT SELECT ON ${db}.left_out TO ${users[0]}; GRANT SELECT ON ${db}.t TO ${users[1]}`,
    );
    const { report, logs } = await copied(where, { options: { jobs: 1, exclude: ["left_out"] } });
    const grants = report.inventory.filter(({ kind }) => kind === "grant");
    const said = (user: string | undefined, outcome: string) =>
      grants
        .flatMap((grant) =>
          grant.outcome === outcome && grant.name.endsWith(`to ${user}@%`) ? [grant.name.split(" to ")[0]] : [],
        )
        .sort();
    const copiedGrants = [
      "CREATE on",
      "EXECUTE on function f",
      "INSERT on t",
      "SELECT on t",
      "SELECT on v",
      "UPDATE (`n`) on t",
    ];
    expect(said(users[0], "copied").map((name) => name?.replace(/ on .*\.\*$/, " on"))).toEqual(copiedGrants);
    expect(said(users[0], "not_applicable")).toEqual(["SELECT on left_out"]);
    if (from !== to) expect(said(users[1], "reported")).toEqual(["SELECT on t"]);
    const [shown] = await where.to.query({ sql: `SHOW GRANTS FOR ${users[0]}`, rowsAsArray: true });
    const text = (shown as string[][]).join("\n");
    const here = where.target.database;
    for (const right of [`EXECUTE ON FUNCTION \`${here}\`.\`f\``, `UPDATE (\`n\`)`, `ON \`${here}\`.\`v\``])
      expect(text).toContain(right);
    expect(logs.join("\n") + JSON.stringify(report)).not.toContain("secret-of-it");
    for (const user of users) await where.from.query(`DROP USER ${user}`);
    if (from !== to) await where.to.query(`DROP USER ${users[0]}`);
  },
);

test("locks that are required and refused end the run before anything is read or written", async () => {
  const where = await pair(servers, "mysql", "mysql", "CREATE TABLE t (id int)");
  const user = `weak${where.database}`;
  await where.from.query(`CREATE USER ${user} IDENTIFIED BY 'p'; GRANT SELECT ON ${where.database}.* TO ${user}`);
  const source = { ...where.source, user, password: "p" };
  const failed = await error(run({ ...where, source }, { options: { jobs: 2, source_locks: "require" } }));
  expect(failed).toMatchObject({ code: "locks_refused", retryable: false });
  const { report } = await copied({ ...where, source }, { options: { jobs: 2, source_locks: "auto" } });
  expect(report.tables.map(({ rows }) => rows)).toEqual([{ source: 0, target: 0 }]);
  expect(report.snapshot?.connections).toBe(1);
  await where.from.query(`DROP USER ${user}`);
});
