// Which programs a cluster needs, in which versions, and the two ways to each: the project's own release, or its Go
// module. Raising a version here (and in go/go.mod) is all that an upgrade takes.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** `linux` or `darwin`, and `amd64` or `arm64`, as the releases name them. */
export type Platform = { os: string; arch: string };

export type Release = {
  /** The program's name in the cache. */
  program: string;
  url: string;
  /** A file that holds the SHA-256 sum of what stands at `url`, alone or in a line with its name. */
  sums: string;
  /** Path inside the archive, where `url` is one. */
  member?: string;
};

/** A program that the Go module in `binaries/go` builds, so that what it shares with the others is compiled once. */
export type GoProgram = {
  /** Package of its `main`. */
  package: string;
  ldflags: string;
  /** Names that it has besides its own, which is the last one of its package's path. */
  links?: string[];
};

export type Tool = {
  name: string;
  version: string;
  /** Programs that it gives, by their names in the cache. */
  programs: string[];
  releases(platform: Platform): Release[];
  /** A module and its version for `go install`, or a program of this clone's Go module. */
  source: { module: string } | GoProgram;
};

const github = "https://github.com";

export const kubernetesVersion = "1.34.4";
const etcdVersion = "3.6.4";
const helmVersion = "3.19.0";
const corednsVersion = "1.12.4";
const kubeconformVersion = "0.7.0";
const kindVersion = "0.30.0";
const stripeMockVersion = "0.203.0";
const versitygwVersion = "1.8.0";

const kubernetesPrograms = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kube-proxy",
  "kubelet",
  "kubectl",
];
/** The Go module of this clone. */
export const goModule = fileURLToPath(new URL("go", import.meta.url));

// Without its version the controller-manager refuses to start, and kubectl warns of a skew.
const versionFlags = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"]
  .flatMap((name) => {
    const [major, minor] = kubernetesVersion.split(".");
    return [
      `-X ${name}.gitVersion=v${kubernetesVersion}`,
      `-X ${name}.gitMajor=${major}`,
      `-X ${name}.gitMinor=${minor}`,
    ];
  })
  .join(" ");

const kubernetesRelease = (program: string, { os, arch }: Platform): Release => {
  const url = `https://dl.k8s.io/release/v${kubernetesVersion}/bin/${os}/${arch}/${program}`;
  return { program, url, sums: `${url}.sha256` };
};

export const tools = {
  kubernetes: {
    name: "kubernetes",
    version: kubernetesVersion,
    programs: [...kubernetesPrograms, "etcd"],
    releases: ({ os, arch }) => {
      const folder = `etcd-v${etcdVersion}-${os}-${arch}`;
      const base = `${github}/etcd-io/etcd/releases/download/v${etcdVersion}`;
      return [
        ...kubernetesPrograms.map((program) => kubernetesRelease(program, { os, arch })),
        { program: "etcd", url: `${base}/${folder}.tar.gz`, sums: `${base}/SHA256SUMS`, member: `${folder}/etcd` },
      ];
    },
    source: { package: "./kubernetes", ldflags: versionFlags, links: [...kubernetesPrograms, "etcd"] },
  },
  // For clusters that bring their own control plane: of the other programs none is released for macOS.
  kubectl: {
    name: "kubectl",
    version: kubernetesVersion,
    programs: ["kubectl"],
    releases: (platform) => [kubernetesRelease("kubectl", platform)],
    source: { package: "./kubernetes", ldflags: versionFlags, links: ["kubectl"] },
  },
  helm: {
    name: "helm",
    version: helmVersion,
    programs: ["helm"],
    releases: ({ os, arch }) => {
      const url = `https://get.helm.sh/helm-v${helmVersion}-${os}-${arch}.tar.gz`;
      return [{ program: "helm", url, sums: `${url}.sha256sum`, member: `${os}-${arch}/helm` }];
    },
    source: {
      package: "helm.sh/helm/v3/cmd/helm",
      ldflags: `-X helm.sh/helm/v3/internal/version.version=v${helmVersion}`,
    },
  },
  coredns: {
    name: "coredns",
    version: corednsVersion,
    programs: ["coredns"],
    releases: ({ os, arch }) => {
      const url = `${github}/coredns/coredns/releases/download/v${corednsVersion}/coredns_${corednsVersion}_${os}_${arch}.tgz`;
      return [{ program: "coredns", url, sums: `${url}.sha256`, member: "coredns" }];
    },
    source: { package: "./coredns", ldflags: "" },
  },
  kubeconform: {
    name: "kubeconform",
    version: kubeconformVersion,
    programs: ["kubeconform"],
    releases: ({ os, arch }) => {
      const base = `${github}/yannh/kubeconform/releases/download/v${kubeconformVersion}`;
      return [
        {
          program: "kubeconform",
          url: `${base}/kubeconform-${os}-${arch}.tar.gz`,
          sums: `${base}/CHECKSUMS`,
          member: "kubeconform",
        },
      ];
    },
    source: { module: `github.com/yannh/kubeconform/cmd/kubeconform@v${kubeconformVersion}` },
  },
  kind: {
    name: "kind",
    version: kindVersion,
    programs: ["kind"],
    releases: ({ os, arch }) => {
      const url = `${github}/kubernetes-sigs/kind/releases/download/v${kindVersion}/kind-${os}-${arch}`;
      return [{ program: "kind", url, sums: `${url}.sha256sum` }];
    },
    source: { module: `sigs.k8s.io/kind@v${kindVersion}` },
  },
  // Stripe's own check of requests, and the description of its API that is in it: for the tests of `dev/stripe`.
  stripeMock: {
    name: "stripe-mock",
    version: stripeMockVersion,
    programs: ["stripe-mock"],
    releases: ({ os, arch }) => {
      const base = `${github}/stripe/stripe-mock/releases/download/v${stripeMockVersion}`;
      return [
        {
          program: "stripe-mock",
          url: `${base}/stripe-mock_${stripeMockVersion}_${os}_${arch}.tar.gz`,
          sums: `${base}/stripe-mock_${stripeMockVersion}_checksums.txt`,
          member: "stripe-mock",
        },
      ];
    },
    source: { module: `github.com/stripe/stripe-mock@v${stripeMockVersion}` },
  },
  // A storage of the S3 protocol, for backups in the demo and in tests.
  versitygw: {
    name: "versitygw",
    version: versitygwVersion,
    programs: ["versitygw"],
    releases: ({ os, arch }) => {
      const base = `${github}/versity/versitygw/releases/download/v${versitygwVersion}`;
      const system = `${os === "darwin" ? "Darwin" : "Linux"}_${arch === "amd64" ? "x86_64" : arch}`;
      const folder = `versitygw_v${versitygwVersion}_${system}`;
      return [
        {
          program: "versitygw",
          url: `${base}/${folder}.tar.gz`,
          sums: `${base}/checksums.txt`,
          member: `${folder}/versitygw`,
        },
      ];
    },
    source: { module: `github.com/versity/versitygw/cmd/versitygw@v${versitygwVersion}` },
  },
} satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;

/** The tool's folder below the cache's binaries: its version, and a hash of all that makes the program. */
export const folderOf = (tool: Tool, platform: Platform): string => {
  const hash = createHash("sha256").update(JSON.stringify([tool.releases(platform), tool.source]));
  if ("package" in tool.source) {
    const own = tool.source.package.startsWith(".") ? [join(tool.source.package, "main.go")] : [];
    for (const file of [...own, "go.mod", "go.sum"]) hash.update(readFileSync(join(goModule, file)));
  }
  return `${tool.name}-${tool.version}-${platform.os}-${platform.arch}-${hash.digest("hex").slice(0, 10)}`;
};
