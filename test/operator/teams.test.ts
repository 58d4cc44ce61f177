import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alreadyExists, type Client, type Connection, connect, createClient } from "../../src/cluster/index.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import { labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { type KubeObject, kinds } from "../../src/resources/objects.ts";
import { namespaceOf, type Team } from "../../src/resources/team.ts";
import { find, render } from "../chart/tools.ts";
import { type ControlPlane, startControlPlane, until } from "./control-plane.ts";
import { podEnds, untilPod } from "./kubelet.ts";
import {
  home,
  installAccount,
  installApiAccount,
  installCrds,
  makeNamespace,
  type OperatorProcess,
  startOperator,
} from "./operator.ts";

/** Teams become namespaces with a quota and the API's rights, and nothing of somebody else's is touched. */

let plane: ControlPlane;
let kubeconfig: string;
let api: { connection: Connection; client: Client };
/** As the chart gives it to the operator. */
let egress: string;
const all: OperatorProcess[] = [];
interface Pod {
  template: { spec: { containers: { env: { name: string; value?: string }[] }[] } };
}

const begin = async (name: string) => {
  all.push(await startOperator(plane, kubeconfig, name, { ROWFERRY_TEAM_EGRESS: egress }));
};

beforeAll(async () => {
  plane = await startControlPlane({
    controllers:
      "serviceaccount-controller,garbage-collector-controller,namespace-controller,resourcequota-controller,job-controller",
    // Kubernetes' garbage collector learns of a new kind only after half a minute or more.
    later: true,
  });
  await installCrds(plane);
  plane.startControllers();
  const connection = connect({ kubeconfig: await installApiAccount(plane) });
  api = { connection, client: createClient(connection) };
  kubeconfig = await installAccount(plane);
  const { spec } = find<{ spec: Pod }>(await render({ guard: { allow: ["10.20.0.0/16"] } }), "Deployment");
  egress = spec.template.spec.containers[0]?.env.find(({ name }) => name === "ROWFERRY_TEAM_EGRESS")?.value ?? "";
  await begin("first");
  await until("first to lead", () => all[0]?.leading());
});
afterAll(async () => {
  await Promise.all(all.map((one) => one.stop("SIGKILL")));
  api?.connection.close();
  await plane?.stop();
});

const makeTeam = (name: string, title = name): Promise<Team> =>
  plane.admin.client.create(kinds.teams, {
    metadata: { name },
    spec: { title, members: [{ account: "a1", role: "owner" }] },
  });

const readyOf = (team: Team | undefined) => team?.status?.conditions?.find(({ type }) => type === "Ready");
const untilReady = (name: string, reason = "Ready", milliseconds = 30_000): Promise<Team> => {
  let last: Team | undefined;
  const look = async () => {
    last = await plane.admin.client.get(kinds.teams, "", name);
    return readyOf(last)?.reason === reason ? last : undefined;
  };
  return until(`the Team ${name} to be ${reason}`, look, milliseconds).catch((error: unknown) => {
    throw new Error(`${name}: ${JSON.stringify(last?.status)}`, { cause: error });
  });
};
const namespace = (name: string) => plane.admin.client.get(kinds.namespaces, "", namespaceOf(name));
const quota = (name: string) => plane.admin.client.get(kinds.quotas, namespaceOf(name), installed.teamQuota);
const policy = (name: string) => plane.admin.client.get(kinds.networkPolicies, namespaceOf(name), installed.teamPolicy);
const binding = (name: string) => plane.admin.client.get(kinds.roleBindings, namespaceOf(name), installed.api);
const migration = (where: string, name: string) => ({
  metadata: { name, namespace: where },
  spec: { source: { sealedUrl: "v1.a" }, target: { sealedUrl: "v1.b" } },
});

test("a Team is given a namespace of its own, restricted, with a quota and the API's rights", async () => {
  await makeTeam("shop");
  const team = await untilReady("shop");
  expect(team.status?.namespace).toBe("rowferry-shop");
  expect((await namespace("shop"))?.metadata).toMatchObject({
    labels: { [labels.team]: "shop", "pod-security.kubernetes.io/enforce": "restricted" },
    ownerReferences: [{ kind: "Team", name: "shop", uid: team.metadata.uid }],
  });
  expect(await binding("shop")).toMatchObject({
    roleRef: { kind: "ClusterRole", name: installed.teamRole },
    subjects: [{ kind: "ServiceAccount", name: installed.api, namespace: home }],
  });
  expect((await quota("shop"))?.spec?.hard).toMatchObject({ pods: "50" });
  expect((await policy("shop"))?.spec).toEqual({
    podSelector: { matchLabels: { [labels.guarded]: "true" } },
    policyTypes: ["Ingress", "Egress"],
    egress: JSON.parse(egress),
  });
  expect(egress).toContain('"10.20.0.0/16"');
  expect(egress).toContain('"169.254.0.0/16"');
});

test("a Migration that the API makes there, named by a UUID, gets its Job, whose pod the namespace admits", async () => {
  const name = "6f6d8f6a-0000-4000-8000-000000000001";
  await api.client.create(kinds.migrations, migration("rowferry-shop", name) as Migration);
  const labelSelector = `batch.kubernetes.io/job-name=${name}-1`;
  const [pod] = await until("the worker's pod", async () => {
    const pods = await plane.admin.client.list(kinds.pods, { namespace: "rowferry-shop", labelSelector });
    return pods.length > 0 && pods;
  });
  expect(pod?.metadata.annotations?.[labels.migration]).toBe(name);
  expect(pod?.metadata.labels?.[labels.guarded], "so that the network policy holds for it").toBe("true");
});

describe("what is changed by hand is made right again", () => {
  test.each<[string, string[], () => Promise<unknown>]>([
    [
      "rights that were deleted",
      ["delete", "rolebinding", installed.api, "-n", "rowferry-shop"],
      () => binding("shop"),
    ],
    ["a quota that was deleted", ["delete", "quota", installed.teamQuota, "-n", "rowferry-shop"], () => quota("shop")],
    [
      "a network policy that was deleted",
      ["delete", "networkpolicy", installed.teamPolicy, "-n", "rowferry-shop"],
      () => policy("shop"),
    ],
    [
      "a network policy that was opened",
      [
        "patch",
        "networkpolicy",
        installed.teamPolicy,
        "-n",
        "rowferry-shop",
        "--type=merge",
        '-p={"spec":{"egress":[{}]}}',
      ],
      async () => ((await policy("shop"))?.spec?.egress?.length ?? 0) > 1,
    ],
    [
      "a quota that was raised",
      [
        "patch",
        "quota",
        installed.teamQuota,
        "-n",
        "rowferry-shop",
        "--type=merge",
        '-p={"spec":{"hard":{"pods":"9k"}}}',
      ],
      async () => (await quota("shop"))?.spec?.hard?.pods === "50",
    ],
    [
      "a subject that was added to the rights",
      [
        "patch",
        "rolebinding",
        installed.api,
        "-n",
        "rowferry-shop",
        "--type=json",
        '-p=[{"op":"add","path":"/subjects/-","value":{"kind":"User","name":"eve","apiGroup":"rbac.authorization.k8s.io"}}]',
      ],
      async () => (await binding("shop"))?.subjects?.length === 1,
    ],
    [
      "a namespace that was made privileged",
      ["label", "--overwrite", "namespace", "rowferry-shop", "pod-security.kubernetes.io/enforce=privileged"],
      async () => (await namespace("shop"))?.metadata.labels?.["pod-security.kubernetes.io/enforce"] === "restricted",
    ],
    [
      "a namespace whose team's label was taken off",
      ["label", "namespace", "rowferry-shop", `${labels.team}-`],
      async () => (await namespace("shop"))?.metadata.labels?.[labels.team] === "shop",
    ],
  ])("%s", async (what, args, right) => {
    const { code, err } = await plane.kubectl(args);
    expect(err).toBe("");
    expect(code).toBe(0);
    await until(what, async () => (await right()) !== undefined && (await right()) !== false);
    await untilReady("shop");
  });

  test("a namespace that was deleted, once it is gone", async () => {
    await makeTeam("gone");
    await untilReady("gone");
    const before = await namespace("gone");
    expect((await plane.kubectl(["delete", "namespace", "rowferry-gone", "--wait=false"])).code).toBe(0);
    await until("another namespace", async () => {
      const uid = (await namespace("gone"))?.metadata.uid;
      return uid !== undefined && uid !== before?.metadata.uid;
    });
    await untilReady("gone");
  });
});

describe("a namespace of somebody else is never touched", () => {
  const untouched = async (name: string, before: KubeObject | undefined) => {
    expect(await namespace(name)).toEqual(before);
    expect(await quota(name)).toBeUndefined();
    expect((await binding(name))?.roleRef.name).not.toBe(installed.teamRole);
  };

  test("one that was there before the Team, which says so, and starts when it is gone", async () => {
    await makeNamespace(plane, "rowferry-taken");
    const before = await namespace("taken");
    const team = await makeTeam("taken");
    const refused = await untilReady("taken", "NamespaceTaken");
    expect(refused.status?.namespace).toBeUndefined();
    expect(readyOf(refused)?.message).toContain("delete it, or make a Team of another name");
    await untouched("taken", before);
    const events = await plane.kubectl(["events", "-n", "default", "--for", "team/taken"]);
    expect(events.out).toContain("NamespaceTaken");

    await plane.admin.client.remove(kinds.teams, "", "taken", team.metadata.uid ?? "");
    await until("the Team to be gone", async () => !(await plane.admin.client.get(kinds.teams, "", "taken")));
    await makeTeam("taken", "another");
    await untilReady("taken", "NamespaceTaken");
    await untouched("taken", before);
    expect((await plane.kubectl(["delete", "namespace", "rowferry-taken"])).code).toBe(0);
    await untilReady("taken");
  });

  test("one that only bears the label of a Team", async () => {
    await makeNamespace(plane, "rowferry-forged");
    await plane.kubectl(["label", "namespace", "rowferry-forged", `${labels.team}=forged`]);
    const before = await namespace("forged");
    await makeTeam("forged");
    await untilReady("forged", "NamespaceTaken");
    await untouched("forged", before);
  });

  test("the installation's own, by a Team called system", async () => {
    const before = await namespace("system");
    await makeTeam("system");
    await untilReady("system", "NamespaceTaken");
    await untouched("system", before);
  });

  test("rights that somebody bound under our name to another role are not replaced, and the Team says so", async () => {
    const { client } = plane.admin;
    await makeTeam("bound");
    await untilReady("bound");
    await plane.kubectl(["delete", "rolebinding", installed.api, "-n", "rowferry-bound"]);
    await until("the rights to be made again", () => binding("bound"));
    // The operator makes its own at once: the foreign one must come between. (kubectl replace --force waits until none is there.)
    await until("the foreign one to be made first", async () => {
      const own = await binding("bound");
      if (own !== undefined)
        await client.remove(kinds.roleBindings, "rowferry-bound", installed.api, own.metadata.uid ?? "");
      const foreign = {
        metadata: { name: installed.api, namespace: "rowferry-bound", labels: { [labels.team]: "bound" } },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
        subjects: [],
      };
      return client.create(kinds.roleBindings, foreign).catch((error: unknown) => {
        if (alreadyExists(error)) return undefined;
        throw error;
      });
    });
    await untilReady("bound", "RightsTaken");
    expect((await plane.kubectl(["delete", "rolebinding", installed.api, "-n", "rowferry-bound"])).code).toBe(0);
    await until("the right one", async () => (await binding("bound"))?.roleRef.name === installed.teamRole);
    await untilReady("bound");
  });
});

test("a Team that is deleted takes its namespace and Migrations along, and one made anew gets another", async () => {
  const team = await makeTeam("brief");
  await untilReady("brief");
  const before = await namespace("brief");
  const old = await plane.admin.client.create(kinds.migrations, migration("rowferry-brief", "old") as Migration);
  // Kubernetes waits for a pod's end, and there is no kubelet here that would say it.
  await podEnds(plane, await untilPod(plane, old, 1), 2);
  await plane.admin.client.remove(kinds.teams, "", "brief", team.metadata.uid ?? "");
  await until("the Team to be gone", async () => !(await plane.admin.client.get(kinds.teams, "", "brief")));
  await makeTeam("brief");
  const again = await untilReady("brief", "Ready", 60_000);
  const after = await namespace("brief");
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
  expect(after?.metadata.ownerReferences?.[0]?.uid).toBe(again.metadata.uid);
  expect(await plane.admin.client.list(kinds.migrations, { namespace: "rowferry-brief" })).toEqual([]);
});

test("another leader goes on where the last one was killed, and fixes what was changed while there was none", async () => {
  const [first] = all;
  await first?.stop("SIGKILL");
  await makeTeam("orphan");
  expect((await plane.kubectl(["delete", "rolebinding", installed.api, "-n", "rowferry-shop"])).code).toBe(0);
  await Promise.all([begin("second"), begin("third")]);
  await untilReady("orphan");
  await until("the rights to be made again", () => binding("shop"));
  expect(all.filter((one) => one.leading())).toHaveLength(1);
});
