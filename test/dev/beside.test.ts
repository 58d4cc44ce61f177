import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadTrial, onCluster } from "./on-cluster.ts";
import { clone, openSandbox, type Sandbox } from "./sandbox.ts";
import { trialImage } from "./trial-image.ts";

const [one, two] = ["beside1", "beside2"];
let box: Sandbox;
let folder: string;

const kubectl = (name: string, ...args: string[]): Promise<string> =>
  box.node("dev/kubectl.ts", ["--name", name, ...args]);

const security = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  runAsUser: 1000,
  seccompProfile: { type: "RuntimeDefault" },
};

const pod = (name: string, command: string[], more: object = { securityContext: security }) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", labels: { app: name } },
  spec: {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "main", image: trialImage, imagePullPolicy: "Never", command, ...more }],
  },
});

const apply = async (name: string, ...objects: object[]): Promise<{ code: number | null; output: string }> => {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, objects.map((object) => JSON.stringify(object)).join("\n"));
  return box.run("node", [join(clone, "dev/kubectl.ts"), "--name", name, "apply", "-f", file]);
};

const server = `use IO::Socket::INET;
$s = IO::Socket::INET->new(LocalPort => 8080, Listen => 5, ReuseAddr => 1) or die $!;
while ($c = $s->accept) { print $c "hello from web\\n"; close $c }`;

const ask = (host: string): string =>
  `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(PeerAddr => "${host}", PeerPort => 80, Timeout => 5) or die "no: $@"; print <$s>'`;

beforeAll(async () => {
  box = await openSandbox();
  folder = mkdtempSync(join(tmpdir(), "rowferry-beside-"));
  await Promise.all([one, two].map((name) => box.node("dev/up.ts", ["--name", name])));
}, 120_000);

afterAll(async () => {
  await Promise.all([one, two].map((name) => box.node("dev/down.ts", ["--name", name])));
  await box.close();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

test("restricted pods run, find services by name and reach them, and names outside do not exist", {
  timeout: 120_000,
}, async () => {
  expect(await loadTrial(box, one)).toBe(true);
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  const made = await apply(
    one,
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels } },
    pod("web", ["perl", "-e", server]),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web", namespace: "shop" },
      spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
    },
  );
  expect(made.code, made.output).toBe(0);
  await kubectl(one, "--namespace=shop", "wait", "--for=condition=Ready", "pod/web", "--timeout=60s");
  const words = [ask("web.shop"), ask("web.shop.svc.cluster.local"), "getent hosts nowhere.example; echo code $?"];
  await apply(one, pod("look", ["sh", "-c", words.join("; ")]));
  await kubectl(
    one,
    "--namespace=shop",
    "wait",
    "--for=jsonpath={.status.phase}=Succeeded",
    "pod/look",
    "--timeout=60s",
  );
  expect(await kubectl(one, "--namespace=shop", "logs", "look")).toBe("hello from web\nhello from web\ncode 2\n");
  const service = await kubectl(
    one,
    "--namespace=shop",
    "get",
    "service",
    "web",
    "--output=jsonpath={.spec.clusterIP}",
  );
  expect((await box.run("sh", ["-c", ask(service)])).output, "from the machine itself").toBe("hello from web\n");
});

test("Pod Security admission and resource quotas are enforced", { timeout: 60_000 }, async () => {
  const refused = await apply(one, pod("root", ["sleep", "1"], {}));
  expect(refused.output).toContain('violates PodSecurity "restricted');
  const quota = {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "none", namespace: "shop" },
    spec: { hard: { pods: "0" } },
  };
  expect((await apply(one, quota)).code).toBe(0);
  // The quota counts once its controller has seen it.
  for (const until = Date.now() + 20_000; ; ) {
    const { output } = await apply(one, pod(`over-${Date.now()}`, ["sleep", "1"]));
    if (output.includes("exceeded quota: none")) break;
    if (Date.now() > until) throw new Error(output);
  }
});

test("an image that is there already is not imported again", { timeout: 60_000 }, async () => {
  expect(await loadTrial(box, one)).toBe(false);
});

test("the API server comes back after a kill, with what it knew", { timeout: 120_000 }, async () => {
  const before = await kubectl(one, "get", "namespace", "shop", "--output=jsonpath={.metadata.uid}");
  await onCluster(box, one, "await cluster.restartApiServer();");
  expect(await kubectl(one, "get", "namespace", "shop", "--output=jsonpath={.metadata.uid}")).toBe(before);
});

test("the current context is used when asked for, and stays when it is taken down", { timeout: 60_000 }, async () => {
  const [path = ""] = /KUBECONFIG=(\S+)/.exec(await box.node("dev/up.ts", ["--name", one]))?.slice(1) ?? [];
  const env = { KUBECONFIG: path };
  const said = await box.node("dev/up.ts", ["--use-current-context"], env);
  expect(said).toContain(`Use the current context: rowferry-${one}`);
  expect(said).toContain("(current-context)");
  const node = await box.node("dev/kubectl.ts", ["--use-current-context", "get", "nodes", "--output=name"], env);
  expect(node).toBe("node/node\n");
  await box.node("dev/down.ts", ["--use-current-context"], env);
  expect(await kubectl(one, "get", "nodes", "--output=name")).toBe("node/node\n");
  const lost = await box.run("node", [join(clone, "dev/up.ts"), "--use-current-context"], { KUBECONFIG: "/nowhere" });
  expect(lost).toMatchObject({ code: 1, output: expect.stringContaining("/nowhere does not exist") });
});

test("kubectl's exit code passes through, and a cluster that is not up is named", { timeout: 60_000 }, async () => {
  const script = join(clone, "dev/kubectl.ts");
  expect(await box.run("node", [script, "--name", one, "get", "pod", "nothing"])).toMatchObject({ code: 1 });
  const { code, output } = await box.run("node", [script, "--name", "other", "get", "pods"]);
  expect(code).toBe(1);
  expect(output).toContain("npm run up -- --name other");
});

test("two clones and two names do not disturb each other", { timeout: 120_000 }, async () => {
  const other = join(folder, "clone");
  mkdirSync(other);
  for (const name of ["dev", "src"]) cpSync(join(clone, name), join(other, name), { recursive: true });
  cpSync(join(clone, "package.json"), join(other, "package.json"));
  symlinkSync(join(clone, "node_modules"), join(other, "node_modules"));
  const there = async (script: string, ...args: string[]): Promise<string> => {
    const { code, output } = await box.run("node", [join(other, "dev", script), "--name", one, ...args]);
    if (code !== 0) throw new Error(output);
    return output;
  };
  await there("up.ts");
  const uid = ["get", "namespace", "kube-system", "--output=jsonpath={.metadata.uid}"];
  const uids = [await kubectl(one, ...uid), await kubectl(two, ...uid), await there("kubectl.ts", ...uid)];
  expect(new Set(uids).size).toBe(3);
  await there("down.ts");
  await box.node("dev/down.ts", ["--name", two]);
  expect(await kubectl(one, "get", "nodes")).toContain(" Ready ");
});
