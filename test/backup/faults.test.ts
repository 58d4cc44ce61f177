import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type S3Server, startS3 } from "../../dev/s3/index.ts";
import type { BackupError, Storage } from "../../src/backup/contract.ts";
import { removeRun, storageOf } from "../../src/backup/index.ts";
import type { Endpoint } from "../../src/engine/contract/index.ts";
import { uploadsIn } from "../backup-operator/bucket.ts";
import {
  type Servers as Mysql,
  type Pair,
  pair,
  startServers as startMysql,
} from "../support/engine/mysql-mysql-support.ts";
import {
  database,
  endpoint,
  fingerprint,
  type Servers,
  sql,
  startServers,
  type Where,
} from "../support/engine/postgres-support.ts";
import { type Fault, type Faulty, type Operation, openFaulty } from "./faulty.ts";
import { backup, codeOf, type Kept, newPlace, objectsIn, restore } from "./support.ts";

/** A bucket that is slow, full, cut off or refuses, between a real database and a real S3 server. */

let s3: S3Server;
let faulty: Faulty;
let postgres: Servers;
let mysql: Mysql;
let source: Where;
let shop: Pair;

const rows = 30_000;

beforeAll(async () => {
  [s3, postgres, mysql] = await Promise.all([startS3(), startServers(), startMysql()]);
  faulty = await openFaulty(s3);
  // Some 15 MB that cannot be compressed: an upload of two parts.
  source = await database(
    postgres.new,
    `CREATE TABLE a (id int PRIMARY KEY, b bytea);
    INSERT INTO a SELECT i, (SELECT string_agg(sha512((i || ' ' || n)::bytea), '') FROM generate_series(1, 8) n) FROM generate_series(1, ${rows}) i`,
  );
  const digits =
    "(SELECT 0 d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9)";
  shop = await pair(
    mysql,
    "mysql",
    "mysql",
    `CREATE TABLE a (id int PRIMARY KEY AUTO_INCREMENT, b varbinary(1024));
    INSERT INTO a (b) SELECT CONCAT(RANDOM_BYTES(1000)) FROM ${digits} p, ${digits} q, ${digits} r, ${digits} s, (SELECT 0 d UNION SELECT 1) t;`,
  );
});
afterAll(() => Promise.all([faulty?.stop(), s3?.stop(), postgres?.stop(), mysql?.close()]));

let made = 0;
const bucket = (from: { endpoint: string }, prefix: string): Storage =>
  storageOf({ bucket: { endpoint: from.endpoint, region: s3.region, bucket: s3.bucket, prefix } }, s3);

/** A place of its own, by way of the faults and past them. */
async function place(): Promise<{ kept: Kept; calm: Kept }> {
  const prefix = `faults/${++made}`;
  const kept = await newPlace(bucket(faulty, prefix));
  return { kept, calm: { ...kept, storage: bucket(s3, prefix) } };
}

const on = (wanted: Operation, fault: Fault, from = 0, to = Infinity) =>
  faulty.meet((operation, before) => (operation === wanted && before >= from && before < to ? fault : undefined));

const from: Record<"PostgreSQL" | "MySQL", () => Endpoint> = {
  PostgreSQL: () => endpoint(source),
  MySQL: () => shop.source,
};

async function failure(work: Promise<unknown>): Promise<BackupError> {
  return work.then(
    () => {
      throw new Error("it succeeded");
    },
    (error: BackupError) => error,
  );
}

async function nothingLeft(calm: Kept): Promise<void> {
  expect(await objectsIn(calm.storage)).toEqual(new Map());
  expect(await uploadsIn(s3)).toEqual([]);
  const [open] = await sql(
    source,
    "SELECT count(*)::int AS sessions FROM pg_stat_activity WHERE application_name = 'rowferry backup'",
  );
  expect(open).toEqual({ sessions: 0 });
}

const always: [what: string, operation: Operation, fault: Fault, code: string, retryable: boolean][] = [
  ["is busy", "UploadPart", { status: 503, code: "SlowDown" }, "storage_busy", true],
  [
    "says that the credentials have expired",
    "UploadPart",
    { status: 400, code: "ExpiredToken" },
    "storage_credentials_expired",
    false,
  ],
  ["is full", "UploadPart", { status: 507, code: "InsufficientStorage" }, "storage_full", false],
  ["has a quota that is used up", "UploadPart", { status: 403, code: "QuotaExceeded" }, "storage_full", false],
  [
    "refuses the time of the signature",
    "CreateMultipartUpload",
    { status: 403, code: "RequestTimeTooSkewed" },
    "storage_clock",
    false,
  ],
  [
    "refuses to complete an upload",
    "CompleteMultipartUpload",
    { status: 403, code: "AccessDenied" },
    "storage_denied",
    false,
  ],
  [
    "answers an error with the status of a success",
    "CompleteMultipartUpload",
    { status: 200, code: "InternalError" },
    "storage_busy",
    true,
  ],
  ["breaks every connection", "UploadPart", { cut: "request" }, "storage_unreachable", true],
];

test.each(always)(
  "a bucket that %s ends the backup by its code, and nothing is left",
  async (_what, operation, fault, code, retryable) => {
    const { kept, calm } = await place();
    on(operation, fault);
    const error = await failure(backup(from.PostgreSQL(), kept));
    expect([error.code, error.retryable]).toEqual([code, retryable]);
    await nothingLeft(calm);
  },
);

test.each<[Fault, string]>([
  [{ status: 400, code: "ExpiredToken" }, "storage_credentials_expired"],
  [{ status: 507, code: "InsufficientStorage" }, "storage_full"],
  [{ cut: "request" }, "storage_unreachable"],
])("likewise beside a MySQL server that is still read: %o", async (fault, code) => {
  const { kept, calm } = await place();
  on("UploadPart", fault, 1);
  expect(await codeOf(backup(from.MySQL(), kept))).toBe(code);
  await nothingLeft(calm);
});

const passing: [what: string, operation: Operation, fault: Fault][] = [
  ["is busy for a moment", "UploadPart", { status: 503, code: "SlowDown" }],
  ["breaks a connection", "UploadPart", { cut: "request" }],
  ["breaks a connection before its answer", "UploadPart", { cut: "answer" }],
  ["breaks the connection after it completed the upload", "CompleteMultipartUpload", { cut: "answer" }],
  ["breaks the connection after it stored the manifest", "PutObject", { cut: "answer" }],
];

test.each(passing)("a bucket that %s gets a complete backup", async (_what, operation, fault) => {
  const { kept, calm } = await place();
  on(operation, fault, 0, 1);
  await backup(from.PostgreSQL(), kept);
  faulty.meet(() => undefined);
  const target = await database(postgres.new);
  expect((await restore(endpoint(target), calm)).restored).toMatchObject({ equal: true, rows });
  expect(await uploadsIn(s3)).toEqual([]);
});

test("a slow bucket gets a complete backup, and gives it back", async () => {
  const { kept } = await place();
  faulty.meet(() => ({ slow: 2 }));
  await backup(from.PostgreSQL(), kept);
  const target = await database(postgres.new);
  expect((await restore(endpoint(target), kept)).restored).toMatchObject({ equal: true, rows });
  expect(await fingerprint(target)).toEqual(await fingerprint(source));
});

test("a clock that is half an hour off does not fail a backup: the server's own time is used from then on", async () => {
  const { kept, calm } = await place();
  faulty.meet(() => undefined);
  const ahead = 30 * 60_000;
  const { now } = Date;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + ahead);
  try {
    await backup(from.PostgreSQL(), kept);
  } finally {
    clock.mockRestore();
  }
  const target = await database(postgres.new);
  expect((await restore(endpoint(target), calm)).restored).toMatchObject({ equal: true, rows });
});

test.each<[string, Fault, number, string]>([
  ["when the archive is checked", { cutAfter: 1_000_000 }, 1, "storage_unreachable"],
  ["when rows are loaded", { cutAfter: 1_000_000 }, 2, "storage_unreachable"],
  ["by credentials that expire", { status: 400, code: "ExpiredToken" }, 2, "storage_credentials_expired"],
])("a restore that is cut off %s ends by the storage's code, and can be repeated", async (_when, fault, read, code) => {
  const { kept, calm } = await place();
  faulty.meet(() => undefined);
  await backup(from.PostgreSQL(), kept);
  on("GetObject", fault, read);
  const target = await database(postgres.new);
  expect(await codeOf(restore(endpoint(target), kept))).toBe(code);
  const other = await database(postgres.new);
  expect((await restore(endpoint(other), calm)).restored).toMatchObject({ equal: true, rows });
});

test("parts that could not be removed are said, and removed by the next attempt", async () => {
  const { kept, calm } = await place();
  faulty.meet(() => undefined);
  await backup(from.PostgreSQL(), kept);
  on("DeleteObject", { status: 503, code: "SlowDown" }, 1);
  const signal = new AbortController().signal;
  const { storage, folder } = kept;
  expect(await codeOf(removeRun({ storage, folder, signal }))).toBe("storage_busy");
  expect(await codeOf(restore(endpoint(source), calm))).toBe("archive_incomplete");
  faulty.meet(() => undefined);
  await removeRun({ storage, folder, signal });
  await nothingLeft(calm);
});
