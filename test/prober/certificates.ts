import "reflect-metadata";
import {
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { type CertificateAndKey, makeCa } from "../../src/guard/certificate.ts";
import type { TlsFiles } from "../../src/prober/tls-files.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** A certificate of the CA for server and client alike, for localhost and 127.0.0.1. */
export async function certificateOf(ca: CertificateAndKey, name: string): Promise<TlsFiles> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.create({
    subject: [{ CN: [name] }],
    issuer: new X509Certificate(ca.certificate).subject,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await crypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(ca.key), algorithm, false, ["sign"]),
    extensions: [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
      new SubjectAlternativeNameExtension([
        { type: "dns", value: "localhost" },
        { type: "ip", value: "127.0.0.1" },
      ]),
    ],
  });
  const key = PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  return { cert: certificate.toString("pem"), key, ca: ca.certificate };
}

/** Of a server that nobody need know. */
export async function anyCertificate(): Promise<{ cert: string; key: string }> {
  const { certificate, key } = await makeCa("Rowferry's CA of a test", new Date());
  return { cert: certificate, key };
}
