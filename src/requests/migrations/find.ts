import { kinds } from "../../cluster/index.ts";
import type { Migration } from "../../resources/migration.ts";
import { namespaceOf } from "../../resources/team.ts";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";
import { isId } from "./id.ts";

export const notFound = () => new Problem("not_found", "There is no migration with this id: it may have been deleted.");

/** The acting team's namespace. */
export const namespaceFor = ({ team }: Pick<Caller, "team">): string => namespaceOf(team.metadata.name);

const present = (migration: Migration | undefined): migration is Migration =>
  migration !== undefined && migration.metadata.deletionTimestamp === undefined;

/**
 * The acting team's Migration of this id, as the API server has it now. Throws Problem `other_team` where another team has it, and
 * `not_found` where nobody does, or while it is being deleted.
 */
export async function find(world: World, caller: Caller, id: string): Promise<Migration> {
  if (!isId(id)) throw notFound();
  const namespace = namespaceFor(caller);
  const named = await world.client.get(kinds.migrations, namespace, id);
  if (named !== undefined) {
    if (present(named)) return named;
    throw notFound();
  }
  const known = world.caches.order.withId(id);
  const own = known.find(({ metadata }) => metadata.namespace === namespace);
  if (own !== undefined) {
    const live = await world.client.get(kinds.migrations, namespace, own.metadata.name);
    if (present(live) && live.metadata.uid === own.metadata.uid) return live;
    throw notFound();
  }
  const foreign = known.some((cached) => present(cached) && isOfTeam(world, cached.metadata.namespace));
  if (foreign) throw new Problem("other_team", "This migration belongs to another team: switch the acting team to it.");
  throw notFound();
}

const isOfTeam = ({ caches }: World, namespace: string): boolean => {
  const prefix = namespaceOf("");
  return namespace.startsWith(prefix) && caches.teams.get("", namespace.slice(prefix.length)) !== undefined;
};
