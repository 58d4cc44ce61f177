import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  endpoint,
  type Flavour,
  mysqlAs,
  pair,
  rows,
  type Servers,
  sourceRows,
  startServers,
} from "./mysql-support.ts";
import { run } from "./run.ts";

const data = join(import.meta.dirname, "../../../shared/data");
const sakila = ["schema", "data"].map((part) => join(data, `sakila-mysql-${part}.sql`));
const chinook = ["mysql", "postgres"].map((edition) => join(data, `chinook-${edition}.sql`));

/** `mysql` reads scripts with DELIMITER; the driver does not. */
function statements(script: string): string[] {
  const found: string[] = [];
  let delimiter = ";";
  let current = "";
  for (const line of script.split("\n")) {
    const change = /^DELIMITER\s+(\S+)/i.exec(line);
    if (change) {
      delimiter = change[1] ?? ";";
      continue;
    }
    current += `${line}\n`;
    if (line.trimEnd().endsWith(delimiter)) {
      found.push(current.trimEnd().slice(0, -delimiter.length));
      current = "";
    }
  }
  return found.filter((statement) => statement.trim() !== "");
}

describe.each<Flavour>(["mariadb", "mysql"])("sample databases of %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test.runIf(sakila.every(existsSync))("sakila arrives with every row, key and sequence", async () => {
    const { source } = servers;
    const loader = await mysqlAs(source.adminUrl);
    for (const file of sakila)
      for (const statement of statements(readFileSync(file, "utf8"))) await loader.query(statement);
    await loader.query("USE sakila; SET time_zone = '+00:00'");
    const both = await pair(servers, "DO 0");
    const { report } = await run({ source: endpoint(source.urlOf("sakila", "admin"), "mysql"), target: both.target });
    expect(report.tables).toHaveLength(16);
    for (const { source: from, target: to, rows: counts } of report.tables) {
      const [, table = ""] = from.split(".");
      // Only the writing differs: booleans, offsets, bytea, arrays; a geometry's first four bytes are its SRID.
      const types = await rows(
        both.pg,
        `SELECT data_type FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '${table}' ORDER BY ordinal_position`,
      );
      const plain = await sourceRows(
        loader,
        `SELECT * FROM sakila.\`${table}\``,
        (column) => types[column]?.[0] === "bytea",
      );
      const copied = await rows(both.pg, `SELECT * FROM public."${to.split(".")[1]}"`);
      const same = (value: string | null, column: number): string | null => {
        if (value === null) return null;
        switch (types[column]?.[0]) {
          case "boolean":
            return value === "t" || value === "1" ? "1" : "0";
          case "timestamp with time zone":
            return value.replace(/\+00$/, "");
          case "bytea":
            return value.replace(/^\\x/, "").replace(/^00000000(?=01)/, "");
          case "ARRAY":
            return value.replace(/[{}"]/g, "");
          default:
            return value;
        }
      };
      const canonical = (all: (string | null)[][]) => all.map((row) => JSON.stringify(row.map(same))).sort();
      const [there, here] = [canonical(copied), canonical(plain)];
      expect(
        there.find((row, index) => row !== here[index]),
        table,
      ).toBeUndefined();
      expect(counts).toEqual({ source: plain.length, target: plain.length });
    }
    const [[keys] = []] = await rows(
      both.pg,
      "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated",
    );
    expect(keys).toBe("22");
    await both.pg.query("SET search_path = public");
    const [[next] = []] = await rows(
      both.pg,
      "INSERT INTO actor (first_name, last_name) VALUES ('a', 'b') RETURNING actor_id",
    );
    expect(next).toBe("201");
    const moved = await rows(
      both.pg,
      "UPDATE actor SET first_name = 'c' WHERE actor_id = 1 RETURNING last_update > now() - interval '1 minute'",
    );
    expect(moved).toEqual([["t"]]);
    const names = report.inventory
      .filter(({ outcome }) => outcome === "reported")
      .map(({ kind, name }) => `${kind} ${name}`);
    expect(names).toEqual(expect.arrayContaining(["view film_list", "trigger ins_film", "procedure rewards_report"]));
    const texts = report.inventory
      .filter(({ definition }) => definition !== undefined)
      .map(({ definition }) => definition);
    expect(texts.some((text) => /^CREATE DEFINER=.* PROCEDURE `rewards_report`/s.test(text ?? ""))).toBe(true);
    expect(texts).toHaveLength(names.filter((name) => /^(view|trigger|procedure|function) /.test(name)).length);
    expect(await rows(both.pg, "SELECT indexdef FROM pg_indexes WHERE indexname = 'idx_title_description'")).toEqual([
      [expect.stringContaining("USING gin (to_tsvector('simple'")],
    ]);
    await loader.end();
  });

  test.runIf(chinook.every(existsSync))(
    "Chinook becomes what its own edition for PostgreSQL is: types, keys and rows",
    async () => {
      const [mine = "", own = ""] = chinook.map((file) =>
        readFileSync(file, "utf8").replaceAll(/^(?:(?:DROP|CREATE) DATABASE|USE|\\c) .*$/gim, ""),
      );
      const both = await pair(servers, "DO 0");
      // Its names hold single backslashes, which are meant.
      await servers.admin.query("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'");
      await servers.admin.query(mine);
      await servers.admin.query("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'");
      const edition = await pair(servers, "DO 0");
      await edition.pg.query(own);
      const { report } = await run(both, { options: { jobs: 2, verify: "checksum" } });
      expect(report.verification).toMatchObject({ tables: 11, differences: [], uncompared: [] });
      const plain = (text: string | null) => text?.replaceAll(/[_"]|public\./g, "").toLowerCase() ?? null;
      const columns = `SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
      WHERE attnum > 0 AND NOT attisdropped AND relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_rowferry'`;
      const types = async ({ pg }: typeof both) =>
        (await rows(pg, columns)).map((row) => row.map((text) => plain(text)?.replace("(0)", "")).join(" ")).sort();
      expect(await types(both)).toEqual(await types(edition));
      const keys = async ({ pg }: typeof both) =>
        (
          await rows(
            pg,
            "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype IN ('p', 'f') AND connamespace = 'public'::regnamespace AND conrelid::regclass::text !~ 'rowferry'",
          )
        )
          .map((row) => row.map(plain).join(" "))
          .sort();
      expect(await keys(both)).toEqual(await keys(edition));
      const indexed = async ({ pg }: typeof both) =>
        (
          await rows(
            pg,
            "SELECT tablename, regexp_replace(indexdef, '.* USING ', '') FROM pg_indexes WHERE schemaname = 'public' AND tablename !~ 'rowferry'",
          )
        )
          .map((row) => row.map(plain).join(" "))
          .sort();
      expect(await indexed(both)).toEqual(await indexed(edition));
      const tables = await rows(edition.pg, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
      for (const [table = ""] of tables) {
        const copy = report.tables
          .find(({ source }) => plain(source)?.split(".")[1] === plain(table))
          ?.target.split(".")[1];
        // N'…' of PostgreSQL's edition loses a space at the end.
        const all = async ({ pg }: typeof both, name: string) =>
          (await rows(pg, `SELECT * FROM public."${name}"`))
            .map((row) => JSON.stringify(row.map((value) => value?.trimEnd() ?? null)))
            .sort();
        expect(await all(both, copy ?? ""), table ?? "").toEqual(await all(edition, table ?? ""));
      }
    },
  );
});
