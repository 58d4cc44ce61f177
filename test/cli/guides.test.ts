import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { mysqlTools } from "../../dev/databases/mysql-tools.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { reportSchema } from "../../src/engine/report/schema.ts";
import { connect } from "../databases/connect.ts";
import { borrowDatabase } from "../servers/index.ts";
import { blocksOf, follow, guide } from "./guide.ts";

/** The guides of docs/, command by command, between real servers. Only hosts, ports and passwords are this machine's. */

const names = ["mysql-to-postgres", "postgres-upgrade", "between-clouds"] as const;

const lent: Database[] = [];
afterAll(() => Promise.all(lent.map((server) => server.stop())));
async function borrow(...kinds: Parameters<typeof borrowDatabase>[0][]): Promise<Database[]> {
  const servers = await Promise.all(kinds.map((kind) => borrowDatabase(kind)));
  lent.push(...servers);
  return servers;
}

const privileges = readFileSync(join(import.meta.dirname, "../../docs/privileges.md"), "utf8");
const grants = (side: string): string =>
  privileges
    .split(`<!-- grants: ${side} -->`)[1]
    ?.split("```")[1]
    ?.replace(/^sql\n/, "") ?? "";

async function query(url: string, text: string): Promise<unknown[][]> {
  const session = await connect(url.startsWith("postgres") ? "postgres" : "mysql", url);
  try {
    let rows: unknown[][] = [];
    for (const statement of text.split(";\n")) if (statement.trim() !== "") rows = await session.query(statement);
    return rows;
  } finally {
    await session.end();
  }
}

const at = ({ host, port }: Database): string => `${host}:${port}`;
const count = (screen: string, words: string): number => screen.split(words).length - 1;
const psql = (server: Database, database: string): string =>
  `psql --quiet --set ON_ERROR_STOP=1 '${server.urlOf(database, "admin")}'`;
const mysql = (server: Database): string =>
  `MYSQL_PWD='${server.password}' mysql --host=${server.host} --port=${server.port} --user=root`;

/** Two copies of as many rows, the first of which is dropped, and the reports of both. */
function expectCopies({ screen, folder }: { screen: string; folder: string }, rows: string): void {
  expect(count(screen, `Copied and verified ${rows}`), screen).toBe(2);
  expect(count(screen, "that the run made in"), screen).toBe(1);
  for (const name of ["trial.html", "trial.json", "final.html", "final.json"])
    expect(existsSync(join(folder, name)), name).toBe(true);
  for (const name of ["trial.json", "final.json"]) {
    const report = reportSchema.parse(JSON.parse(readFileSync(join(folder, name), "utf8")));
    expect(report.verification).toMatchObject({ level: "checksum", differences: [], uncompared: [] });
  }
}

/** Commands in a guide's sentences that no block has, each with the reason. The list only shrinks. */
const inSentences: Record<string, string> = {
  "ALTER DATABASE … SET": "which settings there are to repeat, only the reader knows",
  "ALTER ROLE … SET": "as above",
};

test("every command of a guide stands in a block that is run, but for those that are named here", () => {
  const found = names.flatMap((name) => {
    const page = guide(name);
    const prose = page.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "");
    const commands = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code.replaceAll(/\s+/g, " "));
    return commands.filter((code) =>
      /^(?:(?:rowferry|npx|psql|mysql|pg_\w+) \S|(?:SET|ALTER|CREATE|GRANT) ["\w]+ \S)/.test(code),
    );
  });
  const blocks = names.flatMap((name) => blocksOf(guide(name)).map(({ text }) => text)).join("\n");
  const unknown = found.filter((code) => !blocks.includes(code));
  expect([...new Set(unknown)].sort()).toEqual(Object.keys(inSentences).sort());
});

test("the quick start's commands are examples, which test/api/examples.test.ts runs, or set a variable for them", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/quick-start.md"), "utf8");
  const others = page.replaceAll(/<!-- example: \S+ -->\n\n```\w+\n[\s\S]*?^```$/gm, "");
  const lines = blocksOf(others).flatMap(({ language, text }) => (language === "sh" ? text.trim().split("\n") : []));
  expect(lines.map((line) => line.replace(/=.*/, ""))).toEqual([
    "export ROWFERRY_URL",
    "export CURL_CA_BUNDLE",
    "export NODE_EXTRA_CA_CERTS",
    "export ROWFERRY_TOKEN",
  ]);
});

describe.each(["mysql", "mariadb"] as const)("from %s to PostgreSQL", (engine) => {
  test("the guide's commands copy, drop the trial, copy again and make the source writable", async () => {
    const [old, fresh] = (await borrow(engine, "postgres")) as [Database, Database];
    const reader = grants("mysql source");
    await query(
      old.adminUrl,
      `CREATE DATABASE shop;\n${
        engine === "mysql"
          ? reader
          : reader.replace(", SHOW_ROUTINE", "").concat("GRANT SELECT ON mysql.proc TO 'reader'@'%';\n")
      }`,
    );
    await query(
      old.urlOf("shop", "admin"),
      `CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, paid TINYINT(1), note VARCHAR(20));
INSERT INTO orders (paid, note) VALUES (1, 'a'), (0, 'b'), (NULL, 'c');
CREATE PROCEDURE nothing() SELECT 1;
`,
    );
    await query(fresh.adminUrl, grants("postgres target"));
    const blocks = blocksOf(guide("mysql-to-postgres")).filter((block) => (block.engine ?? engine) === engine);
    const seen = await follow(blocks, {
      replace: { "old.example.com": at(old), "new.example.com": at(fresh), "=…": "=secret" },
      clients: { old: mysql(old), new: psql(fresh, "shop_new") },
      tools: [await pgTools(), await mysqlTools(engine)],
    });
    expectCopies(seen, "1 table with 3 rows");
    expect(await query(fresh.urlOf("shop_new", "admin"), "SELECT paid FROM orders ORDER BY id")).toEqual([
      ["true"],
      ["false"],
      ["null"],
    ]);
    expect((await query(old.adminUrl, "SELECT @@read_only"))[0]?.map(String)).toEqual(["0"]);
  });
});

test("PostgreSQL's upgrade: roles, database, trial, comparison, cut-over and the way back", async () => {
  const [old, fresh] = (await borrow("postgres-old", "postgres")) as [Database, Database];
  await query(old.adminUrl, `CREATE DATABASE shop TEMPLATE template0;\n${grants("postgres source")}`);
  await query(old.adminUrl, "CREATE ROLE clerk;\n");
  await query(
    old.urlOf("shop", "admin"),
    `CREATE TABLE orders (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text);
INSERT INTO orders (note) VALUES ('a'), ('b');
GRANT SELECT ON orders TO clerk;
`,
  );
  const admin = (server: Database) => `postgres:${server.password}@${at(server)}`;
  const seen = await follow(blocksOf(guide("postgres-upgrade")), {
    replace: {
      "postgres@old.example.com": admin(old),
      "postgres@new.example.com": admin(fresh),
      "old.example.com": at(old),
      "new.example.com": at(fresh),
      "=…": "=secret",
    },
    clients: { old: psql(old, "postgres"), new: psql(fresh, "postgres") },
    tools: [await pgTools()],
  });
  expectCopies(seen, "1 table with 2 rows");
  const rights = "SELECT has_table_privilege('clerk', 'orders', 'SELECT'), count(*) FROM orders";
  expect((await query(fresh.urlOf("shop", "admin"), rights))[0]).toEqual(["true", "2"]);
  expect(await query(old.urlOf("shop", "admin"), "SHOW default_transaction_read_only")).toEqual([["off"]]);
});

test("a move between clouds, with each server's certificate verified", async () => {
  const [old, fresh] = (await borrow("postgres-old", "postgres")) as [Database, Database];
  await query(old.adminUrl, `CREATE DATABASE shop TEMPLATE template0;\n${grants("postgres source")}`);
  await query(
    old.urlOf("shop", "admin"),
    "CREATE TABLE orders (id int PRIMARY KEY);\nINSERT INTO orders VALUES (1);\n",
  );
  await query(fresh.adminUrl, grants("postgres target"));
  const seen = await follow(blocksOf(guide("between-clouds")), {
    replace: { "db.old.example.com": at(old), "db.new.example.com": at(fresh), "=…": "=secret" },
    clients: {},
    tools: [await pgTools()],
    files: { "old-ca.pem": old.ca, "new-ca.pem": fresh.ca },
  });
  expectCopies(seen, "1 table with 1 row");
  expect(await query(fresh.urlOf("shop_new", "admin"), "SELECT count(*) FROM orders")).toEqual([["1"]]);
});
