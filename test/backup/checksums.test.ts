import { afterAll, beforeAll, expect, test } from "vitest";
import { checkArchive } from "../../src/backup/check.ts";
import { flavours, pair, useServers } from "../support/engine/mysql-mysql-support.ts";
import { database, endpoint, type Servers, sql, startServers } from "../support/engine/postgres-support.ts";
import { replaceInParts } from "./exchange.ts";
import { backup, hooks, type Kept, newPlace, restore } from "./support.ts";

/** Rows that a restore has in the right number and with other values. */

let servers: Servers;
const others = useServers();
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const rows =
  "CREATE TABLE kept (id int PRIMARY KEY, t varchar(50)); INSERT INTO kept VALUES (1, 'as it was'), (2, NULL);";
const changed = `${rows} CREATE TABLE changed (id int, t varchar(50)); INSERT INTO changed VALUES (1, 'balance 100'), (1, 'balance 100')`;
const manifestOf = async ({ storage, folder, key }: Kept) =>
  (await checkArchive({ storage, folder, identities: [key.identity], signal: hooks().signal })).manifest;

test("PostgreSQL: a value that somebody with the key changed is found, and its table is named", async () => {
  const source = await database(servers.new, changed);
  const kept = await newPlace();
  await backup(endpoint(source), kept, { checksums: true });
  const { restored: good } = await restore(endpoint(await database(servers.new)), kept);
  expect(good).toMatchObject({ equal: true, checksummed: 2, warnings: [] });
  expect(await replaceInParts(kept, "balance 100", "balance 900")).toBe(2);
  const { restored, heard } = await restore(endpoint(await database(servers.new)), kept);
  expect(restored).toMatchObject({ equal: false, rows: 4, checksummed: 1 });
  expect(restored.differences).toEqual(["table public.changed has other rows than the backup: their checksum differs"]);
  expect(heard.log).toContain(
    "error: The target differs from the manifest: table public.changed has other rows than the backup: their checksum differs",
  );
});

test.each(flavours)(
  "%s: a value that somebody with the key changed is found, and its table is named",
  async (flavour) => {
    const where = await pair(others, flavour, flavour, changed);
    const kept = await newPlace();
    await backup(where.source, kept, { checksums: true });
    const { restored: good } = await restore(where.target, kept);
    expect(good).toMatchObject({ equal: true, checksummed: 2, warnings: [] });
    for (const name of ["kept", "changed"]) await where.to.query(`DROP TABLE ${name}`);
    expect(await replaceInParts(kept, "balance 100", "balance 900")).toBe(2);
    const { restored } = await restore(where.target, kept);
    expect(restored).toMatchObject({ equal: false, rows: 4, checksummed: 1 });
    expect(restored.differences).toEqual(["table changed has other rows than the backup: their checksum differs"]);
  },
);

test("without checksums a changed value is not found: rows are only counted", async () => {
  const source = await database(servers.new, changed);
  const kept = await newPlace();
  await backup(endpoint(source), kept);
  expect((await manifestOf(kept)).checksums).toBeUndefined();
  await replaceInParts(kept, "balance 100", "balance 900");
  const { restored } = await restore(endpoint(await database(servers.new)), kept);
  expect(restored).toMatchObject({ equal: true, checksummed: 0 });
});

test("a database in LATIN1 has the same checksums in one of UTF8, and rows of one that is not UTF8 are only counted", async () => {
  const latin = await database(servers.new);
  const name = `${latin.database}_latin1`;
  await sql(latin, `CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
  const source = { ...latin, database: name };
  await sql(source, "CREATE TABLE a (t text, c char(9)); INSERT INTO a VALUES ('größe', 'ä'), (repeat('é', 900), 'b')");
  const kept = await newPlace();
  await backup(endpoint(source), kept, { checksums: true });
  expect((await manifestOf(kept)).checksums).toEqual({ hash: "md5", encoding: "LATIN1" });
  const { restored } = await restore(endpoint(await database(servers.new)), kept);
  expect(restored).toMatchObject({ equal: true, checksummed: 1, warnings: [] });

  const unicode = await database(servers.new, "CREATE TABLE a (t text); INSERT INTO a VALUES ('größe')");
  const back = await newPlace();
  await backup(endpoint(unicode), back, { checksums: true });
  await sql(latin, `CREATE DATABASE ${name}_2 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
  const { restored: counted } = await restore(endpoint({ ...latin, database: `${name}_2` }), back);
  expect(counted).toMatchObject({ equal: true, checksummed: 0 });
  expect(counted.warnings).toEqual([
    "the rows of 1 table were counted, and not compared by checksum, because this server computes another one: public.a",
  ]);
});
