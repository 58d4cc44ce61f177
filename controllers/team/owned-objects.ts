import { createHash } from "node:crypto";
import { installed } from "../../src/resources/crd/installed.ts";
import { apiVersion, group, labels } from "../../src/resources/group.ts";
import type { OwnerReference } from "../../src/resources/metadata.ts";
import type { KubeObject, NetworkPolicy, ResourceQuota, RoleBinding } from "../../src/resources/objects.ts";
import { namespaceOf, type Team } from "../../src/resources/team.ts";

/** What a Team has: a namespace that it owns, and in it a quota and the API's rights. */

export interface TeamSettings {
  /** `spec.hard` of the quota. */
  quota: Readonly<Record<string, string>>;
  /** `spec.egress` of the workers' network policy; without it there is none. */
  egress?: readonly object[] | undefined;
  /** Namespace of the installation, where the API's ServiceAccount is. */
  home: string;
}

/** Annotation of a quota: since when it lacks what the cluster cannot count yet (ISO time). */
export const uncountedSince = `${group}/left-out-since`;

const security = "pod-security.kubernetes.io";
const rbacGroup = "rbac.authorization.k8s.io";

export const teamLabels = (team: Team): Record<string, string> => ({
  "app.kubernetes.io/name": "rowferry",
  "app.kubernetes.io/managed-by": "rowferry",
  [labels.team]: team.metadata.name,
});

/** The namespace's; whatever runs there satisfies the restricted Pod Security Standard. */
export const namespaceLabelsOf = (team: Team): Record<string, string> => ({
  ...teamLabels(team),
  [`${security}/enforce`]: "restricted",
  [`${security}/audit`]: "restricted",
  [`${security}/warn`]: "restricted",
});

/** By it the namespace goes with the Team, and is known to be this Team's and not an earlier one's of the same name. */
const ownerOf = ({ metadata }: Team): OwnerReference => ({
  apiVersion,
  kind: "Team",
  name: metadata.name,
  uid: metadata.uid ?? "",
});

export const isOwned = (object: KubeObject, team: Team): boolean =>
  object.metadata.ownerReferences?.some((owner) => owner.kind === "Team" && owner.uid === team.metadata.uid) ?? false;

export const namespaceFor = (team: Team): KubeObject => ({
  metadata: {
    name: namespaceOf(team.metadata.name),
    labels: namespaceLabelsOf(team),
    ownerReferences: [ownerOf(team)],
  },
});

export const quotaFor = (team: Team, settings: TeamSettings): ResourceQuota => ({
  metadata: { name: installed.teamQuota, namespace: namespaceOf(team.metadata.name), labels: teamLabels(team) },
  spec: { hard: { ...settings.quota } },
});

export const bindingFor = (team: Team, settings: TeamSettings): RoleBinding => ({
  metadata: { name: installed.api, namespace: namespaceOf(team.metadata.name), labels: teamLabels(team) },
  roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: installed.teamRole },
  subjects: [{ kind: "ServiceAccount", name: installed.api, namespace: settings.home }],
});

/** Where workers may dial for URLs that came through the API: a second wall behind their own guard. Nobody dials them. */
export const policyFor = (team: Team, egress: readonly object[]): NetworkPolicy => ({
  metadata: { name: installed.teamPolicy, namespace: namespaceOf(team.metadata.name), labels: teamLabels(team) },
  spec: {
    podSelector: { matchLabels: { [labels.guarded]: "true" } },
    policyTypes: ["Ingress", "Egress"],
    egress: [...egress],
  },
});

/** A piece as it is cached: nothing but its names, and a mark that moves when something changes on which a pass decides. */
export interface TeamObject extends KubeObject {
  mark?: string;
}

/** What a quota counts changes with each pod, which wakes nobody. */
export function trimPiece(object: KubeObject): TeamObject {
  const { spec, status, roleRef, subjects } = object as Partial<ResourceQuota & RoleBinding>;
  const { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences, annotations } = object.metadata;
  const uncounted = Object.keys(status?.hard ?? {}).filter((one) => status?.used?.[one] === undefined);
  const parts = [
    object.metadata.labels,
    annotations?.[uncountedSince],
    deletionTimestamp,
    ownerReferences,
    spec,
    status?.hard !== undefined,
    uncounted,
    roleRef,
    subjects,
  ];
  const team = object.metadata.labels?.[labels.team];
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(team === undefined ? {} : { labels: { [labels.team]: team } }),
    },
    mark: createHash("sha256").update(JSON.stringify(parts)).digest("base64").slice(0, 12),
  };
}
