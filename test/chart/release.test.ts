import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownNames, rules } from "../../controllers/rbac.ts";
import { passwordShards } from "../../src/resources/crd/installed.ts";
import { type ControlPlane, startControlPlane, until } from "../operator/control-plane.ts";
import { type OperatorProcess, startOperator } from "../operator/operator.ts";
import { grantsOf, judgeRights } from "./rights.ts";
import { writeSchemas } from "./schemas.ts";
import { chart, find, type Rendered, render, run, template, tool } from "./tools.ts";

const home = "rowferry-system";
const objectOf = (text: string) => JSON.parse(text) as Record<string, unknown>;

let plane: ControlPlane;
let operator: OperatorProcess | undefined;

beforeAll(async () => {
  plane = await startControlPlane();
});
afterAll(async () => {
  await operator?.stop("SIGKILL");
  await plane?.stop();
});

async function kubectl(args: string[], input?: string): Promise<string> {
  const { code, out, err } = await plane.kubectl(args, input === undefined ? {} : { input });
  if (code !== 0) throw new Error(err);
  return out;
}

async function helm(...args: string[]): Promise<string> {
  const where = [`--kubeconfig=${plane.admin.kubeconfig}`, `--namespace=${home}`];
  const { code, stdout, stderr } = await run(await tool("helm"), [...args, ...where]);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** Every object of the cluster by kind and name, but for what the API server itself writes at its own time. */
async function everything(): Promise<string[]> {
  const types = (await kubectl(["api-resources", "--verbs=list,delete", "--output=name"])).trim().split("\n");
  const own = /^(events|events\.events\.k8s\.io|leases\.coordination\.k8s\.io\/apiserver-)/;
  const listed = types.filter((type) => !own.test(type)).join(",");
  const lines = await kubectl([
    "get",
    listed,
    "--all-namespaces",
    "--ignore-not-found",
    "--output=name",
    "--show-kind",
  ]);
  return lines
    .split("\n")
    .filter((line) => line !== "" && !line.includes("/apiserver-"))
    .sort();
}

/** An API server writes its own roles and services in its first seconds. */
async function settled(): Promise<string[]> {
  let last: string[] = [];
  return until("the API server's own objects to be written", async () => {
    const now = await everything();
    const same = now.length === last.length && now.includes("service/kubernetes") && now.length > 100;
    last = now;
    return same && now;
  });
}

const migration = (namespace: string) => ({
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "Migration",
  metadata: { name: "shop", namespace },
  spec: { source: { secretRef: { name: "shop-source" } }, target: { secretRef: { name: "shop-target" } } },
});

describe("a release", () => {
  let before: string[];

  it("is installed, and its objects are accepted as they are", async () => {
    before = await settled();
    const said = await helm("install", "rowferry", chart, "--create-namespace", "--set=operator.replicas=2");
    expect(said).toContain("STATUS: deployed");
    expect(said).toContain("kubectl explain migration.spec");
    await kubectl(["wait", "--for=condition=Established", "--timeout=30s", "crd/migrations.rowferry.dev"]);
    await kubectl(["apply", "-f", "-"], JSON.stringify(migration("default")));
    await kubectl(["create", "secret", "generic", "shop-source", "--from-literal=url=mysql://a:b@c/d"]);
  });

  it("gives the operator the rights that it needs to make a Migration's Job", async () => {
    const token = await kubectl(["create", "token", "rowferry-operator", "--namespace", home]);
    const { spec } = find<{
      spec: { template: { spec: { containers: [{ env: { name: string; value?: string }[] }] } } };
    }>(await render(), "Deployment");
    // As the chart's admission policies expect it.
    const worker = spec.template.spec.containers[0].env.filter(({ name }) =>
      /^ROWFERRY_(?:WORKER_|ENDPOINT_URL$)/.test(name),
    );
    const env = Object.fromEntries(worker.map(({ name, value = "" }) => [name, value]));
    operator = await startOperator(plane, plane.kubeconfigFor("operator", token.trim()), "operator-1", env);
    await until("the Job of the Migration", async () => (await kubectl(["get", "jobs", "--output=name"])) !== "");
    const user = `system:serviceaccount:${home}:rowferry-operator`;
    expect(judgeRights(plane.audit(), grantsOf(rules, home), user).missing).toEqual([]);
  });

  it("is upgraded from itself, and what the operator keeps stays as it is", async () => {
    const kept = async (kind: string, name: string) => {
      const { data, spec } = objectOf(await kubectl(["get", kind, name, "--namespace", home, "--output=json"]));
      return data ?? (spec as { holderIdentity: string }).holderIdentity;
    };
    const keys = await kept("secret", ownNames.keys);
    expect(Object.keys(keys as object)).toContain("ca.key");
    const publicKeys = await kept("configmap", ownNames.publicKeys);
    expect(Object.keys(publicKeys as object)).toContain("ca.crt");
    expect(await kept("lease", ownNames.lease)).toBe("operator-1");
    const crd = ["get", "crd", "migrations.rowferry.dev", "--output=jsonpath={.metadata.generation}"];
    const generation = await kubectl(crd);

    expect(await helm("upgrade", "rowferry", chart, "--set=operator.replicas=1")).toContain("STATUS: deployed");

    expect(await kept("secret", ownNames.keys)).toEqual(keys);
    expect(await kept("configmap", ownNames.publicKeys)).toEqual(publicKeys);
    expect(await kept("lease", ownNames.lease)).toBe("operator-1");
    expect(await kubectl(crd)).toBe(generation);
    expect((await everything()).filter((name) => name.includes("poddisruptionbudget"))).toEqual([]);
  });

  it("leaves the CRDs and the users' resources, and nothing else, when it is uninstalled", async () => {
    await operator?.stop();
    await helm("uninstall", "rowferry");
    const all = (await everything()).filter((name) => !before.includes(name));
    // Kept with the Accounts that they belong to.
    const passwords = all.filter((name) => name.startsWith("secret/rowferry-passwords-"));
    expect(passwords).toHaveLength(passwordShards);
    const left = all.filter((name) => !passwords.includes(name));
    expect(left).toEqual([
      // The API server's own, as long as the CRD is there.
      "apiservice.apiregistration.k8s.io/v1alpha1.rowferry.dev",
      ...["accountlogs", "accounts", "apitokens", "migrations", "teams"].map(
        (kind) => `customresourcedefinition.apiextensions.k8s.io/${kind}.rowferry.dev`,
      ),
      "job.batch/shop-1",
      "migration.rowferry.dev/shop",
      `namespace/${home}`,
      // Without them no kept Migration could run again.
      "secret/rowferry-api-keys",
      "secret/rowferry-operator-keys",
      "secret/shop-source",
    ]);
  });

  it("can be installed again over what it left", async () => {
    expect(await helm("install", "rowferry", chart)).toContain("STATUS: deployed");
    expect(await kubectl(["get", "migration", "shop", "--output=name"])).toContain("shop");
  });
});

describe("the cluster", () => {
  it.each(["rowferry-operator", "rowferry-api", "rowferry-prober"])(
    "lets the pod of %s run under the restricted Pod Security Standard",
    async (name) => {
      await kubectl(["label", "namespace", home, "pod-security.kubernetes.io/enforce=restricted", "--overwrite"]);
      const deployment = find<{ spec: { template: { spec: object } } }>(await render(), "Deployment", name);
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "operator", namespace: home } };
      const created = await plane.kubectl(["create", "--dry-run=server", "-f", "-"], {
        input: JSON.stringify({ ...pod, spec: deployment.spec.template.spec }),
      });
      expect(created.err).toBe("");
      expect(created.code).toBe(0);
    },
  );

  it("gives Migrations to those who may view or edit a namespace, and their status to nobody", async () => {
    // Aggregation is a controller's work; the roles themselves are bound here.
    const bind = (role: string, user: string) =>
      kubectl(["create", "rolebinding", user, `--clusterrole=${role}`, `--user=${user}`, "--namespace=default"]);
    await bind("rowferry-view", "viewer");
    await bind("rowferry-edit", "editor");
    const can = async (user: string, verb: string, ...more: string[]) => {
      const who = [`--as=${user}`, "--namespace=default", ...more];
      return (await plane.kubectl(["auth", "can-i", verb, "migrations.rowferry.dev", ...who])).out.trim();
    };
    expect(await can("viewer", "list")).toBe("yes");
    expect(await can("viewer", "create")).toBe("no");
    expect(await can("editor", "create")).toBe("yes");
    expect(await can("editor", "patch", "--subresource=status")).toBe("no");
  });
});

it("kubeconform finds every object right and every field known", async () => {
  const openapi = JSON.parse(await kubectl(["get", "--raw", "/openapi/v2"]));
  const values = { operator: { replicas: 2 }, imagePullSecrets: ["pull"] };
  const objects: Rendered[] = await render(values);
  const kinds = new Set(objects.map(({ kind }) => kind));
  const location = writeSchemas(openapi, kinds, join(plane.folder, "schemas"));
  const conform = async (manifest: string) => {
    const file = join(plane.folder, "manifest.yaml");
    writeFileSync(file, manifest);
    return run(await tool("kubeconform"), ["-strict", "-summary", `-schema-location=${location}`, file]);
  };
  const manifest = (await template(values)).stdout;
  const good = await conform(manifest);
  expect(good.stderr).toBe("");
  expect(good.stdout).toContain(`${objects.length} resources found`);
  expect(good.stdout).toContain("Invalid: 0, Errors: 0, Skipped: 0");
  expect(good.code).toBe(0);

  const bad = await conform(manifest.replace("maxUnavailable: 1", "maxUnavailible: 1"));
  expect(bad.stdout).toContain("maxUnavailible");
  expect(bad.code).not.toBe(0);
});
