import type { z } from "zod";
import { kinds } from "../../cluster/index.ts";
import { Problem } from "../errors.ts";
import type { World } from "../world.ts";
import { type Attempt, addressKey } from "./attempts.ts";
import { readEmail } from "./email.ts";
import { isPassword } from "./password.ts";
import { storedPassword } from "./passwords-store.ts";
import { openSession } from "./session.ts";
import { type credentialsSchema, type SignedIn, shownAccount } from "./shapes.ts";

/** Where a guess comes from, and what it is taken from. */
export interface From {
  address: string;
  attempt: Attempt;
}

/** Runs with an attempt taken for the address and for the account; they stay taken only where the answer is undefined: a wrong password. */
export async function attempted<T>(
  from: From,
  account: string,
  run: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const taken = [await from.attempt("address", addressKey(from.address))];
  let wrong = false;
  try {
    taken.push(await from.attempt("account", account));
    const result = await run();
    wrong = result === undefined;
    return result;
  } finally {
    // What cannot be given back stays counted.
    if (!wrong) await Promise.allSettled(taken.map((giveBack) => giveBack()));
  }
}

/**
 * The account of an e-mail address and its password, and the value of a new session's cookie. An address without an account takes as long
 * and is refused in the same words. Throws Problem `credentials_refused`, `rate_limited`, `busy`, and `invalid` for what is no e-mail address.
 */
export async function signIn(world: World, input: z.output<typeof credentialsSchema>, from: From): Promise<SignedIn> {
  const { account: name } = readEmail(input.email);
  const account = await attempted(from, name, async () => {
    // In this order: a password that is changed in between ends the session, whose generation was read before.
    const found = await world.client.get(kinds.accounts, "", name);
    const right = await isPassword(await storedPassword(world, name), input.password);
    return right && found?.metadata.deletionTimestamp === undefined ? found : undefined;
  });
  if (account === undefined)
    throw new Problem("credentials_refused", "There is no account with this e-mail address and this password.");
  return { account: shownAccount(account), cookie: openSession(world, account) };
}
