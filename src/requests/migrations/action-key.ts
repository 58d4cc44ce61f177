import { signature } from "../keys.ts";
import type { Caller, World } from "../world.ts";
import type { KeyedRequest } from "./idempotency.ts";
import { marks } from "./marks.ts";

/** Idempotency of actions such as retry and reset: the object keeps digests of the last keys that raised something, written with the raise itself. */

/** A key that is repeated after so many others is taken for a new one. */
const kept = 16;

export const actionDigest = (secret: Uint8Array, { account, team, path, key }: KeyedRequest): string =>
  signature(secret, "action-key", account, team, path, key).subarray(0, 16).toString("base64url");

/** The same for a caller's request to `path`. */
export const digestFor = (
  { secret }: Pick<World, "secret">,
  { account, team }: Caller,
  path: string,
  key: string,
): string => actionDigest(secret, { account: account.metadata.name, team: team.metadata.name, path, key });

interface Marked {
  metadata: { annotations?: Record<string, string> };
}

const digestsOf = ({ metadata }: Marked): string[] =>
  (metadata.annotations?.[marks.actions] ?? "").split(",").filter((digest) => digest !== "");

export const wasDone = (object: Marked, digest: string): boolean => digestsOf(object).includes(digest);

/** The annotation's next value. */
export const withAction = (object: Marked, digest: string): string =>
  [...digestsOf(object), digest].slice(-kept).join(",");
