import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadTrial, onCluster } from "./on-cluster.ts";
import { clone, openSandbox, type Sandbox } from "./sandbox.ts";
import { trialImage } from "./trial-image.ts";

/** A cluster whose second node is started on demand, cut off like a machine without power, and started again. */

const name = "nodes";
let box: Sandbox;
let before: unknown;

const footprint = async (): Promise<unknown> => JSON.parse(await box.node("test/dev/footprint.ts", [name]));
const up = (...args: string[]): Promise<string> => box.node("dev/up.ts", ["--name", name, ...args]);
const kubectl = (...args: string[]): Promise<string> => box.node("dev/kubectl.ts", ["--name", name, ...args]);

const apply = (objects: object[]): Promise<string> => {
  const file = join(box.cache, "objects.json");
  writeFileSync(file, objects.map((object) => JSON.stringify(object)).join("\n"));
  return kubectl("apply", "-f", file);
};

const pod = (name: string, nodeName: string, command: string[]) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { app: name } },
  spec: {
    ...{ nodeName, restartPolicy: "Never", terminationGracePeriodSeconds: 0 },
    containers: [{ name: "main", image: trialImage, imagePullPolicy: "Never", command }],
  },
});

const server = (name: string): string => `use IO::Socket::INET;
$s = IO::Socket::INET->new(LocalPort => 80, Listen => 5, ReuseAddr => 1) or die $!;
while ($c = $s->accept) { print $c "from ${name}\\n"; close $c }`;

/** A pod that serves its name, and its Service. */
const web = (name: string, node: string) => [
  pod(name, node, ["perl", "-e", server(name)]),
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80 }] },
  },
];

const connect = (host: string, port = 80): string =>
  `$s = IO::Socket::INET->new(PeerAddr => "${host}", PeerPort => ${port}, Timeout => 5) or die "no ${host}: $@"`;
const ask = (host: string): string => `perl -MIO::Socket::INET -e '${connect(host)}; print <$s>'`;
const reach = (host: string, port: number): string =>
  `perl -MIO::Socket::INET -e '${connect(host, port)}; print "${host}\\n"'`;

const addressOf = (kind: "pod" | "service", name: string): Promise<string> =>
  kubectl("get", kind, name, `--output=jsonpath={${kind === "pod" ? ".status.podIP" : ".spec.clusterIP"}}`);

beforeAll(async () => {
  box = await openSandbox();
  before = await footprint();
  await up();
  await loadTrial(box, name);
}, 120_000);

afterAll(async () => {
  await box.node("dev/down.ts", ["--name", name]);
  await box.close();
}, 60_000);

test("a second node joins a cluster that is up, with the images that are there", { timeout: 120_000 }, async () => {
  expect(await kubectl("get", "nodes", "--output=name")).toBe("node/node\n");
  expect(await up("--nodes", "2")).toContain("node node-2 Ready");
  expect(await kubectl("get", "nodes", "--output=name")).toBe("node/node\nnode/node-2\n");
  // Found, not started again; also by who does not name it.
  expect(await up("--nodes", "2")).not.toContain("Start node");
  expect(await up()).not.toContain("Start ");
  await apply([...web("one", "node"), ...web("two", "node-2")]);
  await kubectl("wait", "--for=condition=Ready", "pod/one", "pod/two", "--timeout=60s");
  expect(await loadTrial(box, name)).toBe(false);
});

test("pods of both nodes reach each other, services by name and the API server, and the machine reaches them", {
  timeout: 120_000,
}, async () => {
  const [one, two] = [await addressOf("pod", "one"), await addressOf("pod", "two")];
  expect(one.split(".").slice(0, 3)).not.toEqual(two.split(".").slice(0, 3));
  const words = [ask(one), ask(two), ask("one.default"), ask("two.default"), reach("kubernetes.default", 443)].join(
    ";",
  );
  await apply([pod("look", "node", ["sh", "-c", words]), pod("look-2", "node-2", ["sh", "-c", words])]);
  await kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/look", "pod/look-2", "--timeout=60s");
  const all = "from one\nfrom two\nfrom one\nfrom two\nkubernetes.default\n";
  expect(await kubectl("logs", "look")).toBe(all);
  expect(await kubectl("logs", "look-2"), "of the second node").toBe(all);
  const hosts = [two, await addressOf("service", "two"), await addressOf("service", "one")];
  expect((await box.run("sh", ["-c", hosts.map(ask).join(";")])).output).toBe("from two\nfrom two\nfrom one\n");
  expect(await kubectl("exec", "two", "--", "sh", "-c", "echo inside")).toBe("inside\n");
});

test("a node that is cut off takes its processes along and says nothing, and up --nodes 2 starts it again", {
  timeout: 120_000,
}, async () => {
  const two = await addressOf("pod", "two");
  await onCluster(
    box,
    name,
    `const { cutSecondNode } = await import(${JSON.stringify(join(clone, "dev/cluster/local/index.ts"))});
const { placeOf } = await import(${JSON.stringify(join(clone, "dev/cluster/place.ts"))});
await cutSecondNode(placeOf(${JSON.stringify(name)}));`,
  );
  expect((await box.run("sh", ["-c", ask(two)])).code).not.toBe(0);
  expect(await kubectl("get", "pod", "two", "--output=jsonpath={.status.phase}")).toBe("Running");
  await up();
  expect(await up("--nodes", "2")).toContain("node node-2 Ready");
  await kubectl("delete", "pod", "two", "--wait");
  await apply([pod("two", "node-2", ["perl", "-e", server("two")])]);
  await kubectl("wait", "--for=condition=Ready", "pod/two", "--timeout=60s");
  expect((await box.run("sh", ["-c", ask(await addressOf("service", "two"))])).output).toBe("from two\n");
});

test("nothing of either node is left after down", { timeout: 60_000 }, async () => {
  expect(await footprint()).not.toEqual(before);
  await box.node("dev/down.ts", ["--name", name]);
  expect(await footprint()).toEqual(before);
});

test("a second node where it is not possible is refused with the next step", { timeout: 60_000 }, async () => {
  const { code, output } = await box.run("node", [
    join(clone, "dev/up.ts"),
    ...["--name", name, "--processes", "--nodes", "2"],
  ]);
  expect(code).toBe(1);
  expect(output).toContain("A second node is not possible here (processes).");
  expect(await footprint()).toEqual(before);
});
