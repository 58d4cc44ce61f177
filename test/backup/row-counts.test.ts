import { afterAll, beforeAll, expect, test } from "vitest";
import { checkArchive } from "../../src/backup/check.ts";
import {
  database,
  endpoint,
  fingerprint,
  type Servers,
  sql,
  startServers,
  until,
  type Where,
} from "../support/engine/postgres-support.ts";
import { backup, codeOf, hooks, type Kept, newPlace, restore } from "./support.ts";

/** The manifest's numbers of rows, which a restore is compared with, are read from pg_dump's output and not by a second scan. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const tablesOf = async ({ storage, folder, key }: Kept) => {
  const { manifest } = await checkArchive({ storage, folder, identities: [key.identity], signal: hooks().signal });
  return Object.fromEntries(manifest.tables.map(({ name, rows }) => [name, rows]));
};

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
/** As the manifest names it. */
const shown = (name: string) => (/[ ."(),]/.test(name) ? quoted(name) : name);

/** Counted by the server, each table alone. */
async function countedBy(where: Where): Promise<Record<string, number>> {
  const found = await sql<{ schema: string; name: string }>(
    where,
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' ORDER BY c.oid`,
  );
  const counts: Record<string, number> = {};
  for (const { schema, name } of found) {
    const [row] = await sql<{ rows: number }>(
      where,
      `SELECT count(*)::int AS rows FROM ONLY ${quoted(schema)}.${quoted(name)}`,
    );
    counts[`${shown(schema)}.${shown(name)}`] = row?.rows ?? -1;
  }
  return counts;
}

const tables = `
  CREATE TABLE empty (id int PRIMARY KEY, t text);
  CREATE TABLE columnless ();
  INSERT INTO columnless SELECT FROM generate_series(1, 17);
  CREATE TABLE computed (always text GENERATED ALWAYS AS ('x'::text) STORED);
  INSERT INTO computed SELECT FROM generate_series(1, 5);
  CREATE TABLE dropped (gone int, kept text);
  INSERT INTO dropped VALUES (1, 'a'), (2, E'b\\nc');
  ALTER TABLE dropped DROP COLUMN gone;
  CREATE TABLE emptied (gone int);
  INSERT INTO emptied SELECT generate_series(1, 3);
  ALTER TABLE emptied DROP COLUMN gone;
  CREATE TABLE marks (t text);
  INSERT INTO marks VALUES ('\\.'), (E'\\n'), (E'\\\\.\\n\\n\\n'), (''), (''), (NULL), (E'\\\\'), (E'a\\r\\nb'), (E'\\n\\n\\n');
  CREATE TABLE only_marks (t text);
  INSERT INTO only_marks VALUES ('\\.'), (''), ('');
  CREATE TABLE bytes (b bytea);
  INSERT INTO bytes SELECT decode(repeat('0a5c2e0d00', i), 'hex') FROM generate_series(0, 300) i;
  CREATE TABLE wide (t text);
  INSERT INTO wide SELECT repeat(E'line\\n', 400000) FROM generate_series(1, 3);
  CREATE TABLE parted (id int, k int) PARTITION BY RANGE (id);
  CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (10);
  CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (10) TO (100) PARTITION BY LIST (k);
  CREATE TABLE parted_2_a PARTITION OF parted_2 FOR VALUES IN (0, 1);
  CREATE TABLE parted_2_b PARTITION OF parted_2 DEFAULT;
  INSERT INTO parted SELECT i, i % 3 FROM generate_series(0, 99) i;
  CREATE TABLE parent (id int);
  CREATE TABLE child (more text) INHERITS (parent);
  INSERT INTO parent SELECT generate_series(1, 4);
  INSERT INTO child SELECT i, 'x' FROM generate_series(1, 6) i;
  CREATE UNLOGGED TABLE unlogged (id int);
  INSERT INTO unlogged SELECT generate_series(1, 8);
  CREATE SCHEMA "odd.schema";
  CREATE TABLE "odd.schema"."a ""b"".c" (id int);
  INSERT INTO "odd.schema"."a ""b"".c" VALUES (1), (2);
  CREATE TABLE secured (id int);
  INSERT INTO secured SELECT generate_series(1, 9);
  ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
  CREATE VIEW seen AS SELECT * FROM marks;
  CREATE MATERIALIZED VIEW stored AS SELECT * FROM marks;
  SELECT lo_from_bytea(0, decode(repeat('0a', 5000), 'hex')) FROM generate_series(1, 3);
  SELECT lo_create(0);
`;

test.each(["new", "old"] as const)("of every kind of table (%s) they are the server's own", async (which) => {
  const source = await database(servers[which], tables);
  const counts = await countedBy(source);
  const kept = await newPlace();
  const { taken, heard } = await backup(endpoint(source), kept);
  expect(await tablesOf(kept)).toEqual(counts);
  const sum = Object.values(counts).reduce((all, rows) => all + rows, 0);
  expect(taken).toMatchObject({ rows: sum, tables: Object.keys(counts).length });
  expect(heard.last?.rows.done).toBe(sum);
  expect(heard.last?.tables.done).toBe(taken.tables);
  const hashed = await newPlace();
  await backup(endpoint(source), hashed, { checksums: true });
  expect(await tablesOf(hashed)).toEqual(counts);
  const target = await database(servers[which]);
  const { restored } = await restore(endpoint(target), kept);
  expect(restored).toMatchObject({ equal: true, differences: [], rows: sum });
  expect(await fingerprint(target)).toEqual(await fingerprint(source));
});

test.each(["SQL_ASCII", "LATIN1", "EUC_JP"])(
  "in a database of the encoding %s they are the server's own",
  async (encoding) => {
    const made = await database(servers.new);
    const source = { ...made, database: `${made.database}_${encoding.toLowerCase()}` };
    await sql(
      made,
      `CREATE DATABASE ${source.database} ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    );
    await sql(source, "CREATE TABLE a (t text); INSERT INTO a VALUES (E'a\\nb'), ('\\.'), (''), (NULL), ('x')");
    // Bytes that are no text, of which the last byte is a backslash's in another encoding.
    if (encoding === "SQL_ASCII") await sql(source, "INSERT INTO a VALUES (E'\\x83\\x5c'), (E'\\x83\\x5c\\n')");
    const kept = await newPlace();
    await backup(endpoint(source), kept);
    expect(await tablesOf(kept)).toEqual(await countedBy(source));
  },
);

test("no table is read twice", async () => {
  const source = await database(servers.new, "CREATE TABLE a (id int); INSERT INTO a SELECT generate_series(1, 5000)");
  const scans = async () => {
    const [row] = await sql<{ scans: number; read: number }>(
      source,
      "SELECT seq_scan::int AS scans, seq_tup_read::int AS read FROM pg_stat_user_tables WHERE relname = 'a'",
    );
    return row;
  };
  await sql(source, "SELECT pg_stat_reset()");
  await backup(endpoint(source), await newPlace());
  await until(async () => (await scans())?.scans !== 0, "the statistics of pg_dump's session");
  expect(await scans()).toEqual({ scans: 1, read: 5000 });
  await sql(source, "SELECT pg_stat_reset()");
  await backup(endpoint(source), await newPlace(), { checksums: true });
  await until(async () => (await scans())?.scans === 2, "the statistics of the hashes, too");
});

test("a table that the user may not read, or of which a policy hides rows, ends the backup", async () => {
  const source = await database(
    servers.new,
    "CREATE TABLE shown (id int); CREATE TABLE hidden (id int); INSERT INTO hidden VALUES (1)",
  );
  const name = `reader_${source.database}`;
  await sql(source, `CREATE ROLE ${name} LOGIN PASSWORD 'x'; GRANT SELECT ON shown TO ${name}`);
  const reader = endpoint(source, { name, password: "x" });
  expect(await codeOf(backup(reader, await newPlace()))).toBe("permission_denied");
  await sql(source, `GRANT SELECT ON hidden TO ${name}; ALTER TABLE hidden ENABLE ROW LEVEL SECURITY`);
  expect(await codeOf(backup(reader, await newPlace()))).not.toBe("it succeeded");
  await sql(source, "ALTER TABLE hidden DISABLE ROW LEVEL SECURITY");
  expect(await codeOf(backup(reader, await newPlace()))).toBe("it succeeded");
});
