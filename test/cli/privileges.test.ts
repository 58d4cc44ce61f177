import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CopyReport } from "../../src/engine/contract/index.ts";
import { connect } from "../databases/connect.ts";
import { run } from "./process.ts";
import { type Servers, startServers } from "./servers.ts";

/** Copies with exactly the grants that docs/privileges.md names. */
const page = readFileSync(join(import.meta.dirname, "../../docs/privileges.md"), "utf8");
const statements = (side: string): string[] => {
  const [, text = ""] =
    new RegExp(`<!-- grants: ${side} -->\\s*\`\`\`sql\\n([^\`]*(?:\`[^\`]+\`[^\`]*)*?)\`\`\``).exec(page) ?? [];
  return text.split(";\n").filter((statement) => statement.trim() !== "");
};

let servers: Servers;
const secret = { ROWFERRY_SOURCE_PASSWORD: "secret", ROWFERRY_TARGET_PASSWORD: "secret" };

async function asAdmin(kind: "mysql" | "postgres", url: string, texts: readonly string[]) {
  const session = await connect(kind, url);
  for (const text of texts) await session.query(text);
  await session.end();
}

const urlOf = (kind: "mysql" | "postgres", user: string, database: string) =>
  `${kind}://${user}@127.0.0.1:${servers[kind].port}/${database}`;

beforeAll(async () => {
  servers = await startServers();
  const { mysql, postgres } = servers;
  await asAdmin("mysql", mysql.adminUrl, [
    "CREATE DATABASE shop",
    ...statements("mysql source"),
    ...statements("mysql target"),
  ]);
  await asAdmin("mysql", mysql.urlOf("shop", "admin"), [
    "CREATE TABLE customer (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(40) NOT NULL)",
    "INSERT INTO customer (name) VALUES ('Ada'), ('Grace')",
    "CREATE TABLE old (id INT PRIMARY KEY) ENGINE=MyISAM",
    "INSERT INTO old VALUES (1)",
    "CREATE VIEW names AS SELECT name FROM customer",
    "CREATE TRIGGER loud BEFORE INSERT ON customer FOR EACH ROW SET NEW.name = UPPER(NEW.name)",
    "CREATE PROCEDURE nothing() SELECT 1",
    "CREATE EVENT nightly ON SCHEDULE EVERY 1 DAY STARTS '2037-01-01' DO DELETE FROM old",
  ]);
  await asAdmin("postgres", postgres.adminUrl, [
    "CREATE DATABASE shop",
    ...statements("postgres source"),
    ...statements("postgres target"),
  ]);
  await asAdmin("postgres", postgres.urlOf("shop", "admin"), [
    "CREATE TABLE customer (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE)",
    "INSERT INTO customer (name) VALUES ('Ada'), ('Grace')",
    "CREATE TABLE secret (id int PRIMARY KEY, owner text)",
    "INSERT INTO secret VALUES (1, 'somebody')",
    "ALTER TABLE secret ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE secret FORCE ROW LEVEL SECURITY",
    "CREATE POLICY own ON secret USING (owner = current_user)",
  ]);
});
afterAll(() => servers?.stop());

async function copied(
  from: "mysql" | "postgres",
  to: "mysql" | "postgres",
  more: readonly string[] = [],
): Promise<CopyReport> {
  const words = ["copy", urlOf(from, "reader", "shop"), urlOf(to, "writer", "shop_new"), "--json", ...more];
  const { code, stdout, stderr } = await run(words, { env: { ...secret, ROWFERRY_PG_BIN: servers.tools } });
  expect(code, stderr).toBe(0);
  const { report } = JSON.parse(stdout) as { report: CopyReport };
  await fresh(to);
  return report;
}

/** The warnings without those of the source's own grants and owner: the count of what was not copied, and the database's. */
const lacking = (warnings: readonly string[]): string =>
  warnings
    .filter(
      (warning) =>
        !/objects? (?:was|were) not copied or (?:was|were) changed|^grants database: rights on|^objects of role postgres/.test(
          warning,
        ),
    )
    .join("\n");

/** An empty target again, of the same owner. */
async function fresh(kind: "mysql" | "postgres") {
  const [again] = statements(`${kind} target`).filter((statement) => statement.includes("DATABASE"));
  await asAdmin(kind, servers[kind].adminUrl, ["DROP DATABASE shop_new", again ?? ""]);
}

describe("with the grants of docs/privileges.md", () => {
  it("a MySQL source is read whole, by several connections, and nothing of it is unseen", async () => {
    const report = await copied("mysql", "postgres", ["--verify", "checksum"]);
    expect(report.verification).toMatchObject({ level: "checksum", rows: 3, differences: [], uncompared: [] });
    expect(report.tables.map(({ rows }) => rows.target).sort()).toEqual([1, 2]);
    expect(report.inventory.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["trigger", "event"]));
    expect(lacking(report.warnings)).not.toMatch(/grant|may not|one connection|without a lock/i);
    const unseen = report.inventory.filter(({ note }) =>
      /cannot be seen|can be seen|(?:grant|GRANT) [A-Z]/.test(note ?? ""),
    );
    // Other accounts' rights stand in `mysql`, which these grants leave closed.
    expect(unseen.map(({ note }) => note)).toEqual([expect.stringContaining("only the user's own rights")]);
  });

  it("a PostgreSQL source is read whole, rows behind row security too", async () => {
    const report = await copied("postgres", "postgres");
    expect(report.tables.map(({ source, rows }) => [source, rows.target]).sort()).toEqual([
      ["public.customer", 2],
      ["public.secret", 1],
    ]);
    expect(lacking(report.warnings)).not.toMatch(/grant|may not/i);
  });

  it("a MySQL target is filled", async () => {
    const report = await copied("postgres", "mysql", ["--verify", "checksum"]);
    expect(report.verification).toMatchObject({ level: "checksum", differences: [], uncompared: [] });
    expect(report.tables.map(({ rows }) => rows.target).sort()).toEqual([1, 2]);
  });
});

it.each(["postgres", "mysql"] as const)("without BYPASSRLS nothing is made in %s, and the fix is told", async (to) => {
  await asAdmin("postgres", servers.postgres.adminUrl, ["ALTER ROLE reader NOBYPASSRLS"]);
  const words = ["copy", urlOf("postgres", "reader", "shop"), urlOf(to, "writer", "shop_new"), "--json"];
  const { code, stdout } = await run(words, { env: { ...secret, ROWFERRY_PG_BIN: servers.tools } });
  expect(code).toBe(1);
  expect(JSON.parse(stdout).error).toMatchObject({
    code: "row_security",
    message: expect.stringMatching(
      /^nothing was written, .*row-level security hides rows from user reader .*BYPASSRLS/,
    ),
  });
  const session = await connect(to, servers[to].urlOf("shop_new", "admin"));
  const schema = to === "mysql" ? "'shop_new'" : "'public'";
  const there = await session.query(`SELECT * FROM information_schema.tables WHERE table_schema = ${schema}`);
  await session.end();
  expect(there).toEqual([]);
});

describe("owners of objects between PostgreSQL servers", () => {
  const member = 'GRANT "clerk" TO "writer"';
  const create = 'GRANT CREATE ON SCHEMA "public" TO "clerk"';

  beforeAll(async () => {
    const { postgres } = servers;
    await asAdmin("postgres", postgres.adminUrl, ["CREATE DATABASE owned", "CREATE ROLE clerk"]);
    await asAdmin("postgres", postgres.urlOf("owned", "admin"), [
      "CREATE TABLE ledger (id int PRIMARY KEY)",
      "ALTER TABLE ledger OWNER TO clerk",
      "GRANT CREATE ON SCHEMA public TO CURRENT_USER",
    ]);
  });

  /** What assess and a copy warn of, and who owns the table then. */
  async function owner() {
    const pair = [urlOf("postgres", "reader", "owned"), urlOf("postgres", "writer", "shop_new"), "--json"];
    const env = { ...secret, ROWFERRY_PG_BIN: servers.tools };
    const [assessed, moved] = [await run(["assess", ...pair], { env }), await run(["copy", ...pair], { env })];
    expect(moved.code, moved.stderr).toBe(0);
    const session = await connect("postgres", servers.postgres.urlOf("shop_new", "admin"));
    const [row] = await session.query("SELECT tableowner FROM pg_tables WHERE tablename = 'ledger'");
    await session.end();
    await fresh("postgres");
    const { findings } = (JSON.parse(assessed.stdout) as { assessment: { findings: { code: string; fix: string }[] } })
      .assessment;
    return {
      predicted: findings.filter(({ code }) => code === "owner_lost").map(({ fix }) => fix),
      warned: (JSON.parse(moved.stdout) as { report: CopyReport }).report.warnings.filter((one) =>
        /role clerk/.test(one),
      ),
      owner: row?.[0],
    };
  }

  it("are lost where the writer is no member, or the role lacks CREATE: both say which GRANT keeps them", async () => {
    const { postgres } = servers;
    expect(await owner()).toEqual({
      owner: "writer",
      predicted: [`run ${member} in the target before the copy`],
      warned: [
        `objects of role clerk belong to writer in the target: writer is not a member of clerk in the target (run ${member} in the target before the copy)`,
      ],
    });
    await asAdmin("postgres", postgres.adminUrl, [member]);
    expect(await owner()).toEqual({
      owner: "writer",
      predicted: [`run ${create} in the target before the copy`],
      warned: [
        `objects of role clerk in schema public belong to writer in the target: permission denied for schema public (run ${create} in the target before the copy)`,
      ],
    });
  });

  it("are kept where the source grants the role CREATE, which the copy grants only at its end", async () => {
    await asAdmin("postgres", servers.postgres.urlOf("owned", "admin"), [create]);
    expect(await owner()).toEqual({ owner: "clerk", predicted: [], warned: [] });
  });
});

it.each(["postgres", "mysql"] as const)("a table that may not be read and is excluded: to %s", async (to) => {
  const { postgres } = servers;
  const name = `closed_${to}`;
  await asAdmin("postgres", postgres.adminUrl, [
    `CREATE DATABASE ${name}`,
    `CREATE ROLE weak_${to} LOGIN PASSWORD 'secret'`,
  ]);
  await asAdmin("postgres", postgres.urlOf(name, "admin"), [
    "CREATE TABLE small (id int PRIMARY KEY)",
    "CREATE TABLE events (id int PRIMARY KEY)",
    `GRANT SELECT ON small TO weak_${to}`,
  ]);
  const words = ["copy", urlOf("postgres", `weak_${to}`, name), urlOf(to, "writer", "shop_new"), "--exclude", "events"];
  const env = { ...secret, ROWFERRY_PG_BIN: servers.tools };
  const { code, stderr } = await run(words, { env });
  if (to === "mysql") {
    expect(code, stderr).toBe(0);
    return await fresh(to);
  }
  expect(code).toBe(1);
  const grants =
    'GRANT USAGE ON SCHEMA "public" TO "weak_postgres"; GRANT SELECT ON "public"."events" TO "weak_postgres"';
  expect(stderr).toContain(`pg_dump needs this right for excluded tables too`);
  expect(stderr).toContain(grants);
  expect(stderr).not.toMatch(/pg_dump: error|\\n/);
  await asAdmin("postgres", postgres.urlOf(name, "admin"), grants.split("; "));
  const again = await run(words, { env });
  expect(again.code, again.stderr).toBe(0);
  await fresh(to);
});
