import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../dev/databases/free-port.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { type S3Server, startS3 } from "../../dev/s3/index.ts";
import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { BackupSchedule } from "../../src/resources/backup/schedule.ts";
import { apiVersion } from "../../src/resources/group.ts";
import { type Kind, kinds } from "../../src/resources/objects.ts";
import { namespaceOf } from "../../src/resources/team.ts";
import { applyObjects, hasAccount } from "../operator/apply.ts";
import { type PlaneClient, until } from "../operator/control-plane.ts";
import { installAccount, makeNamespace, type OperatorProcess, startOperator } from "../operator/operator.ts";
import { borrowControlPlane } from "../operator/shared.ts";
import { startWatchProxy, throughProxy, type WatchProxy } from "../operator/watch-proxy.ts";
import { type Node, type NodeOptions, startNode } from "./pods.ts";

/** An operator with backups, a node that runs its pods, and a bucket. */
export interface Scene {
  plane: PlaneClient;
  /** The one that runs now. */
  readonly operator: OperatorProcess;
  /** Kills the operator, and starts it again. */
  killOperator(): Promise<void>;
  node: Node;
  s3: S3Server;
  /** Between the operator and the API server. */
  proxy: WatchProxy;
  namespace: string;
  /** Applies as `kubectl apply --server-side` does. Errors: ClusterError. */
  apply(...objects: object[]): Promise<void>;
  secret(name: string, data: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
}

export interface SceneOptions extends Pick<NodeOptions, "ownServer"> {
  namespace?: string;
  /** The namespace is that of this Team, and the operator makes it. */
  team?: string;
  env?: Record<string, string>;
  /** Credentials of the installation's own bucket, which it has none of otherwise. */
  installed?: { accessKeyId: string; secretAccessKey: string };
  /** Stopped with the scene. Default: the one that the files of the part share. */
  plane?: PlaneClient;
}

export async function startScene(options: SceneOptions = {}): Promise<Scene> {
  const { team, env = {}, installed, ownServer, plane = borrowControlPlane() } = options;
  const { namespace = team === undefined ? "team" : namespaceOf(team) } = options;
  const stops: (() => Promise<unknown>)[] = [() => plane.stop()];
  const stop = async () => {
    for (const one of stops.reverse()) await one();
  };
  try {
    const tools = await pgTools();
    const s3 = await startS3();
    stops.push(s3.stop);
    const proxy = await startWatchProxy(plane);
    stops.push(proxy.close);
    const kubeconfig = throughProxy(await installAccount(plane, { backups: true }), proxy);
    if (team === undefined) await makeNamespace(plane, namespace);
    const port = String(await freePort());
    const start = () =>
      startOperator(plane, kubeconfig, "one", {
        ROWFERRY_BACKUPS: "true",
        ROWFERRY_BACKUP_JITTER_SECONDS: "0",
        ROWFERRY_ENDPOINT_PORT: port,
        ...(installed && installedBucket(s3, installed, join(plane.folder, "bucket"))),
        ...env,
      });
    let operator = await start();
    stops.push(() => operator.stop());
    await until("a leader", () => operator.leading());
    const killOperator = async () => {
      await operator.stop("SIGKILL");
      operator = await start();
    };
    const node = startNode(plane, { endpoint: operator.endpoint, env: { ROWFERRY_PG_BIN: tools }, ownServer });
    stops.push(node.stop);
    const apply = (...objects: object[]) => applyObjects(plane, objects);
    if (team !== undefined) {
      const spec = { title: "A team", members: [{ account: "owner", role: "owner" }] };
      await apply({ apiVersion, kind: "Team", metadata: { name: team }, spec });
      await until("the team's namespace", () => hasAccount(plane, namespace));
    }
    const secret = (name: string, stringData: Record<string, string>) =>
      apply({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData });
    return {
      ...{ plane, node, s3, proxy, namespace, apply, secret, killOperator, stop },
      get operator() {
        return operator;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The installation's storage as the chart names it to the operator, with its credentials as a mounted Secret. */
export function installedBucket(
  { endpoint, region, bucket }: Pick<S3Server, "endpoint" | "region" | "bucket">,
  { accessKeyId, secretAccessKey }: { accessKeyId: string; secretAccessKey: string },
  folder: string,
): Record<string, string> {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries({ accessKeyId, secretAccessKey })) writeFileSync(join(folder, name), text);
  return {
    ROWFERRY_BACKUP_BUCKET: JSON.stringify({ endpoint, region, bucket }),
    ROWFERRY_BACKUP_CREDENTIALS: folder,
  };
}

export const bucketOf = ({ endpoint, region, bucket }: S3Server, secret = "bucket") => ({
  bucket: { endpoint, region, bucket, prefix: "rowferry", secretRef: { name: secret } },
});

export const object = (kind: string, namespace: string, name: string, spec: object): object => ({
  ...{ apiVersion, kind, metadata: { name, namespace }, spec },
});

interface Kinds {
  BackupSchedule: BackupSchedule;
  BackupRun: BackupRun;
  Restore: Restore;
}
const kindOf: { [K in keyof Kinds]: Kind<Kinds[K]> } = {
  BackupSchedule: kinds.backupSchedules,
  BackupRun: kinds.backupRuns,
  Restore: kinds.restores,
};

/** Waits for an object in which this holds; the error has its status and its pods' output. */
export async function untilObject<K extends keyof Kinds>(
  { plane, namespace, node }: Scene,
  kind: K,
  name: string,
  what: string,
  holds: (object: Kinds[K]) => boolean,
  milliseconds = 60_000,
): Promise<Kinds[K]> {
  let last: Kinds[K] | undefined;
  return until(
    `${kind} ${name}: ${what}`,
    async () => {
      last = (await plane.admin.client.get(kindOf[kind] as Kind<Kinds[K]>, namespace, name)) as Kinds[K] | undefined;
      return last !== undefined && holds(last) ? last : undefined;
    },
    milliseconds,
  ).catch((cause: unknown) => {
    const said = [...node.output].map(([pod, text]) => `${pod}:\n${text.slice(-3000)}`).join("\n");
    throw new Error(`${kind} ${name}: ${what}: ${JSON.stringify(last?.status, null, 1)}\n${said}`, { cause });
  });
}

export const ended = ({ status }: BackupRun | Restore): boolean =>
  status?.state === "completed" || status?.state === "failed";
