import { expect, test } from "vitest";
import type { MadeObject } from "../../contract/index.ts";
import type { Session } from "../driver/session.ts";
import { dropMade } from "./drop.ts";

/** A server on which every table that is asked for is there, made at one moment; it keeps the statements that change it. */
function serverIn(database: string, folding: string) {
  const ran: string[] = [];
  const session = {
    query: async (sql: string) => {
      if (sql.startsWith("SELECT DATABASE()")) return [[database, folding]];
      return sql.includes("information_schema.TABLES") ? [["t", "2026-01-01", ""]] : [];
    },
    run: async (sql: string) => void ran.push(sql),
  } as unknown as Session;
  return { session, ran };
}

const table = (database: string): MadeObject => ({ kind: "table", name: [database, "t"], id: "created 2026-01-01" });

test.each([
  ["of another name", "shop", "0", "prod", false],
  ["of a name in another case, where case counts", "shop", "0", "SHOP", false],
  ["of a name in another case, where it does not", "shop", "1", "SHOP", true],
  ["of the same name", "shop", "0", "shop", true],
])("what a list says of a database %s", async (_which, database, folding, named, dropped) => {
  const { session, ran } = serverIn(database, folding);
  const said: string[] = [];
  // Such a proof would have it dropped under another name as well.
  const made = [{ object: table(named), proofs: [{ meanwhile: "rowferry-1" }] }];
  const cleaned = await dropMade(session, made, { guard: async () => undefined, warn: (words) => said.push(words) });
  expect(cleaned).toEqual({ dropped: dropped ? 1 : 0, absent: 0, left: dropped ? 0 : 1 });
  expect(ran).toEqual(
    dropped ? [`DROP TABLE IF EXISTS \`${named}\`.\`rowferry-1\``, `DROP TABLE \`${named}\`.\`t\``] : [],
  );
  expect(said.join()).toMatch(dropped ? /^$/ : /table \S+\.t was left in the target: it is in another database/);
});
