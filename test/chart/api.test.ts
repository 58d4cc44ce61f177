import { describe, expect, it } from "vitest";
import { ownNames } from "../../controllers/rbac.ts";
import { apiEnvironment, readApiConfig } from "../../src/main/api/config.ts";
import { readConfig } from "../../src/main/operator/config.ts";
import { proberEnvironment, readProberConfig } from "../../src/main/prober-config.ts";
import { containerOf, environmentOf, podOf } from "./pods.ts";
import { find, render, template } from "./tools.ts";

/** The API and the prober, as the chart renders them. */

describe("the environment", () => {
  it("of the API is understood by the API, and leads to the prober", async () => {
    const objects = await render();
    const config = readApiConfig(environmentOf(objects, "rowferry-api"));
    expect(config).toMatchObject({
      ROWFERRY_BASE_URL: "https://rowferry-api.rowferry-system.svc",
      ROWFERRY_PROBER_URL: "https://rowferry-prober.rowferry-system.svc:8443",
      ROWFERRY_SIGN_UP: false,
      ROWFERRY_TOKENS_BY_TOKEN: true,
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
        signUp: true,
        tokensByToken: false,
        currency: "EUR",
        corsOrigins: ["https://app.example.com"],
        trustedProxies: ["10.0.0.0/8"],
        mostConnectionsPerAddress: 0,
        mostStreamsInAll: 7,
        answersMegabytes: 12,
        limits: { read: [{ points: 5, seconds: 60 }] },
      },
      redis: { url: "redis://cache:6379/0" },
      worker: { command: ["node", "--max-old-space-size=300", "/app/worker.js"] },
      prober: { atOnce: 9, resources: { limits: { memory: "3Gi" } } },
      guard: { allow: ["10.20.0.0/16"], refuse: ["198.51.0.0/16", "2600::/32"], secrets: true },
      teams: { quota: { pods: 3 } },
    });
    const api = readApiConfig(environmentOf(objects, "rowferry-api"));
    expect(api).toMatchObject({
      ROWFERRY_BASE_URL: "https://rowferry.example.com",
      ROWFERRY_SIGN_UP: true,
      ROWFERRY_TOKENS_BY_TOKEN: false,
      ROWFERRY_CURRENCY: "EUR",
      ROWFERRY_CORS_ORIGINS: ["https://app.example.com"],
      ROWFERRY_REDIS_URL: "redis://cache:6379/0",
      ROWFERRY_MOST_CONNECTIONS_PER_ADDRESS: 0,
      ROWFERRY_MOST_STREAMS_IN_ALL: 7,
      ROWFERRY_ANSWERS_MEGABYTES: 12,
      ROWFERRY_LIMITS: { read: [{ points: 5, seconds: 60 }], write: [{ points: 60, seconds: 60 }] },
    });
    const operator = readConfig(environmentOf(objects, "rowferry-operator"));
    expect(operator).toMatchObject({
      ROWFERRY_API_HOSTS: ["rowferry.example.com"],
      ROWFERRY_TEAM_QUOTA: { pods: "3" },
      ROWFERRY_GUARD_ALLOW: ["10.20.0.0/16"],
      ROWFERRY_GUARD_SECRETS: true,
    });
    expect(readProberConfig(environmentOf(objects, "rowferry-prober"))).toMatchObject({
      ROWFERRY_PROBER_AT_ONCE: 9,
      ROWFERRY_PROBER_WORKER_HEAP_MEGABYTES: 300,
    });
  });
});

describe("the pods", () => {
  it.each(["rowferry-api", "rowferry-prober"])("of %s have a read-only root and no capability", async (name) => {
    const objects = await render();
    expect(podOf(objects, name).securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
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
  it("are refused without Redis, in words that tell the fix", async () => {
    const { code, stderr } = await template({ api: { replicas: 2 } });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/redis\.url or redis\.secret\.name/);
  });

  it("share the Redis whose URL stands in a Secret", async () => {
    const objects = await render({
      api: { replicas: 2 },
      redis: { secret: { name: "cache", key: "uri" } },
      networkPolicies: { redis: { port: 6379 } },
    });
    expect(
      containerOf(objects, "rowferry-api").env.find(({ name }) => name === "ROWFERRY_REDIS_URL")?.valueFrom,
    ).toEqual({ secretKeyRef: { name: "cache", key: "uri" } });
    expect(find(objects, "PodDisruptionBudget", "rowferry-api")).toBeDefined();
  });

  it("have no password in a value", async () => {
    expect((await template({ redis: { url: "redis://user:password@cache:6379" } })).code).not.toBe(0);
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

  it.each<[string, object, RegExp]>([
    ["an address, for which there is no Ingress", { baseUrl: "https://10.0.0.1:30443" }, /the address 10\.0\.0\.1/],
    ["an address of IPv6", { baseUrl: "https://[fd00::1]" }, /the address \[fd00::1\]/],
    ["a path", { baseUrl: "https://example.com/rowferry" }, /baseUrl/],
    ["another scheme", { baseUrl: "rowferry.example.com" }, /baseUrl/],
    ["plain HTTP in front of TLS", { baseUrl: "http://rowferry.example.com" }, /begin it with https:\/\//],
  ])("does not take as baseUrl %s", async (_name, api, words) => {
    const { code, stderr } = await template({ api: { ...api, ingress: { enabled: true } } });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(words);
  });

  it("leads to plain HTTP only where that is asked for", async () => {
    const portOf = async (plainHttp: boolean) => {
      const api = { baseUrl: "https://rowferry.example.com", plainHttp, ingress: { enabled: true } };
      const objects = await render({ api });
      const { ROWFERRY_API_PLAIN_HTTP } = readApiConfig(environmentOf(objects, "rowferry-api"));
      const { spec } = find<{ spec: { ports: { name: string; port: number }[] } }>(objects, "Service", "rowferry-api");
      return [ROWFERRY_API_PLAIN_HTTP, ...spec.ports.map(({ name, port }) => `${name} ${port}`)];
    };
    expect(await portOf(false)).toEqual([false, "https 443"]);
    expect(await portOf(true)).toEqual([true, "http 80"]);
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
