import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { StorageCredentials } from "../backup/contract.ts";

/** A bucket's credentials as files of a mounted Secret, as they are now: the files change when it does. */
export async function mountedCredentials(folder: string): Promise<StorageCredentials> {
  const read = async (key: string) => (await readFile(join(folder, key), "utf8")).trim();
  const sessionToken = await read("sessionToken").catch(() => "");
  return {
    accessKeyId: await read("accessKeyId"),
    secretAccessKey: await read("secretAccessKey"),
    ...(sessionToken === "" ? {} : { sessionToken }),
  };
}
