import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ownNames } from "../../controllers/rbac.ts";
import { operatorEnvironment, readConfig } from "../../src/main/operator/config.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import { withBackups } from "../operator/admission.ts";
import { chart, crdFolder, find, type Rendered, render, run, template, tool } from "./tools.ts";

interface Container {
  image: string;
  command: string[];
  env: { name: string; value?: string }[];
  ports: { name: string; containerPort: number }[];
  resources: object;
  securityContext: object;
}
interface Deployment {
  spec: { replicas: number; template: { spec: { containers: Container[]; [part: string]: unknown } } };
}

function containerOf(objects: readonly Rendered[]): Container {
  const [container] = find<Deployment>(objects, "Deployment").spec.template.spec.containers;
  if (container === undefined) throw new Error("the operator's pod has no container");
  return container;
}

/** The operator's environment as its pod has it. */
function environmentOf(objects: readonly Rendered[]): Record<string, string> {
  return Object.fromEntries(containerOf(objects).env.map(({ name, value }) => [name, value ?? `(${name})`]));
}

it("helm lint finds nothing", async () => {
  const { code, stdout } = await run(await tool("helm"), ["lint", "--strict", chart]);
  expect(stdout).toContain("0 chart(s) failed");
  expect(code).toBe(0);
});

describe("wrong values are refused in words that name the value", () => {
  it.each<[string, object, RegExp]>([
    ["a name that is not there", { operator: { replica: 2 } }, /operator.*replica/s],
    ["a wrong type", { operator: { replicas: "two" } }, /replicas.*(integer|string)/s],
    ["a number out of range", { limits: { running: 0 } }, /running.*1/s],
    ["a pull policy that does not exist", { image: { pullPolicy: "Sometimes" } }, /pullPolicy.*Always.*Never/s],
    ["root as the image's user", { image: { uid: 0 } }, /uid.*1/s],
    ["a digest that is none", { image: { digest: "latest" } }, /digest.*sha256/s],
    ["a quantity that is none", { worker: { tmpSize: "much" } }, /tmpSize/],
    ["too short a grace period", { worker: { graceSeconds: 5 } }, /graceSeconds.*25/s],
    ["an empty command", { worker: { command: [] } }, /command/],
  ])("%s", async (_name, values, words) => {
    const { code, stderr } = await template(values);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(words);
  });
});

describe("the operator's environment", () => {
  it("is understood by the operator", async () => {
    const config = readConfig(environmentOf(await render()));
    expect(config.ROWFERRY_WORKER_IMAGE).toBe("rowferry.dev/app:0.1.0");
    expect(config.ROWFERRY_ENDPOINT_URL).toBe("https://rowferry-operator.rowferry-system.svc:8443");
  });

  it("holds no name that the operator does not read", async () => {
    const known = Object.keys(operatorEnvironment.shape);
    expect(Object.keys(environmentOf(await render())).filter((name) => !known.includes(name))).toEqual([]);
  });

  it("follows the values", async () => {
    const objects = await render({
      image: { registry: "registry.example:5000", repository: "a/b", digest: `sha256:${"0".repeat(64)}`, uid: 1234 },
      operator: { logLevel: "debug", leaseSeconds: 30, reconcilers: 8 },
      limits: {
        running: 7,
        runningPerNamespace: 3,
        runningPerAccount: 4,
        reserved: 2,
        runHours: 0.5,
        silentSeconds: 60,
      },
      worker: {
        command: ["node", "x.js"],
        imagePullSecrets: ["pull"],
        resources: { requests: { cpu: 1 }, limits: { memory: "1Gi" } },
        tmpSize: "2Gi",
        graceSeconds: 60,
        backoffLimit: 0,
        ttlSeconds: 31_536_000,
        ...{ nodeSelector: { pool: "copies" }, podAnnotations: { "karpenter.sh/do-not-disrupt": "false" } },
        ...{ tolerations: [{ key: "copies", operator: "Exists" }], priorityClassName: "low", podLabels: { a: "b" } },
      },
      service: { workersPort: 443 },
    });
    expect(readConfig(environmentOf(objects))).toMatchObject({
      ROWFERRY_WORKER_IMAGE: `registry.example:5000/a/b@sha256:${"0".repeat(64)}`,
      ROWFERRY_WORKER_UID: 1234,
      ROWFERRY_WORKER_COMMAND: ["node", "x.js"],
      ROWFERRY_WORKER_PULL_SECRETS: ["pull"],
      ROWFERRY_WORKER_RESOURCES: { requests: { cpu: "1" }, limits: { memory: "1Gi" } },
      ROWFERRY_WORKER_PLACEMENT: {
        ...{ nodeSelector: { pool: "copies" }, annotations: { "karpenter.sh/do-not-disrupt": "false" } },
        ...{ tolerations: [{ key: "copies", operator: "Exists" }], priorityClassName: "low", labels: { a: "b" } },
      },
      ROWFERRY_WORKER_TMP_SIZE: "2Gi",
      ROWFERRY_WORKER_GRACE_SECONDS: 60,
      ROWFERRY_JOB_BACKOFF_LIMIT: 0,
      ROWFERRY_JOB_TTL_SECONDS: 31_536_000,
      ROWFERRY_MAX_RUNNING: 7,
      ROWFERRY_MAX_RUNNING_PER_NAMESPACE: 3,
      ROWFERRY_MAX_RUNNING_PER_ACCOUNT: 4,
      ROWFERRY_RESERVED_RUNNING: 2,
      ROWFERRY_MAX_RUN_HOURS: 0.5,
      ROWFERRY_WORKER_SILENT_SECONDS: 60,
      ROWFERRY_LOG_LEVEL: "debug",
      ROWFERRY_LEASE_SECONDS: 30,
      ROWFERRY_RECONCILERS: 8,
      ROWFERRY_ENDPOINT_URL: "https://rowferry-operator.rowferry-system.svc:443",
    });
  });
});

describe("the operator's pod", () => {
  it("has a read-only root, no capability, and a user that is not root", async () => {
    const objects = await render();
    expect(containerOf(objects).securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(find<Deployment>(objects, "Deployment").spec.template.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
  });

  it("listens where the operator listens by default", async () => {
    const objects = await render();
    const config = readConfig(environmentOf(objects));
    const ports = Object.fromEntries(
      containerOf(objects).ports.map(({ name, containerPort }) => [name, containerPort]),
    );
    expect(ports).toEqual({
      "https-workers": config.ROWFERRY_ENDPOINT_PORT,
      "http-metrics": config.ROWFERRY_HEALTH_PORT,
    });
  });

  it("is spread over nodes and kept available only where there are several", async () => {
    const kinds = (objects: readonly Rendered[]) => objects.map(({ kind }) => kind);
    const [one, two] = [await render(), await render({ operator: { replicas: 2 } })];
    expect(kinds(one)).not.toContain("PodDisruptionBudget");
    expect(kinds(two)).toContain("PodDisruptionBudget");
    expect(find<Deployment>(one, "Deployment").spec.template.spec.topologySpreadConstraints).toBeUndefined();
    expect(find<Deployment>(two, "Deployment").spec.template.spec.topologySpreadConstraints).toHaveLength(1);
  });
});

describe("the CRDs", () => {
  const source = resolve(chart, "../../crds");

  it("are those of crds/ (fix: npm run crds)", () => {
    const names = readdirSync(source).sort();
    expect(readdirSync(crdFolder).sort()).toEqual(names);
    for (const name of names) {
      expect(readFileSync(join(crdFolder, name), "utf8")).toBe(readFileSync(join(source, name), "utf8"));
    }
  });

  it("are rendered unchanged but for the annotation that keeps them on uninstall", async () => {
    const rendered = (await render({ backups: withBackups })).filter(({ kind }) => kind === "CustomResourceDefinition");
    expect(rendered.length).toBe(readdirSync(source).length);
    for (const crd of rendered) {
      const original = parse(readFileSync(join(source, `${crd.metadata.name}.yaml`), "utf8")) as Rendered;
      const annotations = { ...original.metadata.annotations, "helm.sh/resource-policy": "keep" };
      expect(crd).toEqual({ ...original, metadata: { ...original.metadata, annotations } });
    }
  });

  it("can be left to others", async () => {
    const kinds = (await render({ crds: { enabled: false } })).map(({ kind }) => kind);
    expect(kinds).not.toContain("CustomResourceDefinition");
  });
});

it("every value that the schema allows has its default", () => {
  const values = parse(readFileSync(join(chart, "values.yaml"), "utf8")) as object;
  interface Schema {
    properties?: Record<string, Schema>;
  }
  const schema = JSON.parse(readFileSync(join(chart, "values.schema.json"), "utf8")) as Schema;
  const missing = ({ properties = {} }: Schema, value: unknown, path: string[]): string[] =>
    Object.entries(properties).flatMap(([name, inner]) => {
      const there = (value as Record<string, unknown> | null)?.[name];
      return there === undefined ? [[...path, name].join(".")] : missing(inner, there, [...path, name]);
    });
  // Helm's own; and limits that differ, of which there is none.
  const left = missing(schema, values, []).filter((path) => path !== "global" && !path.startsWith("api.limits."));
  expect(left).toEqual([]);
});

it("every value has a row in the chart's README", () => {
  const values = parse(readFileSync(join(chart, "values.yaml"), "utf8")) as object;
  const readme = readFileSync(join(chart, "README.md"), "utf8");
  const paths = (value: unknown, path: string): string[] =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length > 0 &&
    !path.endsWith("resources")
      ? Object.entries(value).flatMap(([key, inner]) => paths(inner, path === "" ? key : `${path}.${key}`))
      : [path];
  const rows = new Set(readme.split("\n").map((line) => line.split("|")[1]?.trim()));
  expect(paths(values, "").filter((path) => !rows.has(`\`${path}\``))).toEqual([]);
});

it("the objects that the operator fills are the release's and are rendered empty", async () => {
  const objects = await render();
  for (const [kind, name] of [
    ["Secret", ownNames.keys],
    ["ConfigMap", ownNames.publicKeys],
    ["ConfigMap", installed.apiWrites],
    ["Lease", ownNames.lease],
  ] as const) {
    expect(
      Object.keys(find(objects, kind, name)).filter((key) => ["data", "stringData", "spec"].includes(key)),
    ).toEqual([]);
  }
  expect(find(objects, "Service").metadata.name).toBe(ownNames.service);
});
