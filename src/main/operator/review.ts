import type { TokenReviewer } from "../../../controllers/worker-endpoint/tokens/identity.ts";
import { reviewByServer } from "../../../controllers/worker-endpoint/tokens/review.ts";
import type { Client, Connection } from "../../cluster/index.ts";

/** How tokens of workers are verified: by the API server, or here where the operator has no right on the cluster. */
export async function reviewOf(
  namespaces: readonly string[],
  { client, connection, now }: { client: Client; connection: Connection; now: () => number },
): Promise<TokenReviewer> {
  if (namespaces.length === 0) return reviewByServer(client);
  const { createTokenKeys } = await import("../../../controllers/worker-endpoint/tokens/keys.ts");
  const accept = "application/json, application/jwk-set+json";
  const read = (path: string) => connection.send<unknown>({ method: "GET", path, accept });
  const keys = createTokenKeys({ read, namespaces, now });
  await keys.prepare();
  return keys.review;
}
