import type { BackupEncryption, BackupStorage } from "../../src/resources/backup/place.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { DatabaseRef } from "../../src/resources/database.ts";
import { labels } from "../../src/resources/group.ts";
import { workerPaths } from "../../src/worker/protocol.ts";
import { child, jobName } from "../jobs/names.ts";
import type { NamedSecret } from "../jobs/state-reason.ts";
import type { WorkerTemplate } from "../jobs/template.ts";
import { databaseMount, databaseVolume, type WorkerJob, workerJob } from "../jobs/worker-job.ts";
import { serverContainer, type VerifyImages } from "./own-server.ts";
import type { Subject } from "./subject.ts";

/** The Jobs of BackupRuns and Restores. As a Migration's, they hold no secret: what their owner names is mounted. */

const removalName = (run: string): string => child(run, "remove");
const runJobName = ({ metadata }: Subject): string => jobName(metadata.name, 1);

const volumes = { storage: "storage", credentials: "credentials", identities: "identities" } as const;

/** What a Job's pod uses, from its owner and what that names. */
export interface Used {
  source?: DatabaseRef | undefined;
  target?: DatabaseRef | undefined;
  storage?: BackupStorage | undefined;
  /** age private keys. */
  identities?: NonNullable<BackupEncryption["identities"]> | undefined;
  /** Of a verification, or of a restore that converts. */
  server?: { engine: keyof VerifyImages; image: string };
}

/** The Job of the run or the restore. */
export const subjectJob = (subject: Subject, used: Used, template: WorkerTemplate) =>
  build(subject, runJobName(subject), used, template);

/** The Job that removes a run's parts. */
export const removalJob = (run: BackupRun, template: WorkerTemplate) =>
  build(run, removalName(run.metadata.name), { storage: run.status?.storage }, template);

function build(subject: Subject, name: string, used: Used, template: WorkerTemplate) {
  const { namespace, uid } = subject.metadata;
  const { source, target, storage, identities } = used;
  const { pullPolicy, verify } = template;
  const server = used.server && serverContainer(used.server.engine, used.server.image, { pullPolicy, ...verify });
  // The installation's storage is for teams alone, whose URLs the API sealed: SQL of theirs runs in the server of a verification.
  const isTeams = server !== undefined && storage === undefined;
  const sealed = isTeams || [source?.sealedUrl, target?.sealedUrl, storage?.bucket?.sealedCredentials].some(Boolean);
  const mounts: WorkerJob["mounts"] = [];
  const more: object[] = [];
  if (storage?.volume) {
    mounts.push({ name: volumes.storage, mountPath: workerPaths.storage });
    more.push({ name: volumes.storage, persistentVolumeClaim: { claimName: storage.volume.claimName } });
  }
  const credentials = storage?.bucket?.secretRef;
  if (credentials) {
    mounts.push({ name: volumes.credentials, mountPath: workerPaths.credentials, readOnly: true });
    const needed = ["accessKeyId", "secretAccessKey"].map((key) => ({ key, path: key }));
    more.push(
      secretVolume(volumes.credentials, [
        { name: credentials.name, items: needed },
        { name: credentials.name, optional: true, items: [{ key: "sessionToken", path: "sessionToken" }] },
      ]),
    );
  }
  if (identities) {
    const { name: of, key } = identities.secretRef;
    mounts.push({ name: volumes.identities, mountPath: workerPaths.identities, readOnly: true });
    more.push(secretVolume(volumes.identities, [{ name: of, items: [{ key, path: "identities" }] }]));
  }
  const databases = [
    ...(source ? ([["source", source]] as const) : []),
    ...(target ? ([["target", target]] as const) : []),
  ];
  return workerJob(
    {
      name,
      owner: { kind: subject.kind, namespace, name: subject.metadata.name, uid },
      marks: { [labels.ownerUid]: uid },
      annotations: { [labels.owner]: `${subject.kind}/${subject.metadata.name}` },
      isGuarded: template.guardSecrets || sealed,
      isLimited: sealed || (server !== undefined && target === undefined),
      mounts: [...databases.flatMap(([side, ref]) => databaseMount(side, ref)), ...mounts],
      volumes: [
        ...databases.flatMap(([side, ref]) => databaseVolume(side, ref)),
        ...more,
        ...(server ? [server.volume] : []),
      ],
      server,
    },
    template,
  );
}

const secretVolume = (name: string, secrets: object[]): object => ({
  name,
  projected: { defaultMode: 0o440, sources: secrets.map((secret) => ({ secret })) },
});

/** The Secrets that its pod mounts, for the words of a mount that fails. */
export function secretsOf(subject: Subject, used: Used): NamedSecret[] {
  const { namespace } = subject.metadata;
  const isOfSchedule = subject.kind === "BackupRun" && subject.spec.schedule !== undefined;
  const of = isOfSchedule ? "the BackupSchedule's spec" : "spec";
  const elsewhere = isOfSchedule ? "the BackupSchedule" : `a new ${subject.kind}`;
  const databases = (["source", "target"] as const).flatMap((side) => {
    const ref = used[side]?.secretRef;
    return ref
      ? [{ ...{ namespace, elsewhere }, field: `${of}.${side}`, volume: side, ...ref, holds: "the connection URL" }]
      : [];
  });
  const bucket = used.storage?.bucket?.secretRef;
  const keys = used.identities?.secretRef;
  return [
    ...databases,
    ...(bucket
      ? [
          {
            ...{ namespace, elsewhere, field: `${of}.storage.bucket`, volume: volumes.credentials, name: bucket.name },
            ...{ key: "accessKeyId", holds: "the bucket's access key (and secretAccessKey)" },
          },
        ]
      : []),
    ...(keys
      ? [
          {
            ...{ namespace, elsewhere, field: "identities", volume: volumes.identities, ...keys },
            holds: "age private keys",
          },
        ]
      : []),
  ];
}
