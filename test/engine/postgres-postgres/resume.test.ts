import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chosenSeed } from "../../seed.ts";
import {
  copied,
  cutAfter,
  database,
  endpoint,
  fingerprint,
  hooks,
  request,
  type Servers,
  schemaText,
  sessionsEnd,
  sql,
  startServers,
  transfer,
} from "../../support/engine/postgres-support.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

/** Two that are done before the last one is, which is large and the lightest at the source's first look. */
const shop = `CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, m mood); INSERT INTO item SELECT i, 'item ' || i, 'ok' FROM generate_series(1, 1000) i;
  CREATE TABLE sale (id serial PRIMARY KEY, item int REFERENCES item, at timestamptz); INSERT INTO sale (item, at) SELECT 1 + i % 1000, now() FROM generate_series(1, 5000) i;
  CREATE INDEX sale_at ON sale (at); CREATE VIEW sold AS SELECT item FROM sale;
  CREATE TABLE log (at int PRIMARY KEY, n int) PARTITION BY RANGE (at); CREATE TABLE log_1 PARTITION OF log FOR VALUES FROM (0) TO (1000);
  CREATE TABLE log_2 PARTITION OF log FOR VALUES FROM (1000) TO (2000); INSERT INTO log SELECT i, i FROM generate_series(0, 1999) i; CREATE INDEX log_n ON log (n);
  CREATE TABLE long (id int PRIMARY KEY, t text); INSERT INTO long SELECT i, repeat(md5(i::text), 10) FROM generate_series(1, 20000) i;
  SELECT lo_from_bytea(4711, 'hello')`;

describe("a second attempt", () => {
  test("keeps finished tables that are equal by hash, and copies again the one that changed meanwhile", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    await cutAfter(source, target, 4);
    const before = await sql<{ oid: number }>(target, "SELECT 'sale'::regclass::oid AS oid");
    await sql(source, "UPDATE sale SET at = at + interval '1 s' WHERE id = 77");
    const { report, heard } = await copied(source, target, { options: { jobs: 2 } });
    expect(report.resumed?.copied_again).toEqual(["public.sale"]);
    expect(report.resumed?.kept.length).toBeGreaterThanOrEqual(2);
    expect(heard.log.map(([, words]) => words).join("\n")).toMatch(
      /The earlier attempt had completed \d+ tables?: \d+ (is|are) kept/,
    );
    expect(await sql(target, "SELECT 'sale'::regclass::oid AS oid")).toEqual(before);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
    expect(await schemaText(target, servers.tools)).toBe(await schemaText(source, servers.tools));
    expect(await sql(target, "SELECT convert_from(lo_get(4711), 'UTF8') AS words")).toEqual([{ words: "hello" }]);
    expect(report.made.length).toBe(new Set(report.made.map(({ kind, name }) => JSON.stringify([kind, name]))).size);
  });

  test("names a table with a row that changed in the target, whose rows would be copied again", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    await cutAfter(source, target, 4);
    await sql(target, "UPDATE sale SET at = at + interval '1 s' WHERE id = 77");
    await expect(copied(source, target, { options: { jobs: 2 } })).rejects.toMatchObject({
      code: "target_changed",
      message: expect.stringContaining("public.sale (1 row)"),
    });
    const { report } = await copied(source, target, { options: { jobs: 2, drop: ["sale"] } });
    expect(report.resumed?.copied_again).toEqual(["public.sale"]);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("begins anew when the source's schema has changed", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    await cutAfter(source, target, 4);
    await sql(source, "ALTER TABLE sale ADD COLUMN note text DEFAULT 'x'");
    const { report } = await copied(source, target, { options: { jobs: 2 } });
    expect(report.resumed).toBeUndefined();
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
    expect(await schemaText(target, servers.tools)).toBe(await schemaText(source, servers.tools));
  });

  test("is right wherever the first one ended", async () => {
    const source = await database(servers.new, shop);
    let state = chosenSeed() % 1_000_000;
    const random = () => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return state / 2147483648;
    };
    let target = await database(servers.new);
    for (let round = 0; round < 6; round++) {
      const stop = new AbortController();
      let heard = 0;
      const end = 1 + Math.floor(random() * 25);
      const hear = () => {
        if (++heard >= end) stop.abort(new Error("asked to stop"));
      };
      const using = hooks({ signal: stop.signal, progress: hear, log: hear });
      await transfer(request(source, target), using).then(
        async ({ finish }) => {
          // Asked at the very last moment, it is the removal of the checkpoint that ends.
          await finish().catch((error: unknown) => expect(String(error)).toContain("asked to stop"));
          target = await database(servers.new);
        },
        (error: unknown) => expect(String(error)).toContain("asked to stop"),
      );
      if (random() < 0.5) await sql(source, `UPDATE sale SET at = now() WHERE id = ${1 + Math.floor(random() * 5000)}`);
    }
    await copied(source, target);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
    expect(await schemaText(target, servers.tools)).toBe(await schemaText(source, servers.tools));
  });

  test("makes anew what hides its rows from the target's user by then", async () => {
    const source = await database(
      servers.new,
      "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 9); ALTER TABLE t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
    );
    const name = `plain_${process.pid}`;
    const target = await database(
      servers.new,
      `CREATE ROLE ${name} LOGIN PASSWORD 'plain'; GRANT ALL ON SCHEMA public TO ${name}`,
    );
    const as = { target: endpoint(target, { name, password: "plain" }) };
    const stop = new AbortController();
    const ended = transfer(
      request(source, target, as),
      hooks({
        signal: stop.signal,
        progress: ({ phase }) => phase === "verifying" && stop.abort(new Error("asked to stop")),
      }),
    );
    await expect(ended).rejects.toThrow("asked to stop");
    await sessionsEnd(target);
    expect(await sql(target, "SELECT relforcerowsecurity AS forced FROM pg_class WHERE relname = 't'")).toEqual([
      { forced: true },
    ]);
    await copied(source, target, as);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("of rows alone empties what the first had begun, and nothing else", async () => {
    const source = await database(servers.new, shop);
    const target = await database(servers.new);
    await copied(source, target, { options: { jobs: 1, content: "schema" } });
    const options = { jobs: 1, content: "data" as const };
    await cutAfter(source, target, 3, { options });
    await sql(source, "UPDATE sale SET at = at + interval '1 s' WHERE id = 77");
    const { report } = await copied(source, target, { options });
    expect(report.resumed?.kept.length).toBeGreaterThanOrEqual(1);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });
});
