import type { Account } from "./account.ts";
import type { AccountLog } from "./account-log.ts";
import type { Restore } from "./backup/restore.ts";
import type { BackupRun } from "./backup/run.ts";
import type { BackupSchedule } from "./backup/schedule.ts";
import { group, version } from "./group.ts";
import type { Metadata } from "./metadata.ts";
import type { Migration } from "./migration.ts";
import type { Team } from "./team.ts";
import type { ApiToken } from "./token.ts";

/** The shapes of Kubernetes' objects, as far as Rowferry reads or writes them: plain JSON, times as text. */

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: Metadata;
}

export interface KubeCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export interface Job extends KubeObject {
  spec?: Record<string, unknown>;
  status?: {
    active?: number;
    ready?: number;
    terminating?: number;
    failed?: number;
    succeeded?: number;
    conditions?: KubeCondition[];
  };
}

export interface ContainerStatus {
  name: string;
  image?: string;
  restartCount?: number;
  state?: {
    waiting?: { reason?: string; message?: string };
    running?: { startedAt?: string };
    terminated?: { exitCode: number; reason?: string; message?: string; finishedAt?: string };
  };
}

export interface Pod extends KubeObject {
  spec?: { nodeName?: string };
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    conditions?: KubeCondition[];
    containerStatuses?: ContainerStatus[];
  };
}

/** A core/v1 Event, as other components write them. */
export interface SeenEvent extends KubeObject {
  reason?: string;
  message?: string;
  type?: string;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  series?: { lastObservedTime?: string };
  involvedObject?: { kind?: string; name?: string; uid?: string };
}

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
}

export interface Secret extends KubeObject {
  type?: string;
  data?: Record<string, string>;
}

export interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

export interface ResourceQuota extends KubeObject {
  spec?: { hard?: Record<string, string> };
  /** What the cluster counts, and how much of it there is; written by Kubernetes. */
  status?: { hard?: Record<string, string>; used?: Record<string, string> };
}

export interface RoleBinding extends KubeObject {
  roleRef: { apiGroup: string; kind: string; name: string };
  subjects?: { kind: string; name: string; namespace?: string }[];
}

export interface NetworkPolicy extends KubeObject {
  spec?: { podSelector: object; policyTypes?: string[]; ingress?: object[]; egress?: object[] };
}

export interface TokenReview extends KubeObject {
  spec: { token: string; audiences: string[] };
  status?: {
    authenticated?: boolean;
    audiences?: string[];
    error?: string;
    user?: { username?: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> };
  };
}

/** Where a kind lives. `T` is its shape. */
export interface Kind<T extends KubeObject> {
  apiVersion: string;
  kind: string;
  plural: string;
  readonly shape?: T;
}

const kind = <T extends KubeObject>(apiVersion: string, name: string, plural: string): Kind<T> =>
  Object.freeze({ apiVersion, kind: name, plural });

export const kinds = {
  migrations: kind<Migration>(`${group}/${version}`, "Migration", "migrations"),
  backupSchedules: kind<BackupSchedule>(`${group}/${version}`, "BackupSchedule", "backupschedules"),
  backupRuns: kind<BackupRun>(`${group}/${version}`, "BackupRun", "backupruns"),
  restores: kind<Restore>(`${group}/${version}`, "Restore", "restores"),
  teams: kind<Team>(`${group}/${version}`, "Team", "teams"),
  accounts: kind<Account>(`${group}/${version}`, "Account", "accounts"),
  accountLogs: kind<AccountLog>(`${group}/${version}`, "AccountLog", "accountlogs"),
  tokens: kind<ApiToken>(`${group}/${version}`, "ApiToken", "apitokens"),
  jobs: kind<Job>("batch/v1", "Job", "jobs"),
  pods: kind<Pod>("v1", "Pod", "pods"),
  configMaps: kind<ConfigMap>("v1", "ConfigMap", "configmaps"),
  secrets: kind<Secret>("v1", "Secret", "secrets"),
  seenEvents: kind<SeenEvent>("v1", "Event", "events"),
  events: kind<KubeObject>("events.k8s.io/v1", "Event", "events"),
  namespaces: kind<KubeObject>("v1", "Namespace", "namespaces"),
  quotas: kind<ResourceQuota>("v1", "ResourceQuota", "resourcequotas"),
  roleBindings: kind<RoleBinding>("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings"),
  networkPolicies: kind<NetworkPolicy>("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies"),
  leases: kind<Lease>("coordination.k8s.io/v1", "Lease", "leases"),
  tokenReviews: kind<TokenReview>("authentication.k8s.io/v1", "TokenReview", "tokenreviews"),
};

/** Path of a collection, or of one object in it, or of its subresource; of a cluster-wide kind the namespace is empty. */
export function pathOf(of: Kind<KubeObject>, namespace?: string, name?: string, subresource?: string): string {
  const root = of.apiVersion.includes("/") ? `/apis/${of.apiVersion}` : `/api/${of.apiVersion}`;
  const parts = [root];
  if (namespace) parts.push("namespaces", encodeURIComponent(namespace));
  parts.push(of.plural);
  if (name !== undefined) parts.push(encodeURIComponent(name));
  if (subresource !== undefined) parts.push(subresource);
  return parts.join("/");
}
