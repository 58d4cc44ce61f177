import { expect, it } from "vitest";
import type { Account } from "../../resources/account.ts";
import { nobody, type Team } from "../../resources/team.ts";
import { asMember, memberOf, newTeamName, personalTeamOf } from "./membership.ts";

const ann = (uid: string, spec: Partial<Account["spec"]> = {}): Account => ({
  metadata: { name: "a1", uid },
  spec: { email: "ann@example.com", plan: "free", actingTeam: "t1", ...spec },
});
const teamOf = (...members: Team["spec"]["members"]): Team => ({
  metadata: { name: "t1" },
  spec: { title: "T", members },
});

it.each([
  ["the account itself", asMember(ann("u1"), "owner"), "owner"],
  ["who had the address before", asMember(ann("u0"), "owner"), undefined],
  ["somebody of the name, as kubectl writes it", { account: "a1", role: "member" as const }, "member"],
  ["nobody any more", { account: "a1", uid: nobody, role: "owner" as const }, undefined],
  ["another", asMember({ ...ann("u1"), metadata: { name: "a2", uid: "u1" } }, "owner"), undefined],
])("a member that is %s", (_what, member, role) => {
  expect(memberOf(teamOf(member), ann("u1"))?.role).toBe(role);
});

it("a personal team is the one that was made for the account, and of an earlier version's follows from its name", () => {
  expect(personalTeamOf(ann("u1", { personalTeam: "t9" }))).toBe("t9");
  expect(personalTeamOf(ann("u1"))).toMatch(/^t[0-9a-f]{20}$/);
  expect(personalTeamOf(ann("u1"))).toBe(personalTeamOf(ann("u2")));
});

it("a team's name is 80 random bits", () => {
  expect(newTeamName((count) => new Uint8Array(count).fill(255))).toBe(`t${"f".repeat(20)}`);
});
