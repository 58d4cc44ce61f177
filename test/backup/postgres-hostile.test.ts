import { createHash } from "node:crypto";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import zlib from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkArchive } from "../../src/backup/check.ts";
import { openRecipients } from "../../src/backup/encryption/age.ts";
import { writeManifest } from "../../src/backup/manifest.ts";
import type { ArchivePart, Manifest } from "../../src/backup/manifest-schema.ts";
import { manifestName } from "../../src/backup/names.ts";
import {
  database,
  endpoint,
  fingerprint,
  type Servers,
  sql,
  startServers,
} from "../support/engine/postgres-support.ts";
import { replaceInParts } from "./exchange.ts";
import { backup, codeOf, hooks, type Kept, newPlace, restore } from "./support.ts";

/** Archives that try to do more than restore rows, by somebody who can write to the storage and has the public key. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const { signal } = hooks();

test("names and values with quotes, line feeds, ends of COPY and commands of psql", async () => {
  const mark = join(mkdtempSync(join(tmpdir(), "psql-")), "was-run");
  const bad = [
    'a"b',
    "'; DROP TABLE x; --",
    "line\nfeed",
    "\\.",
    `\\! touch ${mark}`,
    "$$; \\q",
    "back\\slash",
    "c\n\\.\n",
  ];
  const source = await database(servers.new);
  for (const [at, name] of bad.entries()) {
    await sql(source, `CREATE TABLE ${quoted(name)} (id int PRIMARY KEY, ${quoted(`c ${name}`)} text DEFAULT '\\.')`);
    await sql(source, `INSERT INTO ${quoted(name)} VALUES (1, $1), (2, NULL), (3, E'\\\\.\\n\\\\.')`, [bad[at]]);
    await sql(source, `CREATE INDEX ${quoted(`i ${name}`)} ON ${quoted(name)} (${quoted(`c ${name}`)})`);
    await sql(source, `CREATE VIEW ${quoted(`v ${name}`)} AS SELECT * FROM ${quoted(name)}`);
    await sql(source, `COMMENT ON TABLE ${quoted(name)} IS E'\\n\\\\! touch ${mark}\\n\\\\.\\n'`);
  }
  const kept = await newPlace();
  await backup(endpoint(source), kept, { checksums: true });
  const target = await database(servers.new);
  const { restored } = await restore(endpoint(target), kept);
  expect(restored).toMatchObject({ equal: true, rows: bad.length * 3, checksummed: bad.length });
  expect(await fingerprint(target)).toEqual(await fingerprint(source));
  expect(existsSync(mark)).toBe(false);
});

test("a function that runs at the restore has the rights of the target's user alone", async () => {
  const mark = join(mkdtempSync(join(tmpdir(), "function-")), "was-run");
  const source = await database(servers.new, "CREATE TABLE a (id int); INSERT INTO a VALUES (1), (2)");
  const make = (name: string, how: string, body: string) =>
    sql(
      source,
      `CREATE OR REPLACE FUNCTION public.${name}(i int) RETURNS int LANGUAGE plpgsql ${how} AS $f$ BEGIN ${body} RETURN i; END $f$`,
    );
  await make("f", "IMMUTABLE", "");
  await sql(source, "CREATE INDEX a_f ON a (public.f(id))");
  const attempts = [
    `COPY (SELECT 1) TO PROGRAM 'touch ${mark}';`,
    `COPY (SELECT 1) TO '${mark}';`,
    "CREATE ROLE rowferry_evil SUPERUSER;",
  ];
  const user = { name: `restorer_${process.pid}`, password: "pw" };
  await sql(source, `CREATE ROLE ${user.name} LOGIN PASSWORD '${user.password}'`);
  for (const body of attempts) {
    await make("g", "VOLATILE", body);
    await make("f", "IMMUTABLE", "PERFORM public.g(i);");
    const kept = await newPlace();
    await backup(endpoint(source), kept);
    const target = await database(servers.new);
    await sql(target, `ALTER DATABASE ${target.database} OWNER TO ${user.name}`);
    const work = restore(endpoint(target, user), kept);
    await expect(work).rejects.toThrow(/permission denied/);
    expect(await sql(target, "SELECT count(*)::int AS n FROM pg_roles WHERE rolname = 'rowferry_evil'")).toEqual([
      { n: 0 },
    ]);
    expect(existsSync(mark)).toBe(false);
  }
});

test("a dump whose rows would come from a program or a file is not run", async () => {
  const mark = join(mkdtempSync(join(tmpdir(), "copy-")), "was-run");
  const names = Array.from({ length: 12 }, (_, at) => `a_long_name_of_a_column_number_${at}`);
  const source = await database(servers.new, `CREATE TABLE a (${names.map((name) => `${name} int`).join(", ")})`);
  await sql(source, "INSERT INTO a DEFAULT VALUES");
  const list = `(${names.map(quoted).join(", ")}) FROM stdin;`;
  for (const other of [`FROM PROGRAM 'touch ${mark}';`, "FROM '/etc/passwd';", `TO PROGRAM 'touch ${mark}';`]) {
    const kept = await newPlace();
    await backup(endpoint(source), kept);
    expect(await replaceInParts(kept, list, other.padEnd(list.length, " "))).toBe(1);
    const target = await database(servers.new);
    expect(await codeOf(restore(endpoint(target), kept))).toBe("archive_damaged");
    expect(existsSync(mark)).toBe(false);
  }
});

/** Stores bytes as a part, encrypted, and says in the manifest that they are `plain` long. */
async function exchange(
  kept: Kept,
  bytes: Buffer,
  change: (part: ArchivePart, manifest: Manifest) => Manifest,
): Promise<void> {
  const { storage, folder, key } = kept;
  const { manifest } = await checkArchive({ storage, folder, identities: [key.identity], signal });
  const recipients = openRecipients([key.recipient]);
  const hash = createHash("sha256");
  const [part] = manifest.parts;
  if (part === undefined) throw new Error("no part");
  const stored = async function* () {
    const once = async function* () {
      yield bytes;
    };
    for await (const piece of recipients.encrypt(once())) {
      hash.update(piece);
      yield piece;
    }
  };
  const size = await storage.put(`${folder}/${part.name}`, stored(), signal);
  const changed = change({ ...part, size, sha256: hash.digest("hex") }, manifest);
  await writeManifest({ storage, folder, recipients, signal, moved: () => undefined }, changed);
}

const zeros = (megabytes: number, params: Record<number, number> = {}) =>
  zlib.zstdCompressSync(Buffer.alloc(megabytes << 20), { params });

test("a part that decompresses to far more than the manifest names is read no further", async () => {
  const source = await database(servers.new, "CREATE TABLE a (id int)");
  const refused = async (bytes: Buffer, plain: number): Promise<string> => {
    const kept = await newPlace();
    await backup(endpoint(source), kept);
    await exchange(kept, bytes, (part, manifest) => ({ ...manifest, parts: [{ ...part, plain }] }));
    const target = await database(servers.new);
    const using = hooks();
    const code = await codeOf(restore(endpoint(target), kept, using));
    const moved = using.heard.last?.bytes.done ?? 0;
    expect(moved).toBeLessThan(70 << 20);
    expect(await sql(target, "SELECT to_regclass('public.a') AS a")).toEqual([{ a: null }]);
    return code;
  };
  expect(await refused(zeros(400), 1000)).toBe("archive_part_changed");
  // As long as the manifest allows, but no dump.
  expect(await refused(zeros(400), 400 << 20)).toBe("unknown_archive");
  // A window that would take 128 MiB of memory.
  const wide = { [zlib.constants.ZSTD_c_windowLog]: 27, [zlib.constants.ZSTD_c_contentSizeFlag]: 0 };
  expect(await refused(zeros(200, wide), 200 << 20)).toBe("archive_damaged");
});

test("a manifest that decompresses to far more than any has, and one whose part is outside the run's folder", async () => {
  const source = await database(servers.new, "CREATE TABLE a (id int)");
  const kept = await newPlace();
  await backup(endpoint(source), kept);
  const { storage, folder, key } = kept;
  const outside = ["../database.dump.zst.age", "/etc/passwd", "a/b.zst.age", "..", ".hidden"];
  for (const name of outside) {
    const other = await newPlace();
    await backup(endpoint(source), other);
    await exchange(other, zeros(1), (part, manifest) => ({ ...manifest, parts: [{ ...part, name }] }));
    expect(await codeOf(restore(endpoint(source), other))).toBe("archive_format");
  }
  const bomb = async function* () {
    yield zeros(400);
  };
  await storage.put(`${folder}/${manifestName}`, openRecipients([key.recipient]).encrypt(bomb()), signal);
  expect(await codeOf(restore(endpoint(source), kept))).toBe("archive_format");
});
