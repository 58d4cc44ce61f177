import type * as z from "zod";
import { kinds } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import type { Team } from "../../resources/team.ts";
import { readEmail } from "../accounts/email.ts";
import { type PageOf, type PageRequest, pageOf } from "../accounts/page.ts";
import type { invitationSchema, newMemberSchema, ShownMember } from "../accounts/shapes.ts";
import { Problem } from "../errors.ts";
import { change } from "../update-with-retry.ts";
import type { Caller, World } from "../world.ts";
import { invite, openInvitations, withoutInvitation } from "./invitations.ts";
import { asMember, isMember, type Member, memberOf, personalTeamOf } from "./membership.ts";

/** Who is in the acting team. Owners invite and remove; any member may leave, whichever team acts. */

/** Throws Problem `other_team` for a team that is there but not acting, the caller's own or not, and `not_found`. */
async function acting(world: World, caller: Caller, id: string): Promise<void> {
  if (caller.team.metadata.name === id) return;
  const other = await world.fresh.team(id);
  if (other === undefined) throw new Problem("not_found", "No team with this id exists. GET /api/teams lists yours.");
  throw new Problem(
    "other_team",
    "This is not your acting team. If you are a member, switch to it with POST /api/teams/{team}/switch.",
  );
}

function needOwner(team: Team, caller: Caller): void {
  if (memberOf(team, caller.account)?.role !== "owner")
    throw new Problem("owners_only", "Only an owner of the team can add and remove members. Ask an owner.");
}

function needsAnOwner(members: Member[]): Member[] {
  if (members.some(({ role }) => role === "owner")) return members;
  throw new Problem(
    "state_conflict",
    "A team needs an owner. First make another member an owner, with POST /api/teams/{team}/members and role owner.",
  );
}

/** A team as `edit` changes its spec; undefined leaves it. Once it has answered, every replica knows it. */
async function changeTeam(
  world: World,
  id: string,
  edit: (team: Team) => Partial<Team["spec"]> | undefined,
): Promise<void> {
  const changed = await change(world, kinds.teams, "", id, (team) => {
    const spec = edit(team);
    return spec && { ...team, spec: { ...team.spec, ...spec } };
  });
  if (changed === undefined) throw new Problem("not_found", "The team was deleted.");
  await world.fresh.everywhere(kinds.teams, changed.metadata.resourceVersion);
}

/** By the account's id. Throws Problem `other_team`, `not_found`, and `invalid` for a cursor of another list. */
export async function listMembers(
  world: World,
  caller: Caller,
  id: string,
  page: PageRequest,
): Promise<PageOf<ShownMember>> {
  await acting(world, caller, id);
  const { members } = caller.team.spec;
  const invited = openInvitations(caller.team, world.now()).filter((one) =>
    members.every(({ account }) => account !== one.account),
  );
  const all = [
    ...members.map((member) => ({ ...member, accepted: true })),
    ...invited.map((one) => ({ ...one, accepted: false })),
  ];
  const { data, next_cursor } = pageOf(world.secret, ["members", id], all, ({ account }) => account, page);
  const shown = data.map((member) => {
    const account = world.caches.accounts.get("", member.account);
    const email = account !== undefined && isMember(member, account) ? account.spec.email : null;
    return { account: member.account, email, role: member.role, accepted: member.accepted };
  });
  return { data: shown, next_cursor };
}

/** A member in another role, as this very account; undefined where nothing changes. */
function withRole(team: Team, account: Account, role: Member["role"]): Partial<Team["spec"]> | undefined {
  const present = memberOf(team, account);
  if (present?.role === role && present.uid !== undefined) return undefined;
  if (present?.role !== role && personalTeamOf(account) === team.metadata.name)
    throw new Problem("state_conflict", "The person whose personal team this is stays its owner.");
  const others = team.spec.members.filter((member) => member.account !== account.metadata.name);
  return { members: needsAnOwner([...others, asMember(account, role)]) };
}

/**
 * Invites the account of an e-mail address, or gives a member another role. Throws Problem `owners_only`, `other_team`, `not_found`
 * (team or account), `limit_reached`, and `state_conflict` when no owner would be left.
 */
export async function addMember(
  world: World,
  caller: Caller,
  id: string,
  { email, role }: z.output<typeof newMemberSchema>,
): Promise<{ member: ShownMember; invitation: z.output<typeof invitationSchema> | null }> {
  await acting(world, caller, id);
  const { account: name } = readEmail(email);
  // Whether an address has an account is an owner's to know, and nobody else's.
  needOwner(caller.team, caller);
  const account = await world.client.get(kinds.accounts, "", name);
  if (account === undefined || account.metadata.deletionTimestamp !== undefined)
    throw new Problem("not_found", "Nobody with this e-mail address can be invited; ask them to sign up first.");
  let invitation: z.output<typeof invitationSchema> | null = null;
  await changeTeam(world, id, (team) => {
    needOwner(team, caller);
    invitation = null;
    if (memberOf(team, account) !== undefined) return withRole(team, account, role);
    const { invitations, code, expiresAt } = invite(world, team, account, role, caller.account);
    invitation = { code, expires_at: expiresAt };
    return { invitations };
  });
  const member = { account: name, role, email: account.spec.email, accepted: invitation === null };
  return { member, invitation };
}

/**
 * Removes a member or an invitation, or leaves when it is the caller, also a team that does not act: once it has answered, every replica refuses the member's
 * calls in this team. Throws Problem `owners_only`, `other_team`, `not_found`, and `state_conflict` for the last owner and for whose personal
 * team it is.
 */
export async function removeMember(world: World, caller: Caller, id: string, name: string): Promise<void> {
  const leaves = name === caller.account.metadata.name;
  const left = leaves && personalTeamOf(caller.account) !== id ? await world.fresh.team(id) : undefined;
  if (left === undefined || memberOf(left, caller.account) === undefined) await acting(world, caller, id);
  const account = leaves ? caller.account : await world.client.get(kinds.accounts, "", name);
  await changeTeam(world, id, (team) => {
    if (!leaves) needOwner(team, caller);
    const invitations = withoutInvitation(team, name);
    const isInvited = !leaves && invitations.length < (team.spec.invitations ?? []).length;
    const member = team.spec.members.find((one) => one.account === name);
    const lives = member !== undefined && account !== undefined && isMember(member, account);
    if (member === undefined && isInvited) return { invitations };
    if (member === undefined || (leaves && !lives))
      throw new Problem(
        "not_found",
        "No member or invitation of the team has this account id; GET /api/teams/{team}/members lists them.",
      );
    if (lives && personalTeamOf(account) === id)
      throw new Problem("state_conflict", "You cannot leave your personal team. You can remove other members.");
    const members = needsAnOwner(team.spec.members.filter((one) => one !== member));
    return isInvited ? { members, invitations } : { members };
  });
}
