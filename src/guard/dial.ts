import type { Endpoint } from "../engine/contract/index.ts";
import { errnoOf, type Lookup, lookupAll, NameRefusedError, resolveHost } from "./resolve.ts";

/**
 * The one entrance to a socket of a user's database: whoever dials, dials through here, each time. With a guard the name is
 * resolved once, every answer is judged, and `open` gets an address; what it proves by TLS stays `endpoint.host`.
 */

/** Of a name with more addresses no others are tried. */
const mostTried = 4;
/** Longer no resolver is waited for. */
const lookupTimeoutMs = 15_000;

/** Nobody was reached there, so that the next address may be tried. */
const unreached = new Set(["ECONNREFUSED", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"]);

const wasUnreached = (error: unknown): boolean => unreached.has(errnoOf(error));

/** Errors: AddressRefusedError, NameRefusedError, and those of `open`; of several addresses the last one's. */
export async function dial<T>(
  endpoint: Pick<Endpoint, "host" | "guard">,
  open: (host: string) => Promise<T>,
  lookup: Lookup = lookupAll,
): Promise<T> {
  const { host, guard } = endpoint;
  if (guard === undefined) return open(host);
  const addresses = (await inTime(resolveHost(host, guard, lookup))).slice(0, mostTried);
  for (const [at, address] of addresses.entries()) {
    try {
      return await open(address);
    } catch (error) {
      if (at === addresses.length - 1 || !wasUnreached(error)) throw error;
    }
  }
  throw new Error("unreachable: resolveHost answers at least one address");
}

function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NameRefusedError(true)), lookupTimeoutMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
