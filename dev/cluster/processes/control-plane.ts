// etcd, the API server and the controller manager as ordinary processes on loopback: their files and arguments. Nothing is
// started here: the demo starts them as daemons, the tests as children of their own.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCa, makeServerCertificate } from "../../../src/guard/certificate.ts";

/** Files in its folder: an administrator's kubeconfig, and the CA. */
export const adminFile = "admin.kubeconfig";
export const caFile = "ca.crt";

export type PlanePorts = { etcd: number; peer: number; api: number };

/** A program of Kubernetes and its arguments. */
export type Component = { name: "etcd" | "kube-apiserver" | "kube-controller-manager"; args: string[] };

export type ControlPlaneFiles = {
  server: string;
  etcdUrl: string;
  /** Kubeconfig of an administrator (user `admin`, group `system:masters`). */
  adminKubeconfig: string;
  /** Files with the CA, and with the certificate and key that every part shows to the others. */
  ca: string;
  cert: string;
  key: string;
  etcd: Component;
  api: Component;
  /** `controllers`: names, separated by commas. */
  manager(controllers: string): Component;
};

export type ControlPlaneOptions = {
  /** An existing folder; data, keys and kubeconfigs go there. */
  folder: string;
  ports: PlanePorts;
  /** More arguments of the API server. */
  apiArguments?: readonly string[];
  /** etcd takes every client, by HTTP, so that tests can restore its content. */
  plainEtcd?: boolean;
  /** The API server shows its certificate to kubelets, and accepts those of this CA. */
  kubelets?: boolean;
};

/**
 * Writes the keys, certificates (90 days) and kubeconfig of a control plane. etcd accepts only clients with a certificate of this
 * CA: other accounts of the machine reach loopback too.
 */
export async function writeControlPlane({
  folder,
  ports,
  apiArguments = [],
  kubelets = false,
  plainEtcd = false,
}: ControlPlaneOptions): Promise<ControlPlaneFiles> {
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const now = new Date();
  const authority = await makeCa("rowferry-processes", now);
  const pair = await makeServerCertificate(authority, ["localhost", "127.0.0.1", "::1"], now, { client: true });
  const [ca, cert, key] = [
    file(caFile, authority.certificate),
    file("local.crt", pair.certificate),
    file("local.key", pair.key),
  ];
  const accounts = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const accountKey = file("sa.key", accounts.privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  const accountPublic = file("sa.pub", accounts.publicKey.export({ type: "spki", format: "pem" }).toString());
  const adminToken = randomBytes(24).toString("base64url");
  const tokens = file("tokens.csv", `${adminToken},admin,admin,system:masters\n`);
  mkdirSync(join(folder, "certs"), { recursive: true });

  const server = `https://127.0.0.1:${ports.api}`;
  const user = { token: adminToken };
  const adminKubeconfig = file(adminFile, kubeconfig({ server, ca: authority.certificate, user }));
  const scheme = plainEtcd ? "http" : "https";
  const clients = `${scheme}://127.0.0.1:${ports.etcd}`;
  const peers = `${scheme}://127.0.0.1:${ports.peer}`;
  return {
    server,
    etcdUrl: clients,
    adminKubeconfig,
    ca,
    cert,
    key,
    etcd: {
      name: "etcd",
      args: [
        "--name=one",
        `--data-dir=${join(folder, "etcd")}`,
        `--listen-client-urls=${clients}`,
        `--advertise-client-urls=${clients}`,
        `--listen-peer-urls=${peers}`,
        `--initial-advertise-peer-urls=${peers}`,
        `--initial-cluster=one=${peers}`,
        ...(plainEtcd ? [] : ["", "peer-"]).flatMap((side) => [
          `--${side}cert-file=${cert}`,
          `--${side}key-file=${key}`,
          `--${side}trusted-ca-file=${ca}`,
          `--${side}client-cert-auth`,
        ]),
        "--unsafe-no-fsync",
        "--log-level=error",
      ],
    },
    api: {
      name: "kube-apiserver",
      args: [
        `--etcd-servers=${clients}`,
        ...(plainEtcd ? [] : [`--etcd-cafile=${ca}`, `--etcd-certfile=${cert}`, `--etcd-keyfile=${key}`]),
        `--secure-port=${ports.api}`,
        "--bind-address=127.0.0.1",
        "--endpoint-reconciler-type=none",
        // Nobody uses it, and loopback is refused; without it a machine that has no default route would be, too.
        "--advertise-address=192.0.2.1",
        "--authorization-mode=RBAC",
        `--cert-dir=${join(folder, "certs")}`,
        `--tls-cert-file=${cert}`,
        `--tls-private-key-file=${key}`,
        `--token-auth-file=${tokens}`,
        "--service-account-issuer=https://kubernetes.default.svc",
        `--service-account-key-file=${accountPublic}`,
        `--service-account-signing-key-file=${accountKey}`,
        "--service-cluster-ip-range=10.250.0.0/24",
        "--shutdown-delay-duration=0s",
        "--profiling=false",
        ...(kubelets
          ? [
              `--kubelet-certificate-authority=${ca}`,
              `--kubelet-client-certificate=${cert}`,
              `--kubelet-client-key=${key}`,
            ]
          : []),
        ...apiArguments,
      ],
    },
    manager: (controllers) => ({
      name: "kube-controller-manager",
      args: [
        `--kubeconfig=${adminKubeconfig}`,
        `--controllers=${controllers}`,
        `--root-ca-file=${ca}`,
        `--service-account-private-key-file=${accountKey}`,
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=200",
        "--kube-api-burst=400",
      ],
    }),
  };
}

/** A kubeconfig as text. `ca`: PEM; `user`: a token, or a file that holds it, which the library's client reads every minute. */
export const kubeconfig = ({
  server,
  ca,
  user,
}: {
  server: string;
  ca: string;
  user: { token: string } | { tokenFile: string };
}): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "processes",
    clusters: [
      {
        name: "processes",
        cluster: { server, "certificate-authority-data": Buffer.from(ca).toString("base64") },
      },
    ],
    users: [
      {
        name: "processes",
        user:
          "token" in user ? user : { "auth-provider": { name: "tokenFile", config: { tokenFile: user.tokenFile } } },
      },
    ],
    contexts: [{ name: "processes", context: { cluster: "processes", user: "processes" } }],
  });
