import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { mysqlTools } from "../../dev/databases/mysql-tools.ts";
import type { Endpoint } from "../../src/engine/contract/index.ts";
import { expectRows, shapes, zoo } from "../support/engine/mysql-everything.ts";
import { flavours, pair, useServers } from "../support/engine/mysql-mysql-support.ts";
import { database, endpoint, fingerprint, psql, startServers } from "../support/engine/postgres-support.ts";
import { commandsOf, page } from "./page.ts";
import { backup, newFolder, newPlace } from "./support.ts";

/** docs/restore-without-rowferry.md, command by command: age, zstd and the databases' own clients. */

const servers = useServers();
interface Desk {
  path: string;
  /** Of the backup. */
  warnings: readonly string[];
  run(heading: string, env: Record<string, string>, before?: { program: string; filter: string }): Promise<string>;
}

/** A folder with a run's files and its key, and these programs. `database`: instead of the page's `shop`. */
async function desk(source: Endpoint, tools: string, database: string): Promise<Desk> {
  const { path: store, storage } = newFolder();
  const kept = await newPlace(storage);
  const { taken } = await backup(source, kept);
  const path = mkdtempSync(join(tmpdir(), "by-hand-"));
  cpSync(join(store, ...kept.folder.split("/")), join(path, "run"), { recursive: true });
  writeFileSync(join(path, "key.txt"), `# a comment, as age-keygen writes it\n${kept.key.identity}\n`);
  symlinkSync(tools, join(path, "tools"));
  return {
    path,
    warnings: taken.warnings,
    async run(heading, env, before) {
      const commands = commandsOf(heading).replaceAll(/\bshop\b/g, database);
      const script = before === undefined ? commands : commands.replace(`${before.program} `, `${before.filter} $&`);
      const { stdout } = await promisify(execFile)("bash", ["-c", script], {
        cwd: path,
        env: { PATH: `${join(path, "tools")}:${process.env.PATH}`, ...env },
        maxBuffer: 1 << 26,
      });
      return stdout;
    },
  };
}

test.each(flavours)("a backup of %s is restored by its mysql client", async (flavour) => {
  const where = await pair(servers, flavour, flavour, zoo);
  const { host, port, user, password } = where.target;
  const { path, run } = await desk(where.source, await mysqlTools(flavour), where.target.database);
  const checked = await run("Check the files", {});
  expect(checked.match(/: OK$/gm)?.length).toBeGreaterThan(2);
  writeFileSync(
    join(path, "target.cnf"),
    `[client]\nhost = ${host}\nport = ${port}\nuser = ${user}\npassword = "${password}"\n`,
  );
  await run("MySQL and MariaDB", {});
  await expectRows(where);
  expect(await shapes(where.to, where.database)).toEqual(await shapes(where.from, where.database));
  expect((await run("Compare the rows", {})).split("\n")).toContain("types 2");
});

test.each(flavours)(
  "code of %s that the mysql client reads otherwise is named, and made by way of sed",
  async (flavour) => {
    const where = await pair(servers, flavour, flavour, "CREATE TABLE t (id int)");
    await where.from.query("CREATE PROCEDURE a_first() SELECT 1 --\u0001 '\n");
    await where.from.query("CREATE PROCEDURE b_second() SELECT '-- ' --\u007f `");
    await where.from.query("CREATE PROCEDURE plain() SELECT 1 -- '\n");
    const { path, run, warnings } = await desk(where.source, await mysqlTools(flavour), where.target.database);
    expect(warnings.map((one) => /^procedure (\w+): its text has -- before/.exec(one)?.[1])).toEqual([
      "a_first",
      "b_second",
    ]);
    await run("Check the files", {});
    const { host, port, user, password } = where.target;
    writeFileSync(
      join(path, "target.cnf"),
      `[client]\nhost = ${host}\nport = ${port}\nuser = ${user}\npassword = "${password}"\n`,
    );
    await expect(run("MySQL and MariaDB", {})).rejects.toThrow(/ERROR/);
    await where.to.query("DROP TABLE t; DROP PROCEDURE IF EXISTS a_first");
    const filter = /`(LC_ALL=C sed .* \|)` before `mysql`/.exec(page)?.[1] ?? "";
    await run("MySQL and MariaDB", {}, { program: "mysql", filter });
    for (const one of ["a_first", "b_second", "plain"]) expect(await where.to.query(`CALL ${one}()`)).toBeDefined();
  },
);

test("a backup of PostgreSQL is restored by pg_restore", async () => {
  const postgres = await startServers();
  try {
    const source = await database(postgres.new);
    await psql(source, postgres.tools, [join(import.meta.dirname, "..", "engine", "postgres-postgres", "zoo.sql")]);
    const target = await database(postgres.new);
    const { run } = await desk(endpoint(source), postgres.tools, target.database);
    expect(await run("Check the files", {})).toContain("run/database.dump.zst.age: OK");
    const { host, port, user, password } = endpoint(target);
    await run("PostgreSQL", { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password });
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  } finally {
    await postgres.stop();
  }
});
