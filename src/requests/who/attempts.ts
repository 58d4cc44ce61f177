import { isIPv6 } from "node:net";
import type { Window } from "../tiers.ts";

/**
 * What slows a guesser: failures by account and by address, and sign-ups by address. An attempt is taken before the password is looked at,
 * so that many at once count too, and given back when it was no failure.
 */
export const attempts = {
  /** By the Account's name. */
  account: { points: 10, seconds: 900 },
  /** By the caller's address. */
  address: { points: 50, seconds: 900 },
  /** By the caller's address; those that succeed count as well, since each makes a namespace. */
  signUp: { points: 20, seconds: 3600 },
} as const satisfies Record<string, Window>;

/** Takes one; throws Problem `rate_limited` when there is none. The function that it answers gives it back. */
export type Attempt = (of: keyof typeof attempts, key: string) => Promise<() => Promise<void>>;

/** An IPv6 host has 2^64 addresses of its own: the network counts. */
export function addressKey(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").replace(/%.*$/, "");
  if (!isIPv6(plain)) return plain;
  const [head = "", tail] = plain.replace(/(\d+\.\d+\.\d+\.\d+)$/, "0:0").split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const all = [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0"), ...after];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
