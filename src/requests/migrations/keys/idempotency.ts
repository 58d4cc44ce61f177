import { canonicalJsonText } from "../../../guard/canonical-json.ts";
import { signature } from "../../keys.ts";
import type { Caller, World } from "../../world.ts";
import { uuidOf } from "./id.ts";

/**
 * Idempotency without a store: the name of what a create makes follows from account, team, path and key, so that a repeat meets its
 * own object; a digest of the body on that object tells whether the repeat asks for the same. Both are keyed.
 */
export interface KeyedRequest {
  account: string;
  team: string;
  path: string;
  key: string;
}

export const keyedName = (secret: Uint8Array, { account, team, path, key }: KeyedRequest): string =>
  uuidOf(signature(secret, "idempotency-name", account, team, path, key), 8);

/** The name of what a create at this path makes: by its Idempotency-Key, else any. */
export function nameOfMade(
  { secret, randomBytes }: Pick<World, "secret" | "randomBytes">,
  { account, team }: Caller,
  path: string,
  key: string | undefined,
): string {
  if (key === undefined) return uuidOf(randomBytes(16), 4);
  return keyedName(secret, { account: account.metadata.name, team: team.metadata.name, path, key });
}

/** Of the body as it was understood: the order of fields does not count, nor does a default that is written out. */
export const bodyDigest = (secret: Uint8Array, body: unknown): string =>
  signature(secret, "idempotency-body", canonicalJsonText(body)).toString("base64url");
