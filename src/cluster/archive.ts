import { createHash } from "node:crypto";
import { createGunzip } from "node:zlib";
import { archiveKey, isReportKey, type ReportBucketStatus, type ReportObject } from "../resources/archive/archive.ts";
import { type ConfigMap, kinds } from "../resources/objects.ts";
import type { Client } from "./client.ts";

/** Reads the archive of a run, as it stands packed in a ConfigMap or in the installation's bucket. */

/** Bytes of a piece that is unpacked at once. */
export const pieceBytes = 64 * 1024;

/** The packed archive in a ConfigMap; undefined where there is none, or it is not of the Migration with this uid. */
export function archiveIn(found: ConfigMap | undefined, uid: string): Buffer | undefined {
  const packed = found?.binaryData?.[archiveKey];
  const isOwn = found?.metadata.ownerReferences?.some((owner) => owner.uid === uid);
  return packed === undefined || !isOwn ? undefined : Buffer.from(packed, "base64");
}

/** The installation's bucket for reports. Keys are complete, with their prefix. A failure's message has no credentials. */
export interface ReportBucket {
  /** Name of the bucket. */
  name: string;
  /** Beginning of the keys of new objects, without a slash at the end. */
  prefix: string;
  put(key: string, bytes: Buffer): Promise<void>;
  /** Undefined: there is no such object. Of a larger one, the first `most` bytes and at least one more. */
  get(key: string, most: number): Promise<Buffer | undefined>;
  /** A missing object is no error. */
  remove(key: string): Promise<void>;
}

/** Why an archive that was stored in a bucket cannot be read. */
export class ArchiveError extends Error {
  /** `missing`: deleted there; `changed`: not the bytes that were stored; `elsewhere`: the installation names another bucket, or none; `unavailable`: no answer. */
  readonly why: "missing" | "changed" | "elsewhere" | "unavailable";
  constructor(why: ArchiveError["why"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ArchiveError";
    this.why = why;
  }
}

interface PackedArchive {
  bytes: Buffer;
  /** Another one for other bytes. */
  version: string;
}

interface ArchiveOwner {
  metadata: { namespace: string; name?: string; uid: string };
  status?: { reportBucket?: ReportBucketStatus | undefined } | undefined;
}

export interface ArchivePlace {
  client: Pick<Client, "get">;
  bucket: ReportBucket | undefined;
}

/**
 * The packed archive of this name: from the bucket where the status names an object, else from the ConfigMap. Undefined where it was deleted from
 * the cluster, or is not its owner's. Throws ArchiveError for one in a bucket, and ClusterError.
 */
export async function readArchive(
  place: ArchivePlace,
  of: ArchiveOwner,
  name: string,
): Promise<PackedArchive | undefined> {
  const { namespace, uid, name: owner } = of.metadata;
  const known = objectOf(of, name);
  if (known !== undefined && known.pending !== true) return fromBucket(place.bucket, uid, known);
  const found = await place.client.get(kinds.configMaps, namespace, name);
  const bytes = archiveIn(found, uid);
  if (bytes !== undefined) return { bytes, version: `${found?.metadata.uid}/${found?.metadata.resourceVersion}` };
  if (found !== undefined || place.bucket === undefined) return undefined;
  // It may have moved to the bucket since its owner was read.
  const live =
    known === undefined && owner !== undefined && (await place.client.get(kinds.migrations, namespace, owner));
  const moved = known ?? (live && live.metadata.uid === uid ? objectOf(live, name) : undefined);
  return moved && fromBucket(place.bucket, uid, moved);
}

const objectOf = ({ status }: ArchiveOwner, name: string): ReportObject | undefined =>
  status?.reportBucket?.objects.find((one) => one.name === name);

async function fromBucket(
  bucket: ReportBucket | undefined,
  uid: string,
  { bucket: name, key, bytes: size, sha256 }: ReportObject,
): Promise<PackedArchive> {
  if (bucket?.name !== name)
    throw new ArchiveError(
      "elsewhere",
      `The report is in the bucket ${name}, which this installation does not use: ask your administrator to set \`reports.storage\` to it.`,
    );
  if (!isReportKey(key, uid)) throw new ArchiveError("changed", "The status names another migration's report.");
  const bytes = await bucket.get(key, size).catch((error: unknown) => {
    throw new ArchiveError("unavailable", "The storage of reports does not answer. Try again.", error);
  });
  if (bytes === undefined) throw new ArchiveError("missing", "The report was deleted from the bucket.");
  if (createHash("sha256").update(bytes).digest("hex") !== sha256)
    throw new ArchiveError(
      "changed",
      "The report in the bucket was changed: its SHA-256 is not the one that was recorded, so that it is not shown.",
    );
  return { bytes, version: sha256 };
}

/** An archive's text piece by piece, no more than is taken of it. One of more bytes than `largest`, or that is not packed, throws. */
export async function* unpacked(packed: Buffer, largest: number): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: pieceBytes });
  stream.end(packed);
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > largest) throw new Error("it is too large");
    yield piece;
  }
}
