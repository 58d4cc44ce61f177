import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { z } from "zod";
import { kinds } from "../../cluster/index.ts";
import { archiveKey } from "../../resources/archive.ts";
import { logEntrySchema, type Migration } from "../../resources/migration.ts";
import { createTurns } from "../turns.ts";
import type { World } from "../world.ts";

/** The report and log of a completed run, from the ConfigMap that its Migration owns. */

/** Bytes of JSON; a larger one would take too much of this process's memory, and stays in its ConfigMap. */
const largest = 16 * 1024 * 1024;

const unpack = promisify(gunzip);

const archiveSchema = z.object({
  report: z.looseObject({ made: z.array(z.looseObject({ kind: z.string(), name: z.array(z.string()) })) }),
  log: z.array(z.object(logEntrySchema.shape).omit({ id: true })),
});
type Archive = z.output<typeof archiveSchema>;

/** So that many readers of large reports take no more memory than a few. */
const inTurn = createTurns(2);

/** Undefined where there is none, it is not this Migration's, or it is too large or changed by hand so that it cannot be read. */
export async function readArchive(
  { client }: Pick<World, "client">,
  { metadata }: Pick<Migration, "metadata">,
  configMap: string | undefined,
): Promise<Archive | undefined> {
  if (configMap === undefined) return undefined;
  return inTurn(async () => {
    const found = await client.get(kinds.configMaps, metadata.namespace, configMap);
    const packed = found?.binaryData?.[archiveKey];
    if (packed === undefined || !found?.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid))
      return undefined;
    try {
      const text = await unpack(Buffer.from(packed, "base64"), { maxOutputLength: largest });
      return archiveSchema.parse(JSON.parse(text.toString("utf8")));
    } catch {
      return undefined;
    }
  });
}
