import { expect, test } from "vitest";
import { foldingOf } from "../../../src/engine/plan/mysql-postgres/columns/folding.ts";
import { type Flavour, pair, rows, startServers } from "../../support/engine/mysql-support.ts";

/** Pairs of a collation and the level that ICU compares at; `exact` in folding.ts stands on this. */
test.each<[Flavour, string]>([
  ["mysql", "utf8mb4_0900_ai_ci"],
  ["mariadb", "utf8mb4_uca1400_ai_ci"],
])(
  "every character that %s's %s takes for equal is equal in the collation that stands for it",
  async (flavour, name) => {
    expect(foldingOf(name)).toMatchObject({ exact: true });
    const servers = await startServers(flavour);
    try {
      const both = await pair(servers, "CREATE TABLE c (c varchar(2) COLLATE utf8mb4_bin)");
      for (let from = 1; from < 0x30000; from += 0x4000) {
        const codes = Array.from({ length: 0x4000 }, (_, at) => from + at).filter(
          (code) => code < 0xd800 || code > 0xdfff,
        );
        await servers.admin.query("INSERT INTO c VALUES ?", [codes.map((code) => [String.fromCodePoint(code)])]);
      }
      const [found] = await servers.admin.query({
        sql: `SELECT HEX(WEIGHT_STRING(c COLLATE ${name})), c FROM c`,
        rowsAsArray: true,
      });
      const all = found as unknown as [string, string][];
      const { pg } = both;
      await pg.query(
        `CREATE COLLATION public.own (provider = icu, locale = '${foldingOf(name)?.collation?.locale}', deterministic = false); CREATE TEMP TABLE c (w text, c text COLLATE public.own)`,
      );
      await pg.query("INSERT INTO c SELECT * FROM unnest($1::text[], $2::text[])", [
        all.map(([weight]) => weight),
        all.map(([, character]) => character),
      ]);
      expect(await rows(pg, "SELECT w FROM c GROUP BY w HAVING count(DISTINCT c) > 1")).toEqual([]);
      expect(await rows(pg, "SELECT count(*) > 190000 FROM c")).toEqual([["t"]]);
    } finally {
      await servers.close();
    }
  },
);
