import { ClusterError } from "../../cluster/index.ts";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";

/** A fresh team's namespace, and the API's rights in it, are made by the operator a moment after the team. */

/** Milliseconds. */
const patience = 10_000;
const step = 250;

/** Writes in the team's namespace as soon as that can be. Throws Problem `unavailable` when it takes too long. */
export async function whenReady<T>(
  world: World,
  { team }: Pick<Caller, "team">,
  write: (namespace: string) => Promise<T>,
): Promise<T> {
  let namespace = team.status?.namespace;
  let early: unknown;
  for (let waited = 0; ; waited += step) {
    if (namespace !== undefined)
      try {
        return await write(namespace);
      } catch (error) {
        if (!isEarly(error)) throw error;
        early = error;
      }
    if (waited >= patience)
      throw new Problem("unavailable", "The team's namespace is still being made: try again in a moment.", {
        retryAfter: 2,
        cause: early,
      });
    await world.pause(step);
    namespace = (await world.fresh.team(team.metadata.name))?.status?.namespace;
  }
}

/** Rights that were given a moment ago are not known at once to each API server. */
const isEarly = (error: unknown): boolean =>
  error instanceof ClusterError && (error.code === "Forbidden" || error.code === "NotFound");
