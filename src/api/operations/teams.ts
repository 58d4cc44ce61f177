import * as z from "zod";
import {
  acceptedSchema,
  invitationSchema,
  listOf,
  memberSchema,
  newMemberSchema,
  newTeamSchema,
  pageSchema,
  resultOf,
  type ShownMember,
  type ShownTeam,
  teamSchema,
} from "../../requests/accounts/shapes.ts";
import { acceptInvitation, invitationDays } from "../../requests/teams/invitations.ts";
import { addMember, listMembers, removeMember } from "../../requests/teams/members.ts";
import { createTeam, listTeams, switchTeam } from "../../requests/teams/teams.ts";
import { mostOwnTeams } from "../../resources/account.ts";
import type { Operation } from "../openapi/operation.ts";
import { taggedOperations } from "./authenticated.ts";

/** Teams, who is in them, and which one acts. */

const { ofAccount, ofTeam } = taggedOperations("Teams");

const exampleTeam: ShownTeam = {
  id: "t3b1f0c9de0a6b7d84c52",
  name: "Data platform",
  role: "owner",
  acting: false,
  personal: false,
  own: true,
  members: 1,
  ready: true,
  created_at: "2030-01-31T12:00:00.000Z",
};
const exampleMember: ShownMember = {
  account: "a0c1f5a7b1f4a3b0e6d2c9e8f7a6b5c4d3e2f1a0b",
  email: "bob@example.com",
  role: "member",
  accepted: true,
};
const exampleInvitation = {
  code: "5d0a1c2b3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b",
  expires_at: "2030-02-07T12:00:00.000Z",
};

const invitedWords = "The account is invited; give the person the code of the invitation.";
const joinedWords = "You are in the team; switch to it to work in it.";

const params = z.object({
  team: z
    .string()
    .min(1)
    .max(63)
    .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
    .describe("The team's id."),
});
const removed = z.object({
  account: z
    .string()
    .min(1)
    .max(63)
    .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/)
    .meta({
      description: "Id of the member's account, as the list of members shows it; your own: leave.",
      examples: [exampleMember.account],
    }),
});

export const teamOperations: readonly Operation[] = [
  ofAccount({
    id: "listTeams",
    method: "get",
    path: "/api/teams",
    summary: "List teams",
    description: "The teams that you are in, newest first.",
    query: pageSchema,
    answer: { status: 200, description: "A page of teams.", schema: listOf(teamSchema) },
    problems: [],
    examples: { response: { data: [exampleTeam], next_cursor: null } },
    run: async (world, identity, call) => ({ body: await listTeams(world, identity, call.query) }),
  }),
  ofAccount({
    id: "createTeam",
    method: "post",
    path: "/api/teams",
    summary: "Create a team",
    description: `You are its owner; switch to it to work in it. An account makes at most ${mostOwnTeams}.`,
    body: newTeamSchema,
    answer: {
      status: 201,
      description: "The team.",
      schema: resultOf({ team: teamSchema }),
      location: "/api/teams/{/team/id}/members",
    },
    problems: ["limit_reached"],
    examples: {
      request: { name: "Data platform" },
      response: { message: "The team is created; switch to it to work in it.", team: exampleTeam },
    },
    async run(world, identity, call) {
      const team = await createTeam(world, identity, call.body);
      return { body: { message: "The team is created; switch to it to work in it.", team } };
    },
  }),
  ofAccount({
    id: "switchTeam",
    method: "post",
    path: "/api/teams/{team}/switch",
    summary: "Switch the acting team",
    description: "After this call, all your tokens and sessions work on this team's resources, on every replica.",
    params,
    answer: { status: 200, description: "The team is your acting team now.", schema: resultOf({ team: teamSchema }) },
    problems: ["not_found", "not_a_member"],
    examples: { response: { message: "This team is your acting team now.", team: { ...exampleTeam, acting: true } } },
    async run(world, identity, call) {
      const team = await switchTeam(world, identity, call.params.team);
      return { body: { message: "This team is your acting team now.", team } };
    },
  }),
  ofTeam({
    id: "listMembers",
    method: "get",
    path: "/api/teams/{team}/members",
    summary: "List members",
    description: "The members of your acting team, and the invitations that are open.",
    params,
    query: pageSchema,
    answer: { status: 200, description: "A page of members.", schema: listOf(memberSchema) },
    problems: ["other_team", "not_a_member", "not_found"],
    examples: { response: { data: [exampleMember], next_cursor: null } },
    run: async (world, caller, call) => ({ body: await listMembers(world, caller, call.params.team, call.query) }),
  }),
  ofTeam({
    id: "addMember",
    method: "post",
    path: "/api/teams/{team}/members",
    summary: "Invite a member, or change a role",
    description: `Invites the account of an e-mail address to your acting team, or gives a member another role. Owners only. The response has a code: give it to the person, who accepts with \`POST /api/teams/{team}/join\` within ${invitationDays} days. The account is not in the team before that. A second call replaces the code. Once you are no owner of the team any more, the code is refused.`,
    params,
    body: newMemberSchema,
    answer: {
      status: 200,
      description: "The invitation and its code; `invitation` is null if the account is a member already.",
      schema: resultOf({
        member: memberSchema,
        invitation: invitationSchema.nullable().describe("Null for a member, whose role was changed."),
      }),
    },
    problems: ["other_team", "not_a_member", "owners_only", "not_found", "limit_reached", "state_conflict"],
    examples: {
      request: { email: "bob@example.com", role: "member" },
      response: {
        message: invitedWords,
        member: { ...exampleMember, accepted: false },
        invitation: exampleInvitation,
      },
    },
    async run(world, caller, call) {
      const added = await addMember(world, caller, call.params.team, call.body);
      const message = added.invitation === null ? "The member has this role." : invitedWords;
      return { body: { message, ...added } };
    },
  }),
  ofAccount({
    id: "joinTeam",
    method: "post",
    path: "/api/teams/{team}/join",
    summary: "Accept an invitation",
    description:
      "Makes you a member of the team that invited you. The code works once, and only for the account that was invited. Your acting team stays; change it with a switch.",
    params,
    body: acceptedSchema,
    answer: { status: 200, description: "You are a member of the team.", schema: resultOf({ team: teamSchema }) },
    problems: ["not_found", "limit_reached"],
    examples: {
      request: { code: exampleInvitation.code },
      response: { message: joinedWords, team: { ...exampleTeam, role: "member", own: false, members: 2 } },
    },
    async run(world, identity, call) {
      const team = await acceptInvitation(world, identity, call.params.team, call.body);
      return { body: { message: joinedWords, team } };
    },
  }),
  ofTeam({
    id: "removeMember",
    method: "delete",
    path: "/api/teams/{team}/members",
    summary: "Remove a member or an invitation, or leave",
    description:
      "After this call, no replica lets the account into the team. Only an owner can remove others, and only in the acting team. Any member can leave, whichever team acts. A member who left the acting team switches to another one.",
    params,
    query: removed,
    answer: { status: 200, description: "The account is no longer in the team.", schema: resultOf({}) },
    problems: ["other_team", "not_a_member", "owners_only", "not_found", "state_conflict"],
    examples: { response: { message: "The account is no longer in the team." } },
    async run(world, caller, call) {
      await removeMember(world, caller, call.params.team, call.query.account);
      return { body: { message: "The account is no longer in the team." } };
    },
  }),
];
