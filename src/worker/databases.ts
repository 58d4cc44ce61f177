import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Endpoint } from "../engine/contract.ts";
import { parseDatabaseUrl } from "../guard/url.ts";
import type { Work } from "./protocol.ts";
import type { Redactor } from "./redact.ts";

/** The two databases of the run, from the operator's answer or from the Secrets that are mounted. */

/** The connection URL as it is found: the text of a mounted file may end in a newline. The redactor learns it first. */
export async function openDatabase(location: Work["source"], redactor: Redactor): Promise<Endpoint> {
  if ("url" in location) {
    redactor.learnUrl(location.url);
    return parseDatabaseUrl(location.url);
  }
  const url = (await readFile(join(location.folder, "url"), "utf8")).trim();
  redactor.learnUrl(url);
  const ca = await readIfThere(join(location.folder, "ca.crt"));
  return parseDatabaseUrl(url, ca === undefined ? {} : { ca });
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
