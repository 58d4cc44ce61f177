import { type KubeObject, pathOf } from "../../src/resources/objects.ts";
import type { PlaneClient } from "./control-plane.ts";

/**
 * Writes objects as cluster-admin, one after the other, as `kubectl apply --server-side --force-conflicts` does. A process of
 * kubectl costs a tenth of a second of processor time, this some milliseconds. Errors: ClusterError, with the server's message.
 */
export async function applyObjects({ admin }: Pick<PlaneClient, "admin">, objects: readonly object[]): Promise<void> {
  for (const object of objects as readonly Required<KubeObject>[]) {
    const { apiVersion, kind, metadata } = object;
    await admin.connection.send({
      method: "PATCH",
      path: pathOf({ apiVersion, kind, plural: pluralOf(kind) }, metadata.namespace, metadata.name),
      query: { fieldManager: "test", force: true, fieldValidation: "Strict" },
      body: object,
      contentType: "application/apply-patch+yaml",
    });
  }
}

/** Whether Kubernetes has made the account that pods of this namespace get. */
export const hasAccount = async ({ admin }: Pick<PlaneClient, "admin">, namespace: string): Promise<boolean> => {
  const kind = { apiVersion: "v1", kind: "ServiceAccount", plural: "serviceaccounts" };
  return (await admin.client.get(kind, namespace, "default")) !== undefined;
};

const pluralOf = (kind: string): string => `${kind.toLowerCase().replace(/y$/, "ie")}s`;
