import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type GuardPolicy, judgeAddress } from "./policy.ts";

/** All addresses of a name, as the system's resolver gives them. Errors: Node's (ENOTFOUND, EAI_AGAIN). */
export type Lookup = (host: string) => Promise<string[]>;

/** For a person; `what` is as in `the source database's host "db"`. */
export const addressRefused = (what: string): string =>
  `${what} has a private, local or reserved address, which is not allowed: use a public host, or ask your administrator to set guard.allow`;

/** A host that leads where a stranger's URL may not lead. It does not tell which address a name stands for. */
export class AddressRefusedError extends Error {
  readonly code = "ADDRESS_REFUSED";
  constructor() {
    super(addressRefused("the host"));
    this.name = "AddressRefusedError";
  }
}

export const lookupAll: Lookup = async (host) => {
  try {
    return (await systemLookup(host, { all: true, order: "verbatim" })).map(({ address }) => address);
  } catch (error) {
    // What cannot be written in ASCII is no name.
    if (error instanceof Error && "code" in error && error.code === "EINVAL") throw unknown(error);
    throw error;
  }
};

const unknown = (cause?: unknown) =>
  Object.assign(new Error("the name has no address", { cause }), { code: "ENOTFOUND" });

/**
 * The addresses to which a host may be dialled, in the resolver's order. One answer that is not allowed refuses them all: who
 * answers with such a one waits for the dial that takes it. Errors: AddressRefusedError, the lookup's.
 */
export async function resolveHost(host: string, policy: GuardPolicy, lookup: Lookup = lookupAll): Promise<string[]> {
  const addresses = isIP(host) === 0 ? await lookup(host) : [host];
  if (addresses.length === 0) throw unknown();
  if (!addresses.every((address) => judgeAddress(address, policy).allowed)) throw new AddressRefusedError();
  return [...new Set(addresses)];
}
