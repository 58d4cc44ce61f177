import type * as z from "zod";
import { kinds } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import type { Attempt } from "../accounts/attempts.ts";
import { readEmail } from "../accounts/email.ts";
import { expectHash, isPassword } from "../accounts/password.ts";
import { storedPassword } from "../accounts/password-store.ts";
import { type credentialsSchema, type SignedIn, shownAccount } from "../accounts/shapes.ts";
import { clientOf } from "../client-address.ts";
import { Problem } from "../errors.ts";
import type { World } from "../world.ts";
import { deviceCookie, deviceOf, newDevice } from "./device.ts";
import { cookieOf, holds, openSession } from "./session.ts";

/** With a new session; `device`: the value of the device's cookie, where there is one. */
export const signedIn = (
  world: Pick<World, "secret" | "now" | "randomBytes">,
  account: Account,
  device = newDevice(world, account),
) => ({ account: shownAccount(account), cookie: openSession(world, account), device });

/** Where a guess comes from, and what it is taken from. */
export interface SignInOrigin {
  address: string;
  /** The header, which may name a known device. */
  cookie?: string | undefined;
  attempt: Attempt;
}

type Bucket = [of: Parameters<Attempt>[0], key: string];

/**
 * Runs with an attempt taken of each; they stay taken only where the answer is undefined: a wrong password. Throws Problem `rate_limited` of the one
 * that is longest without, so that who waits for it meets no other. Behind one that refuses the others are only looked at: who is refused holds
 * nothing of an account that is not theirs, and fills no memory with keys of made-up ones.
 */
export async function attempted<T>(
  attempt: Attempt,
  buckets: readonly Bucket[],
  run: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const taken: (() => Promise<void>)[] = [];
  let wrong = false;
  try {
    let refused: Problem | undefined;
    for (const [of, key] of buckets)
      try {
        taken.push(await attempt(of, key, refused && "look"));
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== "rate_limited") throw error;
        if ((error.retryAfter ?? 0) > (refused?.retryAfter ?? -1)) refused = error;
      }
    if (refused !== undefined) throw refused;
    const result = await run();
    wrong = result === undefined;
    return result;
  } finally {
    // What cannot be given back stays counted.
    if (!wrong) await Promise.allSettled(taken.map((giveBack) => giveBack()));
  }
}

/**
 * The device that the cookie names, if the account still has it. Of the account nothing is asked but for one that was signed for it, which
 * nobody has who was not signed in.
 */
async function deviceIn(world: World, shown: string, name: string): Promise<string | undefined> {
  const device = deviceOf(world, shown, name);
  const account = device && (await world.fresh.account(name));
  return account && holds(device, account) ? device.id : undefined;
}

/** What a wrong password for an account counts in. */
function bucketsOf(account: string, from: string, device: string | undefined): Bucket[] {
  if (device !== undefined) return [["device", device]];
  return [
    ["address", from],
    ["accountAndAddress", `${account} ${from}`],
    ["account", account],
  ];
}

/** Throws Problem `passwords_disabled` where OpenID Connect is the only way to sign in. */
export function requirePasswords({ oidc }: Pick<World, "oidc">): void {
  if (oidc?.only)
    throw new Problem(
      "passwords_disabled",
      "Passwords are disabled on this installation. Open GET /api/auth/oidc/start in a browser.",
    );
}

/**
 * The account of an e-mail address and its password, and the values of the cookies of a new session and of the device. An address without an account takes as long
 * and is refused in the same words. Throws Problem `credentials_refused`, `rate_limited`, `busy`, and `invalid` for what is no e-mail address.
 */
export async function signIn(
  world: World,
  input: z.output<typeof credentialsSchema>,
  from: SignInOrigin,
): Promise<SignedIn> {
  requirePasswords(world);
  const { account: name } = readEmail(input.email);
  const by = clientOf(from.address);
  expectHash(by);
  const shown = cookieOf(from.cookie, deviceCookie) ?? "";
  const device = await deviceIn(world, shown, name);
  const account = await attempted(from.attempt, bucketsOf(name, by, device), async () => {
    // In this order: a password that is changed in between ends the session, whose generation was read before.
    const found = await world.client.get(kinds.accounts, "", name);
    const right = await isPassword(by, await storedPassword(world, name), input.password);
    return right && found?.metadata.deletionTimestamp === undefined ? found : undefined;
  });
  if (account === undefined) throw new Problem("credentials_refused", "The e-mail address or the password is wrong.");
  return signedIn(world, account, device === undefined ? undefined : shown);
}
