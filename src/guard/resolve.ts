import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type GuardPolicy, judgeAddress } from "./policy.ts";

/** All addresses of a name, as the system's resolver gives them. Errors: Node's (ENOTFOUND, EAI_AGAIN). */
export type Lookup = (host: string) => Promise<string[]>;

/** For a person; `what` is as in `the source database's host "db"`. */
export const addressRefused = (what: string): string =>
  `${what} has a private, local or reserved address, which is not allowed: use a public host, or ask your administrator to set guard.allow`;

/** For a person, of a name. It does not tell whether the name is unknown or leads where it may not. */
export const nameRefused = (what: string): string =>
  `${what} has no allowed address: the name does not exist, or its address is private, loopback or in the cluster; check the name, or use a public host`;

/**
 * A name that is dialled with a guard, and that has no address or a refused one. The error does not say which, and keeps no
 * cause: otherwise a run could be used to find out which names the cluster's own resolver knows.
 */
export class NameRefusedError extends Error {
  readonly code: "NAME_REFUSED" | "NAME_NOT_NOW";
  /** `transient`: the resolver failed, and may answer later. */
  constructor(transient: boolean) {
    super(nameRefused("the host"));
    this.name = "NameRefusedError";
    this.code = transient ? "NAME_NOT_NOW" : "NAME_REFUSED";
  }
}

/** A host that is an address where a stranger's URL may not lead. */
class AddressRefusedError extends Error {
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
 * answers with such a one waits for the dial that takes it. Errors: of an address AddressRefusedError, of a name NameRefusedError.
 */
export async function resolveHost(host: string, policy: GuardPolicy, lookup: Lookup = lookupAll): Promise<string[]> {
  const allowed = (address: string) => judgeAddress(address, policy).allowed;
  if (isIP(host) !== 0) {
    if (!allowed(host)) throw new AddressRefusedError();
    return [host];
  }
  const addresses = await lookup(host).catch((error: unknown) => {
    throw isNoAnswer(error) ? new NameRefusedError(errnoOf(error) === "EAI_AGAIN") : error;
  });
  if (addresses.length === 0 || !addresses.every(allowed)) throw new NameRefusedError(false);
  return [...new Set(addresses)];
}

/** Node's code of an error, such as ENOTFOUND; empty: it has none. */
export const errnoOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** Every answer of a resolver that is no address, other than a fault of this process. */
const isNoAnswer = (error: unknown): boolean => /^(ENOTFOUND|ENODATA|EAI_[A-Z]+)$/.test(errnoOf(error));
