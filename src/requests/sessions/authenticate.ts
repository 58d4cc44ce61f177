import { kinds } from "../../cluster/index.ts";
import type { ApiToken } from "../../resources/token.ts";
import { Problem } from "../errors.ts";
import { memberOf } from "../teams/membership.ts";
import { hasHash, tokenDigits } from "../tokens/token.ts";
import type { Caller, Identity, World } from "../world.ts";
import { cookieOf, holds, readSession, sessionCookie } from "./session.ts";

/** What a request shows of who calls. There is no other place for a token, a query string least of all. */
export interface RequestCredentials {
  /** Headers, as they came. */
  authorization: string | undefined;
  cookie: string | undefined;
  origin: string | undefined;
  method: string;
}

const fix =
  "send the header Authorization: Bearer <API_TOKEN>. To get a token, sign in with POST /api/session and call POST /api/tokens";
const refused = (why: string) => new Problem("unauthenticated", `${why}; ${fix}.`);

/** Who is in which Team was so a second ago at most, and so is everything else here: `world.fresh`. Throws Problem `not_a_member`. */
async function actingIn(world: World, identity: Identity): Promise<Caller> {
  const name = identity.account.spec.actingTeam;
  const team = await world.fresh.team(name);
  const role = team && memberOf(team, identity.account)?.role;
  if (team === undefined || role === undefined)
    throw new Problem(
      "not_a_member",
      `You are no longer in your acting team, ${name}; choose one from GET /api/teams and POST /api/teams/{team}/switch.`,
    );
  return { ...identity, team, role };
}

/** A use is written every five minutes at most, and never by who waits for it. */
const usedEvery = 300_000;
/** After a failure, or until the use is seen. */
const triedEvery = 30_000;
/** When a write was begun for what was read. */
const tried = new WeakMap<ApiToken, number>();

function noteUse(world: World, token: ApiToken): void {
  const now = world.now();
  const last = token.status?.lastUsedAt;
  const before = tried.get(token) ?? Number.NEGATIVE_INFINITY;
  if (now.getTime() - before < triedEvery || (last !== undefined && now.getTime() - Date.parse(last) < usedEvery))
    return;
  tried.set(token, now.getTime());
  const { name, uid } = token.metadata;
  const metadata = { name, namespace: "", ...(uid === undefined ? {} : { uid }) };
  // Without it the request is as good; a later one tries again.
  world.client
    .applyStatus(kinds.tokens, { metadata, status: { lastUsedAt: now.toISOString() } }, "rowferry-api")
    .catch(() => {});
}

/** Begins with what will most likely be asked of the cluster next, if anything, by what the caches say: three reads take as long as one. */
function readAhead({ caches, fresh }: World, { spec }: ApiToken): void {
  const account = caches.accounts.get("", spec.account);
  if (account === undefined) return;
  // What became of them, who asks for the same will hear.
  fresh.account(spec.account).catch(() => {});
  fresh.team(account.spec.actingTeam).catch(() => {});
}

async function byToken(world: World, authorization: string): Promise<Identity> {
  const [, shown] = /^Bearer +([^\s]+) *$/i.exec(authorization) ?? [];
  if (shown === undefined) throw refused("The header Authorization is not of the form Bearer <API_TOKEN>");
  const digits = tokenDigits(shown);
  if (digits === undefined) throw refused("The token is malformed: send all of it, such as 482915073648201|rfy_…");
  const unknown = "The token is not known: it is mistyped or was revoked";
  const cached = world.caches.tokens.get("", digits);
  // A token's hash never changes.
  if (cached !== undefined && !hasHash(shown, cached.spec.hash)) throw refused(unknown);
  if (cached !== undefined) readAhead(world, cached);
  const token = await world.fresh.token(digits);
  if (token === undefined || (token !== cached && !hasHash(shown, token.spec.hash))) throw refused(unknown);
  if (token.spec.expiresAt !== undefined && Date.parse(token.spec.expiresAt) <= world.now().getTime())
    throw refused("The token has expired");
  const account = await world.fresh.account(token.spec.account);
  // An address that signs up anew has none of the tokens of who had it before.
  const owner = token.metadata.ownerReferences?.find((one) => one.kind === kinds.accounts.kind);
  if (account === undefined || owner?.uid !== account.metadata.uid) throw refused(unknown);
  noteUse(world, token);
  const { scopes, expiresAt } = token.spec;
  return {
    account,
    token: digits,
    ...(scopes === undefined ? {} : { scopes }),
    ...(expiresAt === undefined ? {} : { tokenEnds: new Date(expiresAt) }),
  };
}

async function bySession(world: World, shown: RequestCredentials, value: string): Promise<Identity> {
  const over = "The session is over; sign in with POST /api/session";
  const session = readSession(world, value);
  const account = session && (await world.fresh.account(session.account));
  if (!session || !account || !holds(session, account)) throw new Problem("unauthenticated", `${over}.`);
  // A cookie goes along with what a foreign page sends, too.
  const safe = shown.method === "GET" || shown.method === "HEAD";
  if (!safe && shown.origin !== new URL(world.settings.baseUrl).origin)
    throw new Problem(
      "origin_refused",
      `A change with the session's cookie needs the header Origin: ${new URL(world.settings.baseUrl).origin}; without a browser, use a token.`,
    );
  return { account, session: { id: session.id, expiresAt: session.expiresAt } };
}

async function whose(world: World, shown: RequestCredentials): Promise<Identity> {
  if (shown.authorization !== undefined) return byToken(world, shown.authorization);
  const value = cookieOf(shown.cookie, sessionCookie);
  if (value === undefined) throw refused("No token was sent");
  return bySession(world, shown, value);
}

/** Whose call it is, of whatever team. Throws Problem `unauthenticated` or `origin_refused`. */
export const identify = (world: World, shown: RequestCredentials): Promise<Identity> =>
  world.fresh.inOnePass(() => whose(world, shown));

/** Who calls, and for which team. Throws the Problems of `identify`, and `not_a_member`. */
export const authenticate = (world: World, shown: RequestCredentials): Promise<Caller> =>
  world.fresh.inOnePass(async () => actingIn(world, await whose(world, shown)));
