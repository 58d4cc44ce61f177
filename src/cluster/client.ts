import { type Kind, type KubeObject, pathOf } from "../resources/objects.ts";
import { present } from "../resources/present.ts";
import type { ApiRequest, Connection } from "./connection.ts";
import { isNotFound } from "./errors.ts";

/** Reads and writes of single objects and lists; of cluster-wide kinds the namespace is "". Every function throws ClusterError. */
export interface Client {
  /** The live object, or undefined when there is none. */
  get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string): Promise<T | undefined>;
  list<T extends KubeObject>(kind: Kind<T>, options: ListOptions): Promise<T[]>;
  /** A resourceVersion that no write of this kind before the call is above; one of another kind may be. */
  latest(kind: Kind<KubeObject>): Promise<string>;
  /** AlreadyExists when there is one of this name. Cluster-wide kinds: no `metadata.namespace`. */
  create<T extends KubeObject>(kind: Kind<T>, object: T): Promise<T>;
  /** Replaces it; Conflict when `metadata.resourceVersion` is no longer the present one. */
  update<T extends KubeObject>(kind: Kind<T>, object: T): Promise<T>;
  mergePatch<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string, patch: object): Promise<T>;
  /** Strategic merge patch of /status, which Kubernetes' own kinds take: of a list only the named entries change. */
  patchStatus<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string, patch: object): Promise<T>;
  /** Server-side apply of /status under a field manager; with a resourceVersion, Conflict when it is not the present one. */
  applyStatus<T extends KubeObject>(kind: Kind<T>, object: ApplyObject, manager: string): Promise<T>;
  /** Deletes in the background what the object owns; only the one with this uid. Nothing there: nothing done. A pod has its own grace, or this. */
  remove<T extends KubeObject>(
    kind: Kind<T>,
    namespace: string,
    name: string,
    uid: string,
    resourceVersion?: string,
    graceSeconds?: number,
  ): Promise<void>;
}

interface ListOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** At most so many, in one page. */
  limit?: number;
}

interface ApplyObject {
  metadata: { name: string; namespace: string; uid?: string; resourceVersion?: string };
  status: object;
}

export function createClient(connection: Connection, signal?: AbortSignal): Client {
  const abort = signal === undefined ? {} : { signal };
  const send = <T>(method: ApiRequest["method"], path: string, more: Partial<ApiRequest> = {}): Promise<T> =>
    connection.send<T>({ method, path, ...more, ...abort });
  const whole = (kind: Kind<KubeObject>, object: object) => ({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    ...object,
  });
  return {
    async get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string) {
      try {
        return await send<T>("GET", pathOf(kind, namespace, name));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    async list<T extends KubeObject>(kind: Kind<T>, options: ListOptions) {
      const { labelSelector, fieldSelector, limit } = options;
      const found: T[] = [];
      let token: string | undefined;
      do {
        const query = { labelSelector, fieldSelector, limit: limit ?? 500, continue: token };
        const path = pathOf(kind, options.namespace);
        const page: { items: T[]; metadata: { continue?: string } } = await send("GET", path, { query });
        found.push(...page.items);
        token = limit === undefined ? page.metadata.continue || undefined : undefined;
      } while (token !== undefined);
      return found;
    },
    async latest(kind) {
      const path = pathOf(kind);
      const { metadata } = await send<{ metadata: { resourceVersion: string } }>("GET", path, { query: { limit: 1 } });
      return metadata.resourceVersion;
    },
    create: (kind, object) => send("POST", pathOf(kind, object.metadata.namespace), { body: whole(kind, object) }),
    update: (kind, object) =>
      send("PUT", pathOf(kind, object.metadata.namespace, object.metadata.name), { body: whole(kind, object) }),
    mergePatch: (kind, namespace, name, body) =>
      send("PATCH", pathOf(kind, namespace, name), { body, contentType: "application/merge-patch+json" }),
    patchStatus: (kind, namespace, name, body) =>
      send("PATCH", pathOf(kind, namespace, name, "status"), {
        body,
        contentType: "application/strategic-merge-patch+json",
      }),
    applyStatus: (kind, object, manager) =>
      send("PATCH", pathOf(kind, object.metadata.namespace, object.metadata.name, "status"), {
        query: { fieldManager: manager, force: true },
        body: whole(kind, object),
        contentType: "application/apply-patch+yaml",
      }),
    async remove(kind, namespace, name, uid, resourceVersion, graceSeconds) {
      try {
        const body = {
          ...{ apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background" },
          ...present({ gracePeriodSeconds: graceSeconds }),
          preconditions: present({ uid, resourceVersion }),
        };
        await send("DELETE", pathOf(kind, namespace, name), { body });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
  };
}
