import { ClusterError, isConflict } from "../../cluster/index.ts";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";

/**
 * A fresh team's namespace, and the API's rights in it, are made by the operator a moment after the team. A quota that several creates
 * count in at once refuses some of them, which come again.
 */

/** Milliseconds. */
const patience = 10_000;
const step = 200;

/** Creates in the team's namespace as soon as that can be. Throws Problem `unavailable` and `busy` when it takes too long. */
export async function whenReady<T>(
  world: Pick<World, "pause" | "randomBytes"> & { fresh: Pick<World["fresh"], "team"> },
  { team }: Pick<Caller, "team">,
  create: (namespace: string) => Promise<T>,
): Promise<T> {
  let namespace = team.status?.namespace;
  let cause: unknown;
  for (let waited = 0; waited < patience; ) {
    if (namespace !== undefined)
      try {
        return await create(namespace);
      } catch (error) {
        if (!isEarly(error) && !isConflict(error)) throw error;
        cause = error;
      }
    const jitter = (world.randomBytes(1)[0] ?? 0) / 256;
    const wait = step * (0.5 + jitter);
    await world.pause(wait);
    waited += wait;
    namespace = (await world.fresh.team(team.metadata.name))?.status?.namespace;
  }
  throw isConflict(cause)
    ? new Problem("busy", "The team has too many creates in progress: try again in a moment.", { retryAfter: 2, cause })
    : new Problem("unavailable", "The team's namespace is still being made: try again in a moment.", {
        retryAfter: 2,
        cause,
      });
}

/** Rights that were given a moment ago are not known at once to each API server. */
const isEarly = (error: unknown): boolean =>
  error instanceof ClusterError && (error.code === "Forbidden" || error.code === "NotFound");
