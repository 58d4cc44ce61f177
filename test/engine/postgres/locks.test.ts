import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copy } from "../../../src/engine/index.ts";
import {
  copied,
  database,
  hooks,
  request,
  type Servers,
  sql,
  startServers,
  until,
} from "../../support/engine/postgres-support.ts";

/** Locks of a copy on its source: how many there are, and that no other session waits for them for long. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

/** `done` is the larger one by its dead rows, and is copied first; `slow` has rows for seconds at the tests' bandwidth. */
const tables = `CREATE TABLE done (id int, t text); INSERT INTO done SELECT i, repeat('x', 1000) FROM generate_series(1, 3000) i;
  DELETE FROM done WHERE id > 10;
  CREATE TABLE slow (id int, t text); INSERT INTO slow SELECT i, repeat('x', 1000) FROM generate_series(1, 400) i;
  CREATE TABLE late (id int, t text); INSERT INTO late VALUES (1, 'x'); CREATE VIEW seen AS SELECT id FROM done`;
const slowly = { jobs: 1, bandwidth: 60_000, blocking_timeout: 1 };

describe("a session that waits for a lock of the copy on the source", () => {
  test("goes on when the copy of a later table ends with the cause", async () => {
    const [source, target] = [await database(servers.new, tables), await database(servers.new)];
    let altered: Promise<unknown> | undefined;
    const using = hooks({
      log: (_, message) => {
        if (message.startsWith("Creating")) altered = sql(source, "ALTER TABLE late ADD COLUMN n int");
      },
    });
    await expect(copy(request(source, target, { options: slowly }), using)).rejects.toMatchObject({
      code: "source_changed",
      retryable: true,
      message: expect.stringMatching(
        /^session \d+ \(user postgres\) has waited for \d s to lock table public\.late of the source, .*ALTER TABLE late/,
      ),
    });
    await altered;
    expect(await sql(source, "SELECT n FROM late")).toEqual([{ n: null }]);
  });

  test("gets the lock of a table that is copied, and the copy goes on", async () => {
    const [source, target] = [await database(servers.new, tables), await database(servers.new)];
    let altered: Promise<unknown> | undefined;
    let slowThen: string | undefined;
    const using = hooks({
      progress({ table }) {
        if (altered !== undefined || !table.some(({ name, state }) => name === "public.done" && state === "done"))
          return;
        altered = sql(source, "ALTER TABLE done ADD COLUMN n int; TRUNCATE done").then(() => {
          slowThen = using.heard.last?.table.find(({ name }) => name === "public.slow")?.state;
        });
      },
    });
    const { report, heard } = await copied(source, target, { options: slowly }, using);
    await altered;
    expect(slowThen).toBe("copying");
    expect(heard.log).toContainEqual([
      "info",
      expect.stringMatching(/^Released the locks on \d tables? of the source/),
    ]);
    expect(report.tables.map(({ source, rows }) => [source, rows.target])).toEqual([
      ["public.done", 10],
      ["public.late", 1],
      ["public.slow", 400],
    ]);
  });
});

test("each table of the source is locked once, however many sessions read", async () => {
  const many = Array.from({ length: 120 }, (_, at) => `CREATE TABLE t${at} (id int PRIMARY KEY, t text)`).join("; ");
  const [source, target] = [await database(servers.new, many), await database(servers.new)];
  const locks = `SELECT count(*)::int AS n FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
    WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND c.relname ~ '^t\\d+(_pkey)?$'`;
  let looked: Promise<{ n: number }[]> | undefined;
  const using = hooks({
    log: (_, message) => {
      if (message.startsWith("Creating")) looked = sql<{ n: number }>(source, locks);
    },
  });
  await copied(source, target, { options: { jobs: 4, verify: "checksum" } }, using);
  expect(await looked).toEqual([{ n: 120 }]);
  await until(async () => (await sql<{ n: number }>(source, locks))[0]?.n === 0, "the release of the locks");
});

test("with include pg_dump locks the other tables only while it reads the schema; the copy locks those that are named", async () => {
  const [source, target] = [await database(servers.new, tables), await database(servers.new)];
  const locks = `SELECT DISTINCT c.relname AS name FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
    WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND c.relkind = 'r'
      AND c.relnamespace = 'public'::regnamespace ORDER BY 1`;
  let looked: Promise<{ name: string }[]> | undefined;
  const using = hooks({
    log: (_, message) => {
      if (message.startsWith("Creating")) looked = sql<{ name: string }>(source, locks);
    },
  });
  const { report } = await copied(source, target, { options: { jobs: 2, include: ["done", "late"] } }, using);
  expect(await looked).toEqual([{ name: "done" }, { name: "late" }]);
  expect(report.tables.map(({ source }) => source)).toEqual(["public.done", "public.late"]);
});
