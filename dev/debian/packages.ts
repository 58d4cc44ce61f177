// Which Debian packages the commands of this clone use, by purpose.

export type DebianPackage = {
  name: string;
  /** A program of the package, or the absolute path of one of its files: where it exists, the package is installed. */
  proof: string;
};

const mount = { name: "mount", proof: "mount" };
const utilLinux = { name: "util-linux", proof: "unshare" };

/** Packages by what they are for. Several purposes may name the same package. */
export const purposes = {
  /** Kubernetes on this machine: its network, its services (kube-proxy), its certificates, its namespaces. */
  cluster: [
    { name: "iproute2", proof: "ip" },
    { name: "iptables", proof: "iptables" },
    { name: "openssl", proof: "openssl" },
    mount,
    utilLinux,
  ],
  /** Root file systems for images and databases. Ubuntu does not include Debian's keyring. */
  roots: [
    { name: "mmdebstrap", proof: "mmdebstrap" },
    { name: "debian-archive-keyring", proof: "/usr/share/keyrings/debian-archive-keyring.gpg" },
    mount,
    utilLinux,
  ],
  /** Database servers from Maven's archives. */
  maven: [
    { name: "maven", proof: "mvn" },
    { name: "unzip", proof: "unzip" },
  ],
  /** Restoring a backup by hand. */
  backup: [
    { name: "age", proof: "age" },
    { name: "zstd", proof: "zstd" },
    { name: "jq", proof: "jq" },
  ],
  /** Examples for a shell. */
  curl: [
    { name: "curl", proof: "curl" },
    { name: "jq", proof: "jq" },
  ],
  /** Shells whose completion of the command line is tested; bash is there already. */
  shells: [
    { name: "zsh", proof: "zsh" },
    { name: "fish", proof: "fish" },
  ],
  /** Pages in a real browser. */
  browser: [{ name: "chromium-headless-shell", proof: "/usr/bin/chromium-headless-shell" }],
  /** Tools that PyPI has. */
  python: [
    { name: "python3", proof: "python3" },
    { name: "python3-venv", proof: "/usr/share/doc/python3-venv" },
  ],
} satisfies Record<string, readonly DebianPackage[]>;

export type Purpose = keyof typeof purposes;

/** The names of the packages for these purposes that are missing, each once. `exists` gets a proof. */
export const missingPackages = (wanted: readonly Purpose[], exists: (proof: string) => boolean): string[] => {
  const all = wanted.flatMap((purpose): readonly DebianPackage[] => purposes[purpose]);
  return [...new Set(all.filter(({ proof }) => !exists(proof)).map(({ name }) => name))];
};
