import * as z from "zod";
import { BackupError, type Storage } from "../backup/contract.ts";
import { checkName } from "../backup/names.ts";
import { once } from "../backup/streams.ts";
import type { ReportBucket } from "../cluster/index.ts";
import { mountedCredentials } from "../worker/credentials.ts";
import { bucketSetting } from "./settings.ts";

/** The bucket in which operator and API keep reports of Migrations, by their settings. */

export const reportSettings = {
  ROWFERRY_REPORT_BUCKET: bucketSetting.describe(
    "JSON object: the bucket that keeps the reports of Migrations; null: ConfigMaps keep them.",
  ),
  ROWFERRY_REPORT_CREDENTIALS: z
    .string()
    .default("/etc/rowferry/reports")
    .describe("Folder with the bucket's accessKeyId and secretAccessKey, read for each request."),
};

interface ReportEnvironment {
  ROWFERRY_REPORT_BUCKET: z.output<typeof bucketSetting>;
  ROWFERRY_REPORT_CREDENTIALS: string;
}

/** Undefined where reports stay in ConfigMaps. `milliseconds`: of one request, with its repetitions. Throws for a prefix that is none. */
export async function reportBucketOf(
  { ROWFERRY_REPORT_BUCKET: settings, ROWFERRY_REPORT_CREDENTIALS: folder }: ReportEnvironment,
  milliseconds: number,
): Promise<ReportBucket | undefined> {
  if (settings === undefined) return undefined;
  // The S3 client takes tens of megabytes: it is loaded with a bucket alone.
  const { storageOf } = await import("../backup/storage/index.ts");
  const { prefix: given = "", ...bucket } = settings;
  const prefix = given.replace(/\/$/, "");
  if (prefix !== "") checkName(prefix);
  let open: { storage: Storage; keys: string } | undefined;

  async function storage(): Promise<Storage> {
    const credentials = await mountedCredentials(folder);
    const keys = JSON.stringify(credentials);
    if (open?.keys !== keys) open = { storage: storageOf({ bucket }, credentials), keys };
    return open.storage;
  }

  const signal = () => AbortSignal.timeout(milliseconds);
  /** The signal's own words say neither who was asked nor for how long. */
  async function bounded<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const until = signal();
    try {
      return await work(until);
    } catch (error) {
      throw until.aborted ? new Error(`no answer within ${milliseconds / 1000} s`, { cause: error }) : error;
    }
  }

  return {
    name: bucket.bucket,
    prefix,
    put: (key, bytes) =>
      bounded(async (until) => {
        await (await storage()).put(key, once(bytes), until);
      }),
    get: (key, most) =>
      bounded(async (until) => {
        try {
          return await upTo(most, await (await storage()).get(key, until));
        } catch (error) {
          if (error instanceof BackupError && error.code === "storage_object_missing") return undefined;
          throw error;
        }
      }),
    remove: (key) => bounded(async (until) => (await storage()).remove(key, until)),
  };
}

/** A larger object is not read to its end. */
async function upTo(most: number, body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size > most) break;
  }
  return Buffer.concat(parts);
}
