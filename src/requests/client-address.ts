import { isIP, isIPv4, isIPv6 } from "node:net";

/** Without a zone; an IPv4 address as itself also where a socket for both families tells it. */
export function plainAddress(address: string): string {
  const [bare = ""] = address.split("%");
  const mapped = bare.replace(/^::ffff:/i, "");
  return isIPv4(mapped) ? mapped : bare;
}

/** Whom an address stands for: itself, or its /64 of IPv6, since such a host has 2^64 addresses of its own. */
export function clientOf(address: string): string {
  const plain = plainAddress(address);
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

/** An address as proxies write it, without its port; undefined for what is none. */
function addressIn(text: string): string | undefined {
  const [, bracketed, withPort] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]*):\d{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? withPort ?? text;
  return isIP(address) === 0 ? undefined : address;
}

/**
 * X-Forwarded-For as it can be believed, from its end: the addresses, without ports, behind the last thing that is no address. Who wrote
 * that, a trusted proxy, is then whom the request comes from.
 */
export function forwardedBy(header: string): string {
  const addresses = header.split(",").map((part) => addressIn(part.trim()));
  return addresses.slice(addresses.lastIndexOf(undefined) + 1).join(", ");
}
