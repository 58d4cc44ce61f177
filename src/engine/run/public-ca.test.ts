import { X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { expect, it } from "vitest";
import type { Endpoint } from "../contract/index.ts";
import { withPublicCa } from "./public-ca.ts";

const endpoint = (host: string, tls: Endpoint["tls"]): Endpoint => ({
  engine: "postgres",
  host,
  port: 5432,
  user: "u",
  password: "p",
  database: "d",
  tls,
});
const certificates = (pem = "") =>
  [...pem.matchAll(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g)].map(
    ([text]) => new X509Certificate(text),
  );

it.each([
  "db.cxyz.eu-central-1.rds.amazonaws.com",
  "DB.proxy-abc.us-gov-west-1.rds.amazonaws.com",
  "shop.cluster-ro-cxyz.ap-southeast-2.rds.amazonaws.com",
])("%s is verified by its region's CAs, the proxies' and Node's own", async (host) => {
  const { tls } = await withPublicCa(endpoint(host, { mode: "verify-full" }));
  const subjects = certificates(tls.ca).map(({ subject }) => subject);
  const region = host.toLowerCase().split(".").at(2) ?? "";
  const regions = new Set(subjects.flatMap((subject) => /RDS ([a-z]{2}(-[a-z]+)+-\d)/.exec(subject)?.[1] ?? []));
  expect([...regions].filter((name) => name !== region)).toEqual([]);
  expect(subjects.length).toBeGreaterThan(rootCertificates.length);
  expect(subjects.join()).toContain("Amazon Root CA 1");
  expect(subjects.join()).not.toMatch(/Beta|Preview/);
});

it.each<[string, Endpoint["tls"]]>([
  ["db.example.com", { mode: "verify-full" }],
  ["rds.amazonaws.com.evil.example", { mode: "verify-full" }],
  ["evil-rds.amazonaws.com", { mode: "verify-full" }],
  ["db.cxyz.eu-central-1.rds.amazonaws.com", { mode: "verify-full", ca: "mine" }],
  ["db.cxyz.eu-central-1.rds.amazonaws.com", { mode: "prefer" }],
  ["db.cxyz.eu-central-1.rds.amazonaws.com", { mode: "require" }],
])("%s with %j is left as it is", async (host, tls) => {
  expect(await withPublicCa(endpoint(host, tls))).toEqual(endpoint(host, tls));
});
