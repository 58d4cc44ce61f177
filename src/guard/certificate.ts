// Asked for by the X.509 library, and before it.
import "reflect-metadata";
import type { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

/**
 * The certificates of the installation's own servers: a CA of the operator's own, and servers' certificates signed by it. ECDSA P-256.
 * Import it only when one is to be made: the library takes 20 MB of memory.
 */

/** Both PEM; the key is PKCS#8. */
export interface CertificateAndKey {
  certificate: string;
  key: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const day = 86_400_000;
/** Days of a server's certificate. */
const lasts = 90;
/** Days of a CA. */
const caLasts = 3650;
/** Clocks of nodes may be a little behind. */
const earlier = 5 * 60_000;

const later = (now: Date, days: number) => new Date(now.getTime() + days * day);
const makeKeys = () => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);

/** The pair of a private key (PEM, PKCS#8) that `exportKey` wrote. */
async function importKeys(pem: string): Promise<webcrypto.CryptoKeyPair> {
  const privateKey = await crypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(pem), algorithm, true, ["sign"]);
  const { d: _private, key_ops: _uses, ...point } = await crypto.subtle.exportKey("jwk", privateKey);
  const publicKey = await crypto.subtle.importKey("jwk", point, algorithm, true, ["verify"]);
  return { privateKey, publicKey };
}

async function exportKey(keys: webcrypto.CryptoKeyPair): Promise<string> {
  return PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
}

/** `key`: the PEM of an earlier CA of this name: whoever trusts that one's certificate trusts what the new one signs, while that is valid. */
export async function makeCa(name: string, now: Date, { key = "" } = {}): Promise<CertificateAndKey> {
  const keys = key === "" ? await makeKeys() : await importKeys(key);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    notBefore: new Date(now.getTime() - earlier),
    notAfter: later(now, caLasts),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await exportKey(keys) };
}

/**
 * A certificate for 90 days. `names` are host names and addresses; the first of them is also the subject unless `commonName` is given.
 * With `client` its holder may show it to a server too.
 */
export async function makeServerCertificate(
  ca: CertificateAndKey,
  names: readonly string[],
  now: Date,
  { commonName = names[0] ?? "rowferry", client = false }: { commonName?: string; client?: boolean } = {},
): Promise<CertificateAndKey> {
  const issuer = new X509Certificate(ca.certificate);
  const der = PemConverter.decodeFirst(ca.key);
  const signingKey = await crypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
  const keys = await makeKeys();
  const certificate = await X509CertificateGenerator.create({
    subject: [{ CN: [commonName.slice(0, 64)] }],
    issuer: issuer.subject,
    notBefore: new Date(now.getTime() - earlier),
    notAfter: new Date(Math.min(later(now, lasts).getTime(), issuer.notAfter.getTime())),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ...(client ? [ExtendedKeyUsage.clientAuth] : [])]),
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) ? "ip" : "dns", value }))),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await exportKey(keys) };
}
