import { createHash } from "node:crypto";
import type { DatabaseRef } from "../../src/resources/database.ts";
import { kueueLabels, labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { jobName } from "../jobs/names.ts";
import { placed } from "../jobs/placed.ts";
import { lacking, sized } from "../jobs/sized.ts";
import type { NamedSecret } from "../jobs/state-reason.ts";
import type { WorkerTemplate } from "../jobs/template.ts";
import { databaseMount, databaseVolume, volumeNames, workerJob } from "../jobs/worker-job.ts";

/** Annotation with the Migration's name, which may be too long for a label. */
const migrationAnnotation = labels.migration;

/** Annotation with a hash of what a Job was made from: source, target and options. */
export const specHashAnnotation = `${labels.migration}-spec`;

export function specHash({ spec }: Migration): string {
  const part = (ref: DatabaseRef) => [ref.secretRef?.name, ref.secretRef?.key, ref.sealedUrl];
  const options = Object.entries(spec.options ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  // Hashes of Migrations without a part of later versions stay what they were.
  const worker = spec.worker === undefined ? [] : [spec.worker];
  const text = JSON.stringify([part(spec.source), part(spec.target), options, ...worker]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** The template of a Migration's worker: with what its spec says of it, and the memory that it was measured to need. */
const templateOf = ({ spec, status }: Migration, base: WorkerTemplate): WorkerTemplate =>
  sized(placed(base, spec.worker), status?.memory, spec.worker?.resources?.limits?.["memory"] !== undefined);

/** Memory of the next run's container where the one that ended had too little, and the next has enough; else undefined. */
export function memoryOfNext(migration: Migration, base: WorkerTemplate): string | undefined {
  const need = migration.status?.memory;
  if (need === undefined) return undefined;
  const template = templateOf(migration, base);
  return lacking(template, need) === 0 ? template.resources.limits?.["memory"] : undefined;
}

export function buildJob(migration: Migration, run: number, base: WorkerTemplate) {
  const { name, namespace, uid } = migration.metadata;
  const { source, target, worker } = migration.spec;
  const template = templateOf(migration, base);
  const sealed = source.sealedUrl !== undefined || target.sealedUrl !== undefined;
  return workerJob(
    {
      name: jobName(name, run),
      owner: { kind: "Migration", namespace, name, uid },
      marks: { [labels.migrationUid]: uid, [labels.run]: String(run) },
      annotations: { [migrationAnnotation]: name },
      ofJob: { [specHashAnnotation]: specHash(migration) },
      isGuarded: template.guardSecrets || sealed,
      isLimited: sealed,
      mostSeconds: worker?.activeDeadlineSeconds,
      ...kueueOf(migration),
      mounts: [...databaseMount("source", source), ...databaseMount("target", target)],
      volumes: [...databaseVolume("source", source), ...databaseVolume("target", target)],
    },
    template,
  );
}

/** Of a Migration with the name of a queue. */
function kueueOf({ metadata }: Migration): { kueue?: Record<string, string> } {
  const queue = metadata.labels?.[kueueLabels.queue];
  if (queue === undefined || queue === "") return {};
  const priority = metadata.labels?.[kueueLabels.priority];
  return {
    kueue: { [kueueLabels.queue]: queue, ...(priority === undefined ? {} : { [kueueLabels.priority]: priority }) },
  };
}

/** The Secrets that a Migration names, for the words of a mount that fails. */
export const secretsOf = ({ metadata: { namespace }, spec }: Migration): NamedSecret[] =>
  (["source", "target"] as const).flatMap((side) => {
    const ref = spec[side].secretRef;
    if (ref === undefined) return [];
    const { name, key } = ref;
    const field = `spec.${side}`;
    return [
      {
        ...{ namespace, field, volume: volumeNames[side] },
        name,
        key,
        holds: "the connection URL",
        elsewhere: "a new Migration",
      },
    ];
  });
