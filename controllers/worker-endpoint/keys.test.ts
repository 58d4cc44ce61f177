import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:tls";
import { expect, test } from "vitest";
import { type Client, ClusterError } from "../../src/cluster/index.ts";
import type { KubeObject } from "../../src/resources/objects.ts";
import { ensureKeys, type KeysOptions, type OperatorKeys } from "./keys.ts";

/** Objects by kind and name, with versions. */
function store() {
  const objects = new Map<string, KubeObject>();
  let version = 0;
  const at = (kind: { plural: string }, name: string) => `${kind.plural}/${name}`;
  const save = (key: string, object: KubeObject) => {
    version += 1;
    const saved = structuredClone({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
    objects.set(key, saved);
    return saved;
  };
  const part = {
    get: async (kind: { plural: string }, _namespace: string, name: string) =>
      structuredClone(objects.get(at(kind, name))),
    create: async (kind: { plural: string }, object: KubeObject) => {
      const key = at(kind, object.metadata.name);
      if (objects.has(key)) throw new ClusterError("AlreadyExists", 409, "there");
      return save(key, object);
    },
    update: async (kind: { plural: string }, object: KubeObject) => {
      const key = at(kind, object.metadata.name);
      if (objects.get(key)?.metadata.resourceVersion !== object.metadata.resourceVersion)
        throw new ClusterError("Conflict", 409, "changed");
      return save(key, object);
    },
  };
  return { client: part as unknown as Client, objects };
}

let count = 0;
const ensure = (
  kept: ReturnType<typeof store>,
  now = "2026-01-01T00:00:00Z",
  hosts = ["operator.ns.svc"],
  named?: ReadonlySet<string>,
  external?: KeysOptions["external"],
): Promise<OperatorKeys> =>
  ensureKeys({
    client: kept.client,
    namespace: "ns",
    names: { keys: "keys", publicKeys: "public" },
    hosts,
    named: () => named,
    external,
    now: () => new Date(now),
    id: () => `k${count++}`,
  });
const certificate = (pem: string) => new X509Certificate(pem);

test("the keys are made once, and several replicas at the same moment end with the same", async () => {
  const kept = store();
  const all = await Promise.all([ensure(kept), ensure(kept), ensure(kept)]);
  expect(new Set(all.map((keys) => JSON.stringify(keys))).size).toBe(1);
  const [keys] = all;
  expect(certificate(keys?.tls.cert ?? "").verify(certificate(keys?.ca.certificate ?? "").publicKey)).toBe(true);
  expect(certificate(keys?.tls.cert ?? "").checkHost("operator.ns.svc")).toBe("operator.ns.svc");
  expect(await ensure(kept, "2026-02-01T00:00:00Z")).toEqual(keys);
});

test("what is published is public: the CA and the key to seal to, without the private one", async () => {
  const kept = store();
  const keys = await ensure(kept);
  const text = JSON.stringify(kept.objects.get("configmaps/public"));
  expect(text).toContain(keys.sealing[0]?.key);
  expect(text).not.toContain(keys.sealing[0]?.privateKey);
  expect(text).not.toContain("PRIVATE KEY");
});

test("a new installation seals envelopes at once, an upgraded one when its rollout is over, and the API is told", async () => {
  const kept = store();
  expect((await ensure(kept)).envelopesFrom).toBe("1970-01-01T00:00:00.000Z");
  const secret = kept.objects.get("secrets/keys") as KubeObject & { data: Record<string, string> };
  expect(Object.keys(secret.data)).toContain("envelopes-from");
  // As an earlier version left it.
  delete secret.data["envelopes-from"];
  const upgraded = await ensure(kept, "2026-02-01T00:00:00Z");
  expect(upgraded.envelopesFrom).toBe("2026-02-01T00:15:00.000Z");
  expect((await ensure(kept, "2026-03-01T00:00:00Z")).envelopesFrom).toBe(upgraded.envelopesFrom);
  const published = kept.objects.get("configmaps/public") as KubeObject & { data: Record<string, string> };
  const [first] = upgraded.sealing;
  expect(JSON.parse(published.data["sealing.json"] ?? "")).toEqual({
    ...{ id: first?.id, key: first?.key },
    envelopesFrom: upgraded.envelopesFrom,
  });
});

test("a certificate is renewed a month before its end by the same CA, and for another host at once", async () => {
  const kept = store();
  const first = await ensure(kept);
  const renewed = await ensure(kept, "2026-03-10T00:00:00Z");
  expect(renewed.ca).toEqual(first.ca);
  expect(renewed.sealing).toEqual(first.sealing);
  expect(renewed.tls.cert).not.toBe(first.tls.cert);
  expect(Date.parse(certificate(renewed.tls.cert).validTo)).toBeGreaterThan(Date.parse("2026-06-01"));
  const moved = await ensure(kept, "2026-03-10T00:00:00Z", ["10.0.0.7"]);
  expect(certificate(moved.tls.cert).checkIP("10.0.0.7")).toBe("10.0.0.7");
  expect(moved.ca).toEqual(first.ca);
  const named = await ensure(kept, "2026-03-10T00:00:00Z", ["other.ns.svc"]);
  expect(certificate(named.tls.cert).checkHost("other.ns.svc")).toBe("other.ns.svc");
});

/** Whether a client that trusts this CA alone reaches a server with this certificate, by TLS. Rejects with the reason. */
async function connects(ca: string, { cert, key }: OperatorKeys["tls"]): Promise<void> {
  const server = createServer({ cert, key }, (socket) => socket.end());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  try {
    const socket = connect({ port, host: "127.0.0.1", ca, servername: "operator.ns.svc" });
    await once(socket, "secureConnect");
    socket.destroy();
  } finally {
    server.close();
  }
}

test("a CA that is renewed keeps its key: a worker that has the earlier certificate reaches the operator", async () => {
  const kept = store();
  // Its end is within the renewal's time now, so that both certificates are valid today.
  const first = await ensure(kept, new Date(Date.now() - 9.5 * 365 * 86_400_000).toISOString());
  const renewed = await ensure(kept, new Date().toISOString());
  expect(renewed.ca.certificate).not.toBe(first.ca.certificate);
  expect(renewed.ca.key).toBe(first.ca.key);
  expect(renewed.tls.cert).not.toBe(first.tls.cert);
  await connects(first.ca.certificate, renewed.tls);
  await connects(renewed.ca.certificate, renewed.tls);
  const other = await ensure(store(), new Date().toISOString());
  await expect(connects(other.ca.certificate, renewed.tls)).rejects.toThrow(/certificate|signature/);
});

test("a CA is renewed a year before its end, and published", async () => {
  const kept = store();
  const first = await ensure(kept);
  const later = await ensure(kept, "2035-06-01T00:00:00Z");
  expect(later.ca.certificate).not.toBe(first.ca.certificate);
  expect(certificate(later.tls.cert).verify(certificate(later.ca.certificate).publicKey)).toBe(true);
  expect(JSON.stringify(kept.objects.get("configmaps/public"))).toContain(later.ca.certificate.split("\n")[1]);
});

test("keys that the platform keeps are sealed to, and the operator's own, retired, open what was sealed before", async () => {
  const kept = store();
  const before = await ensure(kept);
  const own = before.sealing.map(({ id }) => id);
  const external = () => Promise.resolve([{ id: "vault", key: "public", privateKey: "private" }]);
  const withExternal = (now: string, named?: ReadonlySet<string>) => ensure(kept, now, undefined, named, external);
  const at = await withExternal("2026-02-01T00:00:00Z");
  expect(at.sealing.map(({ id }) => id)).toEqual(["vault", ...own]);
  const published = kept.objects.get("configmaps/public") as KubeObject & { data: Record<string, string> };
  expect(JSON.parse(published.data["sealing.json"] ?? "")).toMatchObject({ id: "vault", key: "public" });
  expect(JSON.stringify(kept.objects.get("secrets/keys"))).not.toContain("private");
  const later = await withExternal("2026-03-01T00:00:00Z", new Set(own));
  expect(
    later.sealing.map(({ id }) => id),
    "a URL names it",
  ).toEqual(["vault", ...own]);
  expect((await withExternal("2026-03-01T00:00:00Z", new Set())).sealing.map(({ id }) => id)).toEqual(["vault"]);
});

test("an operator that no longer has the platform's keys seals to a new one of its own, not to a retired one", async () => {
  const kept = store();
  const own = (await ensure(kept)).sealing.map(({ id }) => id);
  const external = () => Promise.resolve([{ id: "vault", key: "public", privateKey: "private" }]);
  await ensure(kept, "2026-02-01T00:00:00Z", undefined, undefined, external);
  const [first, ...others] = (await ensure(kept, "2026-02-01T01:00:00Z")).sealing;
  expect(others.map(({ id }) => id)).toEqual(own);
  expect(first).toMatchObject({ madeAt: "2026-02-01T01:00:00.000Z" });
});

test("an installation that begins with the platform's keys makes none", async () => {
  const kept = store();
  const external = () => Promise.resolve([{ id: "vault", key: "public", privateKey: "private" }]);
  const keys = await ensure(kept, undefined, undefined, undefined, external);
  expect(keys.sealing.map(({ id }) => id)).toEqual(["vault"]);
  expect(keys.envelopesFrom).toBe("1970-01-01T00:00:00.000Z");
});
