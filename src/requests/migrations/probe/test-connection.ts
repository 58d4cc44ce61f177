import { clean } from "../../../guard/text.ts";
import type { ConnectionFacts, ProbeCaller, Unreachable } from "../../prober.ts";
import type { Caller, World } from "../../world.ts";
import { checkOne } from "../view/urls.ts";
import type { ConnectionResponse } from "./probe-shapes.ts";

/** The server responded, and refused the login, the user's rights or the kind of connection. */
const responded = new Set([
  "access_denied",
  "database_not_found",
  "permission_denied",
  "tls_failed",
  "tls_required",
  "too_many_connections",
]);
/** Both sides are always tried; one that was reached and asked too much is not called unreachable. */
const unknown = new Set(["probe_timeout", "probe_too_large", "internal_error", "cancelled"]);

/** Whether a server responded; null where the probe ended before that was known. */
export function reachableOf(why: Unreachable | undefined): boolean | null {
  if (why === undefined || responded.has(why.code)) return true;
  return unknown.has(why.code) ? null : false;
}

/** A message about one database that was tested by itself, and may be a source or a target. */
const alone = (words: string): string =>
  words
    .replace("source database", "database")
    .replace(/^the source's /, "the ")
    .replace("options.source_ca or options.target_ca, or as ca.crt of its Secret", "`ca`");

/** What the test of one database found; `unreachable`: why a copy could not use it. */
export const connectionOf = (
  facts: ConnectionFacts | undefined,
  unreachable: readonly Unreachable[],
): ConnectionResponse => ({
  reachable: facts === undefined ? reachableOf(unreachable[0]) : true,
  engine: facts?.engine ?? null,
  version: facts === undefined ? null : clean(facts.version, 128),
  tls: facts?.tls ?? null,
  latency_ms: facts?.latencyMs ?? null,
  reasons: unreachable.map(({ code, message }) => ({ code, message: clean(alone(message), 1024) })),
});

/** Whether one database responds, whether the login works, and its engine. Throws Problem `url_refused`. */
export async function testConnection(
  world: World,
  caller: Caller,
  { url, ca }: { url: string; ca?: string },
  asked: ProbeCaller,
): Promise<ConnectionResponse> {
  checkOne("url", url, ca, world.settings.guard);
  const found = await world.prober.test(
    { url, ...(ca === undefined ? {} : { ca }) },
    { account: caller.account.metadata.name, ...asked },
  );
  return "unreachable" in found ? connectionOf(undefined, found.unreachable) : connectionOf(found, []);
}
