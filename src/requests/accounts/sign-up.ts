import { alreadyExists, type Client, kinds } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import type { Kind, KubeObject } from "../../resources/objects.ts";
import { nobody, type Team } from "../../resources/team.ts";
import { clientOf } from "../client-address.ts";
import { Problem } from "../errors.ts";
import { requirePasswords, type SignInOrigin, signedIn } from "../sessions/sign-in.ts";
import { asMember, newTeamName, personalTeamOf } from "../teams/membership.ts";
import { change } from "../update-with-retry.ts";
import type { ApiSettings, World } from "../world.ts";
import { type Email, readEmail } from "./email.ts";
import { checkPassword, expectHash, hashPassword } from "./password.ts";
import { replacePassword, storedPassword } from "./password-store.ts";
import type { SignedIn } from "./shapes.ts";

/** What is needed to make an account; `kubectl exec` makes the first one with no more than this. */
export interface Registry extends Pick<World, "client" | "pause" | "randomBytes"> {
  settings: Pick<ApiSettings, "namespace">;
}

/** What another made in the same moment is as good: names follow from the address. */
export async function ensure<T extends KubeObject>(client: Client, kind: Kind<T>, object: T): Promise<T> {
  try {
    return await client.create(kind, object);
  } catch (error) {
    const found = alreadyExists(error) ? await client.get(kind, "", object.metadata.name) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

/** The operator makes the team's namespace; a create right after needs it. It is not worth more than a few seconds. */
export async function untilReady(world: Registry, team: string): Promise<Team | undefined> {
  let found: Team | undefined;
  for (let waited = 0; waited < 5000; waited += 100) {
    found = await world.client.get(kinds.teams, "", team);
    if (found?.status?.namespace !== undefined) break;
    await world.pause(100);
  }
  return found;
}

const exists = () =>
  new Problem("already_exists", "There is an account with this e-mail address; sign in with POST /api/session.");

/** With a password it is open until the password is stored: an interrupted sign-up can continue. */
export const newAccount = (
  email: Email,
  team: string,
  opens: Pick<Account["spec"], "openToSignUp" | "identities">,
): Account => ({
  metadata: { name: email.account },
  spec: { email: email.shown, plan: "free", actingTeam: team, personalTeam: team, ...opens },
});

export const personalTeam = (account: Account): Team => ({
  metadata: { name: personalTeamOf(account) },
  spec: { title: "Personal", members: [asMember(account, "owner")] },
});

/** Before an address without an account has one: members of its name without a uid are whoever had it before. */
async function bindToNobody(world: Registry, teams: Iterable<Team>, name: string): Promise<void> {
  const isOpen = (member: Team["spec"]["members"][number]) => member.account === name && member.uid === undefined;
  for (const { metadata, spec } of teams)
    if (spec.members.some(isOpen))
      await change(world, kinds.teams, "", metadata.name, (team) => {
        const members = team.spec.members.map((member) => (isOpen(member) ? { ...member, uid: nobody } : member));
        return { ...team, spec: { ...team.spec, members } };
      });
}

/**
 * The account of an address. Without one, this removes the remains of an earlier account: a password, which must not open the
 * new account, and places in teams. `teams`: those with a member of this name.
 */
export async function accountBefore(
  world: Registry,
  name: string,
  teams: (account: string) => Iterable<Team> | Promise<Iterable<Team>>,
): Promise<{ account: Account | undefined; password: string | undefined }> {
  // In this order: what is stored for no account is of none that somebody makes right now.
  const password = await storedPassword(world, name);
  const account = await world.client.get(kinds.accounts, "", name);
  if (account !== undefined) return { account, password };
  if (password !== undefined && !(await replacePassword(world, name, password, undefined))) throw exists();
  await bindToNobody(world, await teams(name), name);
  return { account, password: undefined };
}

function closed(account: Account): Account {
  const { openToSignUp: _open, ...spec } = account.spec;
  return { ...account, spec };
}

/**
 * Makes an account with its personal team. Whoever puts the password first has the account: of two who sign up with one address at the same
 * time, one succeeds; and a sign-up that broke off before its password is finished by the next. An account that `kubectl` made without a
 * password is an administrator's to give away, unless it says that it is open. `of`: in whose line its hash waits; `teams`: those with a
 * member of this name. Throws Problem `invalid`, `already_exists` or `busy`.
 */
export async function createUserAccount(
  world: Registry,
  input: { email: string; password: string },
  how: { of: string; teams: (account: string) => Iterable<Team> | Promise<Iterable<Team>>; administrator: boolean },
): Promise<Account> {
  const email = readEmail(input.email);
  checkPassword(input.password);
  // Before anything is looked up, so that an answer takes as long for an address that has an account.
  const hash = await hashPassword(how.of, input.password, world.randomBytes);
  const name = email.account;
  const { account: before, password: stored } = await accountBefore(world, name, how.teams);
  if (stored !== undefined) throw exists();
  const account =
    before ??
    (await ensure(
      world.client,
      kinds.accounts,
      newAccount(email, newTeamName(world.randomBytes), { openToSignUp: true }),
    ));
  if (!how.administrator && account.spec.openToSignUp !== true) throw exists();
  await ensure(world.client, kinds.teams, personalTeam(account));
  if (!(await replacePassword(world, name, undefined, hash))) throw exists();
  const { uid } = account.metadata;
  const made = await change(world, kinds.accounts, "", name, (found) =>
    found.metadata.uid === uid && found.spec.openToSignUp !== undefined ? closed(found) : undefined,
  );
  await untilReady(world, account.spec.actingTeam);
  return made ?? account;
}

/** The teams that have a member of this name. */
export const teamsOf =
  ({ caches }: Pick<World, "caches">) =>
  (account: string): Iterable<Team> =>
    caches.teamsByMember.of(account);

/** Makes an account within the limits of sign-ups. Throws Problem `rate_limited` and `limit_reached`. */
export async function withinSignUps(
  world: World,
  { address, attempt }: Pick<SignInOrigin, "address" | "attempt">,
  make: () => Promise<Account>,
): Promise<Account> {
  // First, so that strangers from ever other addresses, who are refused, leave no trace of each.
  await attempt("signUpInAll", "all", "look");
  await attempt("signUp", clientOf(address));
  const giveBack = await attempt("signUpInAll", "all");
  // Its name is not known yet: it is the installation's ceiling that counts.
  return (world.ceilings?.within("", { teams: 1 }, make) ?? make()).catch(async (error: unknown) => {
    // What makes nothing must not cost others theirs.
    await giveBack();
    throw error;
  });
}

/** Signs up, and in. Throws Problem `sign_up_closed`, `rate_limited`, `limit_reached` and those of `createAccount`. */
export async function signUp(
  world: World,
  input: { email: string; password: string },
  from: SignInOrigin,
): Promise<SignedIn> {
  requirePasswords(world);
  if (!world.settings.signUp)
    throw new Problem("sign_up_closed", "This installation takes no sign-ups; ask its administrator for an account.");
  const of = clientOf(from.address);
  expectHash(of);
  const teams = teamsOf(world);
  const account = await withinSignUps(world, from, () =>
    createUserAccount(world, input, { of, teams, administrator: false }),
  );
  return signedIn(world, account);
}
