import * as z from "zod";
import { mostBytesOf } from "../../src/billing/limit.ts";
import type { PriceList } from "../../src/billing/prices.ts";
import { ArchiveError, type ArchivePlace, readArchive, unpacked } from "../../src/cluster/index.ts";
import { type OpeningKeys, openFields } from "../../src/guard/envelope.ts";
import type { GuardPolicy } from "../../src/guard/policy.ts";
import { forMigration } from "../../src/guard/sealed-for.ts";
import { elementsOf, NoSuchPart, partAt } from "../../src/resources/archive/json-parts.ts";
import { hasReached, type Migration } from "../../src/resources/migration.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { runTypeOf } from "../../src/resources/run-type.ts";
import { placeSchema, type WorkerAssignment, workerPaths } from "../../src/worker/protocol.ts";
import { resetDone } from "../migration/run.ts";
import { EndpointRefusal } from "./authorise.ts";
import { NoWork } from "./no-work.ts";

/** The policy for the URLs of a worker: always for a sealed URL, for a mounted Secret only with `secrets`. */
export interface GuardSettings extends GuardPolicy {
  secrets: boolean;
}

/** What a worker is told to do. An opened URL goes to it and nowhere else. Throws SealError and MadeError, after which no pod can run. */
export async function workOf(
  migration: Migration,
  place: ArchivePlace,
  keys: OpeningKeys,
  { secrets, ...guard }: GuardSettings,
  prices?: PriceList,
): Promise<WorkerAssignment> {
  const { metadata, spec, status } = migration;
  const urls = await openFields(keys, forMigration(metadata, spec), metadata.creationTimestamp, {
    source: spec.source.sealedUrl,
    target: spec.target.sealedUrl,
  });
  const locate = (field: "source" | "target"): WorkerAssignment["source"] => {
    const url = urls[field];
    return url === undefined ? { folder: workerPaths[field], ...(secrets ? { guard } : {}) } : { url, guard };
  };
  const reset = (status?.reset ?? 0) > resetDone(status);
  return {
    owner: metadata.uid,
    ownerName: `Migration ${metadata.namespace}/${metadata.name}`,
    run: status?.run ?? 1,
    reached: hasReached(status?.progress),
    reset,
    ...(reset ? await madeBy(migration, place) : { made: [] }),
    source: locate("source"),
    target: locate("target"),
    options: optionsSchema.parse(spec.options ?? {}),
    ...limitOf(migration, prices),
  };
}

function limitOf(
  migration: Migration,
  prices: PriceList | undefined,
): Pick<WorkerAssignment, "mostBytes" | "finished"> {
  const mostBytes = mostBytesOf(migration.spec.payment, runTypeOf(migration), prices);
  return mostBytes === undefined ? {} : { mostBytes, finished: migration.status?.finished ?? 0 };
}

/** Bytes of the list as JSON, of some 80,000 objects; a worker that asks has it in memory whole, and so has the operator for a moment. */
const mostMade = 6 * 1024 * 1024;
/** Of one object, and of the place. */
const longest = 16 * 1024;
const largestArchive = 64 * 1024 * 1024;
const objectSchema = z.object({ kind: z.string(), name: z.array(z.string()), id: z.string().optional() });
type Made = Pick<WorkerAssignment, "made" | "madeIn">;

/** What was made cannot be told to a worker, now or ever. */
export class MadeError extends NoWork {
  constructor(message: string, cause?: unknown) {
    super("made_unreadable", message, cause);
  }
}

/** One list after the other, so that many resets at once take no more memory than one. */
let last: Promise<unknown> = Promise.resolve();

/**
 * What the last completed run made, and where, from its report, which is unpacked piece by piece: it may be many times what the operator has memory
 * for. A report that was deleted by hand: nothing is known of it. Throws MadeError, and EndpointRefusal where the bucket does not answer.
 */
async function madeBy(migration: Migration, place: ArchivePlace): Promise<Made> {
  const { madeIn } = migration.status ?? {};
  if (madeIn === undefined) return { made: [] };
  const turn = last.then(async (): Promise<Made> => {
    const archive = await readArchive(place, migration, madeIn).catch((error: unknown) => {
      if (!(error instanceof ArchiveError)) throw error;
      if (error.why === "missing") return undefined;
      if (error.why === "unavailable") throw new EndpointRefusal(503, "report_storage", error.message);
      throw new MadeError(`the list of what the migration made cannot be read. ${error.message}`, error);
    });
    if (archive === undefined) return { made: [] };
    try {
      return await madeOf(archive.bytes);
    } catch (error) {
      if (error instanceof MadeError) throw error;
      throw new MadeError(
        "the list of what the migration made, in its report, cannot be read: it is too large, or was changed by hand",
        error,
      );
    }
  });
  last = turn.catch(() => {});
  return turn;
}

async function madeOf(packed: Buffer): Promise<Made> {
  const made: Made["made"] = [];
  let size = 0;
  for await (const element of elementsOf(partAt(unpacked(packed, largestArchive), ["report", "made"]), longest)) {
    size += element.length;
    if (size > mostMade)
      throw new MadeError(
        "the migration made more objects than a reset takes (6 MiB of their names): drop them in the target, delete this migration and create another",
      );
    made.push(objectSchema.parse(JSON.parse(element.toString("utf8"))));
  }
  const target = await placeOf(packed);
  return { made, ...(target === undefined ? {} : { madeIn: target }) };
}

/** Reports of earlier versions do not say. */
async function placeOf(packed: Buffer): Promise<Made["madeIn"]> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of partAt(unpacked(packed, largestArchive), ["report", "target"])) {
      size += part.length;
      if (size > longest) throw new Error("the place is too long");
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof NoSuchPart) return undefined;
    throw error;
  }
  return placeSchema.parse(JSON.parse(Buffer.concat(parts).toString("utf8")));
}
