import { createHash } from "node:crypto";
import * as z from "zod";
import { ArchiveError, pieceBytes, readArchive, unpacked } from "../../../cluster/index.ts";
import type { ReportBucketStatus } from "../../../resources/archive/archive.ts";
import { elementsOf, membersOf, partAt } from "../../../resources/archive/json-parts.ts";
import { logEntrySchema, type Migration } from "../../../resources/migration.ts";
import { Problem } from "../../errors.ts";
import { createTurns } from "../../turns.ts";
import type { Caller, World } from "../../world.ts";

/**
 * The report and log of a completed run, from the ConfigMap that its Migration owns or from the installation's bucket. Packed it has at most 1 MiB, unpacked many times
 * that: it is unpacked piece by piece, and only what is asked for is kept. What cannot be read is none: it was changed by hand.
 */

/** Bytes of unpacked JSON: one that has more is no run's. */
const largest = 32 * 1024 * 1024;
const mostEntries = 10_000;
/** Bytes of an entry of the log, or of one object that was made. */
const longestEntry = 16 * 1024;

const entrySchema = z.object(logEntrySchema.shape).omit({ id: true });
const madeSchema = z.looseObject({ kind: z.string(), name: z.array(z.string()) });
type Entry = z.output<typeof entrySchema>;
type Made = z.output<typeof madeSchema>;

/** A JSON text that is read piece by piece, as often as it is asked for. */
export interface LargeText {
  /** Bytes. */
  length: number;
  /** SHA-256 of the bytes. */
  digest: Buffer;
  /** Bytes that are in memory as long as it is read. */
  held: number;
  read(): AsyncIterable<Buffer>;
}

/** So that many readers of large reports take no more memory and time than a few, and none of them all of it. */
const turns = createTurns({ most: 2, waiting: 8, inAll: 400 });

/** A Migration, or a Restore. */
export interface ReportOwner extends Of {
  status?:
    | {
        report?: { configMap: string } | undefined;
        madeIn?: string | undefined;
        reportBucket?: ReportBucketStatus | undefined;
      }
    | undefined;
}

interface Of {
  metadata: Pick<Migration["metadata"], "namespace" | "name" | "uid">;
  status?: { reportBucket?: ReportBucketStatus | undefined } | undefined;
}

/**
 * Undefined where there is none, it is not this Migration's, or it cannot be read. Throws ArchiveError for an object that is missing, changed or
 * elsewhere, and, as the others here do, Problem `unavailable` where the bucket does not answer.
 */
export const archivedReport = (world: World, caller: Caller, of: Of, configMap: string | undefined) =>
  readAndUse(world, caller, of, configMap, async (packed, version): Promise<LargeText> => {
    const { start, length, digest } = await placeOf(packed, version, ["report"]);
    const held = packed.length + 4 * pieceBytes;
    return { length, digest, held, read: () => cutOut(unpacked(packed, largest), start, length) };
  });

interface Placed {
  start: number;
  length: number;
  digest: Buffer;
}

/**
 * Where a part stands in its archive, by the archive's uid and version and the part's path: to look for it costs a second of this process where the
 * archive is large, and whoever asks again and again would have all of its time.
 */
const placed = new Map<string, Placed>();
const mostPlaced = 3000;

async function placeOf(packed: Buffer, version: string, path: readonly string[]): Promise<Placed> {
  const key = `${version} ${path.join(".")}`;
  const found = placed.get(key) ?? (await lookFor(packed, path));
  if (!placed.has(key) && placed.size >= mostPlaced) placed.delete(placed.keys().next().value ?? "");
  placed.set(key, found);
  return found;
}

/** The text of a part. */
async function* textOf(packed: Buffer, version: string, path: readonly string[]): AsyncGenerator<Buffer> {
  const { start, length } = await placeOf(packed, version, path);
  yield* cutOut(unpacked(packed, largest), start, length);
}

async function lookFor(packed: Buffer, path: readonly string[]): Promise<Placed> {
  let before = 0;
  let piece: Buffer = Buffer.alloc(0);
  async function* watched() {
    for await (const next of unpacked(packed, largest)) {
      piece = next;
      yield next;
      before += next.length;
    }
  }
  const hash = createHash("sha256");
  let start: number | undefined;
  let length = 0;
  for await (const part of partAt(watched(), path)) {
    start ??= before + part.byteOffset - piece.byteOffset;
    hash.update(part);
    length += part.length;
  }
  return { start: start ?? 0, length, digest: hash.digest() };
}

async function* cutOut(pieces: AsyncIterable<Buffer>, start: number, length: number): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const piece of pieces) {
    const part = piece.subarray(Math.max(0, start - at), Math.max(0, start + length - at));
    if (part.length > 0) yield part;
    at += piece.length;
    if (at >= start + length) return;
  }
}

/** The worker's entries, oldest first. */
export const readLog = (world: World, caller: Caller, of: Of, configMap: string | undefined) =>
  withArchive(world, caller, of, configMap, async (packed, version): Promise<Entry[]> => {
    const entries: Entry[] = [];
    for await (const element of elementsOf(textOf(packed, version, ["log"]), longestEntry)) {
      if (entries.length === mostEntries) throw new Error("too many entries");
      entries.push(entrySchema.parse(JSON.parse(element.toString("utf8"))));
    }
    return entries;
  });

/** The first `most` of the objects that the run made, and how many there are. */
export const readMade = (world: World, caller: Caller, of: Of, configMap: string | undefined, most: number) =>
  withArchive(world, caller, of, configMap, async (packed, version) => {
    const first: Made[] = [];
    let total = 0;
    for await (const element of elementsOf(textOf(packed, version, ["report", "made"]), longestEntry)) {
      total += 1;
      if (first.length < most) first.push(madeSchema.parse(JSON.parse(element.toString("utf8"))));
    }
    return { first, total };
  });

/** Bytes of one element or field of a report: an object of the inventory may have the source's own text of it. */
const longestPart = 256 * 1024;

/** Each element of the list at this path of the report, until `visit` returns false. Undefined where it cannot be read. */
export const visitElements = (
  world: World,
  caller: Caller,
  of: Of,
  { configMap, path }: { configMap: string | undefined; path: readonly string[] },
  visit: (element: unknown) => boolean,
): Promise<true | undefined> =>
  withArchive(world, caller, of, configMap, async (packed, version): Promise<true> => {
    for await (const element of elementsOf(textOf(packed, version, ["report", ...path]), longestPart))
      if (!visit(JSON.parse(element.toString("utf8")))) break;
    return true;
  });

/** The fields of the report, or of the object at this path of it, without very long ones. Undefined where they cannot be read. */
export const readFields = (
  world: World,
  caller: Caller,
  of: Of,
  { configMap, path }: { configMap: string | undefined; path: readonly string[] },
): Promise<[key: string, value: unknown][] | undefined> =>
  withArchive(world, caller, of, configMap, async (packed, version) => {
    const fields: [key: string, value: unknown][] = [];
    for await (const field of membersOf(textOf(packed, version, ["report", ...path]), longestPart)) fields.push(field);
    return fields;
  });

type Use<T> = (packed: Buffer, version: string) => Promise<T>;

/** Throws Problem `unavailable` where the bucket does not answer, and ArchiveError for an object there that is not to be shown. */
async function readAndUse<T>(
  { client, reports }: Pick<World, "client" | "reports">,
  { account }: Pick<Caller, "account">,
  of: Of,
  name: string | undefined,
  use: Use<T>,
): Promise<T | undefined> {
  if (name === undefined) return undefined;
  return turns.run(account.metadata.name, async () => {
    const found = await readArchive({ client, bucket: reports }, of, name).catch((error: unknown) => {
      if (error instanceof ArchiveError && error.why === "unavailable")
        throw new Problem("unavailable", error.message, { cause: error });
      throw error;
    });
    if (found === undefined) return undefined;
    try {
      return await use(found.bytes, found.version);
    } catch {
      return undefined;
    }
  });
}

/** Likewise; what is not to be shown is none. */
async function withArchive<T>(...given: Parameters<typeof readAndUse<T>>): Promise<T | undefined> {
  try {
    return await readAndUse(...given);
  } catch (error) {
    if (error instanceof ArchiveError) return undefined;
    throw error;
  }
}
