import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  database,
  endpoint,
  fingerprint,
  psql,
  type Servers,
  schemaText,
  sql,
  startServers,
  type Where,
} from "../support/engine/postgres-support.ts";
import { backup, codeOf, hooks, newPlace, objectsIn, restore } from "./support.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const zoo = join(import.meta.dirname, "..", "engine", "postgres-postgres", "zoo.sql");

async function zooOn(server: "new" | "old"): Promise<Where> {
  const where = await database(servers[server]);
  await psql(where, servers.tools, [zoo]);
  return where;
}

test.each(["new", "old"] as const)(
  "every object and row of PostgreSQL (%s) is in a restored database",
  async (which) => {
    const source = await zooOn(which);
    const kept = await newPlace();
    const { taken, heard } = await backup(endpoint(source), kept, { checksums: true });
    expect(taken.engine).toBe("PostgreSQL");
    expect(taken.manifestDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(taken.position.transactions).toMatch(/^\d+:\d+:/);
    expect(heard.last?.phase).toBe("finished");
    expect([...(await objectsIn(kept.storage)).keys()].map((name) => name.split("/").at(-1))).toEqual([
      "database.dump.zst.age",
      "manifest.json.zst.age",
    ]);

    const target = await database(servers[which]);
    const { restored } = await restore(endpoint(target), kept, {
      expect: { run: kept.run.id, manifestDigest: taken.manifestDigest },
    });
    expect(restored.differences).toEqual([]);
    expect(restored).toMatchObject({ equal: true, tables: taken.tables, rows: taken.rows, checksummed: taken.tables });
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
    expect(await schemaText(target, servers.tools)).toBe(await schemaText(source, servers.tools));
  },
);

test("large objects have their comments in a restored database", async () => {
  const source = await database(
    servers.new,
    "SELECT lo_from_bytea(70001, 'a'), lo_from_bytea(70002, 'b'), lo_from_bytea(70003, 'c'); COMMENT ON LARGE OBJECT 70002 IS 'the second''s'",
  );
  const kept = await newPlace();
  await backup(endpoint(source), kept);
  const target = await database(servers.new);
  const { restored } = await restore(endpoint(target), kept);
  expect(restored).toMatchObject({ equal: true, warnings: [] });
  const [found] = await sql(
    target,
    "SELECT pg_catalog.obj_description(70002, 'pg_largeobject') AS words, pg_catalog.encode(pg_catalog.lo_get(70003), 'escape') AS bytes",
  );
  expect(found).toEqual({ words: "the second's", bytes: "c" });
});

test("the archive is of one moment, whatever is written meanwhile", async () => {
  const source = await database(
    servers.new,
    "CREATE TABLE a (id int PRIMARY KEY, pad text); INSERT INTO a SELECT i, repeat('x', 500) FROM generate_series(1, 20000) i; CREATE TABLE b (id int)",
  );
  const kept = await newPlace();
  let written = Promise.resolve();
  let begun = false;
  const using = hooks();
  await backup(endpoint(source), kept, {
    progress(progress) {
      using.progress(progress);
      if (progress.phase !== "copying" || begun) return;
      begun = true;
      written = sql(source, "DELETE FROM a WHERE id % 2 = 0; INSERT INTO b SELECT generate_series(1, 7)").then(
        () => undefined,
      );
    },
  });
  await written;
  const target = await database(servers.new);
  const { restored } = await restore(endpoint(target), kept);
  expect(restored).toMatchObject({ equal: true, rows: 20_000 });
  expect(await sql(target, "SELECT (SELECT count(*) FROM a)::int AS a, (SELECT count(*) FROM b)::int AS b")).toEqual([
    { a: 20_000, b: 0 },
  ]);
});

test("a target that has objects is refused, unless that is allowed and none is in the way", async () => {
  const source = await database(servers.new, "CREATE TABLE mine (id int); INSERT INTO mine VALUES (1)");
  const kept = await newPlace();
  await backup(endpoint(source), kept);
  const target = await database(servers.new, "CREATE TABLE other (id int)");
  expect(await codeOf(restore(endpoint(target), kept))).toBe("target_not_empty");
  expect(await sql(target, "SELECT to_regclass('mine') AS mine")).toEqual([{ mine: null }]);
  const { restored } = await restore(endpoint(target), kept, { allowNotEmpty: true });
  expect(restored).toMatchObject({ equal: true, tables: 1, rows: 1 });
  expect(await codeOf(restore(endpoint(target), kept, { allowNotEmpty: true }))).toBe("target_conflict");
});
