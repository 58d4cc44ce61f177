import { z } from "zod";
import { type Client, kinds } from "../../src/cluster/index.ts";
import { openUrl, type PrivateKey, SealError } from "../../src/guard/seal.ts";
import type { BackupStorage } from "../../src/resources/backup/place.ts";
import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { DatabaseRef } from "../../src/resources/database.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { type BackupWork, type RemovalWork, type RestoreWork, workerPaths } from "../../src/worker/protocol.ts";
import { NoWork } from "../migration/endpoint/no-work.ts";
import type { GuardSettings } from "../migration/endpoint/work.ts";
import { podFolder, runFolder } from "./folders.ts";
import { restoreNeeds, runNeeds, storageOfTeams } from "./needs.ts";
import type { VerifyImages } from "./own-server.ts";

/** The work of a BackupRun's or Restore's pod. What is opened here goes to that pod and nowhere else. */

const credentialsSchema = z.object({
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  sessionToken: z.string().optional(),
});
export type Credentials = z.infer<typeof credentialsSchema>;

/** The installation's own storage. */
export interface InstalledStorage {
  bucket: {
    endpoint?: string | undefined;
    region: string;
    bucket: string;
    prefix?: string | undefined;
    ca?: string | undefined;
  };
  /** Read anew for each pod, since they may be rotated. */
  credentials: () => Promise<Credentials>;
}

/** The installation's key ring: age keys of a namespace, the present one first. */
export interface KeyRing {
  recipient(namespace: string): Promise<string>;
  identities(namespace: string): Promise<string[]>;
}

export interface WorkOptions {
  client: Client;
  guard: GuardSettings;
  storage: InstalledStorage | undefined;
  /**
   * Whether the operator made the namespace for a team. Elsewhere people make pods, also one that passes for a worker's: the
   * installation's credentials, which open every team's backups, do not go there.
   */
  isTeam(namespace: string): boolean;
  keyRing: KeyRing;
  verifyImages: VerifyImages;
}

/** The field that a bucket's sealed credentials are sealed for; a database's is `source` or `target`. */
const storageField = "storage";

async function open(
  keys: readonly PrivateKey[],
  place: Parameters<typeof openUrl>[1],
  sealed: string,
): Promise<string> {
  try {
    return await openUrl(keys, place, sealed);
  } catch (error) {
    if (error instanceof SealError) throw new SealError(error.code, `${place.field}: ${error.message}`, error);
    throw error;
  }
}

async function locate(
  ref: DatabaseRef,
  place: { namespace: string; name: string; field: "source" | "target" },
  keys: readonly PrivateKey[],
  { secrets, ...guard }: GuardSettings,
): Promise<BackupWork["source"]> {
  if (ref.sealedUrl !== undefined) return { url: await open(keys, place, ref.sealedUrl), guard };
  return { folder: workerPaths[place.field], ...(secrets ? { guard } : {}) };
}

async function storageWork(
  storage: BackupStorage | undefined,
  place: { namespace: string; name: string },
  keys: readonly PrivateKey[],
  { guard: { secrets, ...guard }, storage: installed, isTeam }: WorkOptions,
): Promise<BackupWork["storage"]> {
  if (storage?.volume) {
    const { path } = storage.volume;
    return { spec: { folder: path === "" ? workerPaths.storage : `${workerPaths.storage}/${path}` } };
  }
  if (storage?.bucket) {
    const { secretRef, sealedCredentials, ...bucket } = storage.bucket;
    if (sealedCredentials === undefined)
      return { spec: { bucket }, credentials: { folder: workerPaths.credentials }, ...(secrets ? { guard } : {}) };
    const opened = await open(keys, { ...place, field: storageField }, sealedCredentials);
    const parsed = credentialsSchema.safeParse(parse(opened));
    if (!parsed.success)
      throw new NoWork(
        "storage_invalid",
        "The sealed credentials of the bucket are not in a form that this version reads.",
      );
    return { spec: { bucket }, credentials: parsed.data, guard };
  }
  if (installed === undefined)
    throw new NoWork("storage_missing", "The installation has no storage any more: set backups.storage.");
  if (!isTeam(place.namespace)) throw new NoWork("storage_missing", storageOfTeams);
  return { spec: { bucket: installed.bucket }, credentials: await installed.credentials() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const owner = ({ kind, metadata }: BackupRun | Restore) => ({
  ...{ owner: metadata.uid, ownerName: `${kind} ${metadata.namespace}/${metadata.name}`, run: 1 },
});

/** Throws SealError and NoWork, after which no pod can run. */
export async function backupWork(
  run: BackupRun,
  podUid: string,
  keys: readonly PrivateKey[],
  options: WorkOptions,
): Promise<BackupWork> {
  const { namespace } = run.metadata;
  const { schedule: named, slot } = run.spec;
  const schedule = named === undefined ? undefined : await options.client.get(kinds.backupSchedules, namespace, named);
  const found = runNeeds(run, schedule, options.storage !== undefined && options.isTeam(namespace));
  if ("missing" in found) throw new NoWork(found.missing.reason, found.missing.message);
  const { plan } = found;
  // What the run recorded when it started counts: the schedule may name another storage since.
  const { storage, encryption } = run.status ?? {};
  const place = { namespace, name: plan.sealedFor };
  return {
    kind: "backup",
    ...owner(run),
    source: await locate(plan.source, { ...place, field: "source" }, keys, options.guard),
    storage: await storageWork(storage, place, keys, options),
    folder: podFolder(run, podUid),
    runFolder: runFolder(run),
    identity: { id: run.metadata.uid, ...(named ? { schedule: named } : {}), ...(slot ? { slot } : {}) },
    recipients: encryption?.recipients ?? [await options.keyRing.recipient(namespace)],
    options: optionsSchema.pick({ jobs: true, source_ca: true }).parse(plan.options ?? {}),
  };
}

/** The object that a run's sealed credentials are sealed for. */
const sealedFor = (run: BackupRun): string => run.spec.schedule ?? run.metadata.name;

export async function restoreWork(
  restore: Restore,
  keys: readonly PrivateKey[],
  options: WorkOptions,
): Promise<RestoreWork> {
  const { namespace, name } = restore.metadata;
  const found = restoreNeeds(
    restore,
    await options.client.get(kinds.backupRuns, namespace, restore.spec.backupRun),
    options.verifyImages,
  );
  if ("missing" in found) throw new NoWork(found.missing.reason, found.missing.message);
  const { run, used } = found;
  const { location = "", manifestDigest = "" } = run.status ?? {};
  const { target } = restore.spec;
  return {
    kind: "restore",
    ...owner(restore),
    ...(target ? { target: await locate(target, { namespace, name, field: "target" }, keys, options.guard) } : {}),
    storage: await storageWork(run.status?.storage, { namespace, name: sealedFor(run) }, keys, options),
    folder: location,
    identities: used.identities
      ? { file: `${workerPaths.identities}/identities` }
      : await options.keyRing.identities(namespace),
    expect: { run: run.metadata.uid, manifestDigest },
    allowNotEmpty: restore.spec.allowNotEmpty,
    options: optionsSchema.pick({ jobs: true, target_ca: true }).parse(restore.spec.options ?? {}),
  };
}

export async function removalWork(
  run: BackupRun,
  keys: readonly PrivateKey[],
  options: WorkOptions,
): Promise<RemovalWork> {
  const { namespace } = run.metadata;
  const { storage, location } = run.status ?? {};
  return {
    kind: "removal",
    ...owner(run),
    storage: await storageWork(storage, { namespace, name: sealedFor(run) }, keys, options),
    // The complete archive's manifest goes first, so that no part is missing from a complete one.
    folders: [...(location === undefined ? [] : [location]), runFolder(run)],
  };
}
