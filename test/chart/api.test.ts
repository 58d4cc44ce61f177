import { describe, expect, it } from "vitest";
import { ownNames } from "../../controllers/rbac.ts";
import { judgeAddress } from "../../src/guard/policy.ts";
import { apiEnvironment, readApiConfig } from "../../src/main/api-config.ts";
import { readConfig } from "../../src/main/config.ts";
import { proberEnvironment, readProberConfig } from "../../src/main/prober-config.ts";
import { find, type Rendered, render, template } from "./tools.ts";

/** The API and the prober, as the chart renders them. */

interface Pod {
  serviceAccountName: string;
  automountServiceAccountToken: boolean;
  securityContext: object;
  containers: {
    env: { name: string; value?: string; valueFrom?: object }[];
    ports: { name: string; containerPort: number }[];
    securityContext: object;
    volumeMounts: { name: string; mountPath: string }[];
  }[];
  volumes: { name: string; secret: { secretName: string; items: { path: string }[] } }[];
}
type Deployment = { spec: { replicas: number; template: { spec: Pod } } };
interface Policy {
  spec: {
    podSelector: { matchLabels: Record<string, string> };
    policyTypes: string[];
    ingress: { from?: { podSelector: { matchLabels: Record<string, string> } }[]; ports: { port: number }[] }[];
    egress: { to: { ipBlock?: { cidr: string; except?: string[] } }[]; ports?: { port: number }[] }[];
  };
}

const podOf = (objects: readonly Rendered[], name: string) =>
  find<Deployment>(objects, "Deployment", name).spec.template.spec;
function containerOf(objects: readonly Rendered[], name: string): Pod["containers"][number] {
  const [container] = podOf(objects, name).containers;
  if (container === undefined) throw new Error(`${name}'s pod has no container`);
  return container;
}
const environmentOf = (objects: readonly Rendered[], name: string): Record<string, string> =>
  Object.fromEntries(containerOf(objects, name).env.map((one) => [one.name, one.value ?? `(${one.name})`]));

describe("the environment", () => {
  it("of the API is understood by the API, and leads to the prober", async () => {
    const objects = await render();
    const config = readApiConfig(environmentOf(objects, "rowferry-api"));
    expect(config).toMatchObject({
      ROWFERRY_BASE_URL: "https://rowferry-api.rowferry-system.svc",
      ROWFERRY_PROBER_URL: "https://rowferry-prober.rowferry-system.svc:8443",
      ROWFERRY_SIGN_UP: true,
      ROWFERRY_CORS_ORIGINS: [],
      ROWFERRY_API_PLAIN_HTTP: false,
    });
    expect(find(objects, "Service", "rowferry-prober").metadata.namespace).toBe("rowferry-system");
    expect(config.ROWFERRY_REDIS_URL).toBeUndefined();
  });

  it("of both holds no name that they do not read", async () => {
    const objects = await render({ redis: { url: "redis://cache:6379/0" } });
    const strange = (name: string, known: object) =>
      Object.keys(environmentOf(objects, name)).filter((one) => !Object.keys(known).includes(one));
    expect(strange("rowferry-api", apiEnvironment.shape)).toEqual([]);
    expect(strange("rowferry-prober", proberEnvironment.shape)).toEqual([]);
  });

  it("follows the values", async () => {
    const objects = await render({
      api: {
        replicas: 2,
        baseUrl: "https://rowferry.example.com/",
        signUp: false,
        currency: "EUR",
        corsOrigins: ["https://app.example.com"],
        trustedProxies: ["10.0.0.0/8"],
        limits: { read: [{ points: 5, seconds: 60 }] },
      },
      redis: { url: "redis://cache:6379/0" },
      prober: { atOnce: 9 },
      guard: { allow: ["10.20.0.0/16"], refuse: ["198.51.0.0/16", "2600::/32"], secrets: true },
      teams: { quota: { pods: 3 } },
    });
    const api = readApiConfig(environmentOf(objects, "rowferry-api"));
    expect(api).toMatchObject({
      ROWFERRY_BASE_URL: "https://rowferry.example.com",
      ROWFERRY_SIGN_UP: false,
      ROWFERRY_CURRENCY: "EUR",
      ROWFERRY_CORS_ORIGINS: ["https://app.example.com"],
      ROWFERRY_REDIS_URL: "redis://cache:6379/0",
      ROWFERRY_LIMITS: { read: [{ points: 5, seconds: 60 }], write: [{ points: 60, seconds: 60 }] },
    });
    const operator = readConfig(environmentOf(objects, "rowferry-operator"));
    expect(operator).toMatchObject({
      ROWFERRY_API_HOSTS: ["rowferry.example.com"],
      ROWFERRY_TEAM_QUOTA: { pods: "3" },
      ROWFERRY_GUARD_ALLOW: ["10.20.0.0/16"],
      ROWFERRY_GUARD_SECRETS: true,
    });
    expect(readProberConfig(environmentOf(objects, "rowferry-prober")).ROWFERRY_PROBER_AT_ONCE).toBe(9);
  });
});

describe("the pods", () => {
  it.each(["rowferry-api", "rowferry-prober"])("of %s have a read-only root and no capability", async (name) => {
    const objects = await render();
    expect(podOf(objects, name).securityContext).toMatchObject({ runAsNonRoot: true });
    expect(containerOf(objects, name).securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  it("of the prober has no token of the cluster and no Secret but its certificate", async () => {
    const pod = podOf(await render(), "rowferry-prober");
    expect(pod.automountServiceAccountToken).toBe(false);
    const secrets = pod.volumes.flatMap(({ secret }) => (secret === undefined ? [] : [secret.secretName]));
    expect(secrets).toEqual(["rowferry-prober-tls"]);
    expect(pod.containers[0]?.env.filter(({ valueFrom }) => valueFrom !== undefined)).toEqual([]);
  });

  it("of the API mounts its own two Secrets and not the operator's", async () => {
    const names = podOf(await render(), "rowferry-api").volumes.map(({ secret }) => secret.secretName);
    expect(names).toEqual(["rowferry-api-tls", "rowferry-api-keys"]);
    expect(names).not.toContain(ownNames.keys);
  });

  it("of the API serves a certificate of one's own where a Secret is named, and shows the prober the operator's", async () => {
    const objects = await render({ api: { tls: { secretName: "public-tls" } } });
    const config = readApiConfig(environmentOf(objects, "rowferry-api"));
    const mounted = new Map(
      containerOf(objects, "rowferry-api").volumeMounts.map(({ name, mountPath }) => [mountPath, name]),
    );
    const secretAt = (path: string) =>
      podOf(objects, "rowferry-api").volumes.find(({ name }) => name === mounted.get(path))?.secret.secretName;
    expect(secretAt(config.ROWFERRY_API_TLS)).toBe("public-tls");
    expect(secretAt(config.ROWFERRY_API_CLIENT_TLS ?? "")).toBe("rowferry-api-tls");
  });
});

describe("several replicas of the API", () => {
  it("are refused without Redis, in words that tell the mend", async () => {
    const { code, stderr } = await template({ api: { replicas: 2 } });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/redis\.url or redis\.secret\.name/);
  });

  it("share the Redis whose URL stands in a Secret", async () => {
    const objects = await render({ api: { replicas: 2 }, redis: { secret: { name: "cache", key: "uri" } } });
    expect(
      containerOf(objects, "rowferry-api").env.find(({ name }) => name === "ROWFERRY_REDIS_URL")?.valueFrom,
    ).toEqual({ secretKeyRef: { name: "cache", key: "uri" } });
    expect(find(objects, "PodDisruptionBudget", "rowferry-api")).toBeDefined();
  });

  it("have no password in a value", async () => {
    expect((await template({ redis: { url: "redis://user:password@cache:6379" } })).code).not.toBe(0);
  });
});

describe("the network policies", () => {
  it("let only the API in to the prober, and nobody else to its calls", async () => {
    const objects = await render();
    const { spec } = find<Policy>(objects, "NetworkPolicy", "rowferry-prober");
    expect(spec.policyTypes).toEqual(["Ingress", "Egress"]);
    expect(spec.podSelector.matchLabels["app.kubernetes.io/component"]).toBe("prober");
    const toCalls = spec.ingress.filter(({ ports }) => ports.some(({ port }) => port === 8443));
    expect(
      toCalls.flatMap(({ from }) => from?.map((one) => one.podSelector.matchLabels["app.kubernetes.io/component"])),
    ).toEqual(["api"]);
  });

  it("cut out of the prober's ways what the guard refuses, but for names' servers and what it allows", async () => {
    const objects = await render({ guard: { allow: ["10.20.0.0/16"], refuse: ["8.8.8.0/24", "2600::/32"] } });
    const { egress } = find<Policy>(objects, "NetworkPolicy", "rowferry-prober").spec;
    const blocks = egress.flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
    expect(blocks.map(({ cidr }) => cidr)).toEqual(["0.0.0.0/0", "::/0", "10.20.0.0/16"]);
    const cut = blocks.flatMap(({ except }) => except ?? []);
    expect(cut).toEqual(expect.arrayContaining(["8.8.8.0/24", "2600::/32"]));
    for (const cidr of cut) {
      const address = cidr.slice(0, cidr.indexOf("/"));
      if (["8.8.8.0", "2600::"].includes(address)) continue;
      expect(judgeAddress(address, { allow: [], refuse: [] }), cidr).toMatchObject({ allowed: false });
    }
  });

  it("are given to the operator for the workers in teams' namespaces: the prober's ways, and the one to the operator", async () => {
    const values = { guard: { allow: ["10.20.0.0/16"], refuse: ["8.8.8.0/24"] } };
    const objects = await render(values);
    const { egress } = find<Policy>(objects, "NetworkPolicy", "rowferry-prober").spec;
    const operator = find<{
      spec: {
        template: { metadata: { labels: object }; spec: { containers: [{ env: { name: string; value: string }[] }] } };
      };
    }>(objects, "Deployment");
    const { metadata, spec } = operator.spec.template;
    const given = JSON.parse(
      spec.containers[0].env.find(({ name }) => name === "ROWFERRY_TEAM_EGRESS")?.value ?? "",
    ) as { to: { podSelector: { matchLabels: object } }[] }[];
    expect(given.slice(0, -1)).toEqual(egress);
    expect(given.at(-1)).toMatchObject({
      to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "rowferry-system" } } }],
      ports: [{ protocol: "TCP", port: 8443 }],
    });
    expect(metadata.labels).toMatchObject(given.at(-1)?.to[0]?.podSelector.matchLabels ?? { none: "" });
  });

  it("are left out on demand", async () => {
    const objects = await render({ networkPolicies: { enabled: false } });
    expect(objects.map(({ kind }) => kind)).not.toContain("NetworkPolicy");
    expect(JSON.stringify(find(objects, "Deployment"))).toContain('{"name":"ROWFERRY_TEAM_EGRESS","value":"null"}');
  });
});

describe("the Ingress", () => {
  it("is made on demand, for the host of baseUrl", async () => {
    const values = {
      api: {
        baseUrl: "https://rowferry.example.com",
        ingress: { enabled: true, className: "nginx", tlsSecretName: "t" },
      },
    };
    const { spec } = find<{ spec: { tls: object[]; rules: { host: string }[] } }>(
      await render(values),
      "Ingress",
      "rowferry-api",
    );
    expect(spec.rules.map(({ host }) => host)).toEqual(["rowferry.example.com"]);
    expect(spec.tls).toEqual([{ hosts: ["rowferry.example.com"], secretName: "t" }]);
    expect((await render()).map(({ kind }) => kind)).not.toContain("Ingress");
  });

  it("asks for baseUrl where it is missing", async () => {
    const { code, stderr } = await template({ api: { ingress: { enabled: true } } });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/api\.baseUrl is empty/);
  });
});

it("without the API neither it nor the prober is there", async () => {
  const names = (await render({ api: { enabled: false } }))
    .filter(({ kind }) => ["Deployment", "Service", "NetworkPolicy"].includes(kind))
    .map(({ metadata }) => metadata.name);
  expect(new Set(names)).toEqual(new Set(["rowferry-operator"]));
});
