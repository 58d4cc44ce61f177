// A database in the cluster: Secret, Deployment and Service, under the restricted Pod Security Standard.
import { createHash } from "node:crypto";
import { restrictedContainer, restrictedPod } from "../cluster/restricted.ts";
import type { Server, ServerInput } from "./container.ts";
import { type DatabaseKind, kinds } from "./kinds.ts";
import { officialServer } from "./official.ts";
import { account, type Engine } from "./server.ts";

export type ManifestOptions = {
  namespace: string;
  /** Of the Deployment and the Service; the Secret is `<name>-database`. */
  name: string;
  /** Reference of an image that the nodes have. */
  image: string;
  /** Whether the image is the database's official one, not one of dev/image. It has no `app`, and a certificate of its own. */
  official?: boolean;
  /** Of the administrator (`root`, `postgres`) and of `app`. */
  password: string;
  /** The first database, which `app` owns. Default: `shop`. */
  database?: string;
  /** Appended to the server's command line. */
  args?: readonly string[];
  /** The container's limit in MiB; default: 1024 for MySQL, 512 for the others. */
  memoryMegabytes?: number;
  /** Size of the data's emptyDir in MiB, in memory: writes fail when it is full. Default: the node's disk, unlimited. */
  diskMegabytes?: number;
};

type Manifest = { apiVersion: string; kind: string; metadata: { name: string; namespace: string } } & Record<
  string,
  unknown
>;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The server's own arguments that a container of that size needs. */
const sized = (engine: Engine): string[] => (engine === "postgres" ? [] : ["--innodb-buffer-pool-size=128M"]);

/** A server of the images of dev/image. */
const ourServer = ({ engine, database, password, hosts, args }: ServerInput): Server => ({
  account,
  container: {
    command: ["database", "run", engine, ...args],
    env: [
      { name: "DATABASE_NAME", value: database },
      { name: "DATABASE_PASSWORD", ...password },
      { name: "DATABASE_HOSTS", value: [...hosts, "localhost"].map((host) => `DNS:${host}`).join(",") },
    ],
    volumeMounts: [
      { name: "data", mountPath: "/data" },
      { name: "run", mountPath: "/run" },
      { name: "tmp", mountPath: "/tmp" },
    ],
  },
  ready: ["database", "ready", engine],
  readOnlyRoot: true,
});

/**
 * The manifests of one database. The data live as long as the pod. The Service has a node port, so that the database is
 * reached from outside the cluster too. The certificate names the Service, with and without its namespace.
 */
export const databaseManifests = (kind: DatabaseKind, options: ManifestOptions): Manifest[] => {
  const { namespace, name, image, password, database = "shop", diskMegabytes } = options;
  const { engine, port } = kinds[kind];
  const labels = { "app.kubernetes.io/name": name, "app.kubernetes.io/component": "database" };
  const secret = `${name}-database`;
  const hosts = [name, `${name}.${namespace}`, `${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`];
  const describe = options.official === true ? officialServer : ourServer;
  const server = describe({
    engine,
    database,
    hosts,
    password: { valueFrom: { secretKeyRef: { name: secret, key: "password" } } },
    args: [...sized(engine), ...(options.args ?? [])],
  });
  const container = {
    name: "database",
    image,
    imagePullPolicy: "Never",
    ...server.container,
    ports: [{ name: "database", containerPort: port }],
    // A login says that it is ready; afterwards an open port is enough, and costs no process each time.
    startupProbe: { exec: { command: server.ready }, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 180 },
    readinessProbe: { tcpSocket: { port }, periodSeconds: 5 },
    resources: {
      requests: { cpu: "50m", memory: "128Mi" },
      // Data in memory count against the container that writes them.
      limits: { memory: `${(options.memoryMegabytes ?? (kind === "mysql" ? 1024 : 512)) + (diskMegabytes ?? 0)}Mi` },
    },
    securityContext: restrictedContainer(server),
  };
  const data = diskMegabytes === undefined ? {} : { medium: "Memory", sizeLimit: `${diskMegabytes}Mi` };
  return [
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: secret, namespace },
      stringData: { password },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace },
      spec: {
        replicas: 1,
        strategy: { type: "Recreate" },
        selector: { matchLabels: labels },
        template: {
          // Another password is one of another database: its pod is made anew.
          metadata: { labels, annotations: { "rowferry.dev/password-sha256": sha256(password) } },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            terminationGracePeriodSeconds: 5,
            securityContext: restrictedPod(server.account),
            containers: [container],
            volumes: server.container.volumeMounts.map(({ name: volume }) => ({
              name: volume,
              emptyDir: volume === "data" ? data : {},
            })),
          },
        },
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace },
      spec: {
        type: "NodePort",
        selector: labels,
        ports: [{ name: "database", port, targetPort: port }],
      },
    },
  ];
};
