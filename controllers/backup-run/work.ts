import * as z from "zod";
import { type Client, kinds } from "../../src/cluster/index.ts";
import { type OpeningKeys, openFields } from "../../src/guard/envelope.ts";
import { type BackedUp, forBackup, forRestore, forStorage } from "../../src/guard/sealed-for.ts";
import type { BackupStorage } from "../../src/resources/backup/place.ts";
import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { BackupSchedule } from "../../src/resources/backup/schedule.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { type BackupWork, type RemovalWork, type RestoreWork, workerPaths } from "../../src/worker/protocol.ts";
import { isVerificationDue } from "../jobs/verification-due.ts";
import { NoWork } from "../worker-endpoint/no-work.ts";
import type { GuardSettings } from "../worker-endpoint/work.ts";
import { podFolder, runFolder } from "./folders.ts";
import { restoreNeeds, runNeeds, type SealedIn, storageOfTeams, storageSealedIn } from "./needs.ts";
import type { VerifyImages } from "./own-server.ts";

/** The work of a BackupRun's or Restore's pod. What is opened here goes to that pod and nowhere else. */

const credentialsSchema = z.object({
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  sessionToken: z.string().optional(),
});
type Credentials = z.infer<typeof credentialsSchema>;

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
  isTeam(namespace: string): Promise<boolean>;
  keyRing: KeyRing;
  verifyImages: VerifyImages;
}

/** A database by its opened URL, or mounted where nothing was sealed. */
function located(
  field: "source" | "target",
  url: string | undefined,
  { secrets, ...guard }: GuardSettings,
): BackupWork["source"] {
  return url === undefined ? { folder: workerPaths[field], ...(secrets ? { guard } : {}) } : { url, guard };
}

async function storageWork(
  storage: BackupStorage | undefined,
  sealedIn: SealedIn,
  keys: OpeningKeys,
  { guard: { secrets, ...guard }, storage: installed, isTeam }: WorkOptions,
): Promise<BackupWork["storage"]> {
  if (storage?.volume) {
    const { path, claimName } = storage.volume;
    const below = path === "" ? "" : `/${path}`;
    return { spec: { folder: `${workerPaths.storage}${below}`, place: `volume ${claimName}${below}` } };
  }
  if (storage?.bucket) {
    const { secretRef, sealedCredentials, ...bucket } = storage.bucket;
    if (sealedCredentials === undefined)
      return { spec: { bucket }, credentials: { folder: workerPaths.credentials }, ...(secrets ? { guard } : {}) };
    const of = forStorage(sealedIn, storage.bucket);
    const opened = await openFields(keys, of, sealedIn.madeAt, { storage: sealedCredentials });
    const parsed = credentialsSchema.safeParse(parse(opened.storage ?? ""));
    if (!parsed.success)
      throw new NoWork(
        "storage_invalid",
        "The sealed credentials of the bucket are not in a form that this version reads.",
      );
    return { spec: { bucket }, credentials: parsed.data, guard };
  }
  if (installed === undefined)
    throw new NoWork("storage_missing", "The installation has no storage any more: set backups.storage.");
  if (!(await isTeam(sealedIn.namespace))) throw new NoWork("storage_missing", storageOfTeams);
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
  keys: OpeningKeys,
  options: WorkOptions,
  now: Date,
): Promise<BackupWork> {
  const { namespace } = run.metadata;
  const { schedule: named, slot } = run.spec;
  const schedule = named === undefined ? undefined : await options.client.get(kinds.backupSchedules, namespace, named);
  const found = runNeeds(run, schedule, options.storage !== undefined && (await options.isTeam(namespace)));
  if ("missing" in found) throw new NoWork(found.missing.reason, found.missing.message);
  const { plan } = found;
  // What the run recorded when it started counts: the schedule may name another storage since.
  const { storage, encryption } = run.status ?? {};
  const { sealedIn } = plan;
  const into: BackedUp = { storage, encryption, options: plan.options };
  const opened = await openFields(keys, forBackup(sealedIn, into), sealedIn.madeAt, { source: plan.source.sealedUrl });
  return {
    kind: "backup",
    ...owner(run),
    source: located("source", opened.source, options.guard),
    storage: await storageWork(storage, sealedIn, keys, options),
    folder: podFolder(run, podUid),
    runFolder: runFolder(run),
    identity: { id: run.metadata.uid, ...(named ? { schedule: named } : {}), ...(slot ? { slot } : {}) },
    checksums: isVerifiedNext(run, schedule, now),
    recipients: encryption?.recipients ?? [await options.keyRing.recipient(namespace)],
    options: optionsSchema.pick({ jobs: true, source_ca: true }).parse(plan.options ?? {}),
  };
}

/** Checksums cost the database a second read: only a run that is verified has them. */
const isVerifiedNext = ({ spec }: BackupRun, schedule: BackupSchedule | undefined, now: Date): boolean =>
  spec.verifications > 0 ||
  (schedule !== undefined &&
    isVerificationDue(schedule.spec.verification.policy, schedule.status?.lastVerification, now.getTime()));

export async function restoreWork(restore: Restore, keys: OpeningKeys, options: WorkOptions): Promise<RestoreWork> {
  const { namespace } = restore.metadata;
  const found = restoreNeeds(
    restore,
    await options.client.get(kinds.backupRuns, namespace, restore.spec.backupRun),
    options.verifyImages,
  );
  if ("missing" in found) throw new NoWork(found.missing.reason, found.missing.message);
  const { run, used } = found;
  const { location = "", manifestDigest = "" } = run.status ?? {};
  const { target } = restore.spec;
  const opened = await openFields(
    keys,
    forRestore(restore.metadata, restore.spec),
    restore.metadata.creationTimestamp,
    {
      target: target?.sealedUrl,
    },
  );
  return {
    kind: "restore",
    ...owner(restore),
    ...(target ? { target: located("target", opened.target, options.guard) } : {}),
    storage: await storageWork(run.status?.storage, storageSealedIn(run), keys, options),
    folder: location,
    identities: used.identities
      ? { file: `${workerPaths.identities}/identities` }
      : await options.keyRing.identities(namespace),
    expect: { run: run.metadata.uid, manifestDigest },
    allowNotEmpty: restore.spec.allowNotEmpty,
    ...(restore.spec.convert ? { convert: true } : {}),
    options: optionsSchema.pick({ jobs: true, target_ca: true }).parse(restore.spec.options ?? {}),
  };
}

export async function removalWork(run: BackupRun, keys: OpeningKeys, options: WorkOptions): Promise<RemovalWork> {
  const { storage, location } = run.status ?? {};
  return {
    kind: "removal",
    ...owner(run),
    storage: await storageWork(storage, storageSealedIn(run), keys, options),
    // The complete archive's manifest goes first, so that no part is missing from a complete one.
    folders: [...(location === undefined ? [] : [location]), runFolder(run)],
  };
}
