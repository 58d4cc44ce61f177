import { describe, expect, it } from "vitest";
import type { Account } from "../../resources/account.ts";
import { type KubeObject, kinds } from "../../resources/objects.ts";
import { nobody, type Team } from "../../resources/team.ts";
import { readEmail } from "../accounts/email.ts";
import type { Caller, World } from "../world.ts";
import { addMember, removeMember } from "./members.ts";
import { asMember, type Member, memberOf } from "./membership.ts";
import { mostMemberships } from "./teams.ts";

const bobsName = readEmail("bob@example.com").account;
const personOf = (name: string, uid: string, email: string): Account => ({
  metadata: { name, uid },
  spec: { email, plan: "free", actingTeam: "t1", personalTeam: `p-${name}` },
});
const ann = personOf("a1", "u1", "ann@example.com");
const bob = personOf(bobsName, "u2", "bob@example.com");

/** A cluster of one team; `memberships` of Bob the cache knows beside it, before and after the team changed. */
function scene(members: Member[], memberships: [before: number, after: number] = [0, 0]) {
  const state = { team: { metadata: { name: "t1" }, spec: { title: "One", members } } as Team, writes: 0 };
  const world = {
    client: {
      get: async (kind: { kind: string }) => (kind.kind === kinds.teams.kind ? state.team : bob),
      async update(_kind: unknown, next: KubeObject) {
        state.writes += 1;
        state.team = next as Team;
        return next;
      },
    },
    caches: {
      teamsByMember: {
        of: () => [
          ...Array.from({ length: memberships[state.writes === 0 ? 0 : 1] }, () => ({
            metadata: { name: "x" },
            spec: { title: "X", members: [asMember(bob, "member")] },
          })),
          ...(memberOf(state.team, bob) ? [state.team] : []),
        ],
      },
    },
    fresh: { team: async () => state.team, everywhere: async () => {} },
    pause: async () => {},
    randomBytes: (count: number) => new Uint8Array(count),
  } as unknown as World;
  const caller: Caller = { account: ann, token: "1", team: state.team, role: "owner" };
  return { state, world, caller };
}
const add = ({ world, caller }: ReturnType<typeof scene>, role: "owner" | "member" = "member") =>
  addMember(world, caller, "t1", { email: "Bob@example.com", role });
const owner = asMember(ann, "owner");

describe("adding a member", () => {
  it("writes who it is by uid", async () => {
    const here = scene([owner]);
    expect(await add(here)).toEqual({ account: bobsName, role: "member", email: "bob@example.com" });
    expect(here.state.team.spec.members).toEqual([owner, { account: bobsName, uid: "u2", role: "member" }]);
  });
  it.each<[string, Member, boolean]>([
    ["is there already", asMember(bob, "member"), false],
    ["was written without a uid", { account: bobsName, role: "member" }, true],
    ["is who had the address before", { account: bobsName, uid: "u0", role: "member" }, true],
    ["is nobody any more", { account: bobsName, uid: nobody, role: "owner" }, true],
  ])("where one of the name %s leaves one of the name", async (_what, present, written) => {
    const here = scene([owner, present]);
    await add(here);
    expect(here.state.team.spec.members).toEqual([owner, asMember(bob, "member")]);
    expect(here.state.writes).toBe(written ? 1 : 0);
  });
  it("is refused for an account that is in too many teams", async () => {
    const here = scene([owner], [mostMemberships, mostMemberships]);
    await expect(add(here)).rejects.toMatchObject({ code: "limit_reached" });
    expect(here.state.writes).toBe(0);
  });
  it("is taken back where others added the account to too many teams at the same time", async () => {
    const here = scene([owner], [mostMemberships - 1, mostMemberships]);
    await expect(add(here)).rejects.toMatchObject({ code: "limit_reached" });
    expect(here.state.team.spec.members).toEqual([owner]);
    await add(scene([owner], [mostMemberships - 1, mostMemberships - 1]));
  });
  it("is not refused where it only gives another role", async () => {
    const here = scene([owner, asMember(bob, "member")], [mostMemberships, mostMemberships]);
    await add(here, "owner");
    expect(here.state.team.spec.members).toEqual([owner, asMember(bob, "owner")]);
  });
  it("is not for an owner who had the caller's address before", async () => {
    const here = scene([{ account: "a1", uid: "u0", role: "owner" }]);
    await expect(add(here)).rejects.toMatchObject({ code: "owners_only" });
  });
});

describe("removing a member", () => {
  it.each<[string, Member]>([
    ["is an account", asMember(bob, "member")],
    ["had the address before", { account: bobsName, uid: "u0", role: "member" }],
  ])("takes away who %s", async (_what, member) => {
    const { world, caller, state } = scene([owner, member]);
    await removeMember(world, caller, "t1", bobsName);
    expect(state.team.spec.members).toEqual([owner]);
  });
  it("is refused to who is no owner", async () => {
    const eve = asMember(personOf("a9", "u9", "eve@example.com"), "owner");
    const { world, caller, state } = scene([eve, asMember(ann, "member"), asMember(bob, "member")]);
    for (const name of ["a9", bobsName]) {
      const ended = await removeMember(world, caller, "t1", name).catch((error: unknown) => error);
      expect(ended).toMatchObject({ code: "owners_only" });
    }
    expect(state.writes).toBe(0);
  });
  it("leaves a team that does not act, but not one where another had the address before", async () => {
    const others = asMember(personOf("a9", "u9", "eve@example.com"), "owner");
    const elsewhere: Team = { metadata: { name: "t5" }, spec: { title: "Own", members: [owner] } };
    const { world, state, caller } = scene([others, owner]);
    await removeMember(world, { ...caller, team: elsewhere }, "t1", "a1");
    expect(state.team.spec.members).toEqual([others]);
    const before = scene([others, { ...owner, uid: "u0" }]);
    await expect(removeMember(before.world, { ...caller, team: elsewhere }, "t1", "a1")).rejects.toMatchObject({
      code: "other_team",
    });
  });
});
