import type { z } from "zod";
import { alreadyExists, kinds } from "../../cluster/index.ts";
import { labels } from "../../resources/group.ts";
import { mostMembers, type Team } from "../../resources/team.ts";
import { change } from "../change.ts";
import { Problem } from "../errors.ts";
import type { Identity, World } from "../world.ts";
import { newestFirst, type Page, type PageOf, pageOf } from "./page.ts";
import { type newTeamSchema, type ShownTeam, shownTeam } from "./shapes.ts";
import { untilReady } from "./sign-up.ts";

/** An account's teams: which there are, a new one, and which of them its calls act in. */

/** Each is a namespace. Teams that others made and added one to are beside. */
export const mostOwnTeams = 20;

const isIn = (team: Team, account: string): boolean =>
  team.metadata.deletionTimestamp === undefined && team.spec.members.some((member) => member.account === account);

/** Of how many an account is a member, as far as the cache knows. */
export function teamsOf({ caches }: World, account: string): Team[] {
  return [...caches.teams.all()].filter((team) => isIn(team, account));
}

/** Newest first. Throws Problem `invalid` for a cursor of another list. */
export async function listTeams(world: World, { account }: Identity, page: Page): Promise<PageOf<ShownTeam>> {
  const { name } = account.metadata;
  const { data, next_cursor } = pageOf(world.secret, ["teams", name], teamsOf(world, name), newestFirst, page);
  return { data: data.map((team) => shownTeam(team, account)), next_cursor };
}

/** A new team with the caller as its owner; the acting team stays. Throws Problem `limit_reached`. */
export async function createTeam(
  world: World,
  { account }: Identity,
  input: z.output<typeof newTeamSchema>,
): Promise<ShownTeam> {
  const { name } = account.metadata;
  const own = await world.client.list(kinds.teams, { labelSelector: `${labels.account}=${name}` });
  if (own.length >= mostOwnTeams || teamsOf(world, name).length >= mostMembers)
    throw new Problem("limit_reached", `An account makes at most ${mostOwnTeams} teams; use one that you have.`);
  for (;;) {
    const id = `t${Buffer.from(world.randomBytes(10)).toString("hex")}`;
    try {
      const team = await world.client.create(kinds.teams, {
        metadata: { name: id, labels: { [labels.account]: name } },
        spec: { title: input.name, members: [{ account: name, role: "owner" }] },
      });
      return shownTeam((await untilReady(world, id)) ?? team, account);
    } catch (error) {
      if (!alreadyExists(error)) throw error;
    }
  }
}

/**
 * Makes a team of the caller's the acting one. Once it has answered, that holds on every replica. Throws Problem `not_found`, and
 * `not_a_member` for another's team.
 */
export async function switchTeam(world: World, { account }: Identity, id: string): Promise<ShownTeam> {
  const { name, uid } = account.metadata;
  const team = await world.client.get(kinds.teams, "", id);
  if (team === undefined || team.metadata.deletionTimestamp !== undefined)
    throw new Problem("not_found", "There is no team with this id; GET /api/teams lists yours.");
  if (!isIn(team, name))
    throw new Problem("not_a_member", "You are not in this team; ask one of its owners to add you, by e-mail address.");
  const changed = await change(world, kinds.accounts, "", name, (found) =>
    found.metadata.uid !== uid || found.spec.actingTeam === id
      ? undefined
      : { ...found, spec: { ...found.spec, actingTeam: id } },
  );
  // Also where it was so already: another switch to it may be on its way.
  await world.pause(world.fresh.believed);
  return shownTeam(team, changed ?? account);
}
