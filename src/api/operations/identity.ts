import type { Identity } from "../../requests/world.ts";
import type { Call } from "../operation.ts";

/** Whose call it is, of an operation with auth `token`: the router has seen to it. */
export function identityOf(call: Call): Identity {
  if (call.identity === undefined) throw new Error("an operation with auth `token` was called by nobody");
  return call.identity;
}
