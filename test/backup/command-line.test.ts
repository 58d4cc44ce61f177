import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type S3Server, startS3 } from "../../dev/s3/index.ts";
import { storageOf } from "../../src/backup/index.ts";
import type { Endpoint } from "../../src/engine/contract/index.ts";
import { run } from "../cli/process.ts";
import { expectRows, shapes, zoo } from "../support/engine/mysql-everything.ts";
import { flavours, pair, useServers } from "../support/engine/mysql-mysql-support.ts";
import {
  database,
  endpoint,
  fingerprint,
  psql,
  type Servers,
  startServers,
} from "../support/engine/postgres-support.ts";
import { backup, type Kept, newFolder, newPlace, restore } from "./support.ts";

/** One archive, two writers and two readers: the service (src/backup with its own folders and keys) and the command line. */

const mysql = useServers();
let postgres: Servers;
let s3: S3Server;
beforeAll(async () => {
  [postgres, s3] = await Promise.all([startServers(), startS3()]);
});
afterAll(() => Promise.all([postgres?.stop(), s3?.stop()]));

const urlOf = ({ engine, host, port, user, database }: Endpoint) =>
  `${engine === "mysql" ? "mysql" : "postgresql"}://${user}@${host}:${port}/${database}?sslmode=disable`;

/** The service's own folders are three deep. */
const folder = (): string => `team-a/nightly-202611240300.${randomUUID().slice(0, 8)}/${randomUUID()}`;

function keyFile({ identity }: Kept["key"]): string {
  const path = join(mkdtempSync(join(tmpdir(), "key-")), "key.txt");
  writeFileSync(path, `# of a test\n${identity}\n`, { mode: 0o600 });
  return path;
}

interface Ends {
  source: Endpoint;
  target: Endpoint;
  kept: Kept;
  /** PLACE. */
  place: string;
}

async function byCommandLine(command: "backup" | "restore", { source, target, kept, place }: Ends): Promise<void> {
  const [words, flag] =
    command === "backup" ? [[urlOf(source), place], "--recipients-file"] : [[place, urlOf(target)], "--identity"];
  const { code, stderr } = await run([command, ...words, flag, keyFile(kept.key)], {
    env: {
      ROWFERRY_SOURCE_PASSWORD: source.password,
      ROWFERRY_TARGET_PASSWORD: target.password,
      ROWFERRY_PG_BIN: postgres.tools,
      ...{ AWS_ACCESS_KEY_ID: s3.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.secretAccessKey },
      ...{ AWS_ENDPOINT_URL_S3: s3.endpoint, AWS_REGION: s3.region },
    },
  });
  expect(code, stderr).toBe(0);
}

async function inFolder(): Promise<{ kept: Kept; place: string }> {
  const { path, storage } = newFolder();
  const kept = { ...(await newPlace(storage)), folder: folder() };
  return { kept, place: join(path, kept.folder) };
}

async function inBucket(): Promise<{ kept: Kept; place: string }> {
  const { endpoint, region, bucket } = s3;
  const kept = {
    ...(await newPlace(storageOf({ bucket: { endpoint, region, bucket, prefix: "rowferry" } }, s3))),
    folder: folder(),
  };
  return { kept, place: `s3://${bucket}/rowferry/${kept.folder}` };
}

test.each(flavours)(
  "%s: the command line restores what the service backed up, and the other way around",
  async (flavour) => {
    const where = await pair(mysql, flavour, flavour, zoo);
    const ends = { source: where.source, target: where.target, ...(await inFolder()) };
    await backup(where.source, ends.kept);
    await byCommandLine("restore", ends);
    await expectRows(where);
    expect(await shapes(where.to, where.database)).toEqual(await shapes(where.from, where.database));

    const other = await pair(mysql, flavour, flavour, zoo);
    const { path, storage } = newFolder();
    const kept = { ...(await newPlace(storage)), folder: "by-hand" };
    await byCommandLine("backup", { ...other, kept, place: join(path, "by-hand") });
    const { restored } = await restore(other.target, kept);
    expect(restored).toMatchObject({ equal: true });
    await expectRows(other);
  },
);

const everything = async () => {
  const source = await database(postgres.new);
  await psql(source, postgres.tools, [join(import.meta.dirname, "..", "engine", "postgres-postgres", "zoo.sql")]);
  return { source, target: await database(postgres.new) };
};

test.each([
  ["a folder", inFolder],
  ["a bucket", inBucket],
])("PostgreSQL: the command line restores what the service backed up into %s", async (_name, place) => {
  const { source, target } = await everything();
  const ends = { source: endpoint(source), target: endpoint(target), ...(await place()) };
  await backup(ends.source, ends.kept);
  await byCommandLine("restore", ends);
  expect(await fingerprint(target)).toEqual(await fingerprint(source));
});

test("PostgreSQL: the service restores what the command line backed up, from a folder and from a bucket", async () => {
  const { source } = await everything();
  for (const place of [inFolder, inBucket]) {
    const target = await database(postgres.new);
    const { kept, place: shown } = await place();
    // The command line makes the last folder alone.
    const flat = { ...kept, folder: "shop-monday" };
    const at = shown.slice(0, shown.length - kept.folder.length) + flat.folder;
    await byCommandLine("backup", { source: endpoint(source), target: endpoint(target), kept: flat, place: at });
    const { restored } = await restore(endpoint(target), flat);
    expect(restored).toMatchObject({ equal: true });
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  }
});
