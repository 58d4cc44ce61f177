/**
 * The rights that the operator needs, each of them used; a test holds the chart's roles to this list.
 * `cluster` becomes a ClusterRole (cluster-wide), `namespace` a Role in the installation's own namespace.
 * There is no right on Secrets outside the installation's namespace.
 */
export interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  resourceNames?: string[];
}

/** Names of the operator's own objects in its namespace; the chart uses the same. */
export const ownNames = {
  /** Lease of the leader. */
  lease: "rowferry-operator",
  /** Secret with CA, TLS key and sealing keys, made by the operator once. */
  keys: "rowferry-operator-keys",
  /** ConfigMap with the public sealing key and the CA's certificate. */
  publicKeys: "rowferry-public-keys",
  /** Service in front of the workers' endpoint. */
  service: "rowferry-operator",
} as const;

export const rules: { cluster: Rule[]; namespace: Rule[] } = {
  cluster: [
    { apiGroups: ["rowferry.dev"], resources: ["migrations"], verbs: ["get", "list", "watch"] },
    { apiGroups: ["rowferry.dev"], resources: ["migrations/status"], verbs: ["patch"] },
    { apiGroups: ["batch"], resources: ["jobs"], verbs: ["get", "list", "watch", "create", "delete"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
    // The reports of runs, made beside their Migrations and read back for a reset.
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create"] },
    // Why a pod does not start (FailedMount, FailedCreate) is told only by events.
    { apiGroups: [""], resources: ["events"], verbs: ["list"] },
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
    { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  ],
  namespace: [
    // A create cannot be limited by name.
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
    {
      apiGroups: ["coordination.k8s.io"],
      resources: ["leases"],
      verbs: ["get", "update"],
      resourceNames: [ownNames.lease],
    },
    { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
    { apiGroups: [""], resources: ["secrets"], verbs: ["get", "update"], resourceNames: [ownNames.keys] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["update"], resourceNames: [ownNames.publicKeys] },
  ],
};
