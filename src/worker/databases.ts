import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Endpoint, EngineError } from "../engine/contract/index.ts";
import { withPublicCa } from "../engine/run/public-ca.ts";
import type { Redactor } from "../guard/redact.ts";
import { parseDatabaseUrl, UrlError } from "../guard/url.ts";
import { type WorkerAssignment, workerEnv } from "./protocol.ts";

/** The two databases of the run, from the operator's answer or from the Secrets that are mounted. */

/**
 * The connection URL as it is found: the text of a mounted file may end in a newline. The redactor learns it first. `ca` is the
 * CA of the options, as PEM; one beside the URL as well is an error, since only one of the two can be meant. Where the
 * location has a guard, it goes with the endpoint to every dial.
 */
export async function openDatabase(
  location: WorkerAssignment["source"],
  redactor: Redactor,
  ca: { pem: string | undefined; option: string },
): Promise<Endpoint> {
  const { url, beside } = await locate(location, redactor);
  if (beside !== undefined && ca.pem !== undefined)
    throw new UrlError("url_ca", `the CA is given twice: remove either options.${ca.option} or ca.crt from the Secret`);
  const pem = ca.pem ?? beside;
  const { guard } = location;
  const parsed = parseDatabaseUrl(url, { minTls: guard?.minTls, ...(pem === undefined ? {} : { ca: pem }) });
  return withPublicCa(guard === undefined ? parsed : { ...parsed, guard });
}

/** `openDatabase` below the folder in which the pod's volumes are mounted, with errors that name the database. Throws EngineError. */
export async function namedDatabase(
  role: "source" | "target",
  location: WorkerAssignment["source"],
  { redactor, mountsRoot, pem }: { redactor: Redactor; mountsRoot: string; pem: string | undefined },
): Promise<Endpoint> {
  const mounted = "folder" in location ? { ...location, folder: mountsRoot + location.folder } : location;
  try {
    return await openDatabase(mounted, redactor, { pem, option: `${role}_ca` });
  } catch (error) {
    if (error instanceof UrlError)
      throw new EngineError(error.code, `The ${role}'s connection URL is not accepted: ${error.message}`);
    const cause = error instanceof Error ? error.message : String(error);
    throw new EngineError("url_unreadable", `The ${role}'s connection URL cannot be read: ${cause}`, { cause: error });
  }
}

async function locate(
  location: WorkerAssignment["source"],
  redactor: Redactor,
): Promise<{ url: string; beside?: string }> {
  if ("url" in location) {
    redactor.learnUrl(location.url);
    return { url: location.url };
  }
  const url = (await readFile(join(location.folder, "url"), "utf8")).trim();
  redactor.learnUrl(url);
  const beside = await readIfThere(join(location.folder, "ca.crt"));
  return beside === undefined ? { url } : { url, beside };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * The throw-away server of this pod: the Job starts it beside the worker and names its URL. Only loopback is accepted, so that
 * the variable leads nowhere else.
 */
export function ownServer(): Endpoint {
  const url = process.env[workerEnv.verifyUrl];
  if (url === undefined || url === "") throw new Error("the pod has no throw-away server");
  const parsed = parseDatabaseUrl(url, {});
  return { ...parsed, guard: { allow: ["127.0.0.0/8"], refuse: ["0.0.0.0/0", "::/0"] } };
}
