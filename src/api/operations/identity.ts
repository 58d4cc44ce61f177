import type { Caller, Identity } from "../../requests/world.ts";
import type { OperationCall } from "../openapi/operation.ts";

const unseen = () => new Error("an operation with auth `token` was called by nobody");

/** Whose call it is, of an operation with auth `token`: the router has seen to it. */
export function identityOf(call: OperationCall): Identity {
  if (call.identity === undefined) throw unseen();
  return call.identity;
}

/** Likewise who calls for which team, unless the operation is `withoutTeam`. */
export function callerOf(call: OperationCall): Caller {
  if (call.caller === undefined) throw unseen();
  return call.caller;
}
