import { kinds } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import { type Email, readEmail } from "../accounts/email.ts";
import { type SignedIn, shownAccount } from "../accounts/shapes.ts";
import {
  accountBefore,
  ensure,
  newAccount,
  personalTeam,
  teamsOf,
  untilReady,
  withinSignUps,
} from "../accounts/sign-up.ts";
import { clientOf } from "../client-address.ts";
import { Problem } from "../errors.ts";
import { isSame } from "../keys.ts";
import { cookieOf, holds, readSession, sessionCookie } from "../sessions/session.ts";
import { attempted, type SignInOrigin, signedIn } from "../sessions/sign-in.ts";
import { newTeamName } from "../teams/membership.ts";
import type { World } from "../world.ts";
import { type OidcFlow, oidcCookie, oidcSeconds, readFlow } from "./flow.ts";
import { asIdentity, leadTo, link, linkedAccount, lists } from "./links.ts";
import type { Oidc, OidcClaims } from "./provider.ts";
import { oidcOf } from "./start.ts";

/**
 * The end of a sign-in with OpenID Connect. An identity (issuer and subject) signs in to the account that it is linked to, whatever its e-mail
 * address is by now. An address alone opens no account: one that exists is linked by its owner, from a session of it.
 */

const refused = (why: string) => new Problem("oidc_refused", why);

/** The address that the issuer vouches for. Throws Problem `oidc_refused`. */
function verifiedEmail({ email, isVerified }: OidcClaims): Email {
  if (email === undefined)
    throw refused("The sign-in service gave no e-mail address: allow it, or ask your administrator.");
  if (!isVerified) throw refused("The sign-in service has not verified your e-mail address: verify it there first.");
  try {
    return readEmail(email);
  } catch {
    throw refused("The sign-in service gave an e-mail address that this service does not accept.");
  }
}

/** Where only some domains may sign in, each sign-in shows an address of one. */
function checkDomain({ allowedDomains }: Oidc, claims: OidcClaims): void {
  if (allowedDomains.length > 0 && !allowedDomains.includes(verifiedEmail(claims).domain))
    throw refused("E-mail addresses of this domain may not sign in here; ask your administrator.");
}

/** Links the identity to the account of the session that began it, whose address the issuer must have verified. */
async function linkTo(
  world: World,
  claims: OidcClaims,
  { account: name, session: id }: NonNullable<OidcFlow["link"]>,
  cookie: string | undefined,
): Promise<Account> {
  const session = readSession(world, cookieOf(cookie, sessionCookie) ?? "");
  const account = await world.client.get(kinds.accounts, "", name);
  if (session?.id !== id || account === undefined || !holds(session, account))
    throw refused("The session that began the link is over: sign in and begin again.");
  if (verifiedEmail(claims).account !== name)
    throw refused("The sign-in service has another e-mail address of you than your account: they must be the same.");
  return link(world, claims, account);
}

async function createAccount(world: World, claims: OidcClaims, email: Email): Promise<Account> {
  const { account: before } = await accountBefore(world, email.account, teamsOf(world));
  if (before !== undefined) {
    // By another sign-in of the same person at the same moment.
    if (lists(before, claims)) return before;
    throw notLinked();
  }
  const identities = [asIdentity(claims, world.now())];
  const made = await ensure(
    world.client,
    kinds.accounts,
    newAccount(email, newTeamName(world.randomBytes), { identities }),
  );
  // Somebody else was faster.
  if (!lists(made, claims)) throw notLinked();
  return made;
}

const notLinked = () =>
  new Problem(
    "oidc_not_linked",
    "There is an account with this e-mail address. Sign in to it with POST /api/session, then link this identity with POST /api/auth/oidc/link.",
  );

/** The account of an identity; a new one where the installation makes them. */
async function accountOf(world: World, oidc: Oidc, claims: OidcClaims, from: SignInOrigin): Promise<Account> {
  const linked = await linkedAccount(world, claims);
  if (linked !== undefined) return linked;
  const email = verifiedEmail(claims);
  let account = await world.client.get(kinds.accounts, "", email.account);
  if (account === undefined) {
    if (!oidc.createAccounts)
      throw new Problem("sign_up_closed", "You have no account here; ask the administrator for one.");
    account = await withinSignUps(world, from, () => createAccount(world, claims, email));
  } else if (!lists(account, claims) || account.metadata.deletionTimestamp !== undefined) throw notLinked();
  // Also where an earlier sign-in made the account and broke off before these.
  await ensure(world.client, kinds.teams, personalTeam(account));
  await leadTo(world, claims, account);
  await untilReady(world, account.spec.actingTeam);
  return account;
}

/**
 * Verifies what the issuer sent the browser back with, and opens a session; or links, where the flow began so: then there is no new session. Failures
 * count by address. Throws Problem `oidc_refused`, `oidc_not_linked`, `sign_up_closed`, `rate_limited`, `unavailable` and those of a link.
 */
export async function finishOidc(
  world: World,
  query: Readonly<Record<string, string>>,
  from: SignInOrigin,
): Promise<Pick<SignedIn, "account"> & { opened?: Omit<SignedIn, "account"> }> {
  const oidc = oidcOf(world);
  const flow = readFlow(world, cookieOf(from.cookie, oidcCookie) ?? "");
  if (flow === undefined || !isSame(query["state"] ?? "", flow.state))
    throw refused(
      `This browser did not begin this sign-in in the last ${oidcSeconds / 60} minutes: begin at GET /api/auth/oidc/start.`,
    );
  let problem: Problem | undefined;
  const account = await attempted(from.attempt, [["address", clientOf(from.address)]], async () => {
    try {
      const claims = await oidc.provider.finish(query, flow);
      checkDomain(oidc, claims);
      return flow.link === undefined
        ? await accountOf(world, oidc, claims, from)
        : await linkTo(world, claims, flow.link, from.cookie);
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500 || error.code === "rate_limited") throw error;
      problem = error;
      return undefined;
    }
  });
  if (account === undefined) throw problem ?? refused("The sign-in failed.");
  if (flow.link !== undefined) return { account: shownAccount(account) };
  const { account: shown, ...opened } = signedIn(world, account);
  return { account: shown, opened };
}
