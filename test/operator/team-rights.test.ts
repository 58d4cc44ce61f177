import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, type Connection, connect, createClient } from "../../src/cluster/index.ts";
import { installed, passwordsName } from "../../src/resources/crd/installed.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { type KubeObject, kinds } from "../../src/resources/objects.ts";
import { type PlaneClient, until } from "./control-plane.ts";
import {
  home,
  installAccount,
  installApiAccount,
  makeNamespace,
  type OperatorProcess,
  startOperator,
} from "./operator.ts";
import { borrowControlPlane } from "./shared.ts";

/** What the API's account may do, tried with its own token, and what the operator may give. */

const name = "6f6d8f6a-0000-4000-8000-000000000001";
let plane: PlaneClient;
let kubeconfig: string;
let operator: OperatorProcess;
let api: { connection: Connection; client: Client };

const migration = (namespace: string, called: string) =>
  ({
    metadata: { name: called, namespace },
    spec: { source: { sealedUrl: "v1.a" }, target: { sealedUrl: "v1.b" } },
  }) as Migration;

beforeAll(async () => {
  plane = borrowControlPlane();
  const connection = connect({ kubeconfig: await installApiAccount(plane) });
  api = { connection, client: createClient(connection) };
  kubeconfig = await installAccount(plane);
  operator = await startOperator(plane, kubeconfig, "operator");
  await api.client.create(kinds.teams, {
    metadata: { name: "shop" },
    spec: { title: "Shop", members: [{ account: "a1", role: "owner" }] },
  });
  await until("the team's namespace", async () => (await api.client.get(kinds.teams, "", "shop"))?.status?.namespace);
  await api.client.create(kinds.migrations, migration("rowferry-shop", name));
  await plane.kubectl(["create", "secret", "generic", "theirs", "-n", "rowferry-shop", "--from-literal=url=x"]);
  await plane.kubectl(["create", "configmap", "report", "-n", "rowferry-shop"]);
  await makeNamespace(plane, "elsewhere");
  await plane.kubectl(["create", "configmap", "theirs", "-n", "elsewhere"]);
  await plane.admin.client.create(kinds.migrations, migration("elsewhere", "theirs"));
});
afterAll(async () => {
  await operator?.stop("SIGKILL");
  api?.connection.close();
  await plane?.stop();
});

describe("the API's own account", () => {
  const namesOf = (objects: readonly (KubeObject | undefined)[]) => objects.map((object) => object?.metadata.name);
  test.each<[what: string, act: (client: Client) => Promise<unknown>, result: unknown]>([
    [
      "reads Migrations everywhere",
      async (client) => namesOf(await client.list(kinds.migrations, {})),
      expect.arrayContaining([name, "theirs"]),
    ],
    [
      "reads a report in a team's namespace",
      async (client) => namesOf([await client.get(kinds.configMaps, "rowferry-shop", "report")]),
      ["report"],
    ],
    [
      "reads the public key",
      async (client) => namesOf([await client.get(kinds.configMaps, home, installed.publicKeys)]),
      [installed.publicKeys],
    ],
    [
      "raises the note of what it wrote",
      async (client) => {
        const found = await client.get(kinds.configMaps, home, installed.apiWrites);
        if (!found) throw new Error("no such ConfigMap");
        return (await client.update(kinds.configMaps, { ...found, data: { teams: "1" } })).data;
      },
      { teams: "1" },
    ],
    [
      "changes a Migration in a team's namespace",
      async (client) => {
        const found = await client.get(kinds.migrations, "rowferry-shop", name);
        if (!found) throw new Error("no such Migration");
        const metadata = { ...found.metadata, annotations: { a: "b" } };
        return (await client.update(kinds.migrations, { ...found, metadata })).metadata.annotations;
      },
      { a: "b" },
    ],
    [
      "reads and replaces a Secret of passwords",
      async (client) => {
        const secret = await client.get(kinds.secrets, home, passwordsName(63));
        if (!secret) throw new Error("no such Secret");
        return (await client.update(kinds.secrets, { ...secret, data: { a1: "eA==" } })).data;
      },
      { a1: "eA==" },
    ],
    [
      "makes an API token of any account",
      async (client) => {
        const spec = { account: "a1", hash: "0".repeat(64), title: "eve" };
        return (await client.create(kinds.tokens, { metadata: { name: "7" }, spec } as never)).metadata.name;
      },
      "7",
    ],
    [
      "deletes a Migration in a team's namespace",
      async (client) => {
        const found = await client.get(kinds.migrations, "rowferry-shop", name);
        await client.remove(kinds.migrations, "rowferry-shop", name, found?.metadata.uid ?? "");
        return plane.admin.client.get(kinds.migrations, "rowferry-shop", name);
      },
      undefined,
    ],
  ])("%s", async (_what, act, result) => {
    expect(await act(api.client)).toEqual(result);
  });

  const theirs = migration("elsewhere", "theirs");
  test.each<[string, (client: Client) => Promise<unknown>]>([
    ["a Secret in a team's namespace", (client) => client.get(kinds.secrets, "rowferry-shop", "theirs")],
    ["all Secrets", (client) => client.list(kinds.secrets, {})],
    ["the installation's Secrets", (client) => client.list(kinds.secrets, { namespace: home })],
    ["the operator's keys", (client) => client.get(kinds.secrets, home, "rowferry-operator-keys")],
    ["its own secret, which is mounted", (client) => client.get(kinds.secrets, home, installed.apiKeys)],
    ["its own certificate, which is mounted", (client) => client.get(kinds.secrets, home, installed.apiTls)],
    ["a ConfigMap outside the teams", (client) => client.get(kinds.configMaps, "elsewhere", "theirs")],
    [
      "the public key, replacing it",
      async (client) => {
        const found = await client.get(kinds.configMaps, home, installed.publicKeys);
        await client.update(kinds.configMaps, { ...found, metadata: { name: installed.publicKeys, namespace: home } });
      },
    ],
    [
      "a Migration outside the teams, making it",
      (client) => client.create(kinds.migrations, { ...theirs, metadata: { ...theirs.metadata, name: "new" } }),
    ],
    [
      "a Migration outside the teams, changing it",
      (client) => client.mergePatch(kinds.migrations, "elsewhere", "theirs", { spec: { attempt: 2 } }),
    ],
    [
      "a Migration's status",
      (client) =>
        client.applyStatus(
          kinds.migrations,
          { metadata: { name, namespace: "rowferry-shop" }, status: { state: "completed" } },
          "eve",
        ),
    ],
    [
      "a Team's status",
      (client) =>
        client.applyStatus(
          kinds.teams,
          { metadata: { name: "shop", namespace: "" }, status: { namespace: "default" } },
          "eve",
        ),
    ],
    ["an Account, deleting it", (client) => client.remove(kinds.accounts, "", "a1", "")],
    ["a Job", (client) => client.list(kinds.jobs, { namespace: "rowferry-shop" })],
    ["pods", (client) => client.list(kinds.pods, { namespace: "rowferry-shop" })],
    ["a quota", (client) => client.get(kinds.quotas, "rowferry-shop", installed.teamQuota)],
    ["rights", (client) => client.get(kinds.roleBindings, "rowferry-shop", installed.api)],
    ["a namespace", (client) => client.create(kinds.namespaces, { metadata: { name: "rowferry-eve" } })],
  ])("is refused %s", async (_what, act) => {
    await expect(act(api.client)).rejects.toMatchObject({ code: "Forbidden" });
  });
});

test("the operator may bind the API's role and no other", async () => {
  await plane.kubectl(["create", "clusterrole", "reader", "--verb=get", "--resource=secrets"]);
  const connection = connect({ kubeconfig });
  const bind = (role: string) =>
    createClient(connection).create(kinds.roleBindings, {
      metadata: { name: `to-${role}`, namespace: "elsewhere" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      subjects: [{ kind: "ServiceAccount", name: "rowferry-operator", namespace: home }],
    });
  await expect(bind("cluster-admin")).rejects.toMatchObject({ code: "Forbidden" });
  await expect(bind("reader")).rejects.toMatchObject({ code: "Forbidden" });
  connection.close();
});
