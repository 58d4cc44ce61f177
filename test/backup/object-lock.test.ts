import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { CreateBucketCommand, PutObjectLockConfigurationCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type S3Server, startS3 } from "../../dev/s3/index.ts";
import { removeRun, storageOf } from "../../src/backup/index.ts";
import { database, endpoint, type Servers, startServers } from "../support/engine/postgres-support.ts";
import { backup, codeOf, hooks, newPlace, objectsIn, restore } from "./support.ts";

/** A bucket whose objects cannot be deleted for a day. */

let s3: S3Server;
let servers: Servers;
const bucket = "locked";
beforeAll(async () => {
  [s3, servers] = await Promise.all([startS3(), startServers()]);
  const client = new S3Client({ endpoint: s3.endpoint, region: s3.region, forcePathStyle: true, credentials: s3 });
  await client.send(new CreateBucketCommand({ Bucket: bucket, ObjectLockEnabledForBucket: true }));
  await client.send(
    new PutObjectLockConfigurationCommand({
      Bucket: bucket,
      ObjectLockConfiguration: {
        ObjectLockEnabled: "Enabled",
        Rule: { DefaultRetention: { Mode: "COMPLIANCE", Days: 1 } },
      },
    }),
  );
  client.destroy();
});
afterAll(() => Promise.all([s3?.stop(), servers?.stop()]));

const locked = (at = s3.endpoint) => storageOf({ bucket: { endpoint: at, region: s3.region, bucket } }, s3);

test("a locked run is complete, cannot be removed, and is restored after the attempt", async () => {
  const source = await database(servers.new, "CREATE TABLE a (id int); INSERT INTO a SELECT generate_series(1, 100)");
  const storage = locked();
  const kept = await newPlace(storage);
  await backup(endpoint(source), kept);
  const before = await objectsIn(storage);
  const { signal } = hooks();
  const removed = removeRun({ storage, folder: kept.folder, signal });
  expect(await codeOf(removed)).toBe("storage_locked");
  await expect(removed).rejects.toThrow(/keeps .* by its object lock: it can be deleted when the lock's time is over/);
  expect(await objectsIn(storage)).toEqual(before);
  const { restored } = await restore(endpoint(await database(servers.new)), kept);
  expect(restored).toMatchObject({ equal: true, rows: 100 });
});

test("a run that fails in a locked bucket says that its parts are left", async () => {
  const source = await database(
    servers.new,
    "CREATE TABLE a AS SELECT i, md5(i::text) || md5((-i)::text) AS t FROM generate_series(1, 300000) i",
  );
  const storage = locked();
  const stop = new AbortController();
  const failing = {
    ...storage,
    put: (name: string, body: AsyncIterable<Uint8Array>, signal: AbortSignal) =>
      name.includes("manifest") ? Promise.reject(new Error("no manifest")) : storage.put(name, body, signal),
  };
  const using = hooks(stop.signal);
  const kept = await newPlace(failing);
  await expect(backup(endpoint(source), kept, using)).rejects.toThrow("no manifest");
  expect(using.heard.log.join("\n")).toContain(
    `warning: the parts of this failed run could not be removed from s3://locked under ${kept.folder}`,
  );
  expect(await codeOf(restore(endpoint(await database(servers.new)), kept))).toBe("archive_incomplete");
});

test("every upload has its MD5, which AWS requires where the bucket has an object lock", async () => {
  const uploads: { part: boolean; md5: string | undefined }[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const { method, url = "", headers } = incoming;
    if (method === "PUT") uploads.push({ part: url.includes("partNumber="), md5: headers["content-md5"]?.toString() });
    const sent = request({ host: "127.0.0.1", port: s3.port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(sent);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  try {
    const storage = locked(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    const bytes = async function* (size: number) {
      for (let left = size; left > 0; left -= 1 << 20) yield Buffer.alloc(Math.min(left, 1 << 20), left % 251);
    };
    const { signal } = hooks();
    expect(await storage.put("one/small", bytes(1000), signal)).toBe(1000);
    expect(await storage.put("one/large", bytes(9 << 20), signal)).toBe(9 << 20);
    expect(uploads.map(({ part }) => part)).toEqual([false, true, true]);
    for (const { md5 } of uploads) expect(md5).toMatch(/^[A-Za-z0-9+/]{22}==$/);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});
