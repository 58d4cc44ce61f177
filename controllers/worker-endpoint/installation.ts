import { type Client, kinds, type Secret } from "../../src/cluster/index.ts";
import type { CertificateAndKey } from "../../src/guard/certificate.ts";
import { installed, passwordShards, passwordsName } from "../../src/resources/crd/installed.ts";
import { createMissing } from "./create-missing.ts";
import { type EndpointServer, fieldOf, keepCertificate, keepSecret, makeEmptySecret, type Renewal } from "./secret.ts";

/** What the operator makes for API and prober: their certificates, the API's secret, and its note of writes and the Secrets of passwords, which are made empty. */

/** Passwords' Secrets made at the same time. */
const atOnce = 8;

interface InstallationOptions {
  client: Client;
  namespace: string;
  ca: CertificateAndKey;
  /** More hosts by which API and prober are reached, beside their Services. */
  hosts: { api: readonly string[]; prober: readonly string[] };
  now: () => Date;
  randomBytes: (count: number) => Uint8Array;
}

/** The ConfigMap in which the API's replicas note what they wrote: made where it is missing, and not changed. */
async function ensureWrites(client: Client, namespace: string): Promise<void> {
  if ((await client.get(kinds.configMaps, namespace, installed.apiWrites)) !== undefined) return;
  await createMissing(client, kinds.configMaps, { metadata: { name: installed.apiWrites, namespace } });
}

/** Makes and renews the certificates and the API's secret; makes its note of writes. */
export async function ensureInstallation(options: InstallationOptions): Promise<void> {
  const { client, namespace, hosts } = options;
  const { api, prober } = installed;
  const host = (service: string) => `${service}.${namespace}.svc`;
  const keep = (name: string, server: EndpointServer) =>
    keepSecret(client, { namespace, name }, (secret) => renewedCertificate(secret, server, options));
  await keep(installed.apiTls, { hosts: [host(api), ...hosts.api], commonName: api, client: true });
  await keep(installed.proberTls, { hosts: [host(prober), ...hosts.prober], commonName: prober });
  await keepSecret(client, { namespace, name: installed.apiKeys }, async (secret) =>
    secret?.data?.secret ? undefined : { fields: { secret: options.randomBytes(32) } },
  );
  await ensureWrites(client, namespace);
}

async function renewedCertificate(
  secret: Secret | undefined,
  server: EndpointServer,
  { ca, now }: InstallationOptions,
): Promise<Renewal | undefined> {
  const there = { certificate: fieldOf(secret, "tls.crt"), key: fieldOf(secret, "tls.key") };
  const next = await keepCertificate(there, ca, server, now());
  return next === there && fieldOf(secret, "ca.crt") === ca.certificate
    ? undefined
    : { fields: { "tls.crt": next.certificate, "tls.key": next.key, "ca.crt": ca.certificate } };
}

/** The Secrets of passwords: each is made where it is missing, and neither read nor changed. */
export async function ensurePasswords({ client, namespace }: { client: Client; namespace: string }): Promise<void> {
  for (let shard = 0; shard < passwordShards; shard += atOnce) {
    const names = Array.from({ length: atOnce }, (_, index) => passwordsName(shard + index));
    await Promise.all(names.map((name) => makeEmptySecret(client, namespace, name)));
  }
}
