import type { RateWindow } from "../tiers.ts";

/**
 * What slows a guesser: wrong passwords and sign-ups. An attempt is taken before the password is looked at, so that many at once count too, and
 * given back when it was no failure. What anybody can do to an account from one address slows that address alone; the bound of all addresses
 * together is much higher, and a device that signed in before is counted by itself, so that its owner is not kept out by strangers.
 */
export const attempts = {
  /** By the Account's name, from wherever it is not known. */
  account: { points: 100, seconds: 900 },
  /** By both. */
  accountAndAddress: { points: 10, seconds: 900 },
  /** By the caller's address, for whichever account. */
  address: { points: 50, seconds: 900 },
  /** By the device's id, instead of the three. */
  device: { points: 10, seconds: 900 },
  /**
   * The present password, of who is signed in: by the session, of which nobody has a second one without the password, so that one that was stolen
   * does not keep the owner from this. Tokens, which each can mint more of, are counted together, by the Account's name.
   */
  passwordChange: { points: 10, seconds: 900 },
  /** By the caller's address; those that succeed count as well, since each makes a namespace. */
  signUp: { points: 20, seconds: 3600 },
  /** Those that succeed, of all addresses together: who has many addresses must not fill the cluster with namespaces. */
  signUpInAll: { points: 500, seconds: 3600 },
} as const satisfies Record<string, RateWindow>;

/**
 * Takes one; throws Problem `rate_limited` when there is none. The function that it answers gives it back. `look`: only throws, takes nothing
 * and leaves no trace of the key.
 */
export type Attempt = (of: keyof typeof attempts, key: string, how?: "look") => Promise<() => Promise<void>>;
