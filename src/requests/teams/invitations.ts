import type * as z from "zod";
import { kinds } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import { mostInvitations, mostMembers, type Role, type Team } from "../../resources/team.ts";
import { type acceptedSchema, type ShownTeam, shownTeam } from "../accounts/shapes.ts";
import { Problem } from "../errors.ts";
import { hashOf } from "../tokens/token.ts";
import { change } from "../update-with-retry.ts";
import type { Identity, World } from "../world.ts";
import { asMember, isMember, memberOf } from "./membership.ts";
import { mostMemberships, teamsOf } from "./teams.ts";

/**
 * Invitations to a team. Sign-up does not prove an e-mail address: an account with an address becomes a member only with the
 * code, which an owner gives to the person by a way that both trust. It ends with its owner: who is removed leaves no way back in.
 */

type Invitation = NonNullable<Team["spec"]["invitations"]>[number];

export const invitationDays = 7;
const dayMs = 24 * 60 * 60 * 1000;

const isInvited = (invitation: Invitation, { metadata }: Account): boolean =>
  invitation.account === metadata.name && invitation.uid === metadata.uid;

export const withoutInvitation = ({ spec }: Team, account: string): Invitation[] =>
  (spec.invitations ?? []).filter((one) => one.account !== account);

/** Who invited is still an owner; of one of an earlier version nobody knows who did. */
const holds = ({ spec }: Team, { by }: Invitation): boolean =>
  by === undefined ||
  spec.members.some((one) => one.role === "owner" && isMember(one, { metadata: { name: by.account, uid: by.uid } }));

export const openInvitations = (team: Team, now: Date): Invitation[] =>
  (team.spec.invitations ?? []).filter((one) => Date.parse(one.expiresAt) > now.getTime() && holds(team, one));

/** The team's invitations with a new one for this account, in place of its earlier one. Throws Problem `limit_reached`. */
export function invite(
  world: Pick<World, "now" | "randomBytes">,
  team: Team,
  { metadata: { name, uid } }: Account,
  role: Role,
  by: Account,
): { invitations: Invitation[]; code: string; expiresAt: string } {
  const now = world.now();
  const others = openInvitations(team, now).filter((one) => one.account !== name);
  if (others.length >= mostInvitations)
    throw new Problem("limit_reached", `A team has at most ${mostInvitations} open invitations; remove one first.`);
  if (team.spec.members.length >= mostMembers)
    throw new Problem("limit_reached", `A team has at most ${mostMembers} members; remove one first.`);
  const code = Buffer.from(world.randomBytes(20)).toString("hex");
  const expiresAt = new Date(now.getTime() + invitationDays * dayMs).toISOString();
  const inviter = { account: by.metadata.name, uid: by.metadata.uid ?? "" };
  const invitation = { account: name, uid: uid ?? "", role, codeHash: hashOf(code), expiresAt, by: inviter };
  return { invitations: [...others, invitation], code, expiresAt };
}

const unknown = () =>
  new Problem(
    "not_found",
    "No open invitation of this account has this code. Perhaps it was used, was removed, has expired, or who invited is no owner any more. Ask an owner of the team for a new one.",
  );

const tooManyTeams = () =>
  new Problem("limit_reached", `An account is in at most ${mostMemberships} teams; leave one first.`);

/**
 * Makes the caller a member of the team that invited it. The code works once. Throws Problem `not_found` for a team that is not
 * there and for a code that is not this account's, and `limit_reached`.
 */
export async function acceptInvitation(
  world: World,
  { account }: Identity,
  id: string,
  { code }: z.output<typeof acceptedSchema>,
): Promise<ShownTeam> {
  if (teamsOf(world, account).length >= mostMemberships) throw tooManyTeams();
  const hash = hashOf(code);
  const joined = await change(world, kinds.teams, "", id, (team) => {
    const open = openInvitations(team, world.now());
    const invitation = open.find((one) => one.codeHash === hash && isInvited(one, account));
    if (invitation === undefined || team.metadata.deletionTimestamp !== undefined) throw unknown();
    const invitations = withoutInvitation(team, account.metadata.name);
    if (memberOf(team, account) !== undefined) return { ...team, spec: { ...team.spec, invitations } };
    // An earlier account with the same address is no member any more.
    const others = team.spec.members.filter((member) => member.account !== account.metadata.name);
    if (others.length >= mostMembers)
      throw new Problem("limit_reached", `The team has ${mostMembers} members already; ask an owner to remove one.`);
    return { ...team, spec: { ...team.spec, invitations, members: [...others, asMember(account, invitation.role)] } };
  });
  if (joined === undefined) throw unknown();
  await world.fresh.everywhere(kinds.teams, joined.metadata.resourceVersion);
  // By now the cache has the teams that were joined elsewhere at the same time.
  if (teamsOf(world, account).length > mostMemberships) {
    await change(world, kinds.teams, "", id, (team) => {
      const members = team.spec.members.filter((one) => !isMember(one, account));
      return members.some(({ role }) => role === "owner") ? { ...team, spec: { ...team.spec, members } } : undefined;
    });
    throw tooManyTeams();
  }
  return shownTeam(joined, account);
}
