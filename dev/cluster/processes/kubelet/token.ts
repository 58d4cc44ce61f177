// Tokens of service accounts, as a kubelet projects them into pods.
import type { Connection } from "../../../../src/cluster/index.ts";

export type TokenRequest = {
  namespace: string;
  account: string;
  /** Empty: the API server's own. */
  audiences: readonly string[];
  /** At least 600. */
  expirationSeconds?: number;
  /** The token ends with this pod. */
  pod?: { name: string; uid: string };
};

/** Throws ClusterError. */
export async function requestToken(connection: Pick<Connection, "send">, wanted: TokenRequest): Promise<string> {
  const { namespace, account, audiences, expirationSeconds = 3600, pod } = wanted;
  const { status } = await connection.send<{ status: { token: string } }>({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: {
        ...(audiences.length === 0 ? {} : { audiences }),
        expirationSeconds,
        ...(pod === undefined ? {} : { boundObjectRef: { apiVersion: "v1", kind: "Pod", ...pod } }),
      },
    },
  });
  return status.token;
}
