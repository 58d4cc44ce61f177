import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Flavour } from "./mysql-support.ts";
import { pair, rows, type Servers, startServers } from "./postgres-mysql-support.ts";
import { run } from "./run.ts";

const data = new URL("../../../shared/data/", import.meta.url);
const text = (name: string) => readFile(new URL(name, data), "utf8");
/** Its own edition makes a database and goes into it. */
const within = (sql: string) => sql.replaceAll(/^(?:(?:DROP|CREATE) DATABASE|USE|\\c) .*$/gim, "");

/** Names without case and underscores; a moment's digits, an integer's width and the two words for no action told alike. */
const comparable = (found: (string | null)[][]): string[] =>
  found
    .map((row) =>
      row
        .map((value) =>
          (value ?? "")
            .replaceAll("_", "")
            .toLowerCase()
            .replace(/^(datetime|int)\(\d+\)$/, "$1")
            .replace(/^(?:restrict|no action)$/, "none"),
        )
        .join(" "),
    )
    .sort();

describe.each<Flavour | "mariadb-11">(["mysql", "mariadb", "mariadb-11"])(
  "sample databases from PostgreSQL to %s",
  (flavour) => {
    let servers: Servers;
    beforeAll(async () => {
      servers = await startServers(flavour);
    });
    afterAll(() => servers?.close());

    test.runIf(existsSync(data))("Chinook holds what its own edition for MySQL holds", async () => {
      const both = await pair(servers, within(await text("chinook-postgres.sql")));
      const { report } = await run(both);
      const own = `${both.name}_own`;
      await servers.admin.query(`CREATE DATABASE ${own} CHARACTER SET utf8mb4; USE ${own}`);
      // Its names hold single backslashes, which are meant.
      await servers.admin.query("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'");
      await servers.admin.query(within(await text("chinook-mysql.sql")));
      expect(report.tables).toHaveLength(11);
      expect(report.warnings).toEqual([]);
      const plain = (name: string) => name.replaceAll("_", "").toLowerCase();
      const tables = await rows(
        servers.admin,
        `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${own}'`,
      );
      for (const [table = ""] of tables as [string][]) {
        const copy =
          report.tables.find(({ source }) => plain(source) === `public.${plain(table)}`)?.target.split(".")[1] ?? "";
        const columns = await rows(
          servers.admin,
          `SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '${both.name}' AND TABLE_NAME = '${copy}' ORDER BY ORDINAL_POSITION`,
        );
        // Timestamps have other digits in the editions, and N'…' of PostgreSQL's loses a space at the end.
        const all = (database: string, name: string) =>
          rows(
            servers.admin,
            `SELECT * FROM \`${database}\`.\`${name}\` ORDER BY ${columns.map((_, at) => at + 1).join(", ")}`,
          ).then((found) => found.map((row) => row.map((value) => value?.replace(/\.000000$| $/, "") ?? null)));
        expect(await all(both.name, copy)).toEqual(await all(own, table));
      }
      const shapes = (sql: (database: string) => string) =>
        Promise.all([both.name, own].map((database) => rows(servers.admin, sql(database)).then(comparable)));
      const [columns, ownColumns] = await shapes(
        (database) =>
          `SELECT TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '${database}' AND TABLE_NAME <> '_rowferry'`,
      );
      expect(columns).toEqual(ownColumns);
      const [keys, ownKeys] = await shapes(
        (database) =>
          `SELECT k.TABLE_NAME, k.COLUMN_NAME, k.ORDINAL_POSITION, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, r.UPDATE_RULE, r.DELETE_RULE
           FROM information_schema.KEY_COLUMN_USAGE k LEFT JOIN information_schema.REFERENTIAL_CONSTRAINTS r ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME
          WHERE k.TABLE_SCHEMA = '${database}' AND k.TABLE_NAME <> '_rowferry'`,
      );
      expect(keys).toEqual(ownKeys);
      const [indexes, ownIndexes] = await shapes(
        (database) =>
          `SELECT DISTINCT TABLE_NAME, COLUMN_NAME, SEQ_IN_INDEX, NON_UNIQUE FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = '${database}' AND TABLE_NAME <> '_rowferry'`,
      );
      expect(indexes).toEqual(ownIndexes);
    });

    test.runIf(existsSync(data))("Pagila comes with its rows, and every object of it is in the report", async () => {
      const both = await pair(
        servers,
        `${await text("pagila-postgres-schema.sql")}\n${await text("pagila-postgres-data.sql")}`,
      );
      const { report } = await run(both, { options: { jobs: 2, verify: "checksum" } });
      expect(report.verification).toMatchObject({ level: "checksum", differences: [] });
      expect(report.tables.find(({ source }) => source === "public.film")?.rows).toEqual({
        source: 1000,
        target: 1000,
      });
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

    // In MySQL postgres-mysql-zoo.test.ts has it.
    if (flavour === "mariadb")
      test("the zoo's rows are all there, under names that hurt as well", async () => {
        const both = await pair(servers, await readFile(new URL("postgres-zoo.sql", import.meta.url), "utf8"));
        // 1,200 columns are more than a table of MySQL has.
        const { report, copied } = await run(both, {
          options: { jobs: 2, verify: "checksum", exclude: ["more.wide"] },
        });
        expect(report.verification?.differences ?? []).toEqual([]);
        for (const { rows: counted } of report.tables) expect(counted.target).toBe(counted.source);
        expect(report.tables.find(({ source }) => source === "app.log")?.rows.target).toBe(1000);
        expect(
          await rows(servers.admin, `SELECT LENGTH(t), LENGTH(y) FROM ${both.name}.app_large WHERE id = 1`),
        ).toEqual([["20000000", "4000000"]]);
        expect(
          report.inventory.find(({ kind, name }) => kind === "view" && name === "more.v_recursive")?.definition,
        ).toContain("RECURSIVE");
        await copied.finish();
        expect(
          await rows(
            servers.admin,
            `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${both.name}' AND TABLE_NAME = '_rowferry'`,
          ),
        ).toEqual([]);
      });
  },
);
