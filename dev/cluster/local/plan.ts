// Everything a local cluster is made of, as text: addresses, programs with their arguments, and configuration files.
// Nothing here touches the machine.
import { nodePortRange } from "../kind-config.ts";

/** IPv4 addresses of the cluster with this number on the machine. */
export type Addresses = {
  index: number;
  /** The host's end of the veth pair, and the other end: node address, API server and DNS. */
  host: string;
  node: string;
  pods: string;
  services: string;
  /** The service `kubernetes.default`. */
  api: string;
  link: string;
};

export const highestIndex = 99;

/** One node: its name, its address, the other end of its link, and the addresses of its pods. */
export type NodeAddresses = { name: string; node: string; gateway: string; pods: string };

export const addressesOf = (index: number): Addresses => ({
  index,
  host: `10.243.${index}.1`,
  node: `10.243.${index}.2`,
  pods: `10.244.${index}.0/24`,
  services: `10.245.${index}.0/24`,
  api: `10.245.${index}.1`,
  link: `rowferry${index}`,
});

/** The cluster's folder and the folder of binaries, as the cluster's processes see them. */
export const home = "/run/rowferry";
export const programs = "/run/binaries";
export const pauseImage = "rowferry.dev/pause:1";
export const nodeName = "node";
/** The node that exists on demand. */
export const secondNodeName = "node-2";

/** The node with the control plane. */
export const firstNode = (a: Addresses): NodeAddresses => ({
  name: nodeName,
  node: a.node,
  gateway: a.host,
  pods: a.pods,
});

/** The second node hangs on the first, by a link of its own. */
export const secondNode = ({ index }: Addresses): NodeAddresses => ({
  name: secondNodeName,
  gateway: `10.243.${index}.5`,
  node: `10.243.${index}.6`,
  pods: `10.244.${index + highestIndex + 1}.0/24`,
});

export type Snapshotter = "overlayfs" | "native";

/** A process of the cluster: its name, which is also its log's, and its command. */
export type Component = { name: string; command: string[] };

/** Folders inside the folder of binaries. */
export type ProgramFolders = { kubernetes: string; coredns: string; containerd: string };

const pki = (file: string): string => `${home}/pki/${file}`;

/** The components by the time of their start: at once, with the API server, and with the pause image. */
export type Components = { first: Component[]; afterApi: Component[]; afterImages: Component[] };

type Kubernetes = (program: string, flags: string[]) => Component;

const kubernetesIn =
  (folders: ProgramFolders): Kubernetes =>
  (program, flags) => ({
    name: program,
    command: [`${programs}/${folders.kubernetes}/${program}`, ...flags],
  });

/** What every node runs. */
export const nodeComponents = (n: NodeAddresses, folders: ProgramFolders): Components => {
  const kubernetes = kubernetesIn(folders);
  return {
    first: [
      {
        name: "containerd",
        command: [`${programs}/${folders.containerd}/usr/bin/containerd`, "--config", `${home}/config/containerd.toml`],
      },
    ],
    afterApi: [kubernetes("kube-proxy", [`--config=${home}/config/kube-proxy.yaml`])],
    afterImages: [
      kubernetes("kubelet", [
        `--config=${home}/config/kubelet.yaml`,
        `--kubeconfig=${home}/config/kubelet.conf`,
        `--root-dir=${home}/kubelet`,
        `--node-ip=${n.node}`,
        `--hostname-override=${n.name}`,
      ]),
    ],
  };
};

/** The components of the first node, which has the control plane. */
export const components = (a: Addresses, folders: ProgramFolders): Components => {
  const kubernetes = kubernetesIn(folders);
  const node = nodeComponents(firstNode(a), folders);
  return {
    first: [
      kubernetes("etcd", [
        "--name=node",
        `--data-dir=${home}/etcd`,
        "--listen-client-urls=http://127.0.0.1:2379",
        "--advertise-client-urls=http://127.0.0.1:2379",
        "--listen-peer-urls=http://127.0.0.1:2380",
        "--initial-advertise-peer-urls=http://127.0.0.1:2380",
        "--initial-cluster=node=http://127.0.0.1:2380",
        "--unsafe-no-fsync",
        "--log-level=warn",
      ]),
      ...node.first,
      kubernetes("kube-apiserver", [
        "--etcd-servers=http://127.0.0.1:2379",
        `--bind-address=${a.node}`,
        `--advertise-address=${a.node}`,
        "--secure-port=6443",
        `--service-cluster-ip-range=${a.services}`,
        // Its first ports go only to who names them, as the API does, whose port another Service would be given by chance.
        `--service-node-port-range=${nodePortRange.first}-32767`,
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--kubelet-preferred-address-types=InternalIP",
        `--client-ca-file=${pki("ca.crt")}`,
        `--tls-cert-file=${pki("apiserver.crt")}`,
        `--tls-private-key-file=${pki("apiserver.key")}`,
        `--kubelet-certificate-authority=${pki("ca.crt")}`,
        `--kubelet-client-certificate=${pki("admin.crt")}`,
        `--kubelet-client-key=${pki("admin.key")}`,
        "--service-account-issuer=https://kubernetes.default.svc",
        `--service-account-key-file=${pki("service-accounts.pub")}`,
        `--service-account-signing-key-file=${pki("service-accounts.key")}`,
        "--allow-privileged=true",
        "--profiling=false",
        "--shutdown-delay-duration=0s",
      ]),
    ],
    afterApi: [
      kubernetes("kube-controller-manager", [
        `--kubeconfig=${home}/config/controller-manager.conf`,
        `--service-account-private-key-file=${pki("service-accounts.key")}`,
        `--root-ca-file=${pki("ca.crt")}`,
        "--use-service-account-credentials=true",
        "--leader-elect=false",
        "--kube-api-qps=200",
        "--kube-api-burst=400",
        "--bind-address=127.0.0.1",
        "--profiling=false",
      ]),
      kubernetes("kube-scheduler", [
        `--kubeconfig=${home}/config/scheduler.conf`,
        "--leader-elect=false",
        "--bind-address=127.0.0.1",
        "--profiling=false",
      ]),
      ...node.afterApi,
      {
        name: "coredns",
        command: [`${programs}/${folders.coredns}/coredns`, "-conf", `${home}/config/Corefile`],
      },
    ],
    afterImages: node.afterImages,
  };
};

/** A client of the API server: its certificate's file, which is also its configuration's, its user and group. */
export type Client = { file: string; user: string; group: string };

/** Those of the control plane. */
export const clients: readonly Client[] = [
  { file: "admin", user: "rowferry-admin", group: "system:masters" },
  { file: "controller-manager", user: "system:kube-controller-manager", group: "" },
  { file: "scheduler", user: "system:kube-scheduler", group: "" },
];

/** Those of every node. */
export const nodeClients = (n: NodeAddresses): readonly Client[] => [
  { file: "kubelet", user: `system:node:${n.name}`, group: "system:nodes" },
  { file: "proxy", user: "system:kube-proxy", group: "" },
];

/** A kubeconfig whose certificates are given as files or, for the one that leaves the cluster's folder, as data. */
export const kubeconfig = (
  a: Addresses,
  name: string,
  from: { ca: string; cert: string; key: string; data: boolean },
): string => {
  const suffix = from.data ? "-data" : "";
  return `${JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      "current-context": name,
      clusters: [{ name, cluster: { server: `https://${a.node}:6443`, [`certificate-authority${suffix}`]: from.ca } }],
      users: [{ name, user: { [`client-certificate${suffix}`]: from.cert, [`client-key${suffix}`]: from.key } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
    },
    null,
    2,
  )}\n`;
};

const kubelet = (a: Addresses, n: NodeAddresses, cgroup: string): object => ({
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  address: n.node,
  containerRuntimeEndpoint: `unix://${home}/containerd.sock`,
  cgroupDriver: "cgroupfs",
  cgroupRoot: `/${cgroup}`,
  failSwapOn: false,
  failCgroupV1: false,
  featureGates: { KubeletInUserNamespace: true },
  authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: pki("ca.crt") } },
  authorization: { mode: "Webhook" },
  tlsCertFile: pki("node.crt"),
  tlsPrivateKeyFile: pki("node.key"),
  clusterDomain: "cluster.local",
  clusterDNS: [a.node],
  resolvConf: `${home}/config/resolv.conf`,
  podLogsDir: `${home}/pods`,
  healthzPort: 0,
  serializeImagePulls: false,
  registryPullQPS: 0,
  eventRecordQPS: 0,
  // Images come from archives, never from a registry: none may be collected because the user's disk is full.
  imageGCHighThresholdPercent: 100,
  evictionHard: { "memory.available": "50Mi", "nodefs.available": "200Mi", "imagefs.available": "200Mi" },
});

const kubeProxy = (n: NodeAddresses): object => ({
  apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
  kind: "KubeProxyConfiguration",
  mode: "iptables",
  bindAddress: n.node,
  healthzBindAddress: `${n.node}:10256`,
  metricsBindAddress: "127.0.0.1:10249",
  hostnameOverride: n.name,
  clientConnection: { kubeconfig: `${home}/config/proxy.conf` },
  // The network namespace may not change what counts for the whole machine.
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
  iptables: { minSyncPeriod: "100ms", syncPeriod: "30s" },
});

// Names outside the cluster do not exist for its pods: it has no way out, and a lookup should say so at once.
const corefile = (a: Addresses): string => `cluster.local in-addr.arpa {
  bind ${a.node}
  errors
  ready ${a.node}:8181
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${home}/config/admin.conf
    ttl 5
  }
}
. {
  bind ${a.node}
  errors
  template ANY ANY {
    rcode NXDOMAIN
  }
}
`;

const containerd = (folder: string, snapshotter: Snapshotter): string => `version = 2
root = "${home}/containerd"
state = "/run/containerd"
[grpc]
  address = "${home}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "${snapshotter}"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        BinaryName = "${programs}/${folder}/usr/sbin/runc"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${programs}/${folder}/usr/lib/cni"
    conf_dir = "${home}/config/cni"
`;

// Routed rather than bridged: replies between pods then pass the node's address translation without br_netfilter.
const cni = (n: NodeAddresses): object => ({
  cniVersion: "0.4.0",
  name: "rowferry",
  plugins: [
    {
      type: "ptp",
      ipMasq: false,
      ipam: { type: "host-local", dataDir: "/run/cni", ranges: [[{ subnet: n.pods }]], routes: [{ dst: "0.0.0.0/0" }] },
    },
    { type: "portmap", capabilities: { portMappings: true } },
  ],
});

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

const kubeconfigs = (a: Addresses, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [
      `config/${name}.conf`,
      kubeconfig(a, name, { ca: pki("ca.crt"), cert: pki(`${name}.crt`), key: pki(`${name}.key`), data: false }),
    ]),
  );

/** Configuration files of a node by their path below its folder. */
export const nodeConfiguration = (
  a: Addresses,
  n: NodeAddresses,
  folders: ProgramFolders,
  snapshotter: Snapshotter,
  cgroup: string,
): Record<string, string> => ({
  "config/kubelet.yaml": json(kubelet(a, n, cgroup)),
  "config/kube-proxy.yaml": json(kubeProxy(n)),
  "config/containerd.toml": containerd(folders.containerd, snapshotter),
  "config/cni/10-rowferry.conflist": json(cni(n)),
  "config/resolv.conf": "",
  ...kubeconfigs(
    a,
    nodeClients(n).map(({ file }) => file),
  ),
});

/** Configuration files of the first node and the control plane, by their path below the cluster's folder. */
export const configuration = (
  a: Addresses,
  folders: ProgramFolders,
  snapshotter: Snapshotter,
  cgroup: string,
): Record<string, string> => ({
  ...nodeConfiguration(a, firstNode(a), folders, snapshotter, cgroup),
  "config/Corefile": corefile(a),
  ...kubeconfigs(
    a,
    clients.map(({ file }) => file),
  ),
});
