import type * as z from "zod";
import { kinds } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import { invalidField, Problem } from "../errors.ts";
import { attempted, type SignInOrigin, signedIn } from "../sessions/sign-in.ts";
import { revokeAllTokens } from "../tokens/tokens.ts";
import { change } from "../update-with-retry.ts";
import type { Identity, World } from "../world.ts";
import { readEmail } from "./email.ts";
import { checkPassword, expectHash, hashPassword, isPassword } from "./password.ts";
import { replacePassword, storedPassword } from "./password-store.ts";
import type { passwordChangeSchema, SignedIn } from "./shapes.ts";
import type { Registry } from "./sign-up.ts";

/** Ends every session that there is. */
const endSessions = (world: Registry, name: string): Promise<Account | undefined> =>
  change(world, kinds.accounts, "", name, (account) => {
    const generation = (account.spec.sessions?.generation ?? 0) + 1;
    return { ...account, spec: { ...account.spec, sessions: { generation, ended: [] } } };
  });

/**
 * Before and after, sessions end: should this process die in between, none that was there is left, and none that was opened with
 * the old password outlives the change. Throws Problem `state_conflict` when another change was faster.
 */
async function storePassword(
  world: Registry,
  name: string,
  before: string | undefined,
  password: string,
): Promise<Account> {
  const hash = await hashPassword(name, password, world.randomBytes);
  await endSessions(world, name);
  if (!(await replacePassword(world, name, before, hash)))
    throw new Problem("state_conflict", "The password was changed in the meantime; sign in with the new one.");
  const account = await endSessions(world, name);
  if (account === undefined) throw new Problem("not_found", "The account is no longer there.");
  return account;
}

/**
 * Changes the password and ends every session on every replica before it answers; tokens stay unless `revoke_tokens` is true. `cookie` is a new session, `device` a new device. Throws Problem
 * `invalid` for a wrong present password, which counts as a guess (`rate_limited`), and for a new one that cannot be one.
 */
export async function changePassword(
  world: World,
  identity: Identity,
  input: z.output<typeof passwordChangeSchema>,
  { attempt }: Pick<SignInOrigin, "attempt">,
): Promise<SignedIn> {
  checkPassword(input.new_password, "new_password");
  const { name } = identity.account.metadata;
  expectHash(name);
  const by = identity.session === undefined ? name : `${name} ${identity.session.id}`;
  const stored = await attempted(attempt, [["passwordChange", by]], async () => {
    const found = await storedPassword(world, name);
    return (await isPassword(name, found, input.password)) ? found : undefined;
  });
  if (stored === undefined) throw invalidField("password", "is not your current password");
  const account = await storePassword(world, name, stored, input.new_password);
  if (input.revoke_tokens) await revokeAllTokens(world, identity);
  await world.fresh.everywhere(kinds.accounts, account.metadata.resourceVersion);
  return signedIn(world, account);
}

/** Sets the password of whoever lost it, and ends every session on every replica; for an administrator, from the command line. Throws Problem `invalid` and `not_found`. */
export async function setPassword(
  world: Registry & { fresh: Pick<World["fresh"], "everywhere"> },
  input: { email: string; password: string },
): Promise<void> {
  const { account: name } = readEmail(input.email);
  checkPassword(input.password);
  if ((await world.client.get(kinds.accounts, "", name)) === undefined)
    throw new Problem("not_found", "No account with this e-mail address exists; create-account creates it.");
  const account = await storePassword(world, name, await storedPassword(world, name), input.password);
  await world.fresh.everywhere(kinds.accounts, account.metadata.resourceVersion);
}
