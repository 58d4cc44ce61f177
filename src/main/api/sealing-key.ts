import * as z from "zod";
import { type Client, kinds } from "../../cluster/index.ts";
import type { SealingKey } from "../../guard/envelope.ts";
import { Problem } from "../../requests/errors.ts";
import { installed } from "../../resources/crd/installed.ts";
import { remembered } from "../remembered.ts";

/** Milliseconds that a key is used without another look: the operator opens what was sealed to an earlier one all the same. */
const kept = 30_000;
const keySchema = z.object({
  id: z.string().min(1),
  key: z.string().min(1),
  envelopesFrom: z.iso.datetime().optional(),
});

/** The operator's public key, read from its ConfigMap. Throws Problem `unavailable` while there is none. */
export function sealingKeyOf({
  client,
  namespace,
  now,
}: {
  client: Client;
  namespace: string;
  now: () => number;
}): () => Promise<SealingKey> {
  async function read(): Promise<SealingKey> {
    const map = await client.get(kinds.configMaps, namespace, installed.publicKeys);
    const text = map?.data?.["sealing.json"];
    if (text === undefined)
      throw new Problem("unavailable", "The service has no key to seal URLs to yet: try again.", { retryAfter: 2 });
    return keySchema.parse(JSON.parse(text));
  }

  return remembered(read, { kept, now });
}
