import {
  type CopyHooks,
  type CopyRequest,
  type DatabaseIdentity,
  type Endpoint,
  EngineError,
  type StatedPlace,
} from "../contract/index.ts";
import { printable } from "../contract/text/printable.ts";
import { serverIdentity as mysqlIdentity } from "../mysql/fence/same-database.ts";
import { databaseIdentity as postgresIdentity } from "../postgres/fence/same-database.ts";
import { openReading } from "./open-database.ts";

/**
 * Whether a target is the database that a stored list of made objects is of. Names, OIDs and times of creation are alike on
 * two servers that were filled alike, so that the list alone would have another's objects dropped. The server's own identity
 * tells fresh servers and databases apart; a whole server that was cloned has it too, so that the address has to be the same as well.
 */

/** Errors: those of a server that cannot be reached. */
export async function readPlace(target: Endpoint, signal: AbortSignal): Promise<DatabaseIdentity> {
  const opened = await openReading(target, { role: "target", program: "rowferry look", signal });
  try {
    const identity =
      opened.engine === "mysql" ? await mysqlIdentity(opened.session) : await postgresIdentity(opened.session);
    return { address: addressOf(target), identity };
  } finally {
    await opened.session.end();
  }
}

const addressOf = ({ host, port }: Endpoint) =>
  `${host.includes(":") ? `[${host.toLowerCase()}]` : host.toLowerCase()}:${port}`;

/** Why a list that was made in one place must not be dropped in another, and what to do; undefined where they are one. */
export function elsewhere({ address, identity }: StatedPlace, now: DatabaseIdentity): string | undefined {
  if (address === undefined || identity === undefined)
    return "the report is of an earlier version and does not name the target's server: drop by hand the objects that it lists under made";
  const before = printable(address.slice(0, 300));
  if (identity !== now.identity)
    return `the report is of a copy into ${before}, and the database on ${printable(now.address)} is another one, or on a new, cloned or restored server: name the database of the copy, or drop by hand the objects that the report lists under made`;
  if (address !== now.address)
    return `the report is of a copy into ${before}, and the server at ${printable(now.address)} may be a clone of it: name the target by the host and port of the copy; if the server was replaced, drop by hand the objects that the report lists under made`;
  return undefined;
}

export const otherPlace = (words: string, cause?: unknown): EngineError =>
  new EngineError("other_database", `${words}; nothing was dropped`, { cause });

/**
 * The request without a list that is not of its target, and what an error of such a copy is to its caller: what stands in
 * the way may be what that list is of.
 */
export function onlyOwnList(
  request: CopyRequest,
  place: DatabaseIdentity,
  log: CopyHooks["log"],
): { request: CopyRequest; explained(error: unknown): unknown } {
  const { made = [], madeIn = {}, reset } = request;
  const why = reset && made.length > 0 ? elsewhere(madeIn, place) : undefined;
  if (why === undefined) return { request, explained: (error) => error };
  log("warning", `Nothing of an earlier run is dropped: ${why}`);
  return {
    request: { ...request, made: [] },
    explained: (error) =>
      error instanceof EngineError && error.code === "target_not_empty"
        ? otherPlace(`${why}. ${error.message}`, error)
        : error,
  };
}
