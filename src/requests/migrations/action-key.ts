import type { Migration } from "../../resources/migration.ts";
import { signature } from "../keys.ts";
import type { KeyedRequest } from "./idempotency.ts";
import { marks } from "./marks.ts";

/** Idempotency of retry and reset: the Migration keeps digests of the last keys that raised something, written with the raise itself. */

/** A key that is repeated after so many others is taken for a new one. */
const kept = 16;

export const actionDigest = (secret: Uint8Array, { account, team, path, key }: KeyedRequest): string =>
  signature(secret, "action-key", account, team, path, key).subarray(0, 16).toString("base64url");

const digestsOf = ({ metadata }: Pick<Migration, "metadata">): string[] =>
  (metadata.annotations?.[marks.actions] ?? "").split(",").filter((digest) => digest !== "");

export const wasDone = (migration: Pick<Migration, "metadata">, digest: string): boolean =>
  digestsOf(migration).includes(digest);

/** The annotation's next value. */
export const withAction = (migration: Pick<Migration, "metadata">, digest: string): string =>
  [...digestsOf(migration), digest].slice(-kept).join(",");
