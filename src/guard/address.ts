import { isIPv4, isIPv6 } from "node:net";

/**
 * IP addresses as numbers, and which of them are no place for a database that a stranger names. The ranges are those of IANA's
 * special-purpose registries (IPv4 and IPv6), and what clouds answer on beside them.
 */

export interface IpAddress {
  family: 4 | 6;
  value: bigint;
}

/** Why an address is not reached. */
export type AddressClass =
  | "malformed"
  | "unspecified"
  | "loopback"
  | "link-local"
  | "metadata"
  | "private"
  | "cgnat"
  | "multicast"
  | "broadcast"
  | "documentation"
  | "benchmark"
  | "reserved"
  | "unique-local"
  | "site-local"
  | "ipv4-mapped"
  | "ipv4-compatible"
  | "ipv4-translated"
  | "nat64"
  | "6to4"
  | "teredo"
  | "isatap"
  | "cluster";

export interface AddressRange {
  family: 4 | 6;
  value: bigint;
  /** Bits that count. */
  prefix: number;
}

const bitsOf = { 4: 32, 6: 128 } as const;

/** Undefined for what is no plain address: an IPv6 zone (`%eth0`), short or octal forms of IPv4. */
export function parseAddress(text: string): IpAddress | undefined {
  if (isIPv4(text)) return { family: 4, value: dotted(text) };
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const plain = text.replace(/[\d.]+$/, (tail) => {
    if (!tail.includes(".")) return tail;
    const value = dotted(tail);
    return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
  });
  const [head = "", tail] = plain.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array<string>(8 - before.length - after.length).fill("0");
  const value = [...before, ...zeros, ...after].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
  return { family: 6, value };
}

const dotted = (text: string): bigint => text.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);

/** `10.0.0.0/8`, `fd00::/8`, or one address. Undefined for what is none, or has bits beyond its prefix. */
export function parseRange(text: string): AddressRange | undefined {
  const [, address = "", length] = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const parsed = parseAddress(address);
  if (parsed === undefined) return undefined;
  const bits = bitsOf[parsed.family];
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits || parsed.value & ((1n << BigInt(bits - prefix)) - 1n)) return undefined;
  return { ...parsed, prefix };
}

export function within({ family, value }: IpAddress, range: AddressRange): boolean {
  const rest = BigInt(bitsOf[family] - range.prefix);
  return family === range.family && value >> rest === range.value >> rest;
}

export const isSingle = ({ family, prefix }: AddressRange): boolean => prefix === bitsOf[family];

/** In this order: what comes first gives the class its name. The chart's network policies are held to it. */
export const special: [AddressClass, string][] = [
  ["metadata", "169.254.169.254 169.254.170.2 169.254.170.23 168.63.129.16 100.100.100.200 192.0.0.192"],
  ["metadata", "fd00:ec2::254 fd00:ec2::23 fd20:ce::254"],
  ["broadcast", "255.255.255.255"],
  ["unspecified", "0.0.0.0/8 ::"],
  ["loopback", "127.0.0.0/8 ::1"],
  ["link-local", "169.254.0.0/16 fe80::/10"],
  ["private", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16"],
  ["cgnat", "100.64.0.0/10"],
  ["documentation", "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20"],
  ["benchmark", "198.18.0.0/15 2001:2::/48"],
  ["multicast", "224.0.0.0/4 ff00::/8"],
  ["reserved", "192.0.0.0/24 192.88.99.0/24 240.0.0.0/4"],
  ["ipv4-mapped", "::ffff:0:0/96"],
  ["ipv4-translated", "::ffff:0:0:0/96"],
  ["ipv4-compatible", "::/96"],
  ["nat64", "64:ff9b::/96 64:ff9b:1::/48"],
  ["teredo", "2001::/32"],
  ["6to4", "2002::/16"],
  ["unique-local", "fc00::/7"],
  ["site-local", "fec0::/10"],
  ["reserved", "2001::/23"],
];

const ranges = special.flatMap(([why, texts]) =>
  texts.split(" ").map((text) => ({ why, range: parseRange(text) as AddressRange })),
);
/** All of IPv6 that was ever given out. */
const global = parseRange("2000::/3") as AddressRange;

/** Undefined for a public address. */
export function classOf(address: IpAddress): AddressClass | undefined {
  const found = ranges.find(({ range }) => within(address, range));
  if (found !== undefined) return found.why;
  if (address.family === 4) return undefined;
  if (!within(address, global)) return "reserved";
  return isIsatap(address.value) ? "isatap" : undefined;
}

/** An interface's id of 00-00-5e-fe or 02-00-5e-fe and an IPv4 address, under any prefix (RFC 5214). */
const isIsatap = (value: bigint): boolean => ((value >> 32n) & 0xfdffffffn) === 0x5efen;

const low = (value: bigint): bigint => value & 0xffffffffn;

/** The IPv4 addresses to which a gateway would lead the bytes. */
export function embedded({ family, value }: IpAddress, why: AddressClass): IpAddress[] {
  if (family === 4) return [];
  const ipv4 = (inner: bigint): IpAddress => ({ family: 4, value: low(inner) });
  switch (why) {
    case "ipv4-mapped":
    case "ipv4-compatible":
    case "ipv4-translated":
    case "isatap":
      return [ipv4(value)];
    case "nat64":
      // Of 64:ff9b:1::/48 a network chooses how long its prefix is (RFC 6052): at 96 the address is at the end, at 48 around bits 64 to 71.
      return value >> 80n === 0x64_ff9b_0001n
        ? [ipv4(value), ipv4((((value >> 64n) & 0xffffn) << 16n) | ((value >> 40n) & 0xffffn))]
        : [ipv4(value)];
    case "6to4":
      return [ipv4(value >> 80n)];
    case "teredo":
      return [ipv4(value >> 64n), ipv4(~value & 0xffffffffn)];
    default:
      return [];
  }
}
