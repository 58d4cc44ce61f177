import type { z } from "zod";
import { alreadyExists, kinds } from "../../cluster/index.ts";
import { apiVersion, labels } from "../../resources/group.ts";
import type { ApiToken } from "../../resources/token.ts";
import { Problem } from "../errors.ts";
import type { Identity, World } from "../world.ts";
import { newestFirst, type Page, type PageOf, pageOf } from "./page.ts";
import { type mintSchema, type ShownToken, shownToken } from "./shapes.ts";
import { makeToken } from "./token.ts";

/** An account's tokens of the API. They are the account's, whatever its acting team; another's do not exist for it. */

export const mostTokens = 100;

const ownerOf = (token: ApiToken): string | undefined =>
  token.metadata.ownerReferences?.find((one) => one.kind === kinds.accounts.kind)?.uid;

async function tokensOf(world: World, { account }: Identity): Promise<ApiToken[]> {
  const found = await world.client.list(kinds.tokens, {
    labelSelector: `${labels.account}=${account.metadata.name}`,
  });
  return found.filter(
    (token) => ownerOf(token) === account.metadata.uid && token.metadata.deletionTimestamp === undefined,
  );
}

/** Newest first. Throws Problem `invalid` for a cursor of another list. */
export async function listTokens(world: World, identity: Identity, page: Page): Promise<PageOf<ShownToken>> {
  const list = ["tokens", identity.account.metadata.name];
  const { data, next_cursor } = pageOf(world.secret, list, await tokensOf(world, identity), newestFirst, page);
  return { data: data.map(shownToken), next_cursor };
}

/** A new token and its plaintext, which nobody can read again. Throws Problem `invalid` and `limit_reached`. */
export async function mintToken(
  world: World,
  identity: Identity,
  input: z.output<typeof mintSchema>,
): Promise<{ token: ShownToken; plaintext: string }> {
  const { name, uid } = identity.account.metadata;
  const expiresAt = input.expires_at === undefined ? undefined : new Date(input.expires_at);
  if (expiresAt !== undefined && expiresAt <= world.now()) {
    const message = "is in the past; name a time to come, or leave it out";
    throw new Problem("invalid", `expires_at: ${message}`, { errors: [{ field: "expires_at", message }] });
  }
  if ((await tokensOf(world, identity)).length >= mostTokens)
    throw new Problem("limit_reached", `An account has at most ${mostTokens} tokens; revoke one that is not used.`);
  for (;;) {
    const { digits, plaintext, hash } = makeToken(world.randomBytes);
    try {
      const token = await world.client.create(kinds.tokens, {
        metadata: {
          name: digits,
          labels: { [labels.account]: name },
          // With the account its tokens go.
          ownerReferences: [{ apiVersion, kind: kinds.accounts.kind, name, uid: uid ?? "" }],
        },
        spec: {
          account: name,
          title: input.name,
          hash,
          ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() }),
        },
      });
      return { token: shownToken(token), plaintext };
    } catch (error) {
      if (!alreadyExists(error)) throw error;
    }
  }
}

/** Once it has answered, no replica takes the token. Throws Problem `not_found`. */
export async function revokeToken(world: World, { account }: Identity, digits: string): Promise<ShownToken> {
  const token = await world.client.get(kinds.tokens, "", digits);
  if (token === undefined || ownerOf(token) !== account.metadata.uid)
    throw new Problem("not_found", "You have no token with this id; GET /api/tokens lists yours.");
  await world.client.remove(kinds.tokens, "", digits, token.metadata.uid ?? "");
  await world.pause(world.fresh.believed);
  return shownToken(token);
}
