import { sealUrl } from "../../guard/seal.ts";
import { checkStorageEndpoint } from "../../guard/storage-endpoint.ts";
import { UrlError } from "../../guard/url.ts";
import type { BackupStorage } from "../../resources/backup/place.ts";
import { Problem } from "../errors.ts";
import type { World } from "../world.ts";
import type { StorageInput } from "./input.ts";

/** What a schedule or a restore keeps sealed: it opens only for the operator, in this object and field. */

interface Place {
  namespace: string;
  name: string;
}

/** A database as the API names it in a spec. */
export async function sealedDatabase(
  world: Pick<World, "sealingKey">,
  { namespace, name }: Place,
  field: "source" | "target",
  url: string,
): Promise<{ sealedUrl: string }> {
  return { sealedUrl: await sealUrl(await world.sealingKey(), { namespace, name, field }, url.trim()) };
}

/** Throws Problem `url_refused` for an endpoint that may not be dialled. */
export async function sealedStorage(
  world: Pick<World, "sealingKey" | "settings">,
  { namespace, name }: Place,
  input: StorageInput,
): Promise<BackupStorage> {
  const { endpoint, region, bucket, prefix, ca, access_key_id, secret_access_key, session_token } = input;
  const credentials = {
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    ...(session_token === undefined ? {} : { sessionToken: session_token }),
  };
  const place = { namespace, name, field: "storage" };
  const sealedCredentials = await sealUrl(await world.sealingKey(), place, JSON.stringify(credentials));
  return {
    bucket: {
      ...(endpoint === undefined ? {} : { endpoint: checkEndpoint(world, endpoint) }),
      region,
      bucket,
      ...(prefix === undefined ? {} : { prefix }),
      ...(ca === undefined ? {} : { ca }),
      sealedCredentials,
    },
  };
}

/** Throws Problem `url_refused`. */
export function checkEndpoint({ settings }: Pick<World, "settings">, endpoint: string): string {
  try {
    return checkStorageEndpoint(endpoint, settings.guard);
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    const field = "storage.endpoint";
    throw new Problem("url_refused", `${field}: ${error.message}.`, { errors: [{ field, message: error.message }] });
  }
}
