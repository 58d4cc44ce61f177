import { kinds } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import { Problem } from "../errors.ts";
import type { World } from "../world.ts";
import { type Attempt, addressKey } from "./attempts.ts";
import { readEmail } from "./email.ts";
import { isPassword } from "./password.ts";
import { storedPassword } from "./passwords-store.ts";

/** Runs with an attempt taken from each key; they are given back unless the credentials were refused. */
export async function attempted<T>(
  from: { address: string; attempt: Attempt },
  account: string,
  run: () => Promise<T>,
): Promise<T> {
  const taken = [await from.attempt("address", addressKey(from.address)), await from.attempt("account", account)];
  try {
    const result = await run();
    await Promise.all(taken.map((giveBack) => giveBack()));
    return result;
  } catch (error) {
    if (!(error instanceof Problem && error.code === "credentials_refused"))
      await Promise.all(taken.map((giveBack) => giveBack()));
    throw error;
  }
}

/**
 * The account of an e-mail address and its password. An address without an account takes as long and is refused in the same words. Throws
 * Problem `credentials_refused`, `rate_limited`, `busy`, and `invalid` for what is no e-mail address.
 */
export async function signIn(
  world: World,
  input: { email: string; password: string },
  from: { address: string; attempt: Attempt },
): Promise<Account> {
  const { account: name } = readEmail(input.email);
  return attempted(from, name, async () => {
    const [stored, account] = await Promise.all([
      storedPassword(world, name),
      world.client.get(kinds.accounts, "", name),
    ]);
    const right = await isPassword(stored, input.password);
    if (!right || account === undefined || account.metadata.deletionTimestamp !== undefined)
      throw new Problem("credentials_refused", "There is no account with this e-mail address and this password.");
    return account;
  });
}
