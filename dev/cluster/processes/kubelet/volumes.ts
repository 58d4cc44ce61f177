// A pod's volumes as folders below the pod's root folder, each at its mount path: a process has no file system of its own.
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Client, Connection } from "../../../../src/cluster/index.ts";
import { kinds, type Secret } from "../../../../src/resources/objects.ts";
import type { PodToRun, SecretFiles, Volume, VolumeSource } from "./objects.ts";
import { requestToken } from "./token.ts";

/** `volume` cannot be filled yet; the message is the kubelet's. */
export class MountError extends Error {
  constructor(volume: string, why: string) {
    super(`MountVolume.SetUp failed for volume "${volume}" : ${why}`);
    this.name = "MountError";
  }
}

export type VolumeHost = { connection: Pick<Connection, "send">; client: Pick<Client, "get"> };

/** The metadata field that a downward API path names; empty for others. */
export const podField = ({ metadata, spec }: PodToRun, path: string): string =>
  ({
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace ?? "",
    "metadata.uid": metadata.uid ?? "",
    "spec.nodeName": spec.nodeName ?? "",
  })[path] ?? "";

type Files = Record<string, Buffer>;

const chosen = (found: Files, { items }: SecretFiles, what: string): Files =>
  items === undefined
    ? found
    : Object.fromEntries(
        items.map(({ key, path }) => {
          const content = found[key];
          if (content === undefined) throw new Error(`references non-existent ${what} key: ${key}`);
          return [path, content];
        }),
      );

/** Secrets and ConfigMaps: an absent one that is optional has no files. */
async function filesOf(
  { client }: VolumeHost,
  namespace: string,
  kind: "secret" | "configMap",
  wanted: SecretFiles,
): Promise<Files> {
  const name = wanted.name ?? wanted.secretName ?? "";
  const word = kind === "secret" ? "secret" : "configmap";
  const read = async (): Promise<Files | undefined> => {
    if (kind === "secret") {
      const secret = await client.get(kinds.secrets, namespace, name);
      return secret && secretFiles(secret);
    }
    const map = await client.get(kinds.configMaps, namespace, name);
    return map && Object.fromEntries(Object.entries(map.data ?? {}).map(([key, text]) => [key, Buffer.from(text)]));
  };
  const found = await read();
  try {
    if (found === undefined) throw new Error(`${word} "${name}" not found`);
    return chosen(found, wanted, word);
  } catch (error) {
    if (wanted.optional === true) return {};
    throw error;
  }
}

async function filesOfSource(host: VolumeHost, pod: PodToRun, source: VolumeSource): Promise<Files> {
  const { name, namespace = "", uid = "" } = pod.metadata;
  if (source.secret) return filesOf(host, namespace, "secret", source.secret);
  if (source.configMap) return filesOf(host, namespace, "configMap", source.configMap);
  const { serviceAccountToken: wanted, downwardAPI } = source;
  if (wanted) {
    const token = await requestToken(host.connection, {
      namespace,
      account: pod.spec.serviceAccountName ?? "default",
      audiences: wanted.audience === undefined ? [] : [wanted.audience],
      expirationSeconds: wanted.expirationSeconds ?? 3600,
      pod: { name, uid },
    });
    return { [wanted.path]: Buffer.from(token) };
  }
  const fields = (downwardAPI?.items ?? []).map(({ path, fieldRef }) => [
    path,
    Buffer.from(podField(pod, fieldRef?.fieldPath ?? "")),
  ]);
  return Object.fromEntries(fields) as Files;
}

const sourcesOf = (volume: Volume): VolumeSource[] => volume.projected?.sources ?? [volume];

/** Writes a volume's files into the folder, each whole: a reader sees the old content or the new. */
export function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.part`, content, { mode: 0o600 });
    renameSync(`${path}.part`, path);
  }
}

/** The files of a Secret. */
export const secretFiles = ({ data = {} }: Secret): Files =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64")]));

/**
 * Makes the folder of each volume that the pod's container mounts, and writes the files of Secrets, ConfigMaps and tokens. Called again, it
 * renews those files. `asAccount` calls its argument, which writes, at once. Throws MountError for a volume that cannot be filled yet.
 */
export async function writeVolumes(
  host: VolumeHost,
  pod: PodToRun,
  root: string,
  asAccount: (write: () => void) => void = (write) => write(),
): Promise<void> {
  for (const { name, mountPath } of pod.spec.containers[0]?.volumeMounts ?? []) {
    const volume = pod.spec.volumes?.find((one) => one.name === name);
    if (volume === undefined) throw new MountError(name, "there is no such volume");
    const folder = join(root, mountPath);
    if (!existsSync(folder)) asAccount(() => mkdirSync(folder, { recursive: true }));
    if (volume.emptyDir !== undefined) continue;
    for (const source of sourcesOf(volume)) {
      const files = await filesOfSource(host, pod, source).catch((error: Error) => {
        throw new MountError(name, error.message);
      });
      asAccount(() => writeFiles(folder, files));
    }
  }
}
