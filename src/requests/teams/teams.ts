import type * as z from "zod";
import { kinds } from "../../cluster/index.ts";
import { type Account, mostOwnTeams } from "../../resources/account.ts";
import { labels } from "../../resources/group.ts";
import type { Team } from "../../resources/team.ts";
import { newestFirst, type PageOf, type PageRequest, pageOf } from "../accounts/page.ts";
import { type newTeamSchema, type ShownTeam, shownTeam } from "../accounts/shapes.ts";
import { untilReady } from "../accounts/sign-up.ts";
import { underCeilings } from "../ceilings.ts";
import { Problem } from "../errors.ts";
import { untilCached } from "../migrations/view/wait-for-cache.ts";
import { change } from "../update-with-retry.ts";
import type { Identity, World } from "../world.ts";
import { asMember, memberOf, newTeamName } from "./membership.ts";

/** An account's teams: which there are, a new one, and which of them its calls act in. */

/** In how many an account may be that others added it to; those that it makes are bounded by themselves. */
export const mostMemberships = 200;
/** Milliseconds that a team may take from its note on the account until it is there. */
const beginsWithin = 60_000;

const isIn = (team: Team, account: Account): boolean =>
  team.metadata.deletionTimestamp === undefined && memberOf(team, account) !== undefined;

/** Of how many an account is a member, as far as the cache knows. */
export function teamsOf({ caches }: World, account: Account): Team[] {
  return caches.teamsByMember.of(account.metadata.name).filter((team) => isIn(team, account));
}

/** Newest first. Throws Problem `invalid` for a cursor of another list. */
export async function listTeams(world: World, { account }: Identity, page: PageRequest): Promise<PageOf<ShownTeam>> {
  const { name } = account.metadata;
  const { data, next_cursor } = pageOf(world.secret, ["teams", name], teamsOf(world, account), newestFirst, page);
  return { data: data.map((team) => shownTeam(team, account)), next_cursor };
}

/**
 * Notes on the account that it makes this team: only then is it made, so that of many calls at the same time no more pass than may. A note
 * whose team is not there is given up after a time. Answers the account. Throws Problem `limit_reached`.
 */
async function noteTeam(world: World, { metadata }: Account, team: string): Promise<Account> {
  const found = await world.client.list(kinds.teams, { labelSelector: `${labels.account}=${metadata.name}` });
  const there = new Set(found.map((one) => one.metadata.name));
  const now = world.now();
  const noted = await change(world, kinds.accounts, "", metadata.name, (account) => {
    const { madeTeams = [] } = account.spec;
    const still = madeTeams.filter(
      ({ name, at }) => there.has(name) || Math.abs(now.getTime() - Date.parse(at)) < beginsWithin,
    );
    if (still.length >= mostOwnTeams)
      throw new Problem("limit_reached", `An account creates at most ${mostOwnTeams} teams. Use an existing team.`);
    return { ...account, spec: { ...account.spec, madeTeams: [...still, { name: team, at: now.toISOString() }] } };
  });
  if (noted === undefined) throw new Problem("unauthenticated", "The account was deleted.");
  return noted;
}

/** A new team with the caller as its owner; the acting team stays. Throws Problem `limit_reached`. */
export async function createTeam(
  world: World,
  identity: Identity,
  input: z.output<typeof newTeamSchema>,
): Promise<ShownTeam> {
  return underCeilings(world, identity, { teams: 1 }, () => makeTeam(world, identity, input));
}

async function makeTeam(world: World, identity: Identity, input: z.output<typeof newTeamSchema>): Promise<ShownTeam> {
  const id = newTeamName(world.randomBytes);
  const account = await noteTeam(world, identity.account, id);
  const team = await world.client.create(kinds.teams, {
    metadata: { name: id, labels: { [labels.account]: account.metadata.name } },
    spec: { title: input.name, members: [asMember(account, "owner")] },
  });
  const made = (await untilReady(world, id)) ?? team;
  await untilCached(world, () => {
    const cached = world.caches.teams.get("", id);
    return cached !== undefined && cached.status?.namespace === made.status?.namespace;
  });
  return shownTeam(made, account);
}

/**
 * Makes a team of the caller's the acting one. Once it has answered, that holds on every replica. Throws Problem `not_found`, and
 * `not_a_member` for another's team.
 */
export async function switchTeam(world: World, { account }: Identity, id: string): Promise<ShownTeam> {
  const { name, uid } = account.metadata;
  const team = await world.client.get(kinds.teams, "", id);
  if (team === undefined || team.metadata.deletionTimestamp !== undefined)
    throw new Problem("not_found", "No team with this id exists. GET /api/teams lists yours.");
  if (!isIn(team, account))
    throw new Problem("not_a_member", "You are not in this team; ask one of its owners to add you, by e-mail address.");
  const changed = await change(world, kinds.accounts, "", name, (found) =>
    found.metadata.uid !== uid || found.spec.actingTeam === id
      ? undefined
      : { ...found, spec: { ...found.spec, actingTeam: id } },
  );
  // Also where it was so already: another switch to it may be on its way.
  await world.fresh.everywhere(kinds.accounts, changed?.metadata.resourceVersion);
  return shownTeam(team, changed ?? account);
}
