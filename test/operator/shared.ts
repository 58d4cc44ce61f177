import { inject } from "vitest";
import { type PlaneClient, planeClient, until } from "./control-plane.ts";
import { restore } from "./etcd.ts";

/**
 * The control plane that the files of a part share, one after the other: `stop` makes its objects what they were before, so
 * that the next file finds nothing of this one. The kinds and both accounts are installed; its API server cannot be stopped.
 */
export function borrowControlPlane(): PlaneClient {
  const { facts, before } = inject("plane");
  const client = planeClient(facts);
  return {
    ...client,
    async stop() {
      await client.stop();
      // A controller may make something for what it has not yet seen go.
      await until("nothing more to be made", async () => (await restore(facts.etcd, before)) === 0);
    },
  };
}
