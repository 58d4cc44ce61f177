import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Flavour } from "../../support/engine/mysql-support.ts";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** JSON has no bounds of arrays: values with others than the usual are copied, counted and named. */

describe.each<Flavour>(["mysql", "mariadb"])("into %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("arrays that do not begin at 1 are counted by column, with the schema and into a table that was there", async () => {
    const both = await pair(
      servers,
      `CREATE DOMAIN list AS int[]; CREATE TABLE t (id int PRIMARY KEY, a int[], b text[], c list);
       INSERT INTO t VALUES (1, '[0:2]={1,2,3}', '{x}', '[5:5]={1}'), (2, '[1:2][-1:0]={{1,2},{3,4}}', '{}', NULL), (3, '{1,2}', NULL, '{}'), (4, '{{1},{2}}', '{"[0:1]={1,2}"}', '{7}')`,
    );
    const named = [
      expect.stringMatching(
        /^column public\.t\.a \(.*\): 2 arrays have a lower bound other than 1, which JSON does not keep$/,
      ),
      expect.stringMatching(/^column public\.t\.c \(.*\): 1 array has a lower bound other than 1/),
    ];
    const { report, copied } = await run(both, { options: { jobs: 2, verify: "checksum" } });
    const ofBounds = (warnings: readonly string[]) => warnings.filter((warning) => warning.includes("lower bound"));
    expect(ofBounds(report.warnings)).toEqual(named);
    expect(report.changed_columns).toBe(2);
    expect(await rows(servers.admin, `SELECT REPLACE(a, ' ', '') FROM ${both.name}.t ORDER BY id`)).toEqual([
      ["[1,2,3]"],
      ["[[1,2],[3,4]]"],
      ["[1,2]"],
      ["[[1],[2]]"],
    ]);
    await copied.finish();
    await servers.admin.query(`DELETE FROM ${both.name}.t`);
    const again = await run(both, { owner: "owner-2", options: { jobs: 1, content: "data" } });
    expect(ofBounds(again.report.warnings)).toEqual(named);
  });
});
