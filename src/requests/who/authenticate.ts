import { kinds } from "../../cluster/index.ts";
import type { ApiToken } from "../../resources/token.ts";
import { Problem } from "../errors.ts";
import type { Caller, Identity, World } from "../world.ts";
import { longestPass } from "./fresh.ts";
import { cookieOf, holds, readSession } from "./session.ts";
import { digitsOf, hasHash } from "./token.ts";

/** What a request shows of who calls. There is no other place for a token, a query string least of all. */
export interface Shown {
  /** Headers, as they came. */
  authorization: string | undefined;
  cookie: string | undefined;
  origin: string | undefined;
  method: string;
}

const mend = "send the header Authorization: Bearer <API_TOKEN> with a token from POST /api/tokens";
const refused = (why: string) => new Problem("unauthenticated", `${why}; ${mend}.`);

/** Who is in which Team is believed for a second, and so is everything else here: `world.fresh`. Throws Problem `not_a_member`. */
async function actingIn(world: World, identity: Identity): Promise<Caller> {
  const name = identity.account.spec.actingTeam;
  const team = await world.fresh.team(name);
  const role = team?.spec.members.find((member) => member.account === identity.account.metadata.name)?.role;
  if (team === undefined || role === undefined)
    throw new Problem(
      "not_a_member",
      `You are no longer in your acting team, ${name}; choose one from GET /api/teams and POST /api/teams/{team}/switch.`,
    );
  return { ...identity, team, role };
}

/** A use is written every five minutes at most, and never by who waits for it. */
const usedEvery = 300_000;
/** Objects are read anew each second: one write is begun for each that was read. */
const noted = new WeakSet<ApiToken>();

function noteUse(world: World, token: ApiToken): void {
  const now = world.now();
  const last = token.status?.lastUsedAt;
  if (noted.has(token) || (last !== undefined && now.getTime() - Date.parse(last) < usedEvery)) return;
  noted.add(token);
  const { name, uid } = token.metadata;
  const metadata = { name, namespace: "", ...(uid === undefined ? {} : { uid }) };
  // Without it the request is as good; the next one tries again.
  world.client
    .applyStatus(kinds.tokens, { metadata, status: { lastUsedAt: now.toISOString() } }, "rowferry-api")
    .catch(() => {});
}

async function byToken(world: World, authorization: string): Promise<Identity> {
  const [, shown] = /^Bearer +([^\s]+) *$/i.exec(authorization) ?? [];
  if (shown === undefined) throw refused("The header Authorization is not of the form Bearer <API_TOKEN>");
  const digits = digitsOf(shown);
  if (digits === undefined) throw refused("That is not a token of this service, or it was mistyped");
  const unknown = "The token is not known: it is mistyped or was revoked";
  const token = await world.fresh.token(digits);
  if (token === undefined || !hasHash(shown, token.spec.hash)) throw refused(unknown);
  if (token.spec.expiresAt !== undefined && Date.parse(token.spec.expiresAt) <= world.now().getTime())
    throw refused("The token has expired");
  const account = await world.fresh.account(token.spec.account);
  // An address that signs up anew has none of the tokens of who had it before.
  const owner = token.metadata.ownerReferences?.find((one) => one.kind === kinds.accounts.kind);
  if (account === undefined || owner?.uid !== account.metadata.uid) throw refused(unknown);
  noteUse(world, token);
  return { account, token: digits };
}

async function bySession(world: World, shown: Shown, value: string): Promise<Identity> {
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

/** Whose call it is, of whatever team. Throws Problem `unauthenticated` or `origin_refused`. */
export async function identify(world: World, shown: Shown): Promise<Identity> {
  if (shown.authorization !== undefined) return byToken(world, shown.authorization);
  const value = cookieOf(shown.cookie);
  if (value === undefined) throw refused("No token was sent");
  return bySession(world, shown, value);
}

/** Who calls, and for which team. Throws the Problems of `identify`, and `not_a_member`. */
export async function authenticate(world: World, shown: Shown): Promise<Caller> {
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const begun = world.now().getTime();
    const caller = await actingIn(world, await identify(world, shown));
    // While a later read took its time, an earlier one may have ceased to be believed. Again, what was read is at hand.
    if (world.now().getTime() - begun <= longestPass) return caller;
  }
  throw new Problem("unavailable", "The cluster answers too slowly; try again in a moment.", { retryAfter: 2 });
}
