import { type Client, kinds, type Secret } from "../../src/cluster/index.ts";
import type { CertificateAndKey } from "../../src/guard/certificate.ts";
import type { SealingKey } from "../../src/guard/envelope.ts";
import type { PrivateKey } from "../../src/guard/seal.ts";
import { type KeptKey, rotateAnnotation, sealingAfter, sealingRetired } from "./sealing.ts";
import { fieldOf, keepCertificate, keepSecret, left, type Renewal } from "./secret.ts";

/** What the operator made once and keeps in a Secret of its own namespace; every replica uses the same. */
export interface OperatorKeys {
  /** Workers trust its certificate and nothing else; it also signs those of API and prober. */
  ca: CertificateAndKey;
  tls: { cert: string; key: string };
  /** The first is the one to seal to; the others open what was sealed earlier. */
  sealing: PrivateKey[];
  /** ISO time from which the API seals envelopes; of objects that were made after it nothing else is opened. */
  envelopesFrom: string;
}

/**
 * The CA lasts ten years and is renewed a year before its end, in milliseconds; with the same key, so that workers, the API and the prober,
 * which have the earlier certificate until they start anew, go on to trust what it signs.
 */
const renewCa = 365 * 86_400_000;

/**
 * Milliseconds after an upgrade until envelopes are sealed: by then no replica of an earlier version, which cannot open them, answers
 * workers any more.
 */
const rollout = 15 * 60_000;

const fields = {
  ca: "ca.crt",
  caKey: "ca.key",
  cert: "tls.crt",
  key: "tls.key",
  sealing: "sealing.json",
  envelopes: "envelopes-from",
} as const;

export interface KeysOptions {
  client: Client;
  namespace: string;
  /** Names of the Secret and of the ConfigMap with the public parts. */
  names: { keys: string; publicKeys: string };
  /** Hosts that workers use for the endpoint. */
  hosts: readonly string[];
  /** Ids of the sealing keys that Migrations name; undefined before all Migrations were read. */
  named: () => ReadonlySet<string> | undefined;
  /** Milliseconds after which another sealing key takes the first one's place; for ever without. */
  sealingLasts?: number | undefined;
  /** Sealing keys that the platform keeps. None is made here then; those of before open what was sealed to them. */
  external?: (() => Promise<PrivateKey[]>) | undefined;
  now: () => Date;
  /** A short random name for a sealing key. */
  id: () => string;
}

/** Reads the keys; makes, renews or rotates what is missing, near its end or asked for; and publishes the public parts. */
export async function ensureKeys(options: KeysOptions): Promise<OperatorKeys> {
  const { client, namespace, names } = options;
  const external = (await options.external?.()) ?? [];
  const secret = await keepSecret(client, { namespace, name: names.keys }, (found) => renewed(found, options));
  const has = (name: string) => fieldOf(secret, name);
  const keys = {
    ca: { certificate: has(fields.ca), key: has(fields.caKey) },
    tls: { cert: has(fields.cert), key: has(fields.key) },
    sealing: [...external, ...(JSON.parse(has(fields.sealing) || "[]") as KeptKey[])],
    envelopesFrom: has(fields.envelopes),
  };
  await publish(keys, options);
  return keys;
}

async function renewed(secret: Secret | undefined, options: KeysOptions): Promise<Renewal | undefined> {
  const { hosts, named, id, sealingLasts: lasts } = options;
  const now = options.now();
  const has = (name: string) => fieldOf(secret, name);
  const next: Record<string, string> = {};
  const set = (name: string, value: string) => {
    if (value !== has(name)) next[name] = value;
  };
  let ca = { certificate: has(fields.ca), key: has(fields.caKey) };
  if (left(ca.certificate, now) < renewCa || ca.key === "") {
    const { makeCa } = await import("../../src/guard/certificate.ts");
    ca = await makeCa("Rowferry", now, { key: ca.key });
  }
  set(fields.ca, ca.certificate);
  set(fields.caKey, ca.key);
  const tls = await keepCertificate({ certificate: has(fields.cert), key: has(fields.key) }, ca, { hosts }, now);
  set(fields.cert, tls.certificate);
  set(fields.key, tls.key);
  const sealing = JSON.parse(has(fields.sealing) || "[]") as KeptKey[];
  // Where nothing was sealed yet, nothing is older than envelopes.
  if (has(fields.envelopes) === "")
    set(fields.envelopes, new Date(sealing.length === 0 ? 0 : now.getTime() + rollout).toISOString());
  const rotate = secret?.metadata.annotations?.[rotateAnnotation] !== undefined;
  const after = options.external
    ? sealingRetired(sealing, named(), now)
    : await sealingAfter(sealing, { rotate, lasts, named: named(), now, id });
  if (after) set(fields.sealing, JSON.stringify(after));
  return Object.keys(next).length > 0 ? { fields: next, ...(rotate ? { unmark: [rotateAnnotation] } : {}) } : undefined;
}

/** Writes the public parts where the API reads them: only after the Secret, so that what is sealed can be opened. */
async function publish(keys: OperatorKeys, { client, namespace, names }: KeysOptions): Promise<void> {
  const [first] = keys.sealing;
  if (first === undefined) return;
  const sealing: SealingKey = { id: first.id, key: first.key, envelopesFrom: keys.envelopesFrom };
  const data = { "ca.crt": keys.ca.certificate, "sealing.json": JSON.stringify(sealing) };
  const found = await client.get(kinds.configMaps, namespace, names.publicKeys);
  if (found === undefined) {
    await client.create(kinds.configMaps, { metadata: { name: names.publicKeys, namespace }, data });
    return;
  }
  if (found.data?.["ca.crt"] === data["ca.crt"] && found.data["sealing.json"] === data["sealing.json"]) return;
  await client.update(kinds.configMaps, { metadata: found.metadata, data });
}
