import { readFileSync } from "node:fs";
import { join } from "node:path";
import mysql from "mysql2/promise";
import pg from "pg";
import { afterAll, beforeAll, describe, type ExpectStatic, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { type DatabaseKind, kinds } from "../../../dev/databases/kinds.ts";
import { pgTools } from "../../../dev/databases/pg-tools.ts";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, error, mysqlAs } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/**
 * Each server version that docs/servers.md lists copies as source and as target, with `ROWFERRY_LONG=1` between all that can; both
 * sides are read by the plain drivers.
 */

const engineOf = (kind: DatabaseKind): Endpoint["engine"] => (kinds[kind].engine === "postgres" ? "postgres" : "mysql");

const schema = {
  postgres: `
    CREATE TABLE customers (id integer PRIMARY KEY, name varchar(80) NOT NULL, note text);
    CREATE TABLE orders (id bigint PRIMARY KEY, customer integer NOT NULL REFERENCES customers (id),
      total numeric(12, 2) NOT NULL, placed date NOT NULL, weight double precision);
    CREATE INDEX orders_by_day ON orders (placed);
    INSERT INTO customers SELECT n, 'Zoë ' || n || ' 漢字 🦀', CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE E'tab\\tline\\nback\\\\' END
      FROM generate_series(1, 100) n;
    INSERT INTO orders SELECT n * 10000000000, 1 + n % 100, n * 1.25 - 300, DATE '1999-12-25' + n, n / 4.0
      FROM generate_series(1, 300) n;`,
  mysql: `
    CREATE TABLE customers (id int PRIMARY KEY, name varchar(80) NOT NULL, note text) CHARACTER SET utf8mb4;
    CREATE TABLE orders (id bigint PRIMARY KEY, customer int NOT NULL, total decimal(12, 2) NOT NULL, placed date NOT NULL,
      weight double, KEY orders_by_day (placed), FOREIGN KEY (customer) REFERENCES customers (id));
    INSERT INTO customers WITH RECURSIVE s AS (SELECT 1 n UNION ALL SELECT n + 1 FROM s WHERE n < 100)
      SELECT n, CONCAT('Zoë ', n, ' 漢字 🦀'), CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'tab\\tline\\nback\\\\' END FROM s;
    INSERT INTO orders WITH RECURSIVE s AS (SELECT 1 n UNION ALL SELECT n + 1 FROM s WHERE n < 300)
      SELECT n * 10000000000, 1 + n % 100, n * 1.25 - 300, DATE_ADD('1999-12-25', INTERVAL n DAY), n / 4.0 FROM s;`,
};

const started = new Map<DatabaseKind, Promise<Database>>();

/** One server of each kind for the whole file. */
function server(kind: DatabaseKind): Promise<Database> {
  const found =
    started.get(kind) ?? borrowDatabase(kind, engineOf(kind) === "mysql" ? { args: ["--local-infile=1"] } : {});
  started.set(kind, found);
  return found;
}

/** Runs statements as the administrator; resolves with the last one's rows as text. */
async function sql(at: Database, database: string, text: string): Promise<(string | null)[][]> {
  if (engineOf(at.kind) === "postgres") {
    const client = new pg.Client({
      connectionString: at.urlOf(database, "admin"),
      types: { getTypeParser: () => (value: unknown) => value } as pg.CustomTypesConfig,
    });
    await client.connect();
    try {
      const result = await client.query<(string | null)[]>({ text, rowMode: "array" } as pg.QueryArrayConfig);
      return result.rows ?? [];
    } finally {
      await client.end();
    }
  }
  const connection = await mysqlAs(at.urlOf(database, "admin"));
  try {
    const [found] = await connection.query({ sql: text, rowsAsArray: true, typeCast: (field) => field.string("utf8") });
    return Array.isArray(found) ? (found as (string | null)[][]) : [];
  } finally {
    await connection.end();
  }
}

const customers = "SELECT id, name, note FROM customers ORDER BY id";
const orders = "SELECT id, customer, total, placed, weight FROM orders ORDER BY id";
let made = 0;

/**
 * Copies the shop into an empty database and compares what the drivers read on both sides. `expect` is the test's own: some of
 * them run at the same time.
 */
async function copies(expect: ExpectStatic, from: DatabaseKind, to: DatabaseKind): Promise<void> {
  const [source, target] = await Promise.all([server(from), server(to)]);
  const name = `shop${++made}`;
  for (const side of [source, target]) {
    const own = new URL(side.adminUrl).pathname.slice(1);
    await sql(side, own, `CREATE DATABASE ${name}${engineOf(side.kind) === "mysql" ? " CHARACTER SET utf8mb4" : ""}`);
  }
  const engine = engineOf(from);
  await sql(source, name, schema[engine]);
  await run({
    source: endpoint(source.urlOf(name, "admin"), engine),
    target: endpoint(target.urlOf(name, "admin"), engineOf(to)),
  });
  for (const query of [customers, orders]) {
    const there = await sql(source, name, query);
    expect(there.length).toBe(query === customers ? 100 : 300);
    expect(await sql(target, name, query)).toEqual(there);
  }
  // The foreign key is there, whatever its name.
  await expect(sql(target, name, "DELETE FROM customers WHERE id = 1")).rejects.toThrow(/foreign key/i);
}

beforeAll(async () => {
  process.env["ROWFERRY_PG_BIN"] = await pgTools();
});

afterAll(async () => {
  await Promise.all([...started.values()].map(async (database) => (await database).stop()));
});

const postgres = [
  ...(["postgres-13", "postgres-14", "postgres-old", "postgres-15"] as const),
  ...(["postgres-16", "postgres-17", "postgres-18.4", "postgres"] as const),
];
const mysqls = ["mysql-8", "mysql", "mariadb", "mariadb-11.4", "mariadb-11"] as const;
type Pair = [from: DatabaseKind, to: DatabaseKind];
/** Each kind as source and as target; each direction with several versions. */
const short: Pair[] = [
  ["postgres-13", "postgres-14"],
  ["postgres-14", "postgres-old"],
  ["postgres-old", "postgres-16"],
  ["postgres-15", "postgres-17"],
  ["postgres-16", "postgres-18.4"],
  ["postgres-17", "postgres"],
  ["postgres-18.4", "postgres"],
  ["mysql-8", "mysql"],
  ["mysql", "mariadb-11.4"],
  ["mariadb-11.4", "mariadb-11"],
  ["mariadb-11", "mariadb"],
  ["mariadb", "mysql-8"],
  ["mysql-8", "postgres-15"],
  ["mariadb", "postgres-13"],
  ["postgres-13", "mysql"],
  ["postgres-14", "mariadb-11.4"],
  ["mariadb-11", "postgres-18.4"],
  ["postgres", "mysql"],
  ["postgres-15", "mariadb"],
  ["postgres-16", "mariadb-11"],
];
const every: Pair[] = [
  ...postgres.flatMap((from, n) => postgres.slice(n + 1).map((to): Pair => [from, to])),
  ...mysqls.flatMap((from) => mysqls.filter((to) => to !== from).map((to): Pair => [from, to])),
  // Across; the two 15.18 are one server here.
  ...mysqls.flatMap((one) =>
    postgres
      .filter((other) => other !== "postgres-old")
      .flatMap((other): Pair[] => [
        [one, other],
        [other, one],
      ]),
  ),
];
/** PostgreSQL is not copied into MySQL 8.0 before 8.0.23, which has no invisible columns. */
const refused = ([from, to]: Pair): boolean => kinds[from].engine === "postgres" && to === "mysql-8";

const pairs = process.env["ROWFERRY_LONG"] === undefined ? short : every.filter((pair) => !refused(pair));

test("the pairs that are copied have each server as source and as target", () => {
  for (const side of [0, 1] as const)
    expect(new Set(short.map((pair) => pair[side]))).toEqual(new Set([...postgres, ...mysqls]));
});

test.concurrent.for(pairs)(
  "a shop arrives from %s to %s with every row and its foreign key",
  async ([from, to], { expect }) => copies(expect, from, to),
);

test("MySQL 8.0.15 is refused as a target of PostgreSQL's with words that name the oldest that can be one", async () => {
  const found = await error(copies(expect, "postgres", "mysql-8"));
  expect(found).toMatchObject({ code: "unsupported_version", message: expect.stringContaining("MySQL 8.0.23") });
});

const docs = readFileSync(join(import.meta.dirname, "../../../docs/servers.md"), "utf8");

test.each([...postgres, ...mysqls])("docs/servers.md names the version of %s that runs here", async (kind) => {
  const at = await server(kind);
  const ask = engineOf(kind) === "postgres" ? "SHOW server_version" : "SELECT version()";
  const [[version] = []] = await sql(at, new URL(at.adminUrl).pathname.slice(1), ask);
  const [major, minor] = /^(\d+)\.(\d+)/.exec(version ?? "")?.slice(1) ?? [];
  const row = docs.split("\n").find((line) => line.includes(`| \`${kind}\``)) ?? "";
  // Debian's minor releases come by themselves.
  const name = { postgres: "PostgreSQL", mysql: "MySQL", mariadb: "MariaDB" }[kinds[kind].engine];
  expect(row).toContain(`| ${name} ${major}.${engineOf(kind) === "mysql" ? `${minor}.` : ""}`);
});

describe("a login at MySQL with caching_sha2_password", () => {
  let source: Database;
  let target: Database;
  beforeAll(async () => {
    [source, target] = await Promise.all([server("mysql"), server("postgres")]);
    await sql(
      source,
      "mysql",
      "CREATE DATABASE logins; CREATE TABLE logins.t (id int PRIMARY KEY); INSERT INTO logins.t VALUES (7)",
    );
  });

  /** An account whose password the server has not seen yet, so that its cache of quick answers is empty. */
  async function copyAs(user: string, tls: Endpoint["tls"]): Promise<{ code: string; message: string }> {
    const words = `CREATE USER ${user} IDENTIFIED WITH caching_sha2_password BY 'pä$s'; GRANT ALL ON logins.* TO ${user}`;
    await sql(source, "mysql", words);
    return again(user, tls);
  }

  async function again(user: string, tls: Endpoint["tls"]): Promise<{ code: string; message: string }> {
    const name = `login${++made}`;
    await sql(target, "postgres", `CREATE DATABASE ${name}`);
    const from = endpoint(source.urlOf("logins"), "mysql");
    const found = await error(
      run({
        source: { ...from, host: "localhost", user, password: "pä$s", tls },
        target: endpoint(target.urlOf(name, "admin"), "postgres"),
      }),
    );
    if (found.code === "none") expect(await sql(target, name, "SELECT id FROM t")).toEqual([["7"]]);
    return found;
  }

  test.each(["prefer", "require", "verify-ca", "verify-full"] as const)(
    "works at first sight with TLS, %s",
    async (mode) => {
      const found = await copyAs(`first_${mode.replace("-", "_")}`, { mode, ca: source.ca });
      expect(found).toMatchObject({ code: "none" });
    },
  );

  test("does not send the password itself without TLS, and works there once the server has it in its cache", async () => {
    const first = await copyAs("plain", { mode: "disable" });
    expect(first.code).toBe("tls_required");
    expect(first.message).not.toContain("pä$s");
    const warm = await mysql.createConnection({
      uri: source.urlOf("logins"),
      user: "plain",
      password: "pä$s",
      ssl: { ca: source.ca },
      host: "localhost",
    });
    await warm.end();
    expect(await again("plain", { mode: "disable" })).toMatchObject({ code: "none" });
  });
});

test.each(["postgres-13", "postgres-14", "postgres-15", "postgres-16", "postgres-17", "postgres-18.4"] as const)(
  "a login at %s by SCRAM works with and without TLS, and a wrong password is refused",
  async (kind) => {
    const [source, target] = await Promise.all([server(kind), server("postgres")]);
    const [stored] = await sql(source, "postgres", "SELECT left(rolpassword, 13) FROM pg_authid WHERE rolname = 'app'");
    expect(stored).toEqual(["SCRAM-SHA-256"]);
    const login = async (tls: Endpoint["tls"], password = source.password) => {
      const name = `login${++made}`;
      await sql(target, "postgres", `CREATE DATABASE ${name}`);
      const from = { ...endpoint(source.url, "postgres"), host: "localhost", password, tls };
      return error(run({ source: from, target: endpoint(target.urlOf(name, "admin"), "postgres") }));
    };
    expect(await login({ mode: "disable" })).toMatchObject({ code: "none" });
    expect(await login({ mode: "verify-full", ca: source.ca })).toMatchObject({ code: "none" });
    const refused = await login({ mode: "verify-full", ca: source.ca }, "wrong-word");
    expect(refused.code).not.toBe("none");
    expect(refused.message).not.toContain("wrong-word");
  },
);
