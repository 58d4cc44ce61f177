import type { KubeObject } from "../resources/objects.ts";
import type { Connection } from "./connection.ts";
import { ClusterError } from "./errors.ts";
import { type Informer, type InformerOptions, startInformer } from "./informer.ts";

/**
 * One cache of a kind over several namespaces, with a list and a watch of its own in each: what an account can have that holds
 * Roles and no ClusterRole. `synced` does not wait for a namespace that refuses the account, such as one that was deleted
 * with its Roles: the others must not stand still for it. It is tried again all the same.
 */
interface InformersOptions<T extends KubeObject> extends Omit<InformerOptions<T>, "namespace"> {
  /** Empty: one list and one watch of the whole cluster. */
  namespaces: readonly string[];
}

/** Refusals of a namespace: no rights there. */
const isRefused = (error: unknown): boolean => error instanceof ClusterError && error.code === "Forbidden";

export function startInformers<T extends KubeObject>(
  connection: Connection,
  { namespaces, ...options }: InformersOptions<T>,
): Informer<T> {
  if (namespaces.length === 0) return startInformer(connection, options);
  const parts = new Map(
    namespaces.map((namespace) => {
      const { promise: refused, resolve: refuse } = Promise.withResolvers<void>();
      const problem = (error: unknown) => {
        if (isRefused(error)) refuse();
        options.problem(error);
      };
      const informer = startInformer<T>(connection, { ...options, namespace, problem });
      return [namespace, { informer, reached: Promise.race([informer.synced, refused]) }] as const;
    }),
  );
  const informers = [...parts.values()].map(({ informer }) => informer);
  const least = (of: (informer: Informer<T>) => number) => Math.min(...informers.map(of));
  return {
    get: (namespace, name) => parts.get(namespace)?.informer.get(namespace, name),
    *all() {
      for (const informer of informers) yield* informer.all();
    },
    by: (value) => informers.flatMap((informer) => informer.by(value)),
    synced: Promise.all([...parts.values()].map(({ reached }) => reached)).then(() => undefined),
    lastHeard: () => least((informer) => informer.lastHeard()),
    lastTurn: () => least((informer) => informer.lastTurn()),
    closedFor: () => Math.max(...informers.map((informer) => informer.closedFor())),
    version: () =>
      informers.map((informer) => informer.version()).sort((one, other) => (one < other ? -1 : 1))[0] ?? 0n,
    ended: Promise.all(informers.map(({ ended }) => ended)).then(() => undefined),
  };
}

/** The cache of a kind that is not watched: always empty. */
export const noInformer = <T extends KubeObject>(now: () => number): Informer<T> => ({
  get: () => undefined,
  all: () => [][Symbol.iterator](),
  by: () => [],
  synced: Promise.resolve(),
  lastHeard: now,
  lastTurn: now,
  closedFor: () => 0,
  version: () => 0n,
  ended: Promise.resolve(),
});
