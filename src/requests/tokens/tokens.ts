import type * as z from "zod";
import { alreadyExists, kinds } from "../../cluster/index.ts";
import { apiVersion, labels } from "../../resources/group.ts";
import { type ApiToken, tokenScopes } from "../../resources/token.ts";
import { newestFirst, type PageOf, type PageRequest, pageOf } from "../accounts/page.ts";
import { type mintSchema, type ShownToken, shownToken } from "../accounts/shapes.ts";
import { invalidField, Problem } from "../errors.ts";
import { goneEverywhere, untilCached } from "../migrations/view/wait-for-cache.ts";
import { requireTokensScope } from "../sessions/scope.ts";
import type { Identity, World } from "../world.ts";
import { makeToken } from "./token.ts";

/** An account's tokens of the API. They are the account's, whatever its acting team; another's do not exist for it. */

export const mostTokens = 100;

const ownerOf = (token: ApiToken): string | undefined =>
  token.metadata.ownerReferences?.find((one) => one.kind === kinds.accounts.kind)?.uid;

const ownedBy =
  ({ account }: Identity) =>
  (token: ApiToken): boolean =>
    ownerOf(token) === account.metadata.uid && token.metadata.deletionTimestamp === undefined;

const tokensOf = ({ caches }: World, identity: Identity): ApiToken[] =>
  caches.tokensByAccount.of(identity.account.metadata.name).filter(ownedBy(identity));

async function liveTokensOf({ client }: World, identity: Identity): Promise<ApiToken[]> {
  const labelSelector = `${labels.account}=${identity.account.metadata.name}`;
  return (await client.list(kinds.tokens, { labelSelector })).filter(ownedBy(identity));
}

/** Newest first. Throws Problem `invalid` for a cursor of another list. */
export async function listTokens(world: World, identity: Identity, page: PageRequest): Promise<PageOf<ShownToken>> {
  const list = ["tokens", identity.account.metadata.name];
  const { data, next_cursor } = pageOf(world.secret, list, tokensOf(world, identity), newestFirst, page);
  return { data: data.map(shownToken), next_cursor };
}

const tooMany = () =>
  new Problem("limit_reached", `An account has at most ${mostTokens} tokens; revoke one that is not used.`);

/** A token creates none that may do more than itself, or that holds for longer. Throws Problem `invalid`. */
function boundsOf({ now }: World, { scopes: own, tokenEnds }: Identity, input: z.output<typeof mintSchema>) {
  const expiresAt = input.expires_at === undefined ? tokenEnds : new Date(input.expires_at);
  if (expiresAt !== undefined && expiresAt <= now())
    throw invalidField("expires_at", "is in the past: use a future time, or remove it");
  if (tokenEnds !== undefined && expiresAt !== undefined && expiresAt > tokenEnds)
    throw invalidField("expires_at", `is later than the expiry of the calling token, ${tokenEnds.toISOString()}`);
  const scopes = input.scopes === undefined ? own : tokenScopes.filter((scope) => input.scopes?.includes(scope));
  const more = scopes?.find((scope) => own !== undefined && !own.includes(scope));
  if (more !== undefined) throw invalidField("scopes", `may not have ${more}, which the calling token does not have`);
  return { expiresAt, scopes: scopes === undefined ? undefined : [...scopes] };
}

/** A new token and its plaintext, which nobody can read again. Throws Problem `scope_missing`, `session_required`, `invalid` and `limit_reached`. */
export async function mintToken(
  world: World,
  identity: Identity,
  input: z.output<typeof mintSchema>,
): Promise<{ token: ShownToken; plaintext: string }> {
  requireTokensScope(world, identity);
  const { name, uid } = identity.account.metadata;
  const { expiresAt, scopes } = boundsOf(world, identity, input);
  if (tokensOf(world, identity).length >= mostTokens) throw tooMany();
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
          ...(scopes === undefined ? {} : { scopes }),
        },
      });
      // Live: of several at the same time the last one sees all the others. Rather one too few than one too many.
      if ((await liveTokensOf(world, identity)).length > mostTokens) {
        await world.client.remove(kinds.tokens, "", digits, token.metadata.uid ?? "");
        throw tooMany();
      }
      await untilCached(world, () => world.caches.tokens.get("", digits) !== undefined);
      return { token: shownToken(token), plaintext };
    } catch (error) {
      if (!alreadyExists(error)) throw error;
    }
  }
}

/** Once it has answered, no replica accepts any token that the account had. Resolves to their number. */
export async function revokeAllTokens(world: World, identity: Identity): Promise<number> {
  // Live: a token that another replica made a moment ago is revoked too.
  const tokens = await liveTokensOf(world, identity);
  for (const { metadata } of tokens) await world.client.remove(kinds.tokens, "", metadata.name, metadata.uid ?? "");
  const last = tokens.at(-1);
  if (last !== undefined) await goneEverywhere(world, kinds.tokens, world.caches.tokens, last.metadata);
  return tokens.length;
}

/** Once it has answered, no replica takes the token. Any token may revoke itself. Throws Problem `scope_missing`, `session_required` and `not_found`. */
export async function revokeToken(world: World, identity: Identity, digits: string): Promise<ShownToken> {
  if (identity.token !== digits) requireTokensScope(world, identity);
  const { account } = identity;
  const token = await world.client.get(kinds.tokens, "", digits);
  if (token === undefined || ownerOf(token) !== account.metadata.uid)
    throw new Problem("not_found", "You have no token with this id; GET /api/tokens lists yours.");
  await world.client.remove(kinds.tokens, "", digits, token.metadata.uid ?? "");
  await goneEverywhere(world, kinds.tokens, world.caches.tokens, token.metadata);
  return shownToken(token);
}
