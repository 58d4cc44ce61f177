import { type Connection, type KubeObject, startInformer } from "../cluster/index.ts";
import { createMigrationOrder } from "../requests/migrations/order.ts";
import { trimForLists } from "../requests/migrations/trim.ts";
import type { World } from "../requests/world.ts";
import { kinds } from "../resources/objects.ts";

/** What the API keeps of the cluster in memory: Migrations, without what no list and no stream shows, and Teams. */

const withoutWriters = <T extends KubeObject>(object: T): T => {
  const { managedFields: _fields, ...metadata } = object.metadata as T["metadata"] & { managedFields?: unknown };
  return { ...object, metadata };
};

export function createApiCaches(
  connection: Connection,
  options: {
    resync: number;
    now: () => number;
    random: () => number;
    signal: AbortSignal;
    problem: (what: string) => (error: unknown) => void;
  },
): World["caches"] {
  const { problem, ...common } = options;
  const order = createMigrationOrder();
  return {
    order,
    migrations: startInformer(connection, {
      ...common,
      kind: kinds.migrations,
      trim: trimForLists,
      changed: order.changed,
      problem: problem("watching Migrations"),
    }),
    teams: startInformer(connection, {
      ...common,
      kind: kinds.teams,
      trim: withoutWriters,
      changed: () => {},
      problem: problem("watching Teams"),
    }),
  };
}
