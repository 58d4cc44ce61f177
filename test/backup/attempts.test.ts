import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BackupProgress } from "../../src/backup/contract.ts";
import { zoo } from "../support/engine/mysql-everything.ts";
import { flavours, pair, useServers } from "../support/engine/mysql-mysql-support.ts";
import {
  database,
  endpoint,
  fingerprint,
  psql,
  type Servers,
  sql,
  startServers,
} from "../support/engine/postgres-support.ts";
import { backup, codeOf, type Kept, newPlace, restore } from "./support.ts";

/** A restore that was cut off, and its next attempt. */

let servers: Servers;
const others = useServers();
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

/** Ends a restore, as a kill does for the target. */
async function cutOff(
  into: Parameters<typeof restore>[0],
  kept: Kept,
  attempt: string,
  isNow: (progress: BackupProgress) => boolean,
): Promise<void> {
  const stop = new AbortController();
  const work = restore(into, kept, {
    attempt,
    signal: stop.signal,
    jobs: 1,
    progress: (progress) => {
      if (isNow(progress)) stop.abort(new Error("killed"));
    },
  });
  await expect(work).rejects.toThrow("killed");
}

const rows = "id int PRIMARY KEY, pad varchar(1000)";

test("PostgreSQL: the next attempt of a cut-off restore drops what is left, and restores everything", async () => {
  const source = await database(
    servers.new,
    `CREATE TYPE mood AS ENUM ('a', 'b'); CREATE FUNCTION f(i int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT i';
     CREATE TABLE one (${rows}, n int GENERATED ALWAYS AS IDENTITY, s serial, m mood DEFAULT 'a'); CREATE INDEX ON one (f(id));
     INSERT INTO one (id, pad) SELECT i, repeat(md5(i::text), 20) FROM generate_series(1, 20000) i;
     CREATE SCHEMA other; CREATE TABLE other.two (${rows}); CREATE VIEW v AS SELECT * FROM other.two`,
  );
  const kept = await newPlace();
  await backup(endpoint(source), kept, { checksums: true });
  const target = await database(servers.new);
  await cutOff(endpoint(target), kept, "first", ({ bytes }) => bytes.done > 1 << 20);
  expect(await sql(target, "SELECT to_regclass('one')::text AS one")).toEqual([{ one: "one" }]);

  expect(await codeOf(restore(endpoint(target), kept))).toBe("target_not_empty");
  expect(await codeOf(restore(endpoint(target), kept, { attempt: "another" }))).toBe("target_not_empty");
  await sql(target, "CREATE TABLE theirs (id int)");
  expect(await codeOf(restore(endpoint(target), kept, { attempt: "first" }))).toBe("target_not_empty");
  expect(await sql(target, "SELECT to_regclass('one')::text AS one")).toEqual([{ one: "one" }]);
  await sql(target, "DROP TABLE theirs");

  const { restored, heard } = await restore(endpoint(target), kept, { attempt: "first" });
  expect(restored).toMatchObject({ equal: true, rows: 20_000, differences: [] });
  expect(heard.log.join("\n")).toContain("Dropping what an earlier attempt left");
  expect(await fingerprint(target)).toEqual(await fingerprint(source));
  expect(await sql(target, "SELECT FROM pg_namespace WHERE nspname = '_rowferry_restore'")).toEqual([]);
});

test("PostgreSQL: a target that had objects is never taken for one of a cut-off restore", async () => {
  const source = await database(servers.new, `CREATE TABLE one (${rows}); INSERT INTO one VALUES (1, 'x')`);
  const kept = await newPlace();
  await backup(endpoint(source), kept);
  const target = await database(servers.new, "CREATE TABLE one (id int); INSERT INTO one VALUES (7)");
  for (let attempt = 0; attempt < 2; attempt++)
    expect(await codeOf(restore(endpoint(target), kept, { attempt: "first" }))).toBe("target_not_empty");
  expect(await sql(target, "SELECT id FROM one")).toEqual([{ id: 7 }]);
});

test("PostgreSQL: every kind of object that the next attempt finds is dropped, or it says that the target is not empty", async () => {
  const source = await database(servers.new);
  await psql(source, servers.tools, [join(import.meta.dirname, "..", "engine", "postgres-postgres", "zoo.sql")]);
  const kept = await newPlace();
  await backup(endpoint(source), kept);
  const target = await database(servers.new);
  await cutOff(endpoint(target), kept, "first", ({ phase }) => phase === "verifying");
  const code = await codeOf(restore(endpoint(target), kept, { attempt: "first" }));
  expect(["it succeeded", "target_not_empty"]).toContain(code);
});

test.each(flavours)(
  "%s: the next attempt of a cut-off restore drops what is left, and restores everything",
  async (flavour) => {
    const where = await pair(others, flavour, flavour, zoo);
    const kept = await newPlace();
    const { taken } = await backup(where.source, kept);
    await cutOff(where.target, kept, "first", ({ phase }) => phase === "verifying");
    expect((await where.to.query("SHOW TABLES LIKE '_rowferry_restore'"))[0]).toHaveLength(1);
    expect(await codeOf(restore(where.target, kept))).toBe("target_not_empty");
    expect(await codeOf(restore(where.target, kept, { attempt: "another" }))).toBe("target_not_empty");
    const { restored } = await restore(where.target, kept, { attempt: "first" });
    expect(restored).toMatchObject({ equal: true, tables: taken.tables, rows: taken.rows, differences: [] });
    expect((await where.to.query("SHOW TABLES LIKE '_rowferry_restore'"))[0]).toEqual([]);
  },
);
