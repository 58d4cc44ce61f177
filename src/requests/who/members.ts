import type { z } from "zod";
import { kinds } from "../../cluster/index.ts";
import { mostMembers, type Role, type Team } from "../../resources/team.ts";
import { change } from "../change.ts";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";
import { personalTeamOf, readEmail } from "./email.ts";
import { type Page, type PageOf, pageOf } from "./page.ts";
import type { memberSchema, newMemberSchema, ShownMember } from "./shapes.ts";
import { teamsOf } from "./teams.ts";

/** Who is in the acting team. Owners add and remove; any member may leave. */

type Members = Team["spec"]["members"];

/** Throws Problem `other_team` for a team that is there but not acting, the caller's own or not, and `not_found`. */
async function acting(world: World, caller: Caller, id: string): Promise<void> {
  if (caller.team.metadata.name === id) return;
  const other = await world.fresh.team(id);
  if (other === undefined) throw new Problem("not_found", "There is no team with this id; GET /api/teams lists yours.");
  throw new Problem(
    "other_team",
    "This is not your acting team; if you are in it, make it so with POST /api/teams/{team}/switch.",
  );
}

const roleIn = (members: Members, account: string): Role | undefined =>
  members.find((member) => member.account === account)?.role;

function needOwner(members: Members, caller: Caller): void {
  if (roleIn(members, caller.account.metadata.name) !== "owner")
    throw new Problem("owners_only", "Only an owner of the team adds and removes members; ask one of them.");
}

function needsAnOwner(members: Members): Members {
  if (members.some(({ role }) => role === "owner")) return members;
  throw new Problem(
    "state_conflict",
    "The team would be without an owner; first make another member an owner, with POST /api/teams/{team}/members and role owner.",
  );
}

/** Its members as `edit` makes them. Once it has answered, every replica knows them. */
async function changeMembers(world: World, caller: Caller, edit: (members: Members) => Members): Promise<Team> {
  const changed = await change(world, kinds.teams, "", caller.team.metadata.name, (team) => {
    const members = edit(team.spec.members);
    return members === team.spec.members ? undefined : { ...team, spec: { ...team.spec, members } };
  });
  if (changed === undefined) throw new Problem("not_found", "The team is no longer there.");
  await world.pause(world.fresh.believed);
  return changed;
}

/** By the account's id. Throws Problem `other_team`, `not_found`, and `invalid` for a cursor of another list. */
export async function listMembers(world: World, caller: Caller, id: string, page: Page): Promise<PageOf<ShownMember>> {
  await acting(world, caller, id);
  const { data, next_cursor } = pageOf(
    world.secret,
    ["members", id],
    caller.team.spec.members,
    ({ account }) => account,
    page,
  );
  const shown: ShownMember[] = [];
  // A few at a time: a page of members is not worth a burst of reads.
  for (let from = 0; from < data.length; from += 10)
    shown.push(
      ...(await Promise.all(
        data.slice(from, from + 10).map(async ({ account, role }) => {
          const email = (await world.fresh.account(account))?.spec.email ?? null;
          return { account, email, role };
        }),
      )),
    );
  return { data: shown, next_cursor };
}

/**
 * Adds the account of an e-mail address, or gives a member another role. Throws Problem `owners_only`, `other_team`, `not_found` (team or
 * account), `limit_reached`, and `state_conflict` when no owner would be left.
 */
export async function addMember(
  world: World,
  caller: Caller,
  id: string,
  input: z.output<typeof newMemberSchema>,
): Promise<z.output<typeof memberSchema>> {
  await acting(world, caller, id);
  const { account: name } = readEmail(input.email);
  // Whether an address has an account is an owner's to know, and nobody else's.
  needOwner(caller.team.spec.members, caller);
  const account = await world.client.get(kinds.accounts, "", name);
  if (account === undefined || account.metadata.deletionTimestamp !== undefined)
    throw new Problem("not_found", "Nobody with this e-mail address can be added; ask them to sign up first.");
  const entry = { account: name, role: input.role };
  await changeMembers(world, caller, (members) => {
    needOwner(members, caller);
    const role = roleIn(members, name);
    if (role === input.role) return members;
    if (personalTeamOf(name) === id)
      throw new Problem("state_conflict", "Whom a personal team was made for stays its owner.");
    if (role !== undefined) return needsAnOwner(members.map((member) => (member.account === name ? entry : member)));
    if (members.length >= mostMembers)
      throw new Problem("limit_reached", `A team has at most ${mostMembers} members; remove one first.`);
    if (teamsOf(world, name).length >= mostMembers)
      throw new Problem("limit_reached", "This account is in too many teams already; it has to leave one first.");
    return [...members, entry];
  });
  return { ...entry, email: account.spec.email };
}

/**
 * Removes a member, or leaves when it is the caller: once it has answered, every replica refuses the member's calls in this team. Throws
 * Problem `owners_only`, `other_team`, `not_found`, and `state_conflict` for the last owner and for whose personal team it is.
 */
export async function removeMember(world: World, caller: Caller, id: string, account: string): Promise<void> {
  await acting(world, caller, id);
  await changeMembers(world, caller, (members) => {
    if (account !== caller.account.metadata.name) needOwner(members, caller);
    if (roleIn(members, account) === undefined)
      throw new Problem(
        "not_found",
        "No member of the team has this account id; GET /api/teams/{team}/members lists them.",
      );
    if (personalTeamOf(account) === id)
      throw new Problem(
        "state_conflict",
        "A personal team is not left by whom it was made for; remove the others instead.",
      );
    return needsAnOwner(members.filter((member) => member.account !== account));
  });
}
