/** etcd's keys by its HTTP gateway (https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/): keys and values are base64. */

interface Pair {
  key: string;
  value: string;
  mod_revision: string;
}

async function call<T>(etcd: string, path: string, body: object): Promise<T> {
  const answer = await fetch(`${etcd}/v3/kv/${path}`, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`etcd: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
/** All of Kubernetes' objects: from the prefix to the next one. */
const objects = { key: base64("/registry/"), range_end: base64("/registry0") };

/** What all of the cluster's objects are now. */
export type Snapshot = readonly Pair[];

export const snapshot = async (etcd: string): Promise<Snapshot> =>
  (await call<{ kvs?: Pair[] }>(etcd, "range", objects)).kvs ?? [];

/**
 * Makes the objects what they were: deletes what was made since and writes back what was changed or deleted. Servers and
 * controllers see it as changes by somebody else. Answers how many had been made since.
 */
export async function restore(etcd: string, before: Snapshot): Promise<number> {
  const old = new Map(before.map((pair) => [pair.key, pair]));
  let made = 0;
  for (const { key, mod_revision } of await snapshot(etcd)) {
    const was = old.get(key);
    old.delete(key);
    if (was?.mod_revision === mod_revision) continue;
    if (was === undefined) made += 1;
    await (was === undefined ? call(etcd, "deleterange", { key }) : call(etcd, "put", { key, value: was.value }));
  }
  for (const { key, value } of old.values()) await call(etcd, "put", { key, value });
  return made;
}
