// The root file systems that the machine, its base images and its Kubernetes node are made of.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { needPackages } from "../../../dev/debian/index.ts";
import { debianMirror } from "../../../dev/debian/mirror.ts";
import { runNamespaced } from "../../../dev/image/namespaced.ts";
import { keep } from "../../../dev/image/store.ts";
import { cacheFolder } from "../../../dev/terminal/cache.ts";
import type { Terminal } from "../../../dev/terminal/index.ts";

const kubernetesNode = [
  ...["systemd", "systemd-sysv", "dbus", "containerd", "runc", "containernetworking-plugins", "iptables", "iproute2"],
  ...["kmod", "conntrack", "ethtool", "socat", "util-linux", "mount", "procps", "hostname", "ca-certificates"],
  ...["libseccomp2", "bash", "curl", "jq"],
];

/** Suite, mmdebstrap's variant and packages of each. */
const recipes = {
  machine: {
    suite: "bookworm",
    variant: "minbase",
    packages: [
      "docker.io",
      "iptables",
      "iproute2",
      "slirp4netns",
      "git",
      "ca-certificates",
      "mount",
      "libstdc++6",
      "jq",
    ],
  },
  "kind-root": { suite: "bookworm", variant: "minbase", packages: kubernetesNode },
  kube: {
    suite: "bookworm",
    variant: "extract",
    packages: ["base-files", "libc6", "dash", "coreutils", "iptables", "conntrack", "ca-certificates"],
  },
  debian: { suite: "sid", variant: "minbase", packages: ["ca-certificates"] },
  slim: { suite: "bookworm", variant: "minbase", packages: ["ca-certificates", "libstdc++6"] },
} as const;

export type RootName = keyof typeof recipes;
export const rootNames = Object.keys(recipes) as RootName[];

/** The folder with a root file system, made when the cache has none (20 to 60 s). Never write into it. Needs root. */
export const machineRoot = async (name: RootName, terminal: Terminal, signal: AbortSignal): Promise<string> => {
  const { suite, variant, packages } = recipes[name];
  const key = createHash("sha256").update(JSON.stringify(recipes[name])).digest("hex").slice(0, 16);
  const at = { folder: join(cacheFolder(), "first-hour", "roots"), name, key };
  return keep(
    at,
    async (part) => {
      await needPackages(["roots"], terminal, signal);
      const mirror = await debianMirror();
      const merged = variant === "extract" ? ["--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr"] : [];
      const command = [
        ...["mmdebstrap", "--mode=root", `--variant=${variant}`, '--aptopt=Acquire::Check-Valid-Until "false"'],
        ...['--aptopt=APT::Install-Recommends "false"', ...merged, `--include=${packages.join(",")}`, suite, part],
        ...(mirror === undefined ? [] : [mirror]),
      ];
      const env = { ...process.env, PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
      await terminal.step(`Root file system "${name}"`, (step) =>
        runNamespaced(command, { log: step.log, env, signal }),
      );
    },
    { signal },
  );
};
