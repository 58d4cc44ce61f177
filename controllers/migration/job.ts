import { createHash } from "node:crypto";
import type { DatabaseRef } from "../../src/resources/database.ts";
import { apiVersion, labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { audience, exitCodes, workerEnv, workerPaths } from "../../src/worker/protocol.ts";
import { jobName } from "./names.ts";

/** What every worker's pod has, from the operator's settings. */
export interface WorkerTemplate {
  image: string;
  pullPolicy: "Always" | "IfNotPresent" | "Never";
  pullSecrets: readonly string[];
  command: readonly string[];
  /** The image's numeric user; the group is the same number. */
  uid: number;
  resources: { requests?: Record<string, string> | undefined; limits?: Record<string, string> | undefined };
  /** Quantity: most that the pod may keep in /tmp. */
  tmpSize: string;
  /** The guard holds for URLs from Secrets too. */
  guardSecrets: boolean;
  graceSeconds: number;
  tokenSeconds: number;
  backoffLimit: number;
  ttlSeconds: number;
  /** Seconds that a run may take whose URLs came through the API, waiting for a node included; 0: any. */
  mostRunSeconds: number;
  /** Base URL of the workers' endpoint, and the PEM of its CA. */
  endpointUrl: string;
  ca: string;
}

export const containerName = "worker";

/** Annotation with the Migration's name, which may be too long for a label. */
const migrationAnnotation = labels.migration;

/** Annotation with a hash of what a Job was made from: source, target and options. */
export const specHashAnnotation = `${labels.migration}-spec`;

export function specHash({ spec }: Migration): string {
  const part = (ref: DatabaseRef) => [ref.secretRef?.name, ref.secretRef?.key, ref.sealedUrl];
  const options = Object.entries(spec.options ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([part(spec.source), part(spec.target), options]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Names of the volumes; a pod's mount failures are told by them. */
export const volumeNames = { token: "token", source: "source", target: "target" } as const;

function secretVolume(name: "source" | "target", ref: DatabaseRef): object[] {
  if (!ref.secretRef) return [];
  const secret = ref.secretRef.name;
  return [
    {
      name: volumeNames[name],
      projected: {
        defaultMode: 0o440,
        sources: [
          // Required: the kubelet does not start the pod before the Secret and its key are there.
          { secret: { name: secret, items: [{ key: ref.secretRef.key, path: "url" }] } },
          { secret: { name: secret, optional: true, items: [{ key: "ca.crt", path: "ca.crt" }] } },
        ],
      },
    },
  ];
}

const mount = (name: "source" | "target", ref: DatabaseRef): object[] =>
  ref.secretRef ? [{ name: volumeNames[name], mountPath: workerPaths[name], readOnly: true }] : [];

/**
 * The Job of one run. It holds no secret: URLs are mounted from the Secrets that the Migration names, or given to the
 * worker by the operator. Its pods satisfy the restricted Pod Security Standard and have no Kubernetes credential.
 */
export function buildJob(migration: Migration, run: number, template: WorkerTemplate) {
  const { name, namespace, uid } = migration.metadata;
  const { source, target } = migration.spec;
  const sealed = source.sealedUrl !== undefined || target.sealedUrl !== undefined;
  const guarded = template.guardSecrets || sealed;
  const marks = {
    "app.kubernetes.io/name": "rowferry",
    "app.kubernetes.io/component": "worker",
    "app.kubernetes.io/managed-by": "rowferry",
    [labels.migrationUid]: uid,
    [labels.run]: String(run),
    ...(guarded ? { [labels.guarded]: "true" } : {}),
  };
  const annotations = { [migrationAnnotation]: name };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobName(name, run),
      namespace,
      labels: marks,
      annotations: { ...annotations, [specHashAnnotation]: specHash(migration) },
      ownerReferences: [{ apiVersion, kind: "Migration", name, uid, controller: true }],
    },
    spec: {
      backoffLimit: template.backoffLimit,
      ttlSecondsAfterFinished: template.ttlSeconds,
      ...(sealed && template.mostRunSeconds > 0 ? { activeDeadlineSeconds: template.mostRunSeconds } : {}),
      completions: 1,
      parallelism: 1,
      podReplacementPolicy: "Failed",
      podFailurePolicy: {
        rules: [
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
          {
            action: "FailJob",
            onExitCodes: { containerName, operator: "In", values: [exitCodes.failed] },
          },
          { action: "Ignore", onExitCodes: { containerName, operator: "In", values: [exitCodes.superseded] } },
        ],
      },
      template: {
        metadata: { labels: marks, annotations },
        spec: {
          restartPolicy: "Never",
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: template.graceSeconds,
          ...(template.pullSecrets.length > 0
            ? { imagePullSecrets: template.pullSecrets.map((name) => ({ name })) }
            : {}),
          securityContext: {
            runAsNonRoot: true,
            runAsUser: template.uid,
            runAsGroup: template.uid,
            fsGroup: template.uid,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [
            {
              name: containerName,
              image: template.image,
              imagePullPolicy: template.pullPolicy,
              command: [...template.command],
              env: [
                { name: workerEnv.url, value: template.endpointUrl },
                { name: workerEnv.ca, value: template.ca },
                { name: workerEnv.tokenFile, value: `${workerPaths.token}/token` },
              ],
              resources: template.resources,
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ["ALL"] },
              },
              volumeMounts: [
                { name: "tmp", mountPath: "/tmp" },
                { name: volumeNames.token, mountPath: workerPaths.token, readOnly: true },
                ...mount("source", source),
                ...mount("target", target),
              ],
            },
          ],
          volumes: [
            { name: "tmp", emptyDir: { sizeLimit: template.tmpSize } },
            {
              name: volumeNames.token,
              projected: {
                defaultMode: 0o440,
                sources: [
                  { serviceAccountToken: { audience, expirationSeconds: template.tokenSeconds, path: "token" } },
                ],
              },
            },
            ...secretVolume("source", source),
            ...secretVolume("target", target),
          ],
        },
      },
    },
  };
}
