import { createHash, randomBytes } from "node:crypto";
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type S3Server, startS3 } from "../../dev/s3/index.ts";
import type { Storage } from "../../src/backup/contract.ts";
import { storageOf } from "../../src/backup/index.ts";
import { database, endpoint, fingerprint, type Servers, startServers } from "../support/engine/postgres-support.ts";
import { backup, codeOf, newPlace, objectsIn, restore } from "./support.ts";

let s3: S3Server;
let servers: Servers;
beforeAll(async () => {
  [s3, servers] = await Promise.all([startS3(), startServers()]);
});
afterAll(() => Promise.all([s3?.stop(), servers?.stop()]));

const never = new AbortController().signal;
const bucket = (prefix: string, more: { endpoint?: string; secretAccessKey?: string; bucket?: string } = {}): Storage =>
  storageOf(
    { bucket: { endpoint: more.endpoint ?? s3.endpoint, region: s3.region, bucket: more.bucket ?? s3.bucket, prefix } },
    { accessKeyId: s3.accessKeyId, secretAccessKey: more.secretAccessKey ?? s3.secretAccessKey },
  );

async function* random(bytes: number, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for (let left = bytes; left > 0; left -= 100_000) {
    const piece = randomBytes(Math.min(left, 100_000));
    hash.update(piece);
    yield piece;
  }
}

const uploads = async () => {
  const client = new S3Client({ endpoint: s3.endpoint, region: s3.region, forcePathStyle: true, credentials: s3 });
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: s3.bucket }));
  client.destroy();
  return Uploads.map(({ Key }) => Key);
};

test.each([0, 1, 8 * 1024 * 1024, 8 * 1024 * 1024 + 1, 30_000_000])(
  "an object of %d bytes is read as it was written",
  async (bytes) => {
    const storage = bucket("objects");
    const [written, read] = [createHash("sha256"), createHash("sha256")];
    expect(await storage.put(`some/of-${bytes}`, random(bytes, written), never)).toBe(bytes);
    for await (const piece of await storage.get(`some/of-${bytes}`, never)) read.update(piece);
    expect(read.digest("hex")).toBe(written.digest("hex"));
    expect(await uploads()).toEqual([]);
  },
);

test("an object that is cut off is never seen, and leaves no upload", async () => {
  const storage = bucket("cut");
  const cut = async function* () {
    yield* random(20_000_000, createHash("sha256"));
    throw new Error("the database went away");
  };
  await expect(storage.put("a/part", cut(), never)).rejects.toThrow("the database went away");
  expect(await objectsIn(storage)).toEqual(new Map());
  expect(await uploads()).toEqual([]);
});

test("uploads that a killed process left are removed, and only those below the prefix", async () => {
  const client = new S3Client({ endpoint: s3.endpoint, region: s3.region, forcePathStyle: true, credentials: s3 });
  for (const Key of ["left/a/part", "left/b/part"]) {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: s3.bucket, Key }));
    const Body = randomBytes(5_242_880);
    await client.send(new UploadPartCommand({ Bucket: s3.bucket, Key, UploadId, PartNumber: 1, Body }));
  }
  client.destroy();
  expect(await bucket("left").abortUploads("a/", never)).toBe(1);
  expect(await uploads()).toEqual(["left/b/part"]);
  expect(await bucket("left").abortUploads("", never)).toBe(1);
});

test("more objects than one page lists are all listed, in order", async () => {
  const storage = bucket("many");
  const names = Array.from({ length: 1005 }, (_, at) => `run/${String(at).padStart(5, "0")}`);
  for (let at = 0; at < names.length; at += 50)
    await Promise.all(
      names.slice(at, at + 50).map((name) => storage.put(name, random(1, createHash("sha256")), never)),
    );
  expect([...(await objectsIn(storage)).keys()]).toEqual(names);
});

test("a backup in a bucket is restored", async () => {
  const source = await database(
    servers.new,
    "CREATE TABLE a (id int PRIMARY KEY, t text); INSERT INTO a SELECT i, md5(i::text) || md5((-i)::text) FROM generate_series(1, 300000) i",
  );
  const kept = await newPlace(bucket("team/shop"));
  const { taken } = await backup(endpoint(source), kept);
  expect(taken.stored).toBeGreaterThan(8 * 1024 * 1024);
  const target = await database(servers.new);
  const { restored } = await restore(endpoint(target), kept);
  expect(restored).toMatchObject({ equal: true, rows: 300_000 });
  expect(await fingerprint(target)).toEqual(await fingerprint(source));
});

test("what is wrong with a storage is said by a code", async () => {
  const look = (storage: Storage) => codeOf(objectsIn(storage));
  expect(await look(bucket("x", { secretAccessKey: "wrong" }))).toBe("storage_denied");
  expect(await look(bucket("x", { bucket: "no-such-bucket" }))).toBe("storage_missing");
  expect(await codeOf(bucket("x").get("a/b", never))).toBe("storage_object_missing");
  expect(await look(bucket("x", { endpoint: "http://127.0.0.1:1" }))).toBe("storage_unreachable");
});

test("an endpoint of untrusted input is not dialled at a private address", async () => {
  const guarded = (host: string) => () =>
    storageOf({ bucket: { endpoint: `http://${host}:${s3.port}`, region: s3.region, bucket: s3.bucket } }, s3, {
      allow: [],
      refuse: [],
    });
  for (const host of ["127.0.0.1", "[::1]", "0x7f.1", "169.254.169.254"])
    expect(guarded(host)).toThrow("has a private, local or reserved address");
  // The same of a name that is refused and of one that is not there: nobody learns which names the cluster's resolver knows.
  const failed = async (host: string) => {
    const { code, message, cause } = await objectsIn(guarded(host)()).then(
      () => Promise.reject(new Error("it was listed")),
      (error: Error & { code?: string }) => error,
    );
    return { code, message, cause };
  };
  const refused = await failed("localhost");
  expect(refused).toMatchObject({ code: "storage_unreachable", message: expect.stringContaining("check the name") });
  expect(await failed("no-such-host.invalid")).toEqual(refused);
});
