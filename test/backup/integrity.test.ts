import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { removeRun } from "../../src/backup/index.ts";
import type { Endpoint } from "../../src/engine/contract/index.ts";
import { database, endpoint, type Servers, sql, startServers, type Where } from "../support/engine/postgres-support.ts";
import { backup, codeOf, hooks, type Kept, newFolder, newKey, newPlace, objectsIn, restore } from "./support.ts";

/** Whatever happens to an archive in its storage is noticed before the target is written. */

let servers: Servers;
let source: Where;
let target: Where;
beforeAll(async () => {
  servers = await startServers();
  source = await database(servers.new, "CREATE TABLE a (id int); INSERT INTO a SELECT generate_series(1, 1000)");
  target = await database(servers.new);
});
afterAll(() => servers?.stop());

interface Taken {
  kept: Kept;
  /** Of the run's objects. */
  folder: string;
  part: string;
  manifest: string;
  digest: string;
}

async function taken(of: Endpoint = endpoint(source), given?: Kept): Promise<Taken> {
  const { path, storage } = newFolder();
  const kept = given ?? (await newPlace(storage));
  const { taken: result } = await backup(of, kept);
  const folder = join(kept.storage.place || path, ...kept.folder.split("/"));
  return {
    ...{ kept, folder, digest: result.manifestDigest },
    part: join(folder, "database.dump.zst.age"),
    manifest: join(folder, "manifest.json.zst.age"),
  };
}

/** The restore fails with this code, and the target is as it was. */
async function refuses(kept: Kept, code: string, more: Parameters<typeof restore>[2] = {}): Promise<void> {
  expect(await codeOf(restore(endpoint(target), kept, more))).toBe(code);
  expect(
    await sql(target, "SELECT count(*)::int AS tables FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
  ).toEqual([{ tables: 0 }]);
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at < 0 ? bytes.length + at : at] = (bytes.at(at) ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

test("a pipe in place of the manifest, which nobody writes to, or a folder", async () => {
  const { kept, manifest } = await taken();
  rmSync(manifest);
  await promisify(execFile)("mkfifo", [manifest]);
  await refuses(kept, "archive_damaged");
  rmSync(manifest);
  mkdirSync(manifest);
  await refuses(kept, "archive_damaged");
});

test.each([0, 40, 200, 600, -1])("a bit that flipped in a part, at byte %d", async (at) => {
  const { kept, part } = await taken();
  flip(part, at);
  await refuses(kept, "archive_part_changed");
});

test("a part that was cut, that grew, and one that is gone", async () => {
  const { kept, part } = await taken();
  const bytes = readFileSync(part);
  truncateSync(part, bytes.length - 1);
  await refuses(kept, "archive_part_changed");
  writeFileSync(part, Buffer.concat([bytes, Buffer.from("x")]));
  await refuses(kept, "archive_part_changed");
  rmSync(part);
  await refuses(kept, "archive_part_missing");
});

test("a part of another run with the same key", async () => {
  const first = await taken();
  const second = await taken(endpoint(source), { ...(await newPlace()), key: first.kept.key });
  writeFileSync(first.part, readFileSync(second.part));
  await refuses(first.kept, "archive_part_changed");
});

test("a manifest that is gone, cut or changed", async () => {
  const { kept, manifest, digest } = await taken();
  const bytes = readFileSync(manifest);
  // At byte 30 is the line of a recipient: changed, it is one of somebody else.
  for (const [at, code] of [
    [0, "archive_damaged"],
    [30, "archive_key_wrong"],
    [-1, "archive_damaged"],
  ] as const) {
    writeFileSync(manifest, bytes);
    flip(manifest, at);
    await refuses(kept, code);
    await refuses(kept, "archive_manifest_changed", { expect: { run: kept.run.id, manifestDigest: digest } });
  }
  writeFileSync(manifest, bytes.subarray(0, -1));
  await refuses(kept, "archive_damaged");
  rmSync(manifest);
  await refuses(kept, "archive_incomplete");
});

test("a whole run that stands in another one's folder, and an older one that was put back", async () => {
  const older = await taken();
  const newer = await taken(endpoint(source), { ...(await newPlace()), key: older.kept.key });
  for (const name of ["part", "manifest"] as const) writeFileSync(newer[name], readFileSync(older[name]));
  await refuses(newer.kept, "archive_of_another_run", { expect: { run: newer.kept.run.id } });
  await refuses(newer.kept, "archive_manifest_changed", {
    expect: { run: older.kept.run.id, manifestDigest: newer.digest },
  });
});

test("a key that does not fit, none, and what is no key", async () => {
  const { kept } = await taken();
  const other = await newKey();
  await refuses(kept, "archive_key_wrong", { identities: [other.identity] });
  await refuses(kept, "archive_key_wrong", { identities: [] });
  await refuses(kept, "identity_invalid", { identities: ["AGE-SECRET-KEY-1NONSENSE"] });
});

test("each of several recipients can open it, also beside keys that do not fit", async () => {
  const [first, second] = [await newKey(), await newKey()];
  const kept = await newPlace();
  await backup(endpoint(source), kept, { recipients: [first.recipient, second.recipient] });
  const into = await database(servers.new);
  const { restored } = await restore(endpoint(into), kept, { identities: [kept.key.identity, second.identity] });
  expect(restored).toMatchObject({ equal: true, rows: 1000 });
});

test("a run that fails leaves nothing, and a complete run is never written over", async () => {
  const kept = await newPlace();
  const stop = new AbortController();
  const using = hooks();
  const cut = backup(endpoint(source), kept, {
    signal: stop.signal,
    progress(progress) {
      using.progress(progress);
      if (progress.stored > 0) stop.abort(new Error("stopped"));
    },
  });
  await expect(cut).rejects.toThrow("stopped");
  expect(await objectsIn(kept.storage)).toEqual(new Map());
  await backup(endpoint(source), kept);
  const before = await objectsIn(kept.storage);
  expect(await codeOf(backup(endpoint(source), kept))).toBe("archive_exists");
  expect(await objectsIn(kept.storage)).toEqual(before);
});

test.each([1, 2])("a restore that is stopped by report %i of its progress ends with the reason", async (reports) => {
  const { kept } = await taken();
  const stop = new AbortController();
  const into = await database(servers.new);
  let count = 0;
  const work = restore(endpoint(into), kept, {
    signal: stop.signal,
    progress: ({ stored }) => {
      if (stored > 0 && ++count === reports) stop.abort(new Error("stopped"));
    },
  });
  await expect(work).rejects.toThrow("stopped");
});

test("what a killed run left is removed by the next attempt, and a removed run leaves no folder", async () => {
  const { path, storage } = newFolder();
  const kept = await newPlace(storage);
  const { folder } = await taken(endpoint(source), kept);
  renameSync(join(folder, "manifest.json.zst.age"), join(folder, ".unfinished-manifest.json.zst.age"));
  writeFileSync(join(folder, "rows-000009.tsv.zst.age"), "left");
  await backup(endpoint(source), kept);
  expect([...(await objectsIn(storage)).keys()].map((name) => name.split("/").at(-1))).toEqual([
    "database.dump.zst.age",
    "manifest.json.zst.age",
  ]);
  expect(existsSync(join(folder, ".unfinished-manifest.json.zst.age"))).toBe(false);
  await removeRun({ storage, folder: kept.folder, signal: new AbortController().signal });
  expect(existsSync(join(path, "nightly"))).toBe(false);
});

test("names that would leave the storage's folder are refused", async () => {
  const { kept } = await taken();
  for (const folder of ["../x", "a/../b", "/etc", "a//b", "a/.hidden", "", "a\\b", "a/\0"])
    expect(await codeOf(restore(endpoint(target), { ...kept, folder }))).toBe("name_invalid");
});
