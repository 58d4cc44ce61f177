import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "../../../dev/databases/kinds.ts";
import { serverRoot } from "../../../dev/databases/release.ts";
import { openTerminal } from "../../../dev/terminal/index.ts";
import type { CopyReport } from "../../../src/engine/contract/index.ts";
import { normalDump } from "../../support/engine/mysql-dump.ts";
import { expectRows, shapes, zoo } from "../../support/engine/mysql-everything.ts";
import {
  closeClients,
  copied,
  type Pair,
  pair,
  pairs,
  type Servers,
  startServers,
} from "../../support/engine/mysql-mysql-support.ts";

/** One of everything that both kinds of server have, and the dumps of both sides side by side. */

let servers: Servers;
let root: string;
beforeAll(async () => {
  servers = await startServers(["--event-scheduler=OFF"]);
  root = await serverRoot(kinds.mysql, openTerminal({ name: "mysqldump" }));
});
afterAll(async () => {
  await closeClients();
  await servers?.close();
});

const notes = ({ inventory }: CopyReport) =>
  inventory.flatMap(({ kind, name, outcome, note }) =>
    outcome === "copied" ? [] : [`${outcome} ${kind} ${name}: ${note}`],
  );

async function dumpOf(database: string): Promise<string> {
  const libraries = (await readdir(join(root, "usr/lib"))).find((name) => name.endsWith("-linux-gnu")) ?? "";
  const library = join(root, "usr/lib", libraries);
  const loader = (await readdir(library)).find((name) => name.startsWith("ld-linux")) ?? "";
  const { server } = servers.of.mysql;
  const options = [
    ["--no-defaults", "-h127.0.0.1", `-P${server.port}`, "-uroot", "--default-character-set=utf8mb4", "--no-data"],
    ["--routines", "--triggers", "--events", "--set-gtid-purged=OFF", "--skip-comments", "--ssl-mode=DISABLED"],
    ["--get-server-public-key", database],
  ].flat();
  const { stdout } = await promisify(execFile)(
    join(library, loader),
    ["--library-path", library, join(root, "usr/bin/mysqldump"), ...options],
    { env: { MYSQL_PWD: server.password }, maxBuffer: 1 << 26 },
  );
  return stdout;
}

/** What becomes otherwise from MySQL to MariaDB. */
const ofMysql = ["converted column types.js: JSON became MariaDB's, which is longtext with a check"];

test.each(pairs)("%s → %s: everything that both have is in the target as in the source", async (from, to) => {
  const where = await pair(servers, from, to, zoo);
  const { report } = await copied(where, { options: { jobs: 2, verify: "checksum" } });
  expect(report.verification).toMatchObject({ differences: [] });
  await expectRows(where, from === to ? [] : ["types.js"]);
  if (from !== to) {
    const own = notes(report).filter(
      (note) =>
        !note.includes("its text is that of the source") &&
        !note.includes("collation utf8mb4_0900_ai_ci became utf8mb4_uca1400_nopad_ai_ci"),
    );
    expect(own).toEqual(from === "mysql" ? ofMysql : []);
  } else await expectAlike(where, report);
  await where.to.query("CALL fill(1, @t)");
  await where.to.query("INSERT INTO log (what) VALUES ('x')");
  expect((await where.to.query("SELECT what FROM log WHERE what IS NOT NULL"))[0]).toEqual([{ what: "x132" }]);
});

async function expectAlike(where: Pair, report: CopyReport): Promise<void> {
  expect(notes(report)).toEqual([]);
  expect(await shapes(where.to, where.database)).toEqual(await shapes(where.from, where.database));
  if (report.source.engine === "mysql")
    expect(normalDump(await dumpOf(`${where.database}_copy`), where.database)).toEqual(
      normalDump(await dumpOf(where.database), where.database),
    );
}

const unseen = `
CREATE TABLE t (id int PRIMARY KEY, e enum('x','😀','🚢?') NOT NULL, d varchar(9) NOT NULL DEFAULT 'é😀');
INSERT INTO t VALUES (1, '😀', 'q');
`;

test.each(pairs)(
  "%s → %s: a label of four bytes that no row has is made as it is shown, and named",
  async (from, to) => {
    const where = await pair(servers, from, to, unseen);
    const { report } = await copied(where);
    await expectRows(where);
    const doubts = notes(report).filter((note) => note.startsWith("reported"));
    expect(doubts).toHaveLength(1);
    expect(doubts[0]).toMatch(/^reported column t\.[ed]: .*labels that no row has/);
  },
);
