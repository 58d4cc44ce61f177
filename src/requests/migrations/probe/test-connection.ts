import { clean } from "../../../guard/text.ts";
import type { ProbeCaller } from "../../prober.ts";
import type { Caller, World } from "../../world.ts";
import { checkOne } from "../view/urls.ts";
import type { ConnectionResponse } from "./probe-shapes.ts";
import { reachableOf } from "./reached.ts";

/** A message about one database that was tested by itself, and may be a source or a target. */
export const alone = (words: string): string =>
  words
    .replace("source database", "database")
    .replace(/^the source's /, "the ")
    .replace("options.source_ca or options.target_ca, or as ca.crt of its Secret", "`ca`");

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
  if ("unreachable" in found)
    return {
      reachable: reachableOf(found.unreachable[0]),
      engine: null,
      version: null,
      tls: null,
      latency_ms: null,
      reasons: found.unreachable.map(({ code, message }) => ({ code, message: clean(alone(message), 1024) })),
    };
  return {
    reachable: true,
    engine: found.engine,
    version: clean(found.version, 128),
    tls: found.tls,
    latency_ms: found.latencyMs,
    reasons: [],
  };
}
