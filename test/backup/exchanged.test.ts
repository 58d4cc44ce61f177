import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type S3Server, startS3 } from "../../dev/s3/index.ts";
import type { Storage } from "../../src/backup/contract.ts";
import { storageOf } from "../../src/backup/index.ts";
import { flavours, pair, useServers } from "../support/engine/mysql-mysql-support.ts";
import {
  endpoint,
  database as postgresDatabase,
  type Servers,
  sql,
  startServers,
} from "../support/engine/postgres-support.ts";
import { backup, codeOf, type Kept, newFolder, newPlace, restore } from "./support.ts";

/** A part that somebody exchanges between the check and the restore, who can write to the storage and has the public key. */

const mysqlServers = useServers();
let s3: S3Server;
let servers: Servers;
beforeAll(async () => {
  [s3, servers] = await Promise.all([startS3(), startServers()]);
});
afterAll(() => Promise.all([s3?.stop(), servers?.stop()]));

const storages: [string, () => Storage][] = [
  ["a folder", () => newFolder().storage],
  [
    "S3",
    () => storageOf({ bucket: { endpoint: s3.endpoint, region: s3.region, bucket: s3.bucket, prefix: "swap" } }, s3),
  ],
];

const never = new AbortController().signal;

async function bytesOf(storage: Storage, name: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of await storage.get(name, never)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Before the part is read a second time it is the other run's, which is as long. */
async function exchanging({ storage, folder }: Kept, other: Kept, part: string): Promise<Storage> {
  const name = `${folder}/${part}`;
  const [own, bytes] = [await bytesOf(storage, name), await bytesOf(other.storage, `${other.folder}/${part}`)];
  const evil = Buffer.concat([bytes, own]).subarray(0, own.length);
  let reads = 0;
  return {
    ...storage,
    async get(asked, signal) {
      if (asked === name && ++reads === 2)
        await storage.put(
          name,
          (async function* () {
            yield evil;
          })(),
          signal,
        );
      return storage.get(asked, signal);
    },
  };
}

const rows = 170_000;

describe.each(storages)("in %s", (_, open) => {
  test.each(flavours)("nothing of it reaches %s", async (flavour) => {
    const table = "CREATE TABLE a (id int PRIMARY KEY, t text) ENGINE = MyISAM";
    const filled = (text: string) =>
      `${table}; INSERT INTO a WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT i, CONCAT(${text}, SHA2(i, 256)) FROM n`;
    const depth = flavour === "mysql" ? "cte_max_recursion_depth" : "max_recursive_iterations";
    const deep = `SET SESSION ${depth} = ${rows}; `;
    const own = await pair(mysqlServers, flavour, flavour, deep + filled("'own'"));
    const evil = await pair(mysqlServers, flavour, flavour, deep + filled("'evil'"));
    const kept = await newPlace(open());
    const other = { ...(await newPlace()), key: kept.key };
    const { taken } = await backup(own.source, kept);
    expect(taken.stored).toBeGreaterThan(5 << 20);
    await backup(evil.source, other);
    const storage = await exchanging(kept, other, "2-rows-000001.sql.zst.age");
    const code = await codeOf(restore(own.target, { ...kept, storage }));
    expect((await own.to.query("SELECT * FROM a LIMIT 1"))[0]).toEqual([]);
    expect(code).toBe("archive_part_changed");
  });

  test("nothing of it reaches PostgreSQL", async () => {
    const make = (name: string) =>
      postgresDatabase(
        servers.new,
        `CREATE TABLE ${name} AS SELECT i, 'x' || md5(i::text) || md5((-i)::text) FROM generate_series(1, ${rows}) i`,
      );
    const [own, evil, target] = [await make("own"), await make("evil"), await postgresDatabase(servers.new)];
    const kept = await newPlace(open());
    const other = { ...(await newPlace()), key: kept.key };
    const { taken } = await backup(endpoint(own), kept);
    expect(taken.stored).toBeGreaterThan(5 << 20);
    await backup(endpoint(evil), other);
    const storage = await exchanging(kept, other, "database.dump.zst.age");
    expect(await codeOf(restore(endpoint(target), { ...kept, storage }))).toBe("archive_part_changed");
    expect(await sql(target, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")).toEqual([]);
  });
});
