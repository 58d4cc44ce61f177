import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { z } from "zod";
import { type Client, kinds } from "../../../src/cluster/index.ts";
import { openUrl, type PrivateKey, SealError } from "../../../src/guard/seal.ts";
import { archiveKey } from "../../../src/resources/archive.ts";
import type { Migration } from "../../../src/resources/migration.ts";
import { optionsSchema } from "../../../src/resources/options.ts";
import { placeSchema, type Work, workerPaths } from "../../../src/worker/protocol.ts";
import { resetDone } from "../run.ts";

/** Where a worker may dial (CIDRs, as src/worker/protocol.ts says): always for a sealed URL, for a mounted Secret only with `secrets`. */
export interface GuardSettings {
  allow: string[];
  refuse: string[];
  secrets: boolean;
}

/** What a worker is told to do. An opened URL goes to it and nowhere else. */
export async function workOf(
  migration: Migration,
  client: Client,
  keys: readonly PrivateKey[],
  { secrets, ...guard }: GuardSettings,
): Promise<Work> {
  const { metadata, spec, status } = migration;
  const locate = async (field: "source" | "target"): Promise<Work["source"]> => {
    const sealed = spec[field].sealedUrl;
    if (sealed === undefined) return { folder: workerPaths[field], ...(secrets ? { guard } : {}) };
    try {
      return { url: await openUrl(keys, { namespace: metadata.namespace, name: metadata.name, field }, sealed), guard };
    } catch (error) {
      if (error instanceof SealError) throw new SealError(error.code, `spec.${field}: ${error.message}`, error);
      throw error;
    }
  };
  const reset = (status?.reset ?? 0) > resetDone(status);
  return {
    owner: metadata.uid,
    ownerName: `Migration ${metadata.namespace}/${metadata.name}`,
    run: status?.run ?? 1,
    reached: (status?.progress?.phase ?? "connecting") !== "connecting",
    reset,
    ...(reset ? await madeBy(migration, client) : { made: [] }),
    source: await locate("source"),
    target: await locate("target"),
    options: optionsSchema.parse(spec.options ?? {}),
  };
}

const archiveSchema = z.object({
  report: z.object({
    made: z.array(z.object({ kind: z.string(), name: z.array(z.string()), id: z.string().optional() })),
    target: placeSchema.optional(),
  }),
});
const unpack = promisify(gunzip);
const largestArchive = 64 * 1024 * 1024;

/** What the last completed run made, and where, from its report. A ConfigMap that was deleted by hand: nothing is known of it. */
async function madeBy({ metadata, status }: Migration, client: Client): Promise<Pick<Work, "made" | "madeIn">> {
  if (status?.madeIn === undefined) return { made: [] };
  const found = await client.get(kinds.configMaps, metadata.namespace, status.madeIn);
  const archive = found?.binaryData?.[archiveKey];
  if (archive === undefined || !found?.metadata.ownerReferences?.some((owner) => owner.uid === metadata.uid))
    return { made: [] };
  const text = await unpack(Buffer.from(archive, "base64"), { maxOutputLength: largestArchive });
  const { made, target } = archiveSchema.parse(JSON.parse(text.toString("utf8"))).report;
  return { made, ...(target === undefined ? {} : { madeIn: target }) };
}
