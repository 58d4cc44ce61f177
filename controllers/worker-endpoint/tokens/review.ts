import { type Client, kinds } from "../../../src/cluster/index.ts";
import { audience } from "../../../src/worker/protocol.ts";
import { namespaceOfUser, notOfPod, notValid, otherAudience, TokenRefused, type TokenReviewer } from "./identity.ts";

/** The API server looks at each token: a TokenReview, which needs a right on the cluster. */
export const reviewByServer =
  (client: Pick<Client, "create">): TokenReviewer =>
  async (token) => {
    const { status } = await client.create(kinds.tokenReviews, {
      metadata: { name: "" },
      spec: { token, audiences: [audience] },
    });
    if (!status?.authenticated) throw new TokenRefused(notValid);
    if (!status.audiences?.includes(audience)) throw new TokenRefused(otherAudience);
    const namespace = namespaceOfUser(status.user?.username);
    const pod = status.user?.extra?.["authentication.kubernetes.io/pod-name"]?.[0];
    const podUid = status.user?.extra?.["authentication.kubernetes.io/pod-uid"]?.[0];
    if (!namespace || !pod || !podUid) throw new TokenRefused(notOfPod);
    return { namespace, pod, podUid };
  };
