import { expect, test } from "vitest";
import { copied, pair, useServers } from "../../support/engine/mysql-mysql-support.ts";

const servers = useServers();

test("MariaDB's named times of rows are omitted in MySQL, and no word says that they are plain columns there", async () => {
  const where = await pair(
    servers,
    "mariadb",
    "mysql",
    `CREATE TABLE t (id int PRIMARY KEY, v int, s timestamp(6) GENERATED ALWAYS AS ROW START, e timestamp(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING;
     INSERT INTO t (id, v) VALUES (1, 1), (2, 2); UPDATE t SET v = 3 WHERE id = 1;`,
  );
  const { report } = await copied(where, { options: { jobs: 2, verify: "checksum" } });
  expect((await where.to.query("SELECT * FROM t ORDER BY id"))[0]).toEqual([
    { id: 1, v: 3 },
    { id: 2, v: 2 },
  ]);
  expect(report.warnings.filter((words) => words.includes("plain column"))).toEqual([]);
  const notes = report.inventory.filter(({ kind, name }) => kind === "column" && /^t\.[se]$/.test(name));
  expect(notes.map(({ outcome, note }) => [outcome, note])).toEqual([
    ["reported", "omitted: MySQL keeps no times and versions of rows"],
    ["reported", "omitted: MySQL keeps no times and versions of rows"],
  ]);
});
