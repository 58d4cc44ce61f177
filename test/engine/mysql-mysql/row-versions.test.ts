import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, mysqlAs } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/**
 * MariaDB before 11.5 and after it call different times the end of a present row of a system-versioned table. A plain
 * client reads the present rows and those of the past.
 */

const schema = `
CREATE TABLE hid (id int PRIMARY KEY, v int) WITH SYSTEM VERSIONING;
INSERT INTO hid VALUES (1, 1), (2, 2), (3, 3);
UPDATE hid SET v = 10 WHERE id = 1;
DELETE FROM hid WHERE id = 2;
CREATE TABLE shown (id int PRIMARY KEY, v int, s timestamp(6) GENERATED ALWAYS AS ROW START, \`e nd\` timestamp(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, \`e nd\`)) WITH SYSTEM VERSIONING;
INSERT INTO shown (id, v) VALUES (1, 1), (2, 2);
UPDATE shown SET v = 3 WHERE id = 1;`;

const reads = [
  "SELECT id, v FROM hid ORDER BY id",
  "SELECT id, v, row_start FROM hid FOR SYSTEM_TIME ALL ORDER BY id, row_end",
  "SELECT id, row_end FROM hid FOR SYSTEM_TIME ALL WHERE row_end < '2038-01-01' ORDER BY id, row_end",
  "SELECT id, v FROM shown ORDER BY id",
  "SELECT id, v, s FROM shown FOR SYSTEM_TIME ALL ORDER BY id, `e nd`",
  "SELECT id, `e nd` FROM shown FOR SYSTEM_TIME ALL WHERE `e nd` < '2038-01-01' ORDER BY id, `e nd`",
];

describe.each([
  ["mariadb", "mariadb-11"],
  ["mariadb-11", "mariadb"],
] as const)("%s → %s", (from, to) => {
  let servers: Awaited<ReturnType<typeof borrowDatabase>>[] = [];
  beforeAll(async () => {
    servers = await Promise.all([from, to].map((kind) => borrowDatabase(kind)));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });

  test("present rows stay present, and rows of the past keep their times", async () => {
    const name = `versions_${process.pid}`;
    const clients = await Promise.all(servers.map(({ adminUrl }) => mysqlAs(adminUrl)));
    try {
      for (const client of clients) {
        await client.query(
          `SET SESSION time_zone = '+00:00'; CREATE DATABASE ${name} CHARACTER SET utf8mb4; USE ${name}`,
        );
      }
      const [source, target] = clients as [(typeof clients)[0], (typeof clients)[0]];
      await source.query(schema);
      const [at, there] = servers.map((server) => endpoint(server.urlOf(name, "admin"), "mysql"));
      const where = { source: at as NonNullable<typeof at>, target: there as NonNullable<typeof there> };
      const { copied, report } = await run(where, { options: { jobs: 2, verify: "checksum" } });
      await copied.finish();
      expect(report.verification?.differences).toEqual([]);
      for (const sql of reads) {
        const [expected] = await source.query(sql);
        expect((expected as unknown[]).length).toBeGreaterThan(0);
        expect((await target.query(sql))[0]).toEqual(expected);
      }
      const said = await verify(
        { ...where, options: { jobs: 1 } },
        { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
      );
      expect(said.verification.differences).toEqual([]);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
  });
});
