import { createHash } from "node:crypto";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { present } from "../../resources/present.ts";
import {
  BackupError,
  type Storage,
  type StorageCredentials,
  type StorageGuard,
  type StorageSpec,
} from "../contract.ts";
import { checkName } from "../names.ts";
import { guardedLookup, refuseStorageAddress } from "./lookup.ts";
import { isMissing, storageError } from "./s3-errors.ts";

/**
 * Objects in a bucket of the S3 protocol. An object is sent in parts of a few megabytes, each of which can be sent again; it is there when
 * the last request says so, and not before.
 */

type Options = { abortSignal: AbortSignal };
type Bucket = Extract<StorageSpec, { bucket: unknown }>["bucket"];

/** Of the first parts; S3 takes 10,000 parts of at least 5 MiB, so that later ones are larger. */
const firstPartBytes = 8 * 1024 * 1024;
/** After so many parts their size doubles: 10,000 of them hold 5 TB, the largest object of S3. */
const partsOfSize = 1_000;
/** Parts of one object on their way at the same time. */
const sending = 2;
const attempts = 5;
const connectMs = 10_000;
/** Without a byte in either direction. */
const idleMs = 60_000;

export function openBucket(bucket: Bucket, credentials: StorageCredentials, guard?: StorageGuard): Storage {
  const prefix = bucket.prefix === undefined || bucket.prefix === "" ? "" : `${checkName(bucket.prefix)}/`;
  const place = `s3://${bucket.bucket}${prefix === "" ? "" : `/${prefix.slice(0, -1)}`}`;
  const agent = {
    keepAlive: true,
    maxSockets: 16,
    ...(guard === undefined ? {} : { lookup: guardedLookup(guard) }),
  };
  const client = new S3Client({
    region: bucket.region,
    ...(bucket.endpoint === undefined ? {} : { endpoint: endpointOf(bucket.endpoint, guard), forcePathStyle: true }),
    credentials: present(credentials),
    // The manifest has SHA-256 of every part; many servers of the protocol know no others.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: attempts,
    retryMode: "standard",
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: idleMs,
      requestTimeout: 0,
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent({ ...agent, ...(bucket.ca === undefined ? {} : { ca: bucket.ca }) }),
    },
  });
  const Bucket = bucket.bucket;
  const keyOf = (name: string) => prefix + checkName(name);
  const told = (error: unknown, name: string) => storageError(error, { place, name });
  const worded = async <T>(signal: AbortSignal, name: string, work: (options: Options) => Promise<T>): Promise<T> => {
    try {
      return await work({ abortSignal: signal });
    } catch (error) {
      signal.throwIfAborted();
      throw told(error, name);
    }
  };

  /** The bytes of one object, sent by parts. */
  const upload = async (Key: string, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number> => {
    const options = { abortSignal: signal };
    let id: string | undefined;
    let size = 0;
    const done: { PartNumber: number; ETag: string | undefined }[] = [];
    const running = new Set<Promise<void>>();
    let failure: { error: unknown } | undefined;
    const send = async (Body: Buffer, PartNumber: number): Promise<void> => {
      const work = (async () => {
        const { ETag } = await client.send(
          new UploadPartCommand({ Bucket, Key, UploadId: id, PartNumber, Body, ContentMD5: md5(Body) }),
          options,
        );
        done.push({ PartNumber, ETag });
      })();
      const ended = work.then(
        () => void running.delete(ended),
        (error: unknown) => {
          running.delete(ended);
          failure ??= { error };
        },
      );
      running.add(ended);
      if (running.size >= sending) await Promise.race(running);
      if (failure !== undefined) throw failure.error;
    };
    try {
      let number = 0;
      for await (const { bytes, last } of pieces(body)) {
        size += bytes.length;
        if (number === 0 && last) {
          await client.send(new PutObjectCommand({ Bucket, Key, Body: bytes, ContentMD5: md5(bytes) }), options);
          return size;
        }
        id ??= (await client.send(new CreateMultipartUploadCommand({ Bucket, Key }), options)).UploadId;
        await send(bytes, ++number);
      }
      await Promise.all(running);
      if (failure !== undefined) throw (failure as { error: unknown }).error;
      const Parts = done.sort((a, b) => a.PartNumber - b.PartNumber);
      await client.send(
        new CompleteMultipartUploadCommand({ Bucket, Key, UploadId: id, MultipartUpload: { Parts } }),
        options,
      );
      return size;
    } catch (error) {
      await Promise.all(running);
      // If this fails, too, abortUploads removes it later.
      if (id !== undefined)
        await client
          .send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: id }), {
            abortSignal: AbortSignal.timeout(connectMs),
          })
          .catch(() => undefined);
      throw error;
    }
  };

  return {
    place,
    put: (name, body, signal) => worded(signal, name, () => upload(keyOf(name), body, signal)),
    get: (name, signal) =>
      worded(signal, name, async (options) => {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: keyOf(name) }), options);
        return readable(Body as Readable, (error) => told(error, name));
      }),
    async *list(wanted, signal) {
      let ContinuationToken: string | undefined;
      do {
        const asked = new ListObjectsV2Command({ Bucket, Prefix: prefix + wanted, ContinuationToken });
        const page = await worded(signal, "", (options) => client.send(asked, options));
        for (const { Key = "", Size = 0 } of page.Contents ?? []) yield { name: Key.slice(prefix.length), size: Size };
        ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
      } while (ContinuationToken !== undefined);
    },
    remove: (name, signal) =>
      worded(signal, name, async (options) => {
        await client.send(new DeleteObjectCommand({ Bucket, Key: keyOf(name) }), options).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
        });
      }),
    abortUploads: (wanted, signal) =>
      worded(signal, "", async (options) => {
        for (let count = 0; ; ) {
          const asked = new ListMultipartUploadsCommand({ Bucket, Prefix: prefix + wanted });
          const { Uploads = [] } = await client.send(asked, options);
          const ours = Uploads.filter(({ Key = "" }) => Key.startsWith(prefix + wanted));
          if (ours.length === 0) return count;
          for (const { Key, UploadId } of ours) {
            await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), options);
            count++;
          }
        }
      }),
  };
}

/** AWS refuses uploads without it where the bucket has an object lock; unlike newer checksums, every server knows it. */
const md5 = (bytes: Buffer): string => createHash("md5").update(bytes).digest("base64");

function endpointOf(endpoint: string, guard: StorageGuard | undefined): string {
  const url = URL.parse(endpoint);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new BackupError(
      "storage_invalid",
      "the storage's endpoint is not a URL: write https://host or https://host:port, without user and password",
    );
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    throw new BackupError(
      "storage_invalid",
      "the storage's endpoint has a path: write https://host or https://host:port",
    );
  if (guard !== undefined) refuseStorageAddress(url.hostname, guard);
  return url.href;
}

/** Parts of an object, the last one marked. Memory: one part, beside those on their way. */
async function* pieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<{ bytes: Buffer; last: boolean }> {
  let number = 0;
  let size = firstPartBytes;
  let part = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  for await (const piece of body) {
    for (let at = 0; at < piece.length; ) {
      if (filled === size) {
        yield { bytes: part, last: false };
        size = firstPartBytes * 2 ** Math.floor(++number / partsOfSize);
        part = Buffer.allocUnsafeSlow(size);
        filled = 0;
      }
      const taken = Math.min(piece.length - at, size - filled);
      part.set(piece.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
    }
  }
  yield { bytes: part.subarray(0, filled), last: true };
}

/** The same bytes, with the storage's errors in our words. */
function readable(body: Readable, words: (error: unknown) => unknown): Readable {
  const { emit } = body;
  body.emit = (event: string | symbol, ...args: unknown[]): boolean =>
    event === "error" ? emit.call(body, event, words(args[0])) : emit.call(body, event, ...args);
  return body;
}
