import { alreadyExists, type Client, kinds } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import type { Kind, KubeObject } from "../../resources/objects.ts";
import type { Team } from "../../resources/team.ts";
import { Problem } from "../errors.ts";
import type { Settings, World } from "../world.ts";
import { addressKey } from "./attempts.ts";
import { type Email, personalTeamOf, readEmail } from "./email.ts";
import { checkPassword, hashPassword } from "./password.ts";
import { replacePassword, storedPassword } from "./passwords-store.ts";
import { openSession } from "./session.ts";
import { type SignedIn, shownAccount } from "./shapes.ts";
import type { From } from "./sign-in.ts";

/** What is needed to make an account; `kubectl exec` makes the first one with no more than this. */
export interface Registry extends Pick<World, "client" | "pause" | "randomBytes"> {
  settings: Pick<Settings, "namespace">;
}

/** What another made in the same moment is as good: names follow from the address. */
async function ensure<T extends KubeObject>(client: Client, kind: Kind<T>, object: T): Promise<T> {
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

const newAccount = (email: Email): Account => ({
  metadata: { name: email.account },
  spec: { email: email.shown, plan: "free", actingTeam: personalTeamOf(email.account) },
});

const personalTeam = (email: Email): Team => ({
  metadata: { name: personalTeamOf(email.account) },
  spec: { title: "Personal", members: [{ account: email.account, role: "owner" }] },
});

/**
 * Makes an account with its personal team. Whoever puts the password first has the account: of two who sign up with one address at the same
 * time, one succeeds; and a sign-up that broke off before its password is finished by the next. Throws Problem `invalid` or `already_exists`.
 */
export async function createAccount(world: Registry, input: { email: string; password: string }): Promise<Account> {
  const email = readEmail(input.email);
  checkPassword(input.password);
  // Before anything is looked up, so that an answer takes as long for an address that has an account.
  const hash = await hashPassword(input.password, world.randomBytes);
  const name = email.account;
  const stored = await storedPassword(world, name);
  const before = await world.client.get(kinds.accounts, "", name);
  if (stored !== undefined) {
    if (before !== undefined) throw exists();
    // Left by an account that somebody deleted: it opens nothing and must not open the new one.
    if (!(await replacePassword(world, name, stored, undefined))) throw exists();
  }
  await ensure(world.client, kinds.teams, personalTeam(email));
  const account = before ?? (await ensure(world.client, kinds.accounts, newAccount(email)));
  if (!(await replacePassword(world, name, undefined, hash))) throw exists();
  await untilReady(world, account.spec.actingTeam);
  return account;
}

/** Signs up, and in. Throws Problem `sign_up_closed`, `rate_limited` and those of `createAccount`. */
export async function signUp(world: World, input: { email: string; password: string }, from: From): Promise<SignedIn> {
  if (!world.settings.signUp)
    throw new Problem("sign_up_closed", "This installation takes no sign-ups; ask its administrator for an account.");
  await from.attempt("signUp", addressKey(from.address));
  const account = await createAccount(world, input);
  return { account: shownAccount(account), cookie: openSession(world, account) };
}
