import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Flavour } from "../../support/engine/mysql-support.ts";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** What MySQL cannot keep is named, and values that change are counted. */

describe.each<Flavour>(["mysql", "mariadb"])("into %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("a comment and rights on schema public are named as those of another schema", async () => {
    const role = `public_reader_${process.pid}_${flavour}`;
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY); COMMENT ON SCHEMA public IS 'pubc'; CREATE ROLE ${role}; GRANT CREATE ON SCHEMA public TO ${role}`,
    );
    const { report, copied } = await run(both);
    await copied.finish();
    const of = (kind: string) => report.inventory.filter((entry) => entry.kind === kind);
    expect(of("comment")).toEqual([
      expect.objectContaining({
        name: "schema public",
        outcome: "reported",
        definition: expect.stringContaining("pubc"),
      }),
    ]);
    expect(of("grant").map(({ name }) => name)).toContain(`schema public to ${role}`);
  });

  test("initdb's own comment on schema public is not named", async () => {
    const both = await pair(servers, "CREATE TABLE t (id int PRIMARY KEY)");
    const { report, copied } = await run(both);
    await copied.finish();
    expect(report.inventory.filter(({ kind }) => kind === "comment" || kind === "grant")).toEqual([]);
  });

  test("documents with a key twice are counted by their column, and kept as LONGTEXT", async () => {
    const wide = "(SELECT ('[\"' || repeat('x', 2000000) || '\",{\"k\":1,\"k\":2}]')::json)";
    const both = await pair(
      servers,
      `CREATE TABLE vals (id int PRIMARY KEY, v json, w json, l json[], b jsonb);
       INSERT INTO vals VALUES (1, '{"a":1,"a":2}', '{"a":{"a":1}}', ARRAY['{"a":1,"a":2}'::json], '{"a":1,"a":2}'),
         (2, '{"a":1,"\\u0061":2}', '[{"a":1},{"a":1}]', NULL, NULL), (3, '{"a":"{\\"a\\":1,\\"a\\":2}"}', NULL, NULL, NULL), (4, ${wide}, NULL, NULL, NULL)`,
    );
    const { report, copied } = await run(both, { options: { jobs: 2, verify: "checksum" } });
    await copied.finish();
    const words = (column: string, values: string) =>
      `column public.vals.${column}: ${values} with the same key twice, of which MySQL's JSON keeps the last value; LONGTEXT in options.types keeps them as text`;
    const expected = [words("v", "3 values have objects"), words("l", "1 value has an object")];
    expect(report.warnings).toEqual(flavour === "mysql" ? expected : []);
    expect(await rows(servers.admin, `SELECT v FROM ${both.name}.vals WHERE id = 1`)).toEqual([
      [flavour === "mysql" ? '{"a": 2}' : '{"a":1,"a":2}'],
    ]);
    const again = await pair(
      servers,
      `CREATE TABLE vals (id int PRIMARY KEY, v json); INSERT INTO vals VALUES (1, '{"a":1,"a":2}')`,
    );
    const kept = await run(again, { options: { jobs: 1, types: { "vals.v": "LONGTEXT" } } });
    await kept.copied.finish();
    expect(kept.report.warnings).toEqual([]);
    expect(await rows(servers.admin, `SELECT v FROM ${again.name}.vals`)).toEqual([['{"a":1,"a":2}']]);
  });
});
