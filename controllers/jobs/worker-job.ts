import type { DatabaseRef } from "../../src/resources/database.ts";
import { apiVersion, labels } from "../../src/resources/group.ts";
import { audience, exitCodes, workerEnv, workerPaths } from "../../src/worker/protocol.ts";
import type { WorkerTemplate } from "./template.ts";

/** The Job of a worker: one pod, which gets its work from the operator. */

const containerName = "worker";

/** Names of the volumes; a pod's mount failures are told by them. */
export const volumeNames = { token: "token", source: "source", target: "target" } as const;

export interface WorkerJob {
  name: string;
  owner: { kind: string; namespace: string; name: string; uid: string };
  /** Labels of the Job and its pods, beside Rowferry's own. */
  marks: Record<string, string>;
  /** Annotations of both, and of the Job alone. */
  annotations: Record<string, string>;
  ofJob?: Record<string, string>;
  /** Labels of the Job alone by which Kueue queues it: it is made suspended, and Kueue lets it start. */
  kueue?: Record<string, string>;
  /** Seconds after which the run is ended; 0 or absent: by `isLimited` alone. */
  mostSeconds?: number | undefined;
  /** The guard holds for what its pod dials. */
  isGuarded: boolean;
  /** Its URLs came through the API, so that it may run only so long. */
  isLimited: boolean;
  mounts: { name: string; mountPath: string; readOnly?: boolean }[];
  volumes: object[];
  /** A server beside the worker, and its URL. */
  server?: { container: object; url: string } | undefined;
}

/** Secrets mounted as a database's location. */
export function databaseVolume(name: "source" | "target", ref: DatabaseRef): object[] {
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

export const databaseMount = (name: "source" | "target", ref: DatabaseRef): WorkerJob["mounts"] =>
  ref.secretRef ? [{ name: volumeNames[name], mountPath: workerPaths[name], readOnly: true }] : [];

/** A copy that is moved begins its tables anew: autoscalers leave its node alone until it has ended. */
const unmoved = {
  "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
  "karpenter.sh/do-not-disrupt": "true",
};

/**
 * It holds no secret: URLs are mounted from the Secrets that its owner names, or given to the worker by the operator.
 * Its pods satisfy the restricted Pod Security Standard and have no Kubernetes credential.
 */
export function workerJob(job: WorkerJob, template: WorkerTemplate) {
  const { name, namespace, uid, kind } = job.owner;
  const { annotations } = job;
  const { labels: moreLabels, annotations: moreAnnotations, priorityClassName, ...place } = template.placement;
  const bounds = [job.isLimited ? template.mostRunSeconds : 0, job.mostSeconds ?? 0].filter((bound) => bound > 0);
  const deadline = Math.min(...bounds);
  const marks = {
    "app.kubernetes.io/name": "rowferry",
    "app.kubernetes.io/component": "worker",
    "app.kubernetes.io/managed-by": "rowferry",
    ...job.marks,
    ...(job.isGuarded ? { [labels.guarded]: "true" } : {}),
  };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: job.name,
      namespace,
      labels: { ...job.kueue, ...marks },
      annotations: { ...annotations, ...job.ofJob },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    },
    spec: {
      backoffLimit: template.backoffLimit,
      ttlSecondsAfterFinished: template.ttlSeconds,
      ...(job.kueue === undefined ? {} : { suspend: true }),
      ...(deadline === Number.POSITIVE_INFINITY ? {} : { activeDeadlineSeconds: deadline }),
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
        metadata: {
          labels: { ...moreLabels, ...marks },
          annotations: { ...unmoved, ...moreAnnotations, ...annotations },
        },
        spec: {
          restartPolicy: "Never",
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: template.graceSeconds,
          ...place,
          ...(priorityClassName ? { priorityClassName } : {}),
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
          ...(job.server ? { initContainers: [job.server.container] } : {}),
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
                ...(job.server ? [{ name: workerEnv.verifyUrl, value: job.server.url }] : []),
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
                ...job.mounts,
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
            ...job.volumes,
          ],
        },
      },
    },
  };
}
