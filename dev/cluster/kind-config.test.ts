import { expect, test } from "vitest";
import { kindConfig, kindNames, nodePortRange, publishedPorts } from "./kind-config.ts";
import { placeOf } from "./place.ts";

type Config = {
  kind: string;
  kubeadmConfigPatches: string[];
  nodes: { role: string; extraPortMappings: { containerPort: number; hostPort: number; listenAddress: string }[] }[];
};

const config = JSON.parse(kindConfig()) as Config;

test("every node port that Kubernetes may give is published on loopback alone, at a port that kind chooses", () => {
  const [patch = ""] = config.kubeadmConfigPatches;
  const [first = 0, last = 0] = (/"service-node-port-range":"(\d+)-(\d+)"/.exec(patch) ?? []).slice(1).map(Number);
  const [node] = config.nodes;
  expect(node?.extraPortMappings.map(({ containerPort }) => containerPort)).toEqual(
    Array.from({ length: last - first + 1 }, (_, at) => first + at),
  );
  for (const { listenAddress, hostPort } of node?.extraPortMappings ?? []) {
    expect([listenAddress, hostPort]).toEqual(["127.0.0.1", 0]);
  }
  expect([first, last]).toEqual([nodePortRange.first, nodePortRange.last]);
});

test("a cluster's network is its own", () => {
  const [one, other] = [kindNames(placeOf("dev", "/a")), kindNames(placeOf("dev", "/b"))];
  expect(one.network).not.toBe(other.network);
  expect(one.node).toBe(`${one.cluster}-control-plane`);
});

test("published ports are read from what docker port prints, without the API server's", () => {
  const lines = "30443/tcp -> 127.0.0.1:46149\n6443/tcp -> 127.0.0.1:39091\n30474/tcp -> 127.0.0.1:36777";
  expect(publishedPorts(lines)).toEqual({ 30443: 46149, 30474: 36777 });
});
