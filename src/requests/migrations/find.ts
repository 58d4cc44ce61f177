import { kinds } from "../../cluster/index.ts";
import type { Migration } from "../../resources/migration.ts";
import { teamOf } from "../../resources/team.ts";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";
import { isId } from "./keys/id.ts";

export const notFound = (noun = "migration") =>
  new Problem("not_found", `No ${noun} with this id exists. It may have been deleted.`);

export const ofOtherTeam = (noun = "migration") =>
  new Problem("other_team", `This ${noun} belongs to another team: if you are in it, switch the acting team to it.`);

/** The acting team's namespace, as the operator says it; undefined until it has made it. */
export async function namespaceFor(
  { client }: Pick<World, "client">,
  { team }: Pick<Caller, "team">,
): Promise<string | undefined> {
  // What is believed of a new team may be from before; a create on another replica may have waited for it.
  return team.status?.namespace ?? (await client.get(kinds.teams, "", team.metadata.name))?.status?.namespace;
}

const present = (migration: Migration | undefined): migration is Migration =>
  migration !== undefined && migration.metadata.deletionTimestamp === undefined;

type Read = (world: World, namespace: string, name: string) => Promise<Migration | undefined>;

const readLive: Read = ({ client }, namespace, name) => client.get(kinds.migrations, namespace, name);

/** What the cache is known to be behind of, or does not have, is read live: also what another replica made a moment ago. */
const readFresh: Read = async (world, namespace, name) =>
  (await world.fresh.migration(namespace, name)) ?? readLive(world, namespace, name);

/**
 * The acting team's Migration of this id as far as it is shown, without URLs: not older than any write of the API that was answered. Throws Problem
 * `other_team` where another team has it, and `not_found` where nobody does, or while it is being deleted.
 */
export const findMigration = (world: World, caller: Caller, id: string): Promise<Migration> =>
  findBy(readFresh, world, caller, id);

/** The whole of it, as the API server has it now. */
export const findLive = (world: World, caller: Caller, id: string): Promise<Migration> =>
  findBy(readLive, world, caller, id);

async function findBy(read: Read, world: World, caller: Caller, id: string): Promise<Migration> {
  if (!isId(id)) throw notFound();
  const namespace = await namespaceFor(world, caller);
  const named = namespace === undefined ? undefined : await read(world, namespace, id);
  if (named !== undefined) {
    if (present(named)) return named;
    throw notFound();
  }
  const known = world.caches.order.withId(id);
  const own = known.find(({ metadata }) => metadata.namespace === namespace);
  if (own !== undefined) {
    const found = await read(world, own.metadata.namespace, own.metadata.name);
    if (present(found) && found.metadata.uid === own.metadata.uid) return found;
    throw notFound();
  }
  const foreign = known.some((cached) => present(cached) && isOfTeam(world, cached.metadata.namespace));
  throw foreign ? ofOtherTeam() : notFound();
}

/** Whether it is the namespace of a team, as the operator made it. */
export const isOfTeam = ({ caches }: World, namespace: string): boolean => {
  const team = teamOf(namespace);
  return team !== undefined && caches.teams.get("", team)?.status?.namespace === namespace;
};
