import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../databases/connect.ts";
import { until } from "../worker/until.ts";
import { entry, run, start } from "./process.ts";
import { type Fresh, type Servers, startServers } from "./servers.ts";

/** Backups by the command line as a process, between real servers and a folder. */
let servers: Servers;
const folder = mkdtempSync(join(tmpdir(), "cli-backup-"));
const file = (name: string) => join(folder, name);
const rows = 3_000;
const hostile = "na\u001b]0;me\u202eb\u0007";
const sources = {} as Record<"mysql" | "postgres", Fresh>;
const kinds = ["mysql", "postgres"] as const;

beforeAll(async () => {
  servers = await startServers();
  for (const kind of kinds) {
    const source = await servers.database(kind);
    sources[kind] = source;
    const quoted = kind === "mysql" ? `\`${hostile}\`` : `"${hostile}"`;
    await source.session.query("CREATE TABLE orders (id INT PRIMARY KEY, note VARCHAR(200))");
    await source.session.query(`CREATE TABLE ${quoted} (id INT PRIMARY KEY, v INT)`);
    await source.session.query(`INSERT INTO ${quoted} VALUES (1, 2)`);
    const recursive = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`;
    if (kind === "mysql") await source.session.query("SET SESSION cte_max_recursion_depth = 10000");
    const select = "SELECT i, REPEAT(CHR(97 + i % 26), 120) FROM n";
    await source.session.query(
      kind === "mysql"
        ? `INSERT INTO orders ${recursive} ${select.replace("CHR", "CHAR")}`
        : `${recursive} INSERT INTO orders ${select}`,
    );
    const key = ["--make-key", file(`${kind}.key`)];
    const made = await run(["backup", source.bare, file(kind), ...key, "--json"], { env: env(source) });
    expect(made.code, made.stderr).toBe(0);
    answers[kind] = JSON.parse(made.stdout);
  }
});
afterAll(() => servers?.stop());
const answers = {} as Record<"mysql" | "postgres", { manifest_digest: string; server_version: string }>;

const env = (source?: Fresh, target?: Fresh) => ({
  ROWFERRY_PG_BIN: servers.tools,
  ...(source && { ROWFERRY_SOURCE_PASSWORD: source.password }),
  ...(target && { ROWFERRY_TARGET_PASSWORD: target.password }),
});
const opened = (kind: "mysql" | "postgres") => ["--identity", file(`${kind}.key`)];
const one = async (where: Fresh, sql: string) => (await where.session.query(sql))[0]?.map(String);
const contents = "SELECT count(*), sum(length(note)), min(note) FROM orders";
const tablesOf = (where: Fresh) =>
  one(where, "SELECT count(*) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')");
const steered = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

describe.each(kinds)("of %s", (kind) => {
  it("a backup is restored with one JSON object on stdout, events as JSON lines, and equal rows", async () => {
    expect(answers[kind]).toMatchObject({
      ...{ command: "backup", outcome: "done", place: file(kind), tables: 2, rows: rows + 1 },
      manifest_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      server_version: expect.stringMatching(/^\d/),
      run: expect.stringMatching(/^[0-9a-f-]{36}$/),
      recipients: [expect.stringMatching(/^age1/)],
    });
    expect(Object.keys(answers[kind]).filter((field) => !/^[a-z_]+$/.test(field))).toEqual([]);
    const target = await servers.database(kind);
    const digest = ["--manifest-digest", answers[kind].manifest_digest];
    const { code, stdout, stderr } = await run(
      ["restore", file(kind), target.bare, ...opened(kind), ...digest, "--json", "--progress", "json"],
      { env: env(undefined, target) },
    );
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ command: "restore", outcome: "done", tables: 2, rows: rows + 1, equal: true, differences: [] },
    });
    expect(await one(target, contents)).toEqual(await one(sources[kind], contents));
    const events = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { event: string; phase?: string; message?: string });
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["log", "progress"]));
    expect(events.map(({ phase }) => phase)).toContain("copying");
    expect(events.some(({ message = "" }) => message.startsWith("Verified: "))).toBe(true);
    expect(stdout + stderr).not.toContain(target.password);
    expect(stdout + stderr).not.toMatch(steered);
  });

  it("a person reads what was done, and nothing that came from a database steers the terminal", async () => {
    const place = file(`${kind}-words`);
    const recipients = ["--recipients-file", file(`${kind}.key`)];
    const backup = await run(["backup", sources[kind].url, place, ...recipients], { env: env() });
    expect(backup.code, backup.stderr).toBe(0);
    expect(backup.stdout).toContain("Backed up 2 tables with 3,001 rows");
    expect(backup.stderr).toContain("The source's password is in the command line");
    const target = await servers.database(kind);
    const restore = await run(["restore", place, target.url, ...opened(kind)], { env: env() });
    expect(restore.code, restore.stderr).toBe(0);
    expect(restore.stdout).toContain("Restored and found equal: 2 tables with 3,001 rows");
    const all = [backup, restore].map(({ stdout, stderr }) => stdout + stderr).join("");
    expect(all).not.toContain(target.password);
    expect(all).not.toContain("AGE-SECRET-KEY-1");
    expect(all).not.toMatch(steered);
    expect(statSync(place).isDirectory()).toBe(true);
  });

  it("a target that is not empty is refused, its objects are shown, and they stay as they are when it is asked for", async () => {
    const target = await servers.database(kind);
    await target.session.query("CREATE TABLE theirs (id INT PRIMARY KEY)");
    await target.session.query("INSERT INTO theirs VALUES (7)");
    const words = ["restore", file(kind), target.bare, ...opened(kind)];
    const refused = await run([...words, "--json"], { env: env(undefined, target) });
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout).error).toMatchObject({
      code: "target_not_empty",
      message: expect.stringMatching(/theirs[\s\S]*add --allow-not-empty/),
    });
    const asked = await run([...words, "--allow-not-empty"], { env: env(undefined, target) });
    expect(asked.code).toBe(2);
    expect(asked.stderr).toMatch(/is not empty. It has \d objects?:\n[\s\S]*theirs[\s\S]*They stay as they are/);
    expect(asked.stderr).toContain("nothing was restored: add --yes");
    const beside = await run([...words, "--allow-not-empty", "--yes"], { env: env(undefined, target) });
    expect(beside.code, beside.stderr).toBe(0);
    expect(await one(target, contents)).toEqual(await one(sources[kind], contents));
    expect(await one(target, "SELECT count(*), min(id) FROM theirs")).toEqual(["1", "7"]);
    const again = await run([...words, "--allow-not-empty", "--yes"], { env: env(undefined, target) });
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/already has [\s\S]*orders[\s\S]*\(target_conflict\)/);
  });
});

it("at a terminal it asks before it restores beside objects, and no answer but yes restores", async () => {
  const target = await servers.database("postgres");
  await target.session.query("CREATE TABLE theirs (id int)");
  const words = `restore '${file("postgres")}' '${target.url}' --identity '${file("postgres.key")}' --allow-not-empty`;
  const line = `exec '${process.execPath}' '${entry}' ${words}`;
  const command = start([], {
    env: { ...env(), TERM: "xterm", SHELL: "/bin/sh" },
    by: ["script", "-qec", line, "/dev/null"],
  });
  await until("the question", () => command.stdout().includes("Restore beside them?"));
  command.type("n\r");
  expect((await command.ended).code, command.stdout()).toBe(1);
  expect(command.stdout()).toContain("nothing was restored");
  expect(await tablesOf(target)).toEqual(["1"]);
});

it("what the backup's MySQL user cannot see is a warning on stdout, and names the cause of a view that a restore cannot make", async () => {
  const source = await servers.database("mysql");
  await source.session.query("CREATE TABLE t (id INT PRIMARY KEY)");
  const admin = await connect("mysql", servers.mysql.adminUrl);
  const within = (sql: string) => admin.query(sql.replaceAll("shop.", `${source.name}.`));
  await within("CREATE FUNCTION shop.hidden() RETURNS INT DETERMINISTIC NO SQL RETURN 1");
  await within("CREATE VIEW shop.seen AS SELECT id, shop.hidden() AS h FROM shop.t");
  await within("CREATE USER IF NOT EXISTS few IDENTIFIED BY 'Pass-word-1'");
  await within("GRANT SELECT, LOCK TABLES, SHOW VIEW, TRIGGER, EVENT ON shop.* TO few");
  await admin.end();
  const url = source.bare.replace(/\/\/[^@]*@/, "//few@");
  const words = ["backup", url, file("few"), "--recipients-file", file("mysql.key")];
  const made = await run(words, { env: { ROWFERRY_SOURCE_PASSWORD: "Pass-word-1" } });
  expect(made.code, made.stderr).toBe(0);
  expect(made.stdout).toMatch(
    /It may not be all of the database:\n {2}.*functions and procedures cannot be seen.*: GRANT /,
  );

  const target = await servers.database("mysql");
  const restored = await run(["restore", file("few"), target.bare, ...opened("mysql")], {
    env: env(undefined, target),
  });
  expect(restored.code, restored.stderr).toBe(3);
  expect(restored.stdout).toMatch(/view seen is missing: .*FUNCTION \S*hidden does not exist/);
  expect(restored.stdout).toMatch(/When the backup was taken:\n {2}.*functions and procedures cannot be seen/);
});

it("a target that is not empty is told by kinds, whose numbers add up", async () => {
  const target = await servers.database("mysql");
  for (let at = 0; at < 7; at++) await target.session.query(`CREATE TABLE t${at} (id INT PRIMARY KEY, a INT, b INT)`);
  await target.session.query("CREATE VIEW v AS SELECT 1 AS one");
  const refused = await run(["restore", file("mysql"), target.bare, ...opened("mysql")], {
    env: env(undefined, target),
  });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    "is not empty: it has 7 tables, 1 view (table t0, table t1, table t2, table t3, table t4 and 3 more).",
  );
});

it("Ctrl-C ends a backup, and what it wrote is removed", async () => {
  const source = await servers.database("postgres");
  await source.session.query("CREATE TABLE a AS SELECT i, md5(i::text) FROM generate_series(1, 1000) i");
  await source.session.query("CREATE TABLE z (id int)");
  const holder = source.session;
  await holder.query("BEGIN");
  await holder.query("LOCK TABLE z IN ACCESS EXCLUSIVE MODE");
  const place = file("cut");
  const words = ["backup", source.bare, place, "--recipients-file", file("postgres.key")];
  const command = start(words, { env: env(source) });
  await until("the backup to begin", () => command.stderr().includes("Backing up"));
  command.signal("SIGINT");
  expect((await command.ended).code, command.stderr()).toBe(130);
  expect(command.stderr()).toContain("Its files are removed");
  await holder.query("ROLLBACK");
  expect(existsSync(place)).toBe(false);
});

it("a backup that fails leaves nothing, and says why without a secret", async () => {
  const wrong = "wr0ng pass%'\"é";
  const place = file("failed");
  const { code, stdout, stderr } = await run(
    ["backup", sources.postgres.bare, place, "--recipients-file", file("postgres.key"), "--json"],
    { env: { ...env(), ROWFERRY_SOURCE_PASSWORD: wrong } },
  );
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: "failed", error: { code: "access_denied" } });
  expect(stdout + stderr).not.toContain(wrong);
  expect(existsSync(place)).toBe(false);
});

it("what is wrong with an archive or its key is said before the target is touched", async () => {
  const target = await servers.database("postgres");
  const restored = async (words: string[]) => {
    const { code, stderr } = await run(words, { env: env(undefined, target) });
    expect(code, stderr).toBe(1);
    return stderr;
  };
  const words = ["restore", file("postgres"), target.bare];
  expect(await restored([...words, ...opened("mysql")])).toContain("(archive_key_wrong)");
  const other = ["--manifest-digest", answers.mysql.manifest_digest];
  expect(await restored([...words, ...opened("postgres"), ...other])).toContain("not the one of --manifest-digest");
  expect(await restored(["restore", file("none"), target.bare, ...opened("postgres")])).toContain(
    "(archive_incomplete)",
  );
  const mysql = ["restore", file("mysql"), target.bare, ...opened("mysql")];
  expect(await restored(mysql)).toMatch(
    /the target is PostgreSQL: restore it into MySQL or MariaDB, then copy that database with rowferry copy \(engine_differs\)/,
  );
  const changed = file("changed");
  const copied = await run(["backup", sources.postgres.bare, changed, "--recipients-file", file("postgres.key")], {
    env: env(sources.postgres),
  });
  expect(copied.code, copied.stderr).toBe(0);
  const part = join(changed, readdirSync(changed).find((name) => name.startsWith("database")) ?? "");
  const bytes = readFileSync(part);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(part, bytes);
  expect(await restored(["restore", changed, target.bare, ...opened("postgres")])).toMatch(
    /Restore another backup \(archive_part_changed\)/,
  );
  expect(await tablesOf(target)).toEqual(["0"]);
});
