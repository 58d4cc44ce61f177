import { randomBytes } from "node:crypto";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import type { Cluster } from "../../cluster/index.ts";
import { restrictedContainer, restrictedPod } from "../../cluster/restricted.ts";
import { reachNodePort } from "../databases.ts";
import { system } from "../install.ts";
import { onceReached } from "../until.ts";

/** The S3 server of the demo, versitygw in a pod, and the bucket of the installation. Its objects live as long as the pod. */

const names = { service: "s3", port: 7070, secret: "rowferry-backup-bucket", bucket: "backups", region: "us-east-1" };
const labels = { "app.kubernetes.io/name": names.service, "app.kubernetes.io/component": "storage" };
/** Owns the objects. */
const account = 65_532;

export interface DemoStorage {
  /** For Rowferry's pods. */
  endpoint: string;
  /** For this machine. */
  host: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Of the bucket, for this machine. */
export const bucketUrl = ({ host }: DemoStorage): string => `${host}/${names.bucket}`;

/** Chart values. `images`: by engine, with the official ones' entrypoint, for verifications. */
export const backupValues = (
  { endpoint }: DemoStorage,
  images: Partial<Record<"postgres" | "mysql" | "mariadb", string>>,
): object => ({
  enabled: true,
  storage: { bucket: names.bucket, endpoint, region: names.region, secretName: names.secret },
  verification: { images },
});

/** Applies server and keys; both are there before the chart is installed. A kept cluster keeps its keys. */
export async function applyStorage(cluster: Cluster, namespace: string, image: string): Promise<DemoStorage> {
  const found = await cluster.kubectl([
    ...["get", "secret", names.secret, "-n", system.namespace, "--ignore-not-found", "-o", "json"],
  ]);
  const read = (key: string, fresh: string): string =>
    found === ""
      ? fresh
      : Buffer.from((JSON.parse(found) as { data: Record<string, string> }).data[key] ?? "", "base64").toString();
  const accessKeyId = read("accessKeyId", `key${randomBytes(6).toString("hex")}`);
  const secretAccessKey = read("secretAccessKey", randomBytes(24).toString("base64url"));
  const secret = (where: string) => ({
    ...{ apiVersion: "v1", kind: "Secret", metadata: { name: names.secret, namespace: where } },
    stringData: { accessKeyId, secretAccessKey },
  });
  const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: system.namespace } };
  const items = [home, secret(system.namespace), secret(namespace), ...manifests(namespace, image)];
  await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify({ apiVersion: "v1", kind: "List", items }) });
  const service = JSON.parse(await cluster.kubectl(["get", "service", names.service, "-n", namespace, "-o", "json"]));
  const { host, port } = await reachNodePort(cluster, service.spec.ports[0].nodePort);
  return {
    endpoint: `http://${names.service}.${namespace}.svc:${names.port}`,
    host: `http://${host}:${port}`,
    ...{ accessKeyId, secretAccessKey },
  };
}

/** Waits until the server can be reached, and makes the bucket. */
export async function readyStorage(
  cluster: Cluster,
  namespace: string,
  { host, accessKeyId, secretAccessKey }: DemoStorage,
  signal: AbortSignal,
): Promise<void> {
  const rollout = ["rollout", "status", `deployment/${names.service}`, "-n", namespace, "--timeout=120s"];
  await cluster.kubectl(rollout, { signal });
  const client = new S3Client({
    ...{ endpoint: host, region: names.region, forcePathStyle: true },
    credentials: { accessKeyId, secretAccessKey },
  });
  const make = () => client.send(new CreateBucketCommand({ Bucket: names.bucket }), { abortSignal: signal });
  try {
    await onceReached("the S3 server", make, signal).catch((error: Error) => {
      if (error.name !== "BucketAlreadyOwnedByYou" && error.name !== "BucketAlreadyExists") throw error;
    });
  } finally {
    client.destroy();
  }
}

function manifests(namespace: string, image: string): object[] {
  const { service: name, port } = names;
  const from = (key: string) => ({ valueFrom: { secretKeyRef: { name: names.secret, key } } });
  const container = {
    name: "s3",
    image,
    imagePullPolicy: "Never",
    args: [
      ...["--quiet", "--port", `:${port}`, "--region", names.region],
      ...["posix", "--sidecar", "/data/metadata", "/data/objects"],
    ],
    env: [
      { name: "ROOT_ACCESS_KEY_ID", ...from("accessKeyId") },
      { name: "ROOT_SECRET_ACCESS_KEY", ...from("secretAccessKey") },
    ],
    ports: [{ name: "s3", containerPort: port }],
    readinessProbe: { tcpSocket: { port: "s3" }, periodSeconds: 1 },
    resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "256Mi" } },
    securityContext: restrictedContainer({ readOnlyRoot: true }),
    volumeMounts: [
      { name: "objects", mountPath: "/data/objects" },
      { name: "metadata", mountPath: "/data/metadata" },
      { name: "tmp", mountPath: "/tmp" },
    ],
  };
  return [
    {
      ...{ apiVersion: "v1", kind: "Service", metadata: { name, namespace } },
      spec: { type: "NodePort", selector: labels, ports: [{ name: "s3", port, targetPort: "s3" }] },
    },
    {
      ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace } },
      spec: {
        replicas: 1,
        strategy: { type: "Recreate" },
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            terminationGracePeriodSeconds: 5,
            securityContext: restrictedPod(account),
            containers: [container],
            volumes: ["objects", "metadata", "tmp"].map((volume) => ({ name: volume, emptyDir: {} })),
          },
        },
      },
    },
  ];
}
