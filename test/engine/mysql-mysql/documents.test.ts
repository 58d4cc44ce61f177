import { expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import { copied, pair, useServers } from "../../support/engine/mysql-mysql-support.ts";

/** Decimals that MySQL itself has put into JSON: a server that reads their text makes doubles of them. */

const servers = useServers();

const long = `json_object('l', repeat('x"\\\\', 500000), 'n', cast(0.12345678901234567890 as decimal(30,20)))`;
const tables = `CREATE TABLE d (id int PRIMARY KEY, j json, k json);
  INSERT INTO d VALUES (1, json_object('price', cast(1.10 as decimal(5,2)), 'day', cast('2024-01-01' as date)), '[0.1, 1e300]'),
   (2, cast(cast(12345678901234567890.1234567890 as decimal(40,10)) as json), '"12345678901234567890.5"'),
   (3, ${long}, '12345678901234567890'), (4, NULL, '[]'), (5, '[1.5, "\\\\"12345678901234567.25"]', 'null')`;
const lost = (column: string, count: number) =>
  `column ${column}: ${count} values have decimal numbers with more digits than MySQL's JSON keeps when it reads a text; they became doubles`;

test.each(["all", "data"] as const)(
  "MySQL → MySQL, content %s: values whose digits are lost are counted",
  async (content) => {
    const where = await pair(servers, "mysql", "mysql", tables);
    if (content === "data") await where.to.query("CREATE TABLE d (id int PRIMARY KEY, j json, k json)");
    const { report } = await copied(where, { options: { jobs: 1, content, verify: "checksum" } });
    expect(report.warnings.filter((words) => words.includes("decimal"))).toEqual([lost(`${where.database}.d.j`, 2)]);
    expect(report.changed_columns).toBe(1);
    expect(report.verification?.differences).toEqual([]);

    const { verification } = await verify(
      { source: where.source, target: where.target, options: { jobs: 1, verify: "checksum" } },
      { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
    );
    expect(verification.differences).toEqual([]);
    expect(verification.uncompared.filter((words) => words.includes("JSON"))).toEqual([
      `${where.database}.d.j: 2 values have numbers that MySQL's JSON does not keep (more digits than a double has, or -0); they are compared as doubles`,
    ]);
  },
);

test("MySQL → MariaDB: a text keeps every digit", async () => {
  const where = await pair(servers, "mysql", "mariadb", tables);
  const { report } = await copied(where, { options: { jobs: 1, verify: "checksum" } });
  expect(report.warnings.filter((words) => words.includes("decimal"))).toEqual([]);
  expect(report.verification?.differences).toEqual([]);
});
