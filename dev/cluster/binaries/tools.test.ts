import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { goModule, tools } from "./tools.ts";

const platforms = [
  { os: "linux", arch: "amd64" },
  { os: "linux", arch: "arm64" },
  { os: "darwin", arch: "amd64" },
  { os: "darwin", arch: "arm64" },
] as const;

test.each(platforms)("what a cluster in Docker needs is a release for $os on $arch, with a sum", (platform) => {
  for (const tool of [tools.kubectl, tools.helm, tools.kind]) {
    const releases = tool.releases(platform);
    expect(releases.map(({ program }) => program)).toEqual(tool.programs);
    for (const { url, sums } of releases) {
      expect(url).toMatch(new RegExp(`^https://.*${platform.os}[-/]${platform.arch}`));
      expect(sums).toMatch(/^https:\/\/.*\.sha256(sum)?$/);
    }
  }
});

test("kubectl is of the control plane's version", () => {
  expect(tools.kubectl.version).toBe(tools.kubernetes.version);
});

test("what the Go module builds is of the versions whose releases are downloaded", () => {
  const required = new Map(
    [...readFileSync(join(goModule, "go.mod"), "utf8").matchAll(/^\t(\S+) v(\S+)/gm)].map(([, name, version]) => [
      name,
      version,
    ]),
  );
  const [, etcd] = /etcd-v([\d.]+)-/.exec(tools.kubernetes.releases(platforms[0]).at(-1)?.url ?? "") ?? [];
  expect({
    kubernetes: required.get("k8s.io/kubernetes"),
    etcd: required.get("go.etcd.io/etcd/server/v3"),
    helm: required.get("helm.sh/helm/v3"),
    coredns: required.get("github.com/coredns/coredns"),
  }).toEqual({
    kubernetes: tools.kubernetes.version,
    etcd,
    helm: tools.helm.version,
    coredns: tools.coredns.version,
  });
});
