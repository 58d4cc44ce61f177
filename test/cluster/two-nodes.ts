import { inject } from "vitest";
import { openCluster } from "../../dev/cluster/index.ts";
import { cutSecondNode, findLocal, type Local } from "../../dev/cluster/local/index.ts";
import { placeOf } from "../../dev/cluster/place.ts";
import { openTerminal } from "../../dev/terminal/index.ts";
import { run } from "../../dev/terminal/run.ts";
import { get, type Json, kubectl, until } from "./kube.ts";

/** The test cluster with a second node, and faults that only several nodes have. */

export const nodes = { first: "node", second: "node-2" } as const;

const place = () => placeOf(inject("cluster").name);

/** Starts the second node, which gets the application's image alone: databases stay on the first. */
export async function openSecondNode(): Promise<void> {
  const terminal = openTerminal({ name: "test-nodes" });
  const { name, images } = inject("cluster");
  try {
    const secondImages = (image: string) => image.endsWith(images.app);
    await openCluster({ name, kind: "local", nodes: 2, secondImages, terminal });
  } finally {
    terminal.close();
  }
}

/** New pods go to this node alone. */
export async function onlyOn(node: string): Promise<void> {
  await kubectl(["uncordon", node]);
  await kubectl(["cordon", node === nodes.first ? nodes.second : nodes.first]);
}

/** Ends the second node like a machine whose power is cut: nobody informs Kubernetes, and no connection is closed. */
export const cutSecond = (): Promise<void> => cutSecondNode(place());

/** Ends the second node and removes all that names it. */
export async function closeSecondNode(): Promise<void> {
  await kubectl(["uncordon", nodes.first]);
  await cutSecond();
  await kubectl(["delete", "node", nodes.second, "--ignore-not-found"]);
  const lost = (await get("pods", "", "-A", `--field-selector=spec.nodeName=${nodes.second}`)).items;
  for (const { metadata } of lost as Json[])
    await kubectl([
      ...["delete", "pod", metadata.name, "-n", metadata.namespace],
      ...["--grace-period=0", "--force", "--ignore-not-found"],
    ]);
}

/** Adds rules to the first node's packet filter, before everything else and in this order, until the returned function is called. */
async function filter(rulesOf: (local: Local) => string[][]): Promise<() => Promise<void>> {
  const local = findLocal(place());
  if (local === null) throw new Error("the test cluster is not up");
  const rules = rulesOf(local);
  const apply = (rule: string[], action: "-I" | "-D") =>
    run("nsenter", [
      ...[`--net=/proc/${local.runtime.init}/ns/net`, "iptables", "--wait", "-t", "raw", action],
      ...rule,
    ]);
  for (const rule of rules.toReversed()) await apply(rule, "-I");
  return async () => {
    for (const rule of rules) await apply(rule, "-D");
  };
}

/** Drops everything between a pod of the first node and the API server, in both directions, until the returned function is called. */
export const partition = (podIp: string): Promise<() => Promise<void>> =>
  filter(({ addresses }) => [
    ["PREROUTING", "-s", podIp, "-d", addresses.api, "-j", "DROP"],
    ["PREROUTING", "-s", podIp, "-d", addresses.node, "-p", "tcp", "--dport", "6443", "-j", "DROP"],
    ["OUTPUT", "-d", podIp, "-p", "tcp", "--sport", "6443", "-j", "DROP"],
  ]);

/** The second node and its pods reach nothing but these pods of the first and the name server, until the returned function is called. */
export const isolateSecond = (podIps: string[]): Promise<() => Promise<void>> =>
  filter(({ addresses }) => [
    ...podIps.map((ip) => ["PREROUTING", "-i", nodes.second, "-d", ip, "-j", "ACCEPT"]),
    ["PREROUTING", "-i", nodes.second, "-d", addresses.node, "-p", "udp", "--dport", "53", "-j", "ACCEPT"],
    ["PREROUTING", "-i", nodes.second, "-j", "DROP"],
  ]);

/** Whether a replica takes itself for the leader, by its own metrics. */
export async function saysThatItLeads(pod: Json): Promise<boolean> {
  const ports = pod.spec.containers[0].ports as { name: string; containerPort: number }[];
  const port = ports.find(({ name }) => name === "http-metrics")?.containerPort;
  const response = await fetch(`http://${pod.status.podIP}:${port}/metrics`, { signal: AbortSignal.timeout(5_000) });
  const [, value] = /^rowferry_leader (\d)$/m.exec(await response.text()) ?? [];
  if (value === undefined) throw new Error("no metric rowferry_leader");
  return value === "1";
}

export const holder = async (): Promise<string> =>
  (await get("lease", inject("cluster").system, "rowferry-operator")).spec.holderIdentity;

/** Replicas of the operator; those that are ending are not counted. */
export async function replicas(): Promise<Json[]> {
  const { items } = await get("pods", inject("cluster").system, "-l", "app.kubernetes.io/component=operator");
  return items.filter(({ metadata }: Json) => metadata.deletionTimestamp === undefined);
}

/** One replica on each node; the leader is on the second. */
export async function leadFromSecond(): Promise<void> {
  const { system } = inject("cluster");
  const replace = async (name: string, onto: string): Promise<string> => {
    await onlyOn(onto);
    const before = (await replicas()).map(({ metadata }) => metadata.uid);
    await kubectl(["delete", "pod", name, "-n", system]);
    await kubectl(["rollout", "status", "deployment/rowferry-operator", "-n", system, "--timeout=120s"]);
    const made = (await replicas()).find(({ metadata }) => !before.includes(metadata.uid));
    return made?.metadata.name;
  };
  const leader = await holder();
  const follower = (await replicas()).find(({ metadata }) => metadata.name !== leader)?.metadata.name;
  const second = await replace(follower, nodes.second);
  // It ends in order and hands over at once; nobody else is there.
  await replace(leader, nodes.first);
  await until("a leader on the second node", async () => (await holder()) === second);
}

/** Sets a variable of the operator, or removes it (`NAME-`), and waits until only replicas with it are there and one leads. */
export async function setOperator(variable: string): Promise<void> {
  const { system } = inject("cluster");
  await kubectl(["set", "env", "deployment/rowferry-operator", "-n", system, variable]);
  await kubectl(["rollout", "status", "deployment/rowferry-operator", "-n", system, "--timeout=180s"]);
  await until("a leader of the new replicas", async () => {
    const names = (await replicas()).map(({ metadata }) => metadata.name);
    return names.length === 2 && names.includes(await holder());
  });
}
