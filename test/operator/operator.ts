import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { apiBackupRules, apiRules, backupRules, type Rule, rules } from "../../controllers/rbac.ts";
import { requestToken } from "../../dev/cluster/processes/kubelet/token.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import { bundled } from "../bundle.ts";
import { type NodeProcess, startNode } from "../node-process.ts";
import { endpointUrl, installAdmission } from "./admission.ts";
import { applyObjects, hasAccount } from "./apply.ts";
import { type PlaneClient, until } from "./control-plane.ts";

/** The operator as a process of its own, with the rights of `controllers/rbac.ts` and nothing else. */

export const home = "rowferry-system";
export const account = "rowferry-operator";

interface Crd {
  spec: { group: string; names: { kind: string; plural: string }; versions: { name: string }[] };
}

export async function installCrds(plane: PlaneClient): Promise<void> {
  const folder = new URL("../../crds/", import.meta.url);
  const objects = readdirSync(folder).map((name) => parse(readFileSync(new URL(name, folder), "utf8")) as Crd);
  await applyObjects(plane, objects);
  for (const { spec } of objects)
    await until(`${spec.names.plural} to be served`, () => {
      const kind = { apiVersion: `${spec.group}/${spec.versions[0]?.name}`, ...spec.names };
      return plane.admin.client.list(kind, { limit: 1 }).then(() => true);
    });
}

const rbac = "rbac.authorization.k8s.io";

/** Makes an account in the installation's namespace with these rights; answers its kubeconfig. */
async function installRights(
  plane: PlaneClient,
  name: string,
  rights: { cluster: Rule[]; namespace: Rule[] },
  more: object[] = [],
): Promise<string> {
  const subjects = [{ kind: "ServiceAccount", name, namespace: home }];
  const objects = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: home } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: home } },
    { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules: rights.cluster },
    { apiVersion: `${rbac}/v1`, kind: "Role", metadata: { name, namespace: home }, rules: rights.namespace },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
      subjects,
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name, namespace: home },
      roleRef: { apiGroup: rbac, kind: "Role", name },
      subjects,
    },
    ...more,
  ];
  await applyObjects(plane, objects);
  const wanted = { namespace: home, account: name, audiences: [], expirationSeconds: 3 * 3600 };
  return plane.kubeconfigFor(name, await requestToken(plane.admin.connection, wanted));
}

/** The operator's namespace, account and rights, and the chart's admission policies with these values; answers the kubeconfig. */
export async function installAccount(plane: PlaneClient, { backups = false, values = {} } = {}): Promise<string> {
  const kubeconfig = await installRights(
    plane,
    account,
    backups
      ? {
          cluster: [...rules.cluster, ...backupRules.cluster],
          namespace: [...rules.namespace, ...backupRules.namespace],
        }
      : rules,
  );
  await installAdmission(plane, backups, values);
  return kubeconfig;
}

/** The API's account and rights, with the role that the operator binds in each team's namespace; answers the kubeconfig. */
export function installApiAccount(plane: PlaneClient, { backups = false } = {}): Promise<string> {
  const { namespace } = apiRules;
  const more = backups ? apiBackupRules : { cluster: [], team: [] };
  const team = [...apiRules.team, ...more.team];
  return installRights(plane, installed.api, { cluster: [...apiRules.cluster, ...more.cluster], namespace }, [
    { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name: installed.teamRole }, rules: team },
  ]);
}

export interface OperatorProcess extends NodeProcess {
  endpoint: string;
  leading(): boolean;
}

/** `built`: the folder of another bundle than the run's. */
export async function startOperator(
  plane: PlaneClient,
  kubeconfig: string,
  name: string,
  env: Record<string, string> = {},
  built?: string,
): Promise<OperatorProcess> {
  const started = await startNode({
    name: "the operator",
    file: `${built ?? (await bundled("operator"))}/operator.js`,
    cwd: plane.folder,
    env: {
      KUBECONFIG: kubeconfig,
      ROWFERRY_NAMESPACE: home,
      ROWFERRY_POD_NAME: name,
      ROWFERRY_WORKER_IMAGE: "rowferry.dev/app:test",
      ROWFERRY_WORKER_PULL_POLICY: "Never",
      ROWFERRY_ENDPOINT_URL: endpointUrl,
      ROWFERRY_ENDPOINT_PORT: "0",
      ROWFERRY_HEALTH_PORT: "0",
      ROWFERRY_LISTEN_HOST: "127.0.0.1",
      ROWFERRY_LEASE_SECONDS: "3",
      ...env,
    },
  });
  const { child, lines } = started;
  return {
    ...started,
    endpoint: `https://localhost:${started.started.endpointPort}`,
    leading: () =>
      child.exitCode === null &&
      child.signalCode === null &&
      lines.findLast((line) => line.msg === "leading" || line.msg === "not leading any more")?.msg === "leading",
  };
}

export async function makeNamespace(plane: PlaneClient, name: string): Promise<string> {
  await plane.admin.client.create(kinds.namespaces, { metadata: { name } });
  await until(`the account of ${name}`, () => hasAccount(plane, name));
  return name;
}

/** Makes a Migration between the Secrets `source` and `target`, which need not exist here: no kubelet looks. */
export async function makeMigration(
  plane: PlaneClient,
  namespace: string,
  name: string,
  spec: object = {},
): Promise<Migration> {
  return plane.admin.client.create(kinds.migrations, {
    metadata: { name, namespace },
    spec: { source: { secretRef: { name: "source" } }, target: { secretRef: { name: "target" } }, ...spec },
  } as unknown as Migration);
}

export const readMigration = async (plane: PlaneClient, { metadata }: Migration): Promise<Migration> => {
  const found = await plane.admin.client.get(kinds.migrations, metadata.namespace, metadata.name);
  if (!found) throw new Error(`no Migration ${metadata.name}`);
  return found;
};

export const patchSpec = (plane: PlaneClient, { metadata }: Migration, spec: object): Promise<Migration> =>
  plane.admin.client.mergePatch(kinds.migrations, metadata.namespace, metadata.name, { spec });

/** Waits for a Migration in which this holds. */
export const untilMigration = (
  plane: PlaneClient,
  migration: Migration,
  what: string,
  holds: (migration: Migration) => boolean,
  milliseconds = 20_000,
): Promise<Migration> => {
  let last: Migration | undefined;
  return until(
    what,
    async () => {
      last = await readMigration(plane, migration);
      return holds(last) ? last : undefined;
    },
    milliseconds,
  ).catch((error: unknown) => {
    throw new Error(`${what}: ${JSON.stringify(last?.status, null, 1)}`, { cause: error });
  });
};

export const condition = (migration: Migration, type: string) =>
  migration.status?.conditions?.find((candidate) => candidate.type === type);
