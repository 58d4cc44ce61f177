import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { alreadyExists, type Client, isConflict, kinds, type Secret } from "../../src/cluster/index.ts";
import type { CertificateAndKey } from "../../src/guard/certificate.ts";
import { createMissing } from "./create-missing.ts";

/** Secrets that the operator makes and renews itself, safe with several replicas: created once, replaced only as they were read. */

/** A replica that wrote at the same moment wins; then its is read. */
const tries = 5;

const ownLabels = { "app.kubernetes.io/name": "rowferry", "app.kubernetes.io/managed-by": "rowferry" };

export const fieldOf = (secret: Secret | undefined, name: string): string =>
  Buffer.from(secret?.data?.[name] ?? "", "base64").toString();

/** What `renew` answers: fields to write, and annotations to take off. */
export interface Renewal {
  fields: Record<string, string | Uint8Array>;
  unmark?: readonly string[];
}

/** Reads the Secret and lets `renew` say what to write, until it answers nothing. */
export async function keepSecret(
  client: Client,
  { namespace, name }: { namespace: string; name: string },
  renew: (secret: Secret | undefined) => Promise<Renewal | undefined>,
): Promise<Secret> {
  let problem: unknown;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const secret = await client.get(kinds.secrets, namespace, name);
    const next = await renew(secret);
    if (next === undefined && secret !== undefined) return secret;
    try {
      await write(client, { namespace, name }, secret, next ?? { fields: {} });
    } catch (error) {
      if (!alreadyExists(error) && !isConflict(error)) throw error;
      problem = error;
    }
  }
  throw new Error(`the Secret ${name} could not be stored`, { cause: problem });
}

async function write(
  client: Client,
  { namespace, name }: { namespace: string; name: string },
  secret: Secret | undefined,
  { fields, unmark = [] }: Renewal,
): Promise<void> {
  const encoded = Object.entries(fields).map(([field, value]) => [field, Buffer.from(value).toString("base64")]);
  const data = { ...secret?.data, ...Object.fromEntries(encoded) };
  if (secret === undefined) {
    await client.create(kinds.secrets, { metadata: { name, namespace, labels: ownLabels }, type: "Opaque", data });
    return;
  }
  const annotations = Object.entries(secret.metadata.annotations ?? {}).filter(([mark]) => !unmark.includes(mark));
  const metadata = { ...secret.metadata, annotations: Object.fromEntries(annotations) };
  await client.update(kinds.secrets, { metadata, type: secret.type ?? "Opaque", data });
}

/** Makes it empty where there is none; never reads it. */
export const makeEmptySecret = (client: Client, namespace: string, name: string): Promise<void> =>
  createMissing(client, kinds.secrets, { metadata: { name, namespace, labels: ownLabels }, type: "Opaque" });

const day = 86_400_000;
/** A certificate is renewed when less than this is left. */
const renewBefore = 30 * day;
const clientAuth = "1.3.6.1.5.5.7.3.2";

/** Milliseconds that a certificate (PEM) is still valid; 0 without one. */
export const left = (pem: string, now: Date): number =>
  pem === "" ? 0 : Date.parse(new X509Certificate(pem).validTo) - now.getTime();

/** What a server's certificate must be good for. */
export interface EndpointServer {
  hosts: readonly string[];
  commonName?: string;
  /** It is shown to another server too. */
  client?: boolean;
}

/** The certificate that is there, if it is the CA's, long enough valid and good for all this; else a new one. */
export async function keepCertificate(
  there: CertificateAndKey,
  ca: CertificateAndKey,
  server: EndpointServer,
  now: Date,
): Promise<CertificateAndKey> {
  if (there.key !== "" && left(there.certificate, now) >= renewBefore && serves(there.certificate, ca, server))
    return there;
  const { makeServerCertificate } = await import("../../src/guard/certificate.ts");
  const { hosts, ...more } = server;
  return makeServerCertificate(ca, hosts, now, more);
}

function serves(pem: string, ca: CertificateAndKey, { hosts, commonName, client }: EndpointServer): boolean {
  const certificate = new X509Certificate(pem);
  return (
    certificate.verify(new X509Certificate(ca.certificate).publicKey) &&
    hosts.every((host) => (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined) &&
    (commonName === undefined || certificate.subject === `CN=${commonName}`) &&
    (client !== true || (certificate.keyUsage ?? []).includes(clientAuth))
  );
}
