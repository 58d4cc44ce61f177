import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectEdition } from "../support/engine/editions-mysql.ts";
import type { AnyFlavour } from "../support/engine/mysql-support.ts";
import { pair, rows, type Servers, startServers } from "../support/engine/postgres-mysql-support.ts";
import { run } from "../support/engine/run.ts";
import { chinook, pagila } from "./scripts.ts";

describe.each<AnyFlavour>(["mysql", "mariadb", "mariadb-11"])("sample databases from PostgreSQL to %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("Chinook holds what its own edition for MySQL holds", async () => {
    const both = await pair(servers, chinook("postgres"));
    const { report } = await run(both);
    const edition = `${both.name}_own`;
    await servers.admin.query(`CREATE DATABASE ${edition} CHARACTER SET utf8mb4; USE ${edition}`);
    // Its names hold single backslashes, which are meant.
    await servers.admin.query("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'");
    await servers.admin.query(chinook("mysql"));
    expect(report.tables).toHaveLength(11);
    expect(report.warnings).toEqual([]);
    // Timestamps have other digits in the editions, and N'…' of PostgreSQL's loses a space at the end.
    await expectEdition(servers.admin, both.name, edition, report, (value) => value.replace(/\.000000$| $/, ""));
  });

  test("Pagila comes with its rows, and every object of it is in the report", async () => {
    const both = await pair(servers, pagila());
    const { report } = await run(both, { options: { jobs: 2, verify: "checksum" } });
    expect(report.verification).toMatchObject({ level: "checksum", differences: [] });
    expect(report.tables.find(({ source }) => source === "public.film")?.rows).toEqual({ source: 1000, target: 1000 });
    expect(report.tables.find(({ source }) => source === "public.payment")?.rows.target).toBeGreaterThan(10_000);
    for (const entry of report.inventory) {
      expect(entry.name).not.toBe("");
      if (entry.outcome === "reported") expect(entry.note ?? "").not.toBe("");
    }
    const kinds = new Set(report.inventory.map(({ kind }) => kind));
    for (const kind of ["view", "function", "trigger", "aggregate", "domain", "type", "partitions", "sequence"])
      expect(kinds).toContain(kind);
    const [[actor] = []] = await rows(servers.admin, `SELECT MAX(actor_id) FROM ${both.name}.actor`);
    await servers.admin.query(`INSERT INTO ${both.name}.actor (first_name, last_name) VALUES ('A', 'B')`);
    expect(await rows(servers.admin, `SELECT MAX(actor_id) FROM ${both.name}.actor`)).toEqual([
      [String(Number(actor) + 1)],
    ]);
  });
});
