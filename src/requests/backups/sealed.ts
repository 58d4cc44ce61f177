import { type EnvelopePurpose, sealFields } from "../../guard/envelope.ts";
import { type BackedUp, forBackup, forRestore, forStorage } from "../../guard/sealed-for.ts";
import { checkStorageEndpoint } from "../../guard/storage-endpoint.ts";
import { UrlError } from "../../guard/url.ts";
import type { BackupStorage } from "../../resources/backup/place.ts";
import { Problem } from "../errors.ts";
import type { World } from "../world.ts";
import type { StorageInput } from "./input.ts";

/** What a schedule or a restore keeps sealed: it opens only for the operator, in this object, for use with what it is written with. */

interface Place {
  namespace: string;
  name: string;
}

type Sealing = Pick<World, "sealingKey" | "now">;

async function sealed<F extends string>(world: Sealing, of: EnvelopePurpose, field: F, text: string): Promise<string> {
  const fields = { [field]: text } as Record<F, string>;
  return (await sealFields(await world.sealingKey(), of, fields, world.now()))[field];
}

/** The database of a schedule, to be backed up into this and no other storage. */
export const sealedSource = async (world: Sealing, place: Place, into: BackedUp, url: string) => ({
  sealedUrl: await sealed(world, forBackup({ kind: "BackupSchedule", ...place }, into), "source", url.trim()),
});

/** The database that a restore of this backup writes to. */
export const sealedTarget = async (
  world: Sealing,
  place: Place,
  restore: Parameters<typeof forRestore>[1],
  url: string,
) => ({ sealedUrl: await sealed(world, forRestore(place, restore), "target", url.trim()) });

/** Throws Problem `url_refused` for an endpoint that may not be dialled. */
export async function sealedStorage(
  world: Sealing & Pick<World, "settings">,
  place: Place,
  input: StorageInput,
): Promise<BackupStorage> {
  const { endpoint, region, bucket, prefix, ca, access_key_id, secret_access_key, session_token } = input;
  const credentials = {
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    ...(session_token === undefined ? {} : { sessionToken: session_token }),
  };
  const where = {
    ...(endpoint === undefined ? {} : { endpoint: checkEndpoint(world, endpoint) }),
    region,
    bucket,
    ...(prefix === undefined ? {} : { prefix }),
    ...(ca === undefined ? {} : { ca }),
  };
  const of = forStorage({ kind: "BackupSchedule", ...place }, where);
  return { bucket: { ...where, sealedCredentials: await sealed(world, of, "storage", JSON.stringify(credentials)) } };
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
