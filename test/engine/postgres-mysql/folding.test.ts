import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Unique keys by collations that take for equal what has other bytes. */

const schema = `
  CREATE COLLATION ci (PROVIDER = icu, LOCALE = 'und-u-ks-level2', DETERMINISTIC = false);
  CREATE TABLE t (id int PRIMARY KEY, plain varchar(20), folded varchar(20) COLLATE ci UNIQUE);
  CREATE UNIQUE INDEX t_plain ON t (plain, id);
  CREATE UNIQUE INDEX t_folded ON t (plain COLLATE ci, id);
  CREATE UNIQUE INDEX t_expression ON t (lower(plain) COLLATE ci);
  CREATE UNIQUE INDEX t_c ON t (plain COLLATE "C");
  CREATE INDEX t_search ON t (plain COLLATE ci);
  INSERT INTO t VALUES (1, 'a', 'b')`;

describe.each(["mysql", "mariadb"] as const)("unique keys of PostgreSQL in %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("what a collation took for equal is named, with the text of the index", async () => {
    const both = await pair(servers, schema);
    const { report } = await run(both);
    const entry = (name: string) => report.inventory.find((one) => one.kind === "index" && one.name === name);
    const lost = (what: string) =>
      `collation ci of ${what} is lost: the target takes for equal only what has the same bytes`;
    const found = await rows(servers.admin, `SHOW INDEX FROM ${both.name}.t`);
    expect([...new Set(found.map(([, , name]) => name))].sort()).toEqual(
      expect.arrayContaining(["PRIMARY", "t_c", "t_folded", "t_folded_key", "t_plain", "t_search"]),
    );
    for (const [name, what] of [
      ["t_folded", "plain"],
      ["t_folded_key", "folded"],
    ] as const)
      expect(entry(`public.${name}`)).toMatchObject({
        outcome: "converted",
        note: lost(what),
        definition: expect.stringContaining(`CREATE UNIQUE INDEX "${name}" `),
      });
    for (const name of ["t_plain", "t_c", "t_search"])
      expect(entry(`public.${name}`)).toEqual({ kind: "index", name: `public.${name}`, outcome: "converted" });
    const expression = entry("public.t_expression");
    if (expression?.outcome === "converted") expect(expression.note).toContain(lost("its expression"));
    else expect(expression).toMatchObject({ outcome: "reported", definition: expect.stringContaining("lower") });
  });
});
