import { expect, test } from "vitest";
import { nodePortRange } from "../kind-config.ts";
import { overlap } from "./network.ts";
import {
  addressesOf,
  components,
  configuration,
  highestIndex,
  nodeComponents,
  nodeConfiguration,
  secondNode,
} from "./plan.ts";
import { initScript, quote } from "./script.ts";

const folders = { kubernetes: "kubernetes-1", coredns: "coredns-1", containerd: "containerd-1" };

test("address ranges overlap when they share an address", () => {
  expect(overlap("10.243.0.0/30", "10.243.0.3")).toBe(true);
  expect(overlap("10.243.0.0/30", "10.243.0.4/30")).toBe(false);
  expect(overlap("10.0.0.0/8", "10.244.7.0/24")).toBe(true);
  expect(overlap("192.168.0.0/16", "10.244.7.0/24")).toBe(false);
});

test("no two clusters share an address range, a link or a kernel-limited name", () => {
  const all = Array.from({ length: highestIndex + 1 }, (_, index) => addressesOf(index));
  const ranges = all.flatMap((a) => {
    const { gateway, pods } = secondNode(a);
    return [`${a.host}/30`, a.pods, a.services, `${gateway}/30`, pods];
  });
  for (const [at, range] of ranges.entries()) {
    expect(ranges.slice(at + 1).filter((other) => overlap(range, other))).toEqual([]);
  }
  for (const { link } of all) expect(link.length).toBeLessThan(16);
});

test("words are quoted so that a shell takes them as they are", () => {
  expect(quote("--name=node")).toBe("--name=node");
  expect(quote("a b")).toBe("'a b'");
  expect(quote("it's $HOME")).toBe(`'it'\\''s $HOME'`);
});

test("components start in the order in which they need each other", () => {
  const addresses = addressesOf(3);
  const parts = components(addresses, folders);
  const script = initScript({ folder: "/home/a b/c", binaries: "/b", path: [], ...parts });
  const order = [
    "await network",
    "keep etcd",
    "keep kube-apiserver",
    "await api",
    "keep kube-scheduler",
    "await images",
  ];
  const places = [...order, "keep kubelet", "await keep"].map((words) => script.indexOf(`\n${words}`));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  expect(script).toContain("mount --bind '/home/a b/c' /run/rowferry");
});

const second = secondNode(addressesOf(0));

test.each([
  [
    "first",
    components(addressesOf(0), folders),
    configuration(addressesOf(0), folders, "overlayfs", "rowferry-dev-1"),
    7,
  ],
  [
    "second",
    nodeComponents(second, folders),
    nodeConfiguration(addressesOf(0), second, folders, "overlayfs", "rowferry-dev-1/node-2"),
    4,
  ],
])("every file that a component of the %s node must read is written", (_node, parts, files, count) => {
  const { first, afterApi, afterImages } = parts;
  const words = [...first, ...afterApi, ...afterImages].flatMap((component) => component.command).join(" ");
  const named = [...words.matchAll(/\/run\/rowferry\/(config\/[\w.-]+)/g)].map((match) => match[1]);
  expect(named).toHaveLength(count);
  for (const file of named) expect(Object.keys(files)).toContain(file);
});

test("the API's node port is one that Kubernetes gives to nobody who does not name it", () => {
  const args = JSON.stringify(components(addressesOf(3), folders));
  const [first = 0, last = 0] = (/--service-node-port-range=(\d+)-(\d+)/.exec(args) ?? []).slice(1).map(Number);
  // The static band of Kubernetes (KEP-3668): a 32nd of the range, at least 16 and at most 128.
  const band = Math.min(Math.max(16, Math.floor((last - first + 1) / 32)), 128);
  expect(nodePortRange.first).toBeGreaterThanOrEqual(first);
  expect(nodePortRange.first).toBeLessThan(first + band);
});
