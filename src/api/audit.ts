import type { Request, Response } from "express";
import { plainAddress } from "../requests/client-address.ts";
import type { Caller, Identity } from "../requests/world.ts";
import type { AccountEvent } from "../resources/account-log.ts";

/**
 * One line of the log for each call that changes something or opens an account: who did what to which object, from where, and how it
 * ended. It has ids alone: no name, URL, e-mail address or secret.
 */
interface Audited {
  /** The digits of the token, or the session's id. */
  token?: string;
  session?: string;
  /** The acting team's id. */
  team?: string;
  /** Ids, as paths have them. */
  object?: string | undefined;
  /** `done`, or the code of the error. */
  result?: string;
}

/** Adds to what the line of this call will say. */
export function noteAudit({ locals }: Response, more: Audited): void {
  locals["audit"] = { ...locals["audit"], ...more };
}

/** Who calls, by their ids. */
export const auditedCaller = ({ identity, caller }: { identity?: Identity; caller?: Caller }): Audited => ({
  ...(identity?.token === undefined ? {} : { token: identity.token }),
  ...(identity?.session === undefined ? {} : { session: identity.session.id }),
  ...(caller === undefined ? {} : { team: caller.team.metadata.name }),
});

/** Ids that Rowferry gives; another may be any text that a caller sent, a secret among others. */
const ours = /^([0-9a-f-]{36}(-[0-9a-z]{1,20})?|[1-9][0-9]{14}|[at][0-9a-f]{20,40})$/;
/** Results that only a call on something that is there has. */
const known = new Set(["done", "refused", "state_conflict"]);

const isShown = ({ object = "", result = "" }: Audited): boolean =>
  known.has(result) || object.split("/").every((id) => ours.test(id));

export interface AuditLine extends Audited {
  request_id: unknown;
  account?: string;
  address: string | undefined;
  verb: string;
  result: string;
}

/** Undefined for a call that changes nothing. */
export function auditLine({ ip }: Request, { locals, statusCode, headersSent }: Response): AuditLine | undefined {
  const { audit, id, account, operation } = locals as {
    audit?: Audited;
    account?: string;
    id?: unknown;
    operation?: string;
  };
  if (audit === undefined) return undefined;
  const ended = !headersSent ? "cut" : statusCode < 400 ? "done" : "failed";
  const { object, ...line } = { result: ended, ...audit };
  const shown = isShown({ ...line, object }) ? { object } : {};
  const who = {
    ...(account === undefined ? {} : { account }),
    address: ip === undefined ? undefined : plainAddress(ip),
  };
  return { request_id: id, ...who, verb: operation ?? "none", ...line, ...shown };
}

/**
 * The account whose event this is, and the event. Undefined where nobody is known to have called, and where the call was over a limit:
 * with those alone a thief could drive out the others.
 */
export function eventOf(line: AuditLine, id: string, at: Date): { account: string; event: AccountEvent } | undefined {
  const { account, address, verb, token, session, team, object, result } = line;
  if (account === undefined || result === "rate_limited") return undefined;
  const given = Object.entries({ address, token, session, team, object }).filter(([, value]) => value !== undefined);
  return { account, event: { id, at: at.toISOString(), verb, result, ...Object.fromEntries(given) } };
}
