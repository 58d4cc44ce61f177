import { isDeepStrictEqual } from "node:util";
import type { BackupStorage } from "../resources/backup/place.ts";
import type { RestoreSpec } from "../resources/backup/restore.ts";
import type { ScheduleSpec } from "../resources/backup/schedule.ts";
import type { DatabaseRef } from "../resources/database.ts";
import type { MigrationSpec } from "../resources/migration.ts";
import { optionsSchema } from "../resources/options.ts";
import type { EnvelopePurpose } from "./envelope.ts";

/**
 * What the sealed fields of each kind are sealed for: everything that decides where their content goes and what is written there. Who
 * seals and who opens must say the same. An option at its default is left out, so that a new option of a later version changes nothing.
 */

interface Named {
  namespace: string;
  name: string;
}

function chosen(given: unknown): Record<string, unknown> {
  const defaults: Record<string, unknown> = optionsSchema.parse({});
  const options = Object.entries(optionsSchema.parse(given ?? {}));
  return Object.fromEntries(options.filter(([name, value]) => !isDeepStrictEqual(value, defaults[name])));
}

/** A database that is not sealed: another Secret is another database. */
const plain = ({ secretRef }: DatabaseRef): unknown => secretRef ?? null;

/** Of `source` and `target`, whichever of them are sealed. */
export const forMigration = (
  { namespace, name }: Named,
  { source, target, options }: Pick<MigrationSpec, "source" | "target" | "options">,
): EnvelopePurpose => ({
  ...{ kind: "Migration", namespace, name },
  with: { source: plain(source), target: plain(target), options: chosen(options) },
});

/** What a backup goes into and for whom it is encrypted; the credentials of a bucket are sealed apart. */
export interface BackedUp {
  storage?: BackupStorage | undefined;
  encryption?: ScheduleSpec["encryption"] | undefined;
  options?: ScheduleSpec["options"] | undefined;
}
/** A schedule, or a run without one. */
type Backed = Named & { kind: "BackupSchedule" | "BackupRun" };

/** Of `source`. */
export const forBackup = (
  { kind, namespace, name }: Backed,
  { storage, encryption, options }: BackedUp,
): EnvelopePurpose => ({
  ...{ kind, namespace, name },
  with: {
    storage: storage?.bucket ? { bucket: bucketOf(storage.bucket) } : (storage ?? null),
    encryption: encryption ?? null,
    options: chosen(options),
  },
});

/** Of `storage`: a bucket's credentials are for that bucket alone. */
export const forStorage = ({ kind, namespace, name }: Backed, bucket: Bucket): EnvelopePurpose => ({
  ...{ kind, namespace, name },
  with: bucketOf(bucket),
});

type Bucket = NonNullable<BackupStorage["bucket"]>;
const bucketOf = ({ sealedCredentials: _sealed, ...bucket }: Bucket): unknown => bucket;

/** Of `target`. */
export const forRestore = (
  { namespace, name }: Named,
  {
    backupRun,
    allowNotEmpty,
    convert,
    identities,
    options,
  }: Pick<RestoreSpec, "backupRun" | "allowNotEmpty"> &
    Partial<Pick<RestoreSpec, "convert" | "identities" | "options">>,
): EnvelopePurpose => ({
  ...{ kind: "Restore", namespace, name },
  with: {
    ...{ backupRun, allowNotEmpty, identities: identities ?? null, options: chosen(options) },
    ...(convert ? { convert } : {}),
  },
});
