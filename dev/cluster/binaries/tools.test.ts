import { expect, test } from "vitest";
import { tools } from "./tools.ts";

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
