import { Problem } from "../../errors.ts";
import { signature } from "../../keys.ts";
import type { Caller, World } from "../../world.ts";
import { marks } from "../view/marks.ts";
import type { KeyedRequest } from "./idempotency.ts";

/** Idempotency of actions such as retry and reset: the object keeps digests of the last keys that raised something, written with the raise itself. */

/** A key that is repeated after so many others is taken for a new one. */
const kept = 16;

export const actionDigest = (secret: Uint8Array, { account, team, path, key }: KeyedRequest): string =>
  signature(secret, "action-key", account, team, path, key).subarray(0, 16).toString("base64url");

/** The same for a caller's request to `path`; undefined without a key. */
export const digestFor = (
  { secret }: Pick<World, "secret">,
  { account, team }: Caller,
  path: string,
  key: string | undefined,
): string | undefined =>
  key === undefined
    ? undefined
    : actionDigest(secret, { account: account.metadata.name, team: team.metadata.name, path, key });

interface Marked {
  metadata: { annotations?: Record<string, string> };
}

const digestsOf = ({ metadata }: Marked): string[] =>
  (metadata.annotations?.[marks.actions] ?? "").split(",").filter((digest) => digest !== "");

/** Whether the key raised something before. `body`: a digest of what else the request says. Throws Problem `idempotency_key_reused` for another one. */
export function wasDone(object: Marked, digest: string, body = ""): boolean {
  const before = digestsOf(object).find((entry) => entry.startsWith(digest));
  if (before !== undefined && before !== entryOf(digest, body))
    throw new Problem(
      "idempotency_key_reused",
      "This Idempotency-Key was used for the same action with another body: use a new key.",
    );
  return before !== undefined;
}

/** A digest has one length, so that none is the beginning of another. */
const entryOf = (digest: string, body: string): string => (body === "" ? digest : `${digest}:${body.slice(0, 22)}`);

/** The annotation's next value. */
export const withAction = (object: Marked, digest: string, body = ""): string =>
  [...digestsOf(object), entryOf(digest, body)].slice(-kept).join(",");
