import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectEdition } from "../support/engine/editions-postgres.ts";
import { type Flavour, pair, rows, type Servers, startServers } from "../support/engine/mysql-support.ts";
import { expectRows } from "../support/engine/rows-of-mysql.ts";
import { run } from "../support/engine/run.ts";
import { chinook, sakilaIn } from "./scripts.ts";

describe.each<Flavour>(["mariadb", "mysql"])("sample databases of %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("Sakila arrives with every row, key and sequence", async () => {
    const both = await pair(servers, "DO 0");
    for (const statement of sakilaIn(both.source.database)) await servers.admin.query(statement);
    const { report } = await run(both);
    expect(report.tables).toHaveLength(16);
    await expectRows(report, servers.admin, both.pg);
    const [[keys] = []] = await rows(
      both.pg,
      "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated",
    );
    expect(keys).toBe("22");
    await both.pg.query("SET search_path = public");
    const next = "INSERT INTO actor (first_name, last_name) VALUES ('a', 'b') RETURNING actor_id";
    expect(await rows(both.pg, next)).toEqual([["201"]]);
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
  });

  test("Chinook becomes what its own edition for PostgreSQL is: types, keys and rows", async () => {
    const both = await pair(servers, "DO 0");
    // Its names hold single backslashes, which are meant.
    await servers.admin.query("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'");
    await servers.admin.query(chinook("mysql"));
    await servers.admin.query("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'");
    const edition = await pair(servers, "DO 0");
    await edition.pg.query(chinook("postgres"));
    const { report } = await run(both, { options: { jobs: 2, verify: "checksum" } });
    expect(report.verification).toMatchObject({ tables: 11, differences: [], uncompared: [] });
    // N'…' of PostgreSQL's edition loses a space at the end.
    await expectEdition(both.pg, edition.pg, report, (value) => value.trimEnd());
  });
});
