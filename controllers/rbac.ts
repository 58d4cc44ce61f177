import { installed, passwordShards, passwordsName } from "../src/resources/crd/installed.ts";

/**
 * The rights that operator and API need, each of them used; a test holds the chart's roles to these lists.
 * `cluster` becomes a ClusterRole (cluster-wide), `namespace` a Role in the installation's own namespace. With `watchNamespaces` of the
 * chart there is no ClusterRole: the operator has `migrationRules` by a Role in each of these namespaces, and `homeRules` in its own.
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
  lease: "rowferry-operator",
  /** Secret with CA, TLS key and sealing keys, made by the operator once. */
  keys: "rowferry-operator-keys",
  /** Secret with the keys that backups' age identities follow from. */
  backupKeys: "rowferry-backup-keys",
  /** ConfigMap with the public sealing key and the CA's certificate. */
  publicKeys: installed.publicKeys,
  /** Service in front of the workers' endpoint. */
  service: "rowferry-operator",
} as const;

const allPasswords = Array.from({ length: passwordShards }, (_, shard) => passwordsName(shard));
const rbacGroup = "rbac.authorization.k8s.io";
const kept = ["get", "list", "watch", "create", "update"];

/** What the operator does for Migrations, in each namespace in which it works; with `watchNamespaces` a Role there. */
export const migrationRules: Rule[] = [
  { apiGroups: ["rowferry.dev"], resources: ["migrations"], verbs: ["get", "list", "watch"] },
  // Of a spec only the sealed URLs are written: they are taken out some time after the end.
  { apiGroups: ["rowferry.dev"], resources: ["migrations", "migrations/status"], verbs: ["patch"] },
  // One that nobody paid for in time is removed, and one that ended and is not to be kept.
  { apiGroups: ["rowferry.dev"], resources: ["migrations"], verbs: ["delete"] },
  { apiGroups: ["batch"], resources: ["jobs"], verbs: ["get", "list", "watch", "create", "delete"] },
  // That of a worker whose node is lost is ended.
  { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch", "delete"] },
  { apiGroups: [""], resources: ["pods/status"], verbs: ["patch"] },
  // The reports of runs, made beside their Migrations, read back for a reset, and deleted when a later one stands.
  { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "delete"] },
  // Why a pod does not start (FailedMount, FailedCreate) is told only by events.
  { apiGroups: [""], resources: ["events"], verbs: ["list"] },
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];

/** With `watchNamespaces`, beside `rules.namespace` in the installation's own namespace, where `migrationRules` need not hold. */
export const homeRules: Rule[] = [
  { apiGroups: [""], resources: ["configmaps"], verbs: ["create"] },
  { apiGroups: [""], resources: ["configmaps"], verbs: ["get"], resourceNames: [ownNames.publicKeys] },
];

/** The operator's. */
export const rules: { cluster: Rule[]; namespace: Rule[] } = {
  cluster: [
    ...migrationRules,
    { apiGroups: ["rowferry.dev"], resources: ["teams"], verbs: ["get", "list", "watch"] },
    { apiGroups: ["rowferry.dev"], resources: ["teams/status"], verbs: ["patch"] },
    // The free first migration is bound to one that starts and used up by one that completes; the plan follows the subscription.
    { apiGroups: ["rowferry.dev"], resources: ["accounts"], verbs: ["get", "list", "watch", "update"] },
    { apiGroups: ["rowferry.dev"], resources: ["accounts/status"], verbs: ["patch"] },
    // A team's own: made, and fixed when somebody changes them. They go with the Team, whose the namespace is.
    { apiGroups: [""], resources: ["namespaces", "resourcequotas"], verbs: kept },
    { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: kept },
    { apiGroups: [rbacGroup], resources: ["rolebindings"], verbs: kept },
    // The only role that it may bind beside those whose rights it has itself.
    { apiGroups: [rbacGroup], resources: ["clusterroles"], verbs: ["bind"], resourceNames: [installed.teamRole] },
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
    // The Secrets of passwords are made, and never read.
    { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
    {
      apiGroups: [""],
      resources: ["secrets"],
      verbs: ["get", "update"],
      resourceNames: [ownNames.keys, installed.apiKeys, installed.apiTls, installed.proberTls],
    },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["update"], resourceNames: [ownNames.publicKeys] },
  ],
};

/** The operator's where the API is not installed: it keeps nothing for it. */
export const rulesWithoutApi: typeof rules = {
  cluster: rules.cluster.filter(({ verbs }) => !verbs.includes("bind")),
  namespace: rules.namespace.map((rule) =>
    rule.resources.includes("secrets") && rule.resourceNames !== undefined
      ? { ...rule, resourceNames: [ownNames.keys] }
      : rule,
  ),
};

/**
 * The API's. Migrations are written, and reports read, only in the teams' namespaces: there the operator binds `team`, a ClusterRole.
 * Certificates and keys are mounted into its pods; of Secrets it reads and replaces those of passwords alone.
 */
export const apiRules: { cluster: Rule[]; namespace: Rule[]; team: Rule[] } = {
  cluster: [
    { apiGroups: ["rowferry.dev"], resources: ["migrations"], verbs: ["get", "list", "watch"] },
    {
      apiGroups: ["rowferry.dev"],
      resources: ["teams"],
      verbs: ["get", "list", "watch", "create", "update"],
    },
    {
      apiGroups: ["rowferry.dev"],
      resources: ["accounts"],
      verbs: ["get", "list", "watch", "create", "update"],
    },
    // Read live: there is no cache of them.
    { apiGroups: ["rowferry.dev"], resources: ["accountlogs"], verbs: ["get", "create", "update"] },
    {
      apiGroups: ["rowferry.dev"],
      resources: ["apitokens"],
      verbs: ["get", "list", "watch", "create", "delete"],
    },
    { apiGroups: ["rowferry.dev"], resources: ["apitokens/status"], verbs: ["patch"] },
  ],
  namespace: [
    { apiGroups: [""], resources: ["secrets"], verbs: ["get", "update"], resourceNames: allPasswords },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get"], resourceNames: [installed.publicKeys] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "update"], resourceNames: [installed.apiWrites] },
    // Its own, whose uid names the installation at Stripe.
    { apiGroups: [""], resources: ["namespaces"], verbs: ["get"] },
  ],
  team: [
    { apiGroups: ["rowferry.dev"], resources: ["migrations"], verbs: ["create", "update", "delete"] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] },
  ],
};

/** What operator and API need besides where the installation has backups. */
export const backupRules: { cluster: Rule[]; namespace: Rule[] } = {
  cluster: [
    // Runs are made by their schedules and deleted by retention; of specs, the number of verifications, finalizers, and expired URLs are written.
    {
      apiGroups: ["rowferry.dev"],
      resources: ["backupschedules", "backupruns", "restores"],
      verbs: ["get", "list", "watch", "patch"],
    },
    { apiGroups: ["rowferry.dev"], resources: ["backupruns", "restores"], verbs: ["create"] },
    { apiGroups: ["rowferry.dev"], resources: ["backupruns"], verbs: ["delete"] },
    {
      apiGroups: ["rowferry.dev"],
      resources: ["backupschedules/status", "backupruns/status", "restores/status"],
      verbs: ["patch"],
    },
  ],
  namespace: [
    { apiGroups: [""], resources: ["secrets"], verbs: ["get", "update"], resourceNames: [ownNames.backupKeys] },
  ],
};

export const apiBackupRules: { cluster: Rule[]; team: Rule[] } = {
  cluster: [
    // Read live: there is no cache of them.
    { apiGroups: ["rowferry.dev"], resources: ["backupschedules", "backupruns", "restores"], verbs: ["get", "list"] },
  ],
  team: [
    { apiGroups: ["rowferry.dev"], resources: ["backupschedules"], verbs: ["create", "update", "delete"] },
    // A run is created, and raised to be verified.
    { apiGroups: ["rowferry.dev"], resources: ["backupruns"], verbs: ["create", "update"] },
    // Of those that ended long ago, the oldest are deleted.
    { apiGroups: ["rowferry.dev"], resources: ["restores"], verbs: ["create", "delete"] },
  ],
};
