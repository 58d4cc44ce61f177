import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WorkerTemplate } from "../../controllers/jobs/template.ts";
import { buildJob } from "../../controllers/migration/job.ts";
import { bindingFor, namespaceFor, policyFor, quotaFor } from "../../controllers/team/owned-objects.ts";
import type { Client } from "../../src/cluster/index.ts";
import { reportFinalizer } from "../../src/resources/archive/archive.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import { expiredUrl } from "../../src/resources/database.ts";
import { type Migration, migrationSpecSchema } from "../../src/resources/migration.ts";
import { type Job, type KubeObject, kinds, type Pod } from "../../src/resources/objects.ts";
import { paymentFinalizer } from "../../src/resources/payment.ts";
import type { Team } from "../../src/resources/team.ts";
import { render } from "../chart/tools.ts";
import { endpointUrl } from "./admission.ts";
import { type InstalledClients, openClients } from "./clients.ts";
import type { PlaneClient } from "./control-plane.ts";
import { home, makeMigration, makeNamespace } from "./operator.ts";
import { borrowControlPlane } from "./shared.ts";

/** What is refused to whoever has the token of the operator or the API, though its rights would allow it. Their own objects pass. */

let plane: PlaneClient;
let migration: Migration;
let team: Team;
let clients: InstalledClients;
let operator: Client;
let api: Client;

const template: WorkerTemplate = {
  image: "rowferry.dev/app:test",
  pullPolicy: "Never",
  pullSecrets: ["pull"],
  command: ["node", "/app/worker.js"],
  uid: 65532,
  resources: { requests: { cpu: "250m" }, limits: { memory: "256Mi" } },
  memoryMax: 0,
  tmpSize: "1Gi",
  guardSecrets: false,
  graceSeconds: 30,
  tokenSeconds: 3600,
  backoffLimit: 6,
  ttlSeconds: 86_400,
  verify: { images: {}, resources: {}, dataSize: "1Gi" },
  mostRunSeconds: 604_800,
  silentSeconds: 300,
  placement: {},
  endpointUrl,
  ca: "-----BEGIN CERTIFICATE-----",
};
const settings = { quota: { pods: "5" }, egress: [], home };
// biome-ignore lint/suspicious/noExplicitAny: a Job is bent into every shape that must be refused
type Bent = any;
const forbidden = { code: "Forbidden", status: 403 };

beforeAll(async () => {
  plane = borrowControlPlane();
  clients = await openClients(plane);
  ({ operator, api } = clients);
  await makeNamespace(plane, "shop");
  await makeNamespace(plane, "rowferry-elsewhere");
  migration = await makeMigration(plane, "shop", "copy");
  team = await plane.admin.client.create(kinds.teams, {
    metadata: { name: "t1" },
    spec: { title: "One", members: [{ account: "a1", role: "owner" }] },
  });
});
afterAll(async () => {
  clients?.close();
  await plane?.stop();
});

let count = 0;
/** Makes the operator's Job of a run, bent. */
async function makeJob(bend: (job: Bent) => void): Promise<Job> {
  count += 1;
  const job: Bent = structuredClone(buildJob(migration, count, template));
  bend(job);
  return operator.create(kinds.jobs, job);
}

test("the operator's own Job is made and deleted, by tag and by digest, and of the repositories that are named", async () => {
  const job = await makeJob(() => undefined);
  await operator.remove(kinds.jobs, "shop", job.metadata.name, job.metadata.uid ?? "");
  const left = await plane.admin.client.get(kinds.jobs, "shop", job.metadata.name);
  expect(left?.metadata.deletionTimestamp ?? "gone").toMatch(/^(gone|\d{4}-.*Z)$/);
  for (const image of [`rowferry.dev/app@sha256:${"0".repeat(64)}`, "mirror.example/rowferry:test"]) {
    const made: Bent = await makeJob(({ spec }) => {
      spec.template.spec.containers[0].image = image;
    });
    expect(made.spec.template.spec.containers[0].image).toBe(image);
  }
});

test("a Job with the installation's placement is made, and Rowferry's own labels and annotations stay", async () => {
  const placement = {
    ...{ nodeSelector: { pool: "copies" }, tolerations: [{ key: "copies", operator: "Exists" }] },
    affinity: { podAntiAffinity: {} },
    labels: { cost: "42", "app.kubernetes.io/component": "mine" },
    annotations: { "karpenter.sh/do-not-disrupt": "false", "rowferry.dev/migration": "mine" },
  };
  const made: Bent = await operator.create(kinds.jobs, buildJob(migration, 77, { ...template, placement }) as Job);
  const { metadata, spec } = made.spec.template;
  expect(spec).toMatchObject({ nodeSelector: placement.nodeSelector, tolerations: placement.tolerations });
  expect(metadata.labels).toMatchObject({ cost: "42", "app.kubernetes.io/component": "worker" });
  expect(metadata.annotations).toMatchObject({
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-disrupt": "false",
    "rowferry.dev/migration": "copy",
  });
});

describe("of pods the operator's account ends those of workers alone", () => {
  const podOf = (name: string, component: string, owner: object[]): Pod =>
    ({
      metadata: {
        ...{ name, namespace: "shop", ownerReferences: owner },
        labels: { "app.kubernetes.io/managed-by": "rowferry", "app.kubernetes.io/component": component },
      },
      spec: { containers: [{ name: "x", image: "example.org/x:1" }] },
    }) as unknown as Pod;
  /** One that is not there would take its pods with it. */
  const owners = async () => {
    const { name, uid } = (await makeJob(() => undefined)).metadata;
    return [{ apiVersion: "batch/v1", kind: "Job", name, uid }];
  };
  const fails = { status: { phase: "Failed" } };

  test.each([
    ["another component's", "api", owners],
    ["one that no Job owns", "worker", async () => []],
  ])("%s is refused", async (_what, component, owner) => {
    const { metadata } = await plane.admin.client.create(
      kinds.pods,
      podOf(`kept-${component}`, component, await owner()),
    );
    const uid = metadata.uid ?? "";
    await expect(operator.remove(kinds.pods, "shop", metadata.name, uid, undefined, 0)).rejects.toMatchObject(
      forbidden,
    );
    await expect(operator.patchStatus(kinds.pods, "shop", metadata.name, fails)).rejects.toMatchObject(forbidden);
    expect(await plane.admin.client.get(kinds.pods, "shop", metadata.name)).toMatchObject({ metadata: { uid } });
  });

  test("a worker's is said to have failed, and nothing else, and goes", async () => {
    const { metadata } = await plane.admin.client.create(kinds.pods, podOf("ended", "worker", await owners()));
    await expect(
      operator.patchStatus(kinds.pods, "shop", "ended", { status: { phase: "Succeeded" } }),
    ).rejects.toMatchObject(forbidden);
    expect(await operator.patchStatus(kinds.pods, "shop", "ended", fails)).toMatchObject(fails);
    await operator.remove(kinds.pods, "shop", "ended", metadata.uid ?? "", undefined, 0);
    expect(await plane.admin.client.get(kinds.pods, "shop", "ended")).toBeUndefined();
  });
});

describe("a Job is refused to the operator's account", () => {
  const inPod = (bend: (pod: Bent) => void) => (job: Bent) => bend(job.spec.template.spec);
  const inContainer = (bend: (container: Bent) => void) => inPod((pod) => bend(pod.containers[0]));
  const set = (value: object) => inPod((pod) => Object.assign(pod, value));
  const setContainer = (value: object) => inContainer((container) => Object.assign(container, value));
  const volume = (value: object) => inPod((pod) => pod.volumes.push({ name: "more", ...value }));

  test.each<[string, (job: Bent) => void]>([
    ["that is no Migration's", (job) => delete job.metadata.ownerReferences],
    ["of another owner", (job) => Object.assign(job.metadata.ownerReferences[0], { kind: "Team" })],
    ["with another image", setContainer({ image: "evil.example/app:test" })],
    ["with an image whose name ends like ours", setContainer({ image: "evil.example/mirror.example/rowferry:test" })],
    ["with an image whose name begins like ours", setContainer({ image: "rowferry.dev/app/evil:test" })],
    ["with a tag that is another repository", setContainer({ image: "rowferry.dev/app:5000/evil:x" })],
    ["with another command", setContainer({ command: ["sh", "-c", "true"] })],
    ["with arguments", setContainer({ args: ["--eval=1"] })],
    [
      "with a variable that Node obeys",
      inContainer(({ env }) => env.push({ name: "NODE_OPTIONS", value: "--inspect" })),
    ],
    ["with variables of a Secret", setContainer({ envFrom: [{ secretRef: { name: "x" } }] })],
    [
      "with a variable that is another's value",
      inContainer(({ env }) => {
        delete env[1].value;
        env[1].valueFrom = { secretKeyRef: { name: "x", key: "y" } };
      }),
    ],
    [
      "that reports to another operator",
      inContainer(({ env }) => Object.assign(env[0], { value: "https://rowferry-operator.evil.svc:8443" })),
    ],
    ["that is told of no operator", inContainer(({ env }) => delete env[0].value)],
    [
      "that is told of a second operator",
      inContainer(({ env }) => env.push({ ...env[0], value: "https://evil.example" })),
    ],
    ["with names of its own", set({ hostAliases: [{ ip: "192.0.2.1", hostnames: ["localhost"] }] })],
    ["with a names' server of its own", set({ dnsConfig: { nameservers: ["192.0.2.1"] } })],
    [
      "with a folder over the worker's program",
      inContainer(({ volumeMounts }) => volumeMounts.push({ name: "tmp", mountPath: "/app" })),
    ],
    [
      "with a folder over the worker's program, by a way round",
      inContainer(({ volumeMounts }) =>
        volumeMounts.push({ name: "tmp", mountPath: "/var/run/rowferry/../../../app" }),
      ),
    ],
    [
      "with a file over the list of names",
      inContainer(({ volumeMounts }) => volumeMounts.push({ name: "tmp", mountPath: "/etc/hosts", subPath: "hosts" })),
    ],
    ["that does more after its start", setContainer({ lifecycle: { postStart: { exec: { command: ["true"] } } } })],
    ["with a probe", setContainer({ livenessProbe: { exec: { command: ["true"] } } })],
    ["with a second container", inPod(({ containers }) => containers.push({ ...containers[0], name: "second" }))],
    [
      "with an init container",
      inPod((pod) => Object.assign(pod, { initContainers: [{ ...pod.containers[0], name: "first" }] })),
    ],
    ["of another account", set({ serviceAccountName: "builder" })],
    ["with the account's token", set({ automountServiceAccountToken: true })],
    ["with a folder of the node", volume({ hostPath: { path: "/" } })],
    ["with a claim", volume({ persistentVolumeClaim: { claimName: "data" } })],
    [
      "with a token for others",
      volume({ projected: { sources: [{ serviceAccountToken: { audience: "x", path: "t" } }] } }),
    ],
    ["with a token for the API server", volume({ projected: { sources: [{ serviceAccountToken: { path: "t" } }] } })],
    ["in the node's network", set({ hostNetwork: true })],
    ["among the node's processes", set({ hostPID: true })],
    ["with the node's names", set({ dnsPolicy: "Default" })],
    ["that begins in another folder", setContainer({ workingDir: "/tmp" })],
    [
      "whose last words are a file over the worker's program",
      setContainer({ terminationMessagePath: "/app/worker.js" }),
    ],
    [
      "that sends a Secret for its token",
      inContainer(({ env }) => Object.assign(env[2], { value: "/var/run/rowferry/source/url" })),
    ],
    [
      "without the runtime's filter of system calls",
      inPod((pod) => Object.assign(pod.securityContext, { seccompProfile: { type: "Unconfined" } })),
    ],
    ["that names no filter of system calls", inPod((pod) => delete pod.securityContext.seccompProfile)],
    [
      "whose container has no filter of system calls",
      inContainer(({ securityContext }) => Object.assign(securityContext, { seccompProfile: { type: "Unconfined" } })),
    ],
    [
      "without AppArmor",
      inPod((pod) => Object.assign(pod.securityContext, { appArmorProfile: { type: "Unconfined" } })),
    ],
    [
      "whose container has no AppArmor",
      inContainer(({ securityContext }) => Object.assign(securityContext, { appArmorProfile: { type: "Unconfined" } })),
    ],
    [
      "with settings of the kernel",
      inPod((pod) =>
        Object.assign(pod.securityContext, { sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }] }),
      ),
    ],
    [
      "with another type of SELinux",
      inContainer(({ securityContext }) => Object.assign(securityContext, { seLinuxOptions: { type: "spc_t" } })),
    ],
    ["as root", inPod((pod) => Object.assign(pod.securityContext, { runAsNonRoot: false }))],
    [
      "whose container may be root",
      inContainer(({ securityContext }) => Object.assign(securityContext, { runAsNonRoot: false })),
    ],
    ["whose container is root", inContainer(({ securityContext }) => Object.assign(securityContext, { runAsUser: 0 }))],
    [
      "that may gain privileges",
      inContainer(({ securityContext }) => Object.assign(securityContext, { allowPrivilegeEscalation: true })),
    ],
    [
      "with a capability",
      inContainer(({ securityContext }) => Object.assign(securityContext.capabilities, { add: ["NET_RAW"] })),
    ],
    [
      "that keeps the runtime's capabilities",
      inContainer(({ securityContext }) => Object.assign(securityContext, { capabilities: { drop: ["NET_RAW"] } })),
    ],
    ["with a port of the node", setContainer({ ports: [{ containerPort: 8080, hostPort: 8080 }] })],
  ])("%s", async (_name, bend) => {
    await expect(makeJob(bend)).rejects.toMatchObject(forbidden);
  });

  test("of somebody else, to be deleted", async () => {
    const job = structuredClone(buildJob(migration, 99, template)) as Bent;
    delete job.metadata.ownerReferences;
    const made = await plane.admin.client.create(kinds.jobs, job as Job);
    await expect(
      operator.remove(kinds.jobs, "shop", made.metadata.name, made.metadata.uid ?? ""),
    ).rejects.toMatchObject(forbidden);
  });
});

test("the operator deletes the report of a Migration, and nobody else's ConfigMap", async () => {
  const owner = { apiVersion: "rowferry.dev/v1alpha1", kind: "Migration", name: "copy", uid: migration.metadata.uid };
  const make = (name: string, ownerReferences: (typeof owner)[]) =>
    plane.admin.client.create(kinds.configMaps, { metadata: { name, namespace: "shop", ownerReferences } });
  const [report, theirs] = [await make("copy-1-report", [owner]), await make("settings", [])];
  const remove = ({ metadata }: typeof report) =>
    operator.remove(kinds.configMaps, "shop", metadata.name, metadata.uid ?? "");
  await remove(report);
  expect(await plane.admin.client.get(kinds.configMaps, "shop", "copy-1-report")).toBeUndefined();
  await expect(remove(theirs)).rejects.toMatchObject(forbidden);
});

describe("what the operator makes for a Team", () => {
  test("is let through, and fixed", async () => {
    const made = await operator.create(kinds.namespaces, namespaceFor(team));
    const updated = await operator.update(kinds.namespaces, {
      metadata: { ...made.metadata, labels: { ...made.metadata.labels, more: "x" } },
    });
    expect(updated.metadata.labels).toMatchObject({ more: "x" });
    const pieces = [
      await operator.create(kinds.quotas, quotaFor(team, settings)),
      await operator.create(kinds.networkPolicies, policyFor(team, [])),
      await operator.create(kinds.roleBindings, bindingFor(team, settings)),
    ];
    expect(pieces.map(({ metadata }) => metadata.namespace)).toEqual(pieces.map(() => made.metadata.name));
  });

  const elsewhere = <T extends KubeObject>(object: T, namespace: string): T => ({
    ...object,
    metadata: { ...object.metadata, namespace },
  });
  test.each<[string, () => Promise<unknown>]>([
    [
      "a namespace of nobody's",
      () =>
        operator.create(kinds.namespaces, {
          metadata: { ...namespaceFor(team).metadata, name: "rowferry-t2", ownerReferences: [] },
        }),
    ],
    [
      "a namespace of another name",
      () => operator.create(kinds.namespaces, { metadata: { ...namespaceFor(team).metadata, name: "kube-more" } }),
    ],
    [
      "a namespace without Pod Security",
      () =>
        operator.create(kinds.namespaces, {
          metadata: { ...namespaceFor(team).metadata, name: "rowferry-t2", labels: {} },
        }),
    ],
    [
      "another's namespace, to be taken",
      async () => {
        const found = await operator.get(kinds.namespaces, "", "rowferry-elsewhere");
        const { labels, ownerReferences } = namespaceFor(team).metadata;
        const metadata = {
          ...found?.metadata,
          name: "rowferry-elsewhere",
          ...(labels ? { labels } : {}),
          ...(ownerReferences ? { ownerReferences } : {}),
        };
        await operator.update(kinds.namespaces, { metadata });
      },
    ],
    [
      "a quota in another's namespace",
      () => operator.create(kinds.quotas, elsewhere(quotaFor(team, settings), "shop")),
    ],
    [
      "a network policy in the installation's",
      () => operator.create(kinds.networkPolicies, elsewhere(policyFor(team, []), home)),
    ],
    [
      "a network policy of another name",
      () =>
        operator.create(kinds.networkPolicies, {
          ...policyFor(team, [{}]),
          metadata: { name: "open", namespace: "rowferry-t1" },
        }),
    ],
    [
      "the API's rights elsewhere",
      () => operator.create(kinds.roleBindings, elsewhere(bindingFor(team, settings), "default")),
    ],
    [
      "the API's rights for another",
      () =>
        operator.create(kinds.roleBindings, {
          ...bindingFor(team, settings),
          metadata: { name: "more", namespace: "rowferry-t1" },
          subjects: [{ kind: "ServiceAccount", name: "default", namespace: "shop" }],
        }),
    ],
    [
      "a ConfigMap of nobody's",
      () =>
        operator.create(kinds.configMaps, { metadata: { name: "kube-root-ca.crt.2", namespace: "shop" }, data: {} }),
    ],
  ])("is refused elsewhere: %s", async (_name, make) => {
    await expect(make()).rejects.toMatchObject(forbidden);
  });

  test.each([installed.publicKeys, installed.apiWrites])("and %s is its own to write", async (name) => {
    await operator.create(kinds.configMaps, { metadata: { name, namespace: home }, data: { "ca.crt": "x" } });
    await expect(
      operator.create(kinds.configMaps, { metadata: { name, namespace: "shop" }, data: {} }),
    ).rejects.toMatchObject(forbidden);
  });
});

describe("of a Migration that is there the operator writes", () => {
  const place = { name: "kept", namespace: "shop" };
  let sealed: Migration;
  const patch = (of: Migration, change: object) =>
    operator.mergePatch(kinds.migrations, place.namespace, of.metadata.name, change);
  const expired = { spec: { source: { sealedUrl: expiredUrl }, target: { sealedUrl: expiredUrl } } };
  const kept = "example.org/kept";
  beforeAll(async () => {
    sealed = await plane.admin.client.create(kinds.migrations, {
      metadata: { ...place, finalizers: [kept], annotations: { a: "1" } },
      spec: { source: { sealedUrl: "v1.a" }, target: { sealedUrl: "v1.b" } },
    } as unknown as Migration);
  });

  test("its own finalizers, beside those of others", async () => {
    await expect(patch(sealed, { metadata: { finalizers: [] } })).rejects.toMatchObject(forbidden);
    await expect(patch(sealed, { metadata: { finalizers: [kept, "example.org/x"] } })).rejects.toMatchObject(forbidden);
    const added = await patch(sealed, { metadata: { finalizers: [kept, paymentFinalizer] } });
    expect(added.metadata.finalizers).toEqual([kept, paymentFinalizer]);
    const removed = await patch(sealed, { metadata: { finalizers: [kept] } });
    expect(removed.metadata.finalizers).toEqual([kept]);
    const holding = await patch(sealed, { metadata: { finalizers: [kept, reportFinalizer] } });
    expect(holding.metadata.finalizers).toEqual([kept, reportFinalizer]);
    await patch(sealed, { metadata: { finalizers: [kept] } });
  });

  test.each<[string, object]>([
    ["a label", { metadata: { labels: { "rowferry.dev/account": "a2" } } }],
    ["an annotation", { metadata: { annotations: { "rowferry.dev/attempt": "2" } } }],
    ["an annotation's end", { metadata: { annotations: { a: null } } }],
    ["another source", { spec: { source: { sealedUrl: "v1.c" } } }],
    ["a Secret for a sealed URL", { spec: { target: { sealedUrl: null, secretRef: { name: "x", key: "url" } } } }],
    ["both URLs' end, before that of the run", expired],
    ["options", { spec: { options: { include: ["orders"] } } }],
    ["who pays", { spec: { payment: null, attempt: 2 } }],
    ["a place for the worker", { spec: { worker: { nodeSelector: { a: "b" } } } }],
    ["a suspension", { spec: { suspend: true } }],
    ["the days of its URLs", { spec: { urlsKeptDays: 0 } }],
    ["its end", { spec: { ttlSecondsAfterFinished: 0 } }],
    ["an attempt", { spec: { attempt: 2 } }],
    ["a reset", { spec: { reset: 1 } }],
  ])("and no more: %s is refused", async (_what, change) => {
    await expect(patch(sealed, change)).rejects.toMatchObject(forbidden);
  });

  test("every field of the spec is in the policy", async () => {
    const policy = JSON.stringify(
      (await render()).find(({ metadata }) => metadata.name === "rowferry-operator-migrations"),
    );
    const fields = Object.keys(migrationSpecSchema.shape);
    expect(
      fields.filter((field) => !policy.includes(`oldObject.spec.${field}`) && !policy.includes(`.?${field}`)),
    ).toEqual([]);
    expect(fields.length).toBeGreaterThan(8);
  });

  test("its status, and after the end that its sealed URLs are taken out", async () => {
    const { uid } = sealed.metadata;
    const status = { state: "completed", startedAt: "2026-01-01T00:00:00Z" };
    await operator.applyStatus(kinds.migrations, { metadata: { ...place, ...(uid ? { uid } : {}) }, status }, "test");
    await expect(patch(sealed, { spec: { source: { sealedUrl: "", ca: "x" } } })).rejects.toMatchObject({
      status: expect.toSatisfy((code) => code === 403 || code === 422),
    });
    expect((await patch(sealed, expired)).spec).toMatchObject(expired.spec);
  });
});

describe("a Migration that the API makes", () => {
  const sealed = { source: { sealedUrl: "v1.a" }, target: { sealedUrl: "v1.b" } };
  const make = (name: string, spec: object) =>
    api.create(kinds.migrations, { metadata: { name, namespace: "rowferry-t1" }, spec } as unknown as Migration);

  test("has sealed URLs, which stay", async () => {
    const made = await make("6f6d8f6a-0000-4000-8000-000000000001", sealed);
    const updated = await api.update(kinds.migrations, { ...made, spec: { ...made.spec, attempt: 2 } });
    expect(updated.spec).toMatchObject({ ...sealed, attempt: 2 });
  });

  test("has both replaced once it failed, never one of them", async () => {
    const name = "6f6d8f6a-0000-4000-8000-000000000003";
    const made = await make(name, sealed);
    const both = { source: { sealedUrl: "v1.c" }, target: { sealedUrl: "v1.d" }, attempt: 2 };
    const change = async (spec: object) => {
      const live = (await plane.admin.client.get(kinds.migrations, "rowferry-t1", name)) as Migration;
      return api.update(kinds.migrations, { ...live, spec: { ...live.spec, ...spec } });
    };
    await expect(change(both), "before it failed").rejects.toMatchObject(forbidden);
    const { metadata } = made;
    const status = JSON.stringify({ status: { startedAt: "2026-01-01T00:00:00Z", state: "failed" } });
    const patch = ["patch", "migration", metadata.name, "-n", "rowferry-t1", "--subresource=status", "--type=merge"];
    expect(await plane.kubectl([...patch, "-p", status])).toMatchObject({ code: 0 });
    for (const one of [{ source: both.source }, { target: both.target }])
      await expect(change({ ...one, attempt: 2 })).rejects.toMatchObject({
        status: expect.toSatisfy((code) => code === 403 || code === 422),
      });
    expect((await change(both)).spec).toMatchObject(both);
  });

  test("keeps its options, as does one of kubectl: another CA would let another server pass for its database", async () => {
    const theirs = await makeMigration(plane, "rowferry-t1", "optioned", { options: { include: ["orders"] } });
    const made = await make("6f6d8f6a-0000-4000-8000-000000000004", sealed);
    const source_ca = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
    for (const one of [theirs, made])
      for (const more of [{ source_ca }, { drop: ["shop.orders"] }]) {
        const changed = { ...one, spec: { ...one.spec, options: { ...one.spec.options, ...more } } } as Migration;
        await expect(api.update(kinds.migrations, changed)).rejects.toMatchObject(forbidden);
      }
  });

  test("names no Secret of the team's namespace", async () => {
    const spec = { ...sealed, source: { secretRef: { name: "theirs" } } };
    await expect(make("6f6d8f6a-0000-4000-8000-000000000002", spec)).rejects.toMatchObject(forbidden);
    const theirs = await makeMigration(plane, "rowferry-t1", "by-kubectl");
    await api.update(kinds.migrations, { ...theirs, spec: { ...theirs.spec, attempt: 2 } });
    const other = (await plane.admin.client.get(kinds.migrations, "rowferry-t1", "by-kubectl")) as Migration;
    const led = {
      ...other,
      spec: { ...other.spec, attempt: 3, target: { secretRef: { name: "elsewhere", key: "url" } } },
    };
    await expect(api.update(kinds.migrations, led)).rejects.toMatchObject({
      status: expect.toSatisfy((status) => status === 403 || status === 422),
    });
  });
});

test("nobody else is held to it", async () => {
  const { code, err } = await plane.kubectl(["create", "job", "theirs", "--image=busybox", "-n", "shop"]);
  expect(err).toBe("");
  expect(code).toBe(0);
});
