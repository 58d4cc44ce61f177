import { alreadyExists, type Client } from "../../src/cluster/index.ts";
import type { Kind, KubeObject } from "../../src/resources/objects.ts";

/** Makes the object where there is none of its name; never reads it. Throws ClusterError. */
export async function createMissing<T extends KubeObject>(client: Client, kind: Kind<T>, object: T): Promise<void> {
  try {
    await client.create(kind, object);
  } catch (error) {
    if (!alreadyExists(error)) throw error;
  }
}
