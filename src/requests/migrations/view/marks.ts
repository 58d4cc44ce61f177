import { group } from "../../../resources/group.ts";
import { typeAnnotation } from "../../../resources/run-type.ts";

/** Annotations that the API writes on a Migration of its own making. None holds a secret: digests are keyed. */
export const marks = {
  /** When it was created, to the millisecond: Kubernetes stamps to the second. */
  createdAt: `${group}/created-at`,
  /** `transfer` or `conversion`, as the URLs say, until the worker says it. */
  type: typeAnnotation,
  /** The quote that it was created with (`estimate-token.ts`): what its price, once there is billing, is held to. */
  quote: `${group}/quote`,
  /** Where its URLs lead (`places.ts`). */
  places: `${group}/places`,
  /** The name that its creator gave it. */
  name: `${group}/name`,
  /** Digest of the body that it was made from. */
  body: `${group}/request-digest`,
  /** Digests of the last Idempotency-Keys of retry and reset, the newest last, with commas. */
  actions: `${group}/action-keys`,
} as const;
