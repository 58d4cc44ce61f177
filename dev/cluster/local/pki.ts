// The cluster's own certificate authority and certificates, made anew for each `up` and valid for a year.
import { generateKeyPairSync } from "node:crypto";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../terminal/run.ts";
import { type Addresses, type Client, clients, firstNode, type NodeAddresses, nodeClients } from "./plan.ts";

const key = (folder: string, name: string): void => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  writeFileSync(join(folder, `${name}.key`), privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
};

type Wanted = { name: string; subject: string; usage: "ca" | "server" | "client" | "both"; names?: string };

const extensions = ({ usage, names }: Wanted): string[] => {
  if (usage === "ca") return ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"];
  const purposes = { server: "serverAuth", client: "clientAuth", both: "serverAuth,clientAuth" }[usage];
  return [
    "basicConstraints=critical,CA:FALSE",
    "keyUsage=critical,digitalSignature",
    `extendedKeyUsage=${purposes}`,
    ...(names === undefined ? [] : [`subjectAltName=${names}`]),
  ];
};

type Log = (text: string) => void;

const certificate = async (folder: string, wanted: Wanted, log: Log, authority = folder): Promise<void> => {
  key(folder, wanted.name);
  const file = (name: string): string => join(folder, name);
  const signer = wanted.usage === "ca" ? [] : ["-CA", join(authority, "ca.crt"), "-CAkey", join(authority, "ca.key")];
  await run(
    "openssl",
    [
      ...["req", "-x509", "-config", "/dev/null", "-days", "365", "-sha256", "-subj", wanted.subject],
      ...["-key", file(`${wanted.name}.key`), "-out", file(`${wanted.name}.crt`)],
      ...signer,
      ...extensions(wanted).flatMap((extension) => ["-addext", extension]),
    ],
    { log },
  );
};

const ofClient = ({ file, user, group }: Client): Wanted => ({
  name: file,
  subject: `${group === "" ? "" : `/O=${group}`}/CN=${user}`,
  usage: "client",
});

const ofNode = (n: NodeAddresses): Wanted[] => [
  { name: "node", subject: `/CN=${n.name}`, usage: "server", names: `DNS:${n.name},IP:${n.node}` },
  ...nodeClients(n).map(ofClient),
];

/** Writes a further node's keys and certificates into `folder`, signed by the cluster's authority in the folder `authority`. */
export const writeNodeCertificates = async (
  folder: string,
  authority: string,
  n: NodeAddresses,
  log: Log,
): Promise<void> => {
  copyFileSync(join(authority, "ca.crt"), join(folder, "ca.crt"));
  await Promise.all(ofNode(n).map((one) => certificate(folder, one, log, authority)));
};

/** Writes every key and certificate of the cluster into `folder`, which exists. */
export const writeCertificates = async (folder: string, a: Addresses, log: Log): Promise<void> => {
  await certificate(folder, { name: "ca", subject: "/CN=rowferry-ca", usage: "ca" }, log);
  const service = [
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
  ];
  const apiNames = [...service.map((name) => `DNS:${name}`), `IP:${a.api}`, `IP:${a.node}`].join(",");
  const wanted: Wanted[] = [
    { name: "apiserver", subject: "/CN=kube-apiserver", usage: "server", names: apiNames },
    ...ofNode(firstNode(a)),
    ...clients.map(ofClient),
  ];
  await Promise.all(wanted.map((one) => certificate(folder, one, log)));
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(join(folder, "service-accounts.key"), pair.privateKey.export({ type: "pkcs8", format: "pem" }), {
    mode: 0o600,
  });
  writeFileSync(join(folder, "service-accounts.pub"), pair.publicKey.export({ type: "spki", format: "pem" }));
};
