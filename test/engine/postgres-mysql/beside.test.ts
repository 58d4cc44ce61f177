import type mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import { foundRuns, reset } from "../../../src/engine/run/reset.ts";
import { complete, cut, doing, during, list, names, ofRun } from "../../support/engine/beside.ts";
import { error, type Flavour, mysqlAs } from "../../support/engine/mysql-support.ts";
import { type Pair, pair, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Several runs from PostgreSQL into one database of MySQL or MariaDB, each into tables of its own. */

const large = 16_384;
const numbers = (table: string, rows: number) =>
  `CREATE TABLE ${table} (id serial PRIMARY KEY, v varchar(200)); INSERT INTO ${table} (v) SELECT repeat('x', 190) FROM generate_series(1, ${rows});`;

/** Parent and child, whose constraints are called alike whatever the tables are. */
const family = (parent: string, child: string) =>
  `CREATE TABLE ${parent} (id int PRIMARY KEY, CONSTRAINT positive CHECK (id > 0)); INSERT INTO ${parent} VALUES (1);
   CREATE TABLE ${child} (id int PRIMARY KEY, of int, CONSTRAINT belongs FOREIGN KEY (of) REFERENCES ${parent}); INSERT INTO ${child} VALUES (2, 1);`;

describe.each<Flavour>(["mysql", "mariadb"])("two runs from PostgreSQL into one database of %s", (kind) => {
  let servers: Servers;
  const clients: mysql.Connection[] = [];
  beforeAll(async () => {
    servers = await startServers(kind);
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await servers?.close();
  });

  interface Where extends Pair {
    to: mysql.Connection;
  }
  const client = async (name: string) => {
    const made = await mysqlAs(servers.target.adminUrl);
    clients.push(made);
    await made.query(`USE ${name}`);
    return made;
  };
  const first = async (schema: string): Promise<Where> => {
    const one = await pair(servers, schema);
    return { ...one, to: await client(one.name) };
  };
  /** Of another source, into the target of `one`. */
  const beside = async (one: Where, schema: string): Promise<Where> => {
    const { source } = await pair(servers, schema);
    return { ...one, source };
  };
  const constraints = (to: mysql.Connection) =>
    list(
      to,
      `SELECT TABLE_NAME, CONSTRAINT_TYPE, CONSTRAINT_NAME LIKE 'belongs%' OR CONSTRAINT_NAME LIKE 'positive%' FROM information_schema.TABLE_CONSTRAINTS
        WHERE TABLE_SCHEMA = DATABASE() AND CONSTRAINT_TYPE IN ('FOREIGN KEY', 'CHECK') ORDER BY 1`,
    );

  test("go on at one moment: both are verified, one chooses other names for its constraints, the last one drops the table", async () => {
    const one = await first(`${numbers("big", large)} ${family("a", "b")}`);
    const two = await beside(one, `${family("c", "d")} CREATE VIEW seen AS SELECT id FROM c`);
    const report = await during(one, await client(one.name), { verify: "checksum" }, async () => {
      const done = await complete(two, "two");
      expect(done).toMatchObject({ verification: { differences: [] }, warnings: [] });
      expect(done.inventory.filter(({ outcome }) => outcome === "reported")).toEqual([]);
      expect(await names(one.to)).toContain("_rowferry");
    });
    expect(report).toMatchObject({ verification: { differences: [] }, warnings: [] });
    expect(await names(one.to)).toEqual(["a", "b", "big", "c", "d", "seen"]);
    expect(await constraints(one.to)).toEqual(["a CHECK 1", "b FOREIGN KEY 1", "c CHECK 1", "d FOREIGN KEY 1"]);
    expect(await list(one.to, "SELECT * FROM b UNION ALL SELECT * FROM d")).toEqual(["2 1", "2 1"]);
  });

  test("that would make the same: the second is refused before it writes, also where it only fills; the assessment says so", async () => {
    const one = await first(`${numbers("big", large)}`);
    const two = await beside(one, `${numbers("big", 16)} ${numbers("small", 16)}`);
    await during(one, await client(one.name), {}, async () => {
      const refused = await error(run(two, ofRun("two")));
      expect(refused).toMatchObject({ code: "target_in_use", retryable: false });
      expect(refused.message).toMatch(
        /in use by run one, which makes table big too; .*WHERE owner = 'one' in the target .*rowferry reset URL --run one/,
      );
      expect(await names(one.to)).toEqual(["_rowferry", "big"]);
      expect(await list(one.to, "SELECT DISTINCT owner FROM _rowferry")).toEqual(["one"]);
      const options = { jobs: 1, content: "data" as const, include: ["big"] };
      expect(await error(run(two, { ...ofRun("two"), options }))).toMatchObject({ code: "target_in_use" });
      const asked = { ...ofRun("two"), source: two.source, target: one.target, options: { jobs: 1 } };
      const { findings } = await assess(asked, doing);
      const blockers = findings.filter(({ severity }) => severity === "blocker");
      expect(blockers.map(({ code, object }) => `${code} ${object}`)).toEqual(["target_in_use big"]);
      expect((await complete(two, "two", { include: ["small"] })).tables).toHaveLength(1);
    });
    expect(await names(one.to)).toEqual(["big", "small"]);
  });

  test("of which one is killed: the other completes, a retry keeps what was finished, a reset takes only its own", async () => {
    const one = await first(`${numbers("small", 16)} ${numbers("big", large)} ${family("a", "b")}`);
    await cut(one);
    const two = await beside(one, family("c", "d"));
    await complete(two, "two");
    expect((await foundRuns(one.target, doing.signal)).map(({ owner }) => owner)).toEqual(["one"]);
    const { report } = await run(one, ofRun("one"));
    expect(report.resumed?.kept).toContain("public.small");
    const { copied: third } = await run(await beside(one, family("e", "f")), ofRun("three"));
    await reset({ ...ofRun("one"), target: one.target }, doing);
    expect(await names(one.to)).toEqual(["_rowferry", "c", "d", "e", "f"]);
    await third.finish();
    expect(await names(one.to)).toEqual(["c", "d", "e", "f"]);
  });

  test("that fill tables of the target, whose constraints are called alike: both are verified", async () => {
    const one = await first(`${numbers("big", large)} ${family("a", "b")}`);
    const two = await beside(one, family("c", "d"));
    for (const which of [one, two]) await complete(which, "schema", { content: "schema" });
    const rows = { content: "data" as const, verify: "checksum" as const };
    const report = await during(one, await client(one.name), rows, async () => {
      expect((await complete(two, "two", rows)).verification).toMatchObject({ differences: [] });
    });
    expect(report.verification).toMatchObject({ differences: [] });
    expect(await list(one.to, "SELECT * FROM b UNION ALL SELECT * FROM d")).toEqual(["2 1", "2 1"]);
  });
});
