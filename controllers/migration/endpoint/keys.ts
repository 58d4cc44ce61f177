import { X509Certificate } from "node:crypto";
import { alreadyExists, type Client, isConflict, kinds, type Secret } from "../../../src/cluster/index.ts";
import { makeSealingKey, type PrivateKey } from "../../../src/guard/seal.ts";

/** What the operator made once and keeps in a Secret of its own namespace; every replica uses the same. */
export interface OperatorKeys {
  /** PEM: workers trust it and nothing else. */
  ca: string;
  tls: { cert: string; key: string };
  /** The first is the one to seal to; the others open what was sealed earlier. */
  sealing: PrivateKey[];
}

const day = 86_400_000;
/** A certificate is renewed when less than this is left; it lasts 90 days, the CA ten years. */
const renewServer = 30 * day;
const renewCa = 365 * day;
/** A replica that made one at the same moment wins; then its is read. */
const tries = 5;

const fields = { ca: "ca.crt", caKey: "ca.key", cert: "tls.crt", key: "tls.key", sealing: "sealing.json" } as const;

const encode = (data: Record<string, string>) =>
  Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString("base64")]));
const decode = (secret: Secret, name: string): string => Buffer.from(secret.data?.[name] ?? "", "base64").toString();

function left(pem: string, now: Date): number {
  return pem === "" ? 0 : Date.parse(new X509Certificate(pem).validTo) - now.getTime();
}

function serves(pem: string, host: string): boolean {
  const certificate = new X509Certificate(pem);
  return certificate.checkHost(host) !== undefined || certificate.checkIP(host) !== undefined;
}

/**
 * Reads the keys, and makes or renews what is missing or near its end. Safe with several replicas: a Secret is created
 * once and replaced only as it was read.
 */
export async function ensureKeys(options: {
  client: Client;
  namespace: string;
  /** Names of the Secret and of the ConfigMap with the public parts. */
  names: { keys: string; publicKeys: string };
  /** Hosts that workers use for the endpoint. */
  hosts: readonly string[];
  now: () => Date;
  /** A short random name for a sealing key. */
  id: () => string;
}): Promise<OperatorKeys> {
  const { client, namespace } = options;
  let problem: unknown;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const secret = await client.get(kinds.secrets, namespace, options.names.keys);
    const next = await renewed(secret, options);
    try {
      if (next === undefined && secret !== undefined) {
        const keys = read(secret);
        await publish(keys, options);
        return keys;
      }
      const metadata = secret?.metadata ?? {
        name: options.names.keys,
        namespace,
        labels: { "app.kubernetes.io/name": "rowferry", "app.kubernetes.io/managed-by": "rowferry" },
      };
      const made: Secret = { metadata, type: "Opaque", data: { ...secret?.data, ...encode(next ?? {}) } };
      if (secret === undefined) await client.create(kinds.secrets, made);
      else await client.update(kinds.secrets, made);
    } catch (error) {
      if (!alreadyExists(error) && !isConflict(error)) throw error;
      problem = error;
    }
  }
  throw new Error("the operator's keys could not be stored", { cause: problem });
}

function read(secret: Secret): OperatorKeys {
  return {
    ca: decode(secret, fields.ca),
    tls: { cert: decode(secret, fields.cert), key: decode(secret, fields.key) },
    sealing: JSON.parse(decode(secret, fields.sealing)) as PrivateKey[],
  };
}

/** The fields to write, or undefined when all is well. */
async function renewed(
  secret: Secret | undefined,
  { hosts, now, id }: { hosts: readonly string[]; now: () => Date; id: () => string },
): Promise<Record<string, string> | undefined> {
  const has = (name: string) => (secret === undefined ? "" : decode(secret, name));
  const next: Record<string, string> = {};
  let ca = { certificate: has(fields.ca), key: has(fields.caKey) };
  const time = now();
  const caIsNew = left(ca.certificate, time) < renewCa || ca.key === "";
  const cert = has(fields.cert);
  const certIsOld =
    caIsNew || left(cert, time) < renewServer || has(fields.key) === "" || hosts.some((host) => !serves(cert, host));
  if (certIsOld) {
    const { makeCa, makeServerCertificate } = await import("../../../src/guard/certificate.ts");
    if (caIsNew) {
      ca = await makeCa("Rowferry workers' endpoint", time);
      next[fields.ca] = ca.certificate;
      next[fields.caKey] = ca.key;
    }
    const made = await makeServerCertificate(ca, hosts, time);
    next[fields.cert] = made.certificate;
    next[fields.key] = made.key;
  }
  if (has(fields.sealing) === "") next[fields.sealing] = JSON.stringify([await makeSealingKey(id())]);
  return Object.keys(next).length > 0 ? next : undefined;
}

/** Writes the public parts where the API reads them. */
async function publish(
  keys: OperatorKeys,
  { client, namespace, names }: { client: Client; namespace: string; names: { publicKeys: string } },
): Promise<void> {
  const [first] = keys.sealing;
  if (first === undefined) return;
  const data = { "ca.crt": keys.ca, "sealing.json": JSON.stringify({ id: first.id, key: first.key }) };
  const found = await client.get(kinds.configMaps, namespace, names.publicKeys);
  if (found === undefined) {
    await client.create(kinds.configMaps, { metadata: { name: names.publicKeys, namespace }, data });
    return;
  }
  if (found.data?.["ca.crt"] === data["ca.crt"] && found.data["sealing.json"] === data["sealing.json"]) return;
  await client.update(kinds.configMaps, { metadata: found.metadata, data });
}
