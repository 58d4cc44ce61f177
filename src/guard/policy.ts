import type { Endpoint } from "../engine/contract/index.ts";
import {
  type AddressClass,
  classOf,
  embedded,
  type IpAddress,
  isSingle,
  parseAddress,
  parseRange,
  within,
} from "./address.ts";

/**
 * Which addresses a URL of a stranger may lead to: the public ones, but for `refuse` (the cluster's own ranges), and what `allow`
 * names beside. Both are CIDRs. Where both name an address the longer prefix counts, and `refuse` where they are equally long.
 * A cloud's metadata address is only allowed by a CIDR that names just it (/32, /128). An IPv6 form that leads to an IPv4 address
 * is only allowed where `allow` names the form and the inner address may be reached as well.
 */
export type GuardPolicy = NonNullable<Endpoint["guard"]>;

type Judgement = { allowed: true } | { allowed: false; why: AddressClass };

/** CIDRs and addresses from a setting, with commas or spaces between. Errors: in words that name the one that is none. */
export function parseCidrs(text: string): string[] {
  const cidrs = text.split(/[\s,]+/).filter((part) => part !== "");
  for (const cidr of cidrs)
    if (parseRange(cidr) === undefined)
      throw new Error(
        `"${cidr.slice(0, 60)}" is not a CIDR: write an address and the bits that count, as in 10.0.0.0/8 or fd00::/8, with zeros in the others`,
      );
  return cidrs;
}

/** `address` as the resolver or the URL gives it. Errors: as parseCidrs, for a policy that was not parsed. */
export function judgeAddress(address: string, policy: GuardPolicy): Judgement {
  const parsed = parseAddress(address);
  return parsed === undefined ? { allowed: false, why: "malformed" } : judge(parsed, policy);
}

function judge(address: IpAddress, policy: GuardPolicy): Judgement {
  const why = classOf(address);
  const allowed = longest(address, policy.allow, why === "metadata");
  const refused = longest(address, policy.refuse, false);
  if (refused >= 0 && refused >= allowed) return { allowed: false, why: "cluster" };
  if (why === undefined) return { allowed: true };
  if (allowed < 0) return { allowed: false, why };
  return embedded(address, why).every((inner) => judge(inner, policy).allowed)
    ? { allowed: true }
    : { allowed: false, why };
}

/** The longest prefix of those that hold the address; -1 for none. */
function longest(address: IpAddress, cidrs: readonly string[], single: boolean): number {
  const found = cidrs.flatMap((cidr) => {
    const range = parseRange(cidr);
    if (range === undefined) throw new Error(`the guard's policy has "${cidr.slice(0, 60)}", which is not a CIDR`);
    return within(address, range) && (!single || isSingle(range)) ? [range.prefix] : [];
  });
  return Math.max(-1, ...found);
}
