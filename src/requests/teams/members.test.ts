import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Account } from "../../resources/account.ts";
import { type KubeObject, kinds } from "../../resources/objects.ts";
import { nobody, type Team } from "../../resources/team.ts";
import { readEmail } from "../accounts/email.ts";
import type { Caller, Identity, World } from "../world.ts";
import { acceptInvitation, openInvitations } from "./invitations.ts";
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
  const state = {
    team: { metadata: { name: "t1" }, spec: { title: "One", members } } as Team,
    writes: 0,
    now: new Date(),
  };
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
    now: () => state.now,
    pause: async () => {},
    randomBytes: (count: number) => new Uint8Array(randomBytes(count)),
  } as unknown as World;
  const caller: Caller = { account: ann, token: "1", team: state.team, role: "owner" };
  return { state, world, caller };
}
const add = ({ world, caller }: ReturnType<typeof scene>, role: "owner" | "member" = "member") =>
  addMember(world, caller, "t1", { email: "Bob@example.com", role });
const owner = asMember(ann, "owner");

/** Invites Bob and accepts as `who`. */
async function join(here: ReturnType<typeof scene>, role: "owner" | "member" = "member", who = bob) {
  const { invitation } = await add(here, role);
  return acceptInvitation(here.world, { account: who } as Identity, "t1", { code: invitation?.code ?? "" });
}

describe("inviting a member", () => {
  it("makes nobody a member before the code is accepted, and writes who it is by uid then", async () => {
    const here = scene([owner]);
    const { member, invitation } = await add(here);
    expect(member).toEqual({ account: bobsName, role: "member", email: "bob@example.com", accepted: false });
    expect(here.state.team.spec.members).toEqual([owner]);
    expect(JSON.stringify(here.state.team)).not.toContain(invitation?.code);
    await acceptInvitation(here.world, { account: bob } as Identity, "t1", { code: invitation?.code ?? "" });
    expect(here.state.team.spec).toMatchObject({
      members: [owner, { account: bobsName, uid: "u2", role: "member" }],
      invitations: [],
    });
  });
  it.each<[string, Member]>([
    ["is who had the address before", { account: bobsName, uid: "u0", role: "member" }],
    ["is nobody any more", { account: bobsName, uid: nobody, role: "owner" }],
  ])("where one of the name %s leaves one of the name", async (_what, present) => {
    const here = scene([owner, present]);
    await join(here);
    expect(here.state.team.spec.members).toEqual([owner, asMember(bob, "member")]);
  });
  it.each<[string, Member, number]>([
    ["is there already", asMember(bob, "member"), 0],
    ["was written without a uid", { account: bobsName, role: "member" }, 1],
  ])("where one of the name %s needs no code", async (_what, present, writes) => {
    const here = scene([owner, present]);
    expect((await add(here)).invitation).toBeNull();
    expect(here.state.team.spec.members).toEqual([owner, asMember(bob, "member")]);
    expect(here.state.writes).toBe(writes);
  });
  it("is accepted once, by the account that was invited, in time, by the last code", async () => {
    const here = scene([owner]);
    const codes = [(await add(here)).invitation?.code ?? "", (await add(here)).invitation?.code ?? ""];
    expect(new Set(codes).size).toBe(2);
    const accept = (code: string, account = bob) =>
      acceptInvitation(here.world, { account } as Identity, "t1", { code }).then(
        () => "joined",
        (problem: { code: string }) => problem.code,
      );
    const [first = "", last = ""] = codes;
    expect(await accept(first)).toBe("not_found");
    expect(await accept(last, personOf("a9", "u9", "eve@example.com"))).toBe("not_found");
    expect(await accept(last, personOf(bobsName, "u3", "bob@example.com"))).toBe("not_found");
    const { now } = here.state;
    here.state.now = new Date(now.getTime() + 7 * 24 * 3600 * 1000);
    expect(await accept(last)).toBe("not_found");
    here.state.now = now;
    expect(await accept(last)).toBe("joined");
    await removeMember(here.world, { ...here.caller, team: here.state.team }, "t1", bobsName);
    expect(await accept(last)).toBe("not_found");
    expect(here.state.team.spec.members).toEqual([owner]);
  });
  it.each<[string, Member[]]>([
    ["was removed", []],
    ["is a member now", [asMember(ann, "member")]],
    ["had the address before", [{ ...owner, uid: "u0" }]],
  ])("by an owner who %s is not accepted, nor shown", async (_what, left) => {
    const here = scene([owner]);
    const { invitation } = await add(here, "owner");
    const eve = asMember(personOf("a9", "u9", "eve@example.com"), "owner");
    here.state.team = { ...here.state.team, spec: { ...here.state.team.spec, members: [eve, ...left] } };
    expect(openInvitations(here.state.team, here.state.now)).toEqual([]);
    const code = invitation?.code ?? "";
    await expect(acceptInvitation(here.world, { account: bob } as Identity, "t1", { code })).rejects.toMatchObject({
      code: "not_found",
    });
    expect(here.state.team.spec.members).toEqual([eve, ...left]);
  });
  it("of an earlier version, which does not say who invited, is accepted", async () => {
    const here = scene([owner]);
    const { invitation } = await add(here);
    const [{ by: _by, ...before } = expect.fail()] = here.state.team.spec.invitations ?? [];
    const eve = asMember(personOf("a9", "u9", "eve@example.com"), "owner");
    here.state.team = {
      ...here.state.team,
      spec: { ...here.state.team.spec, members: [eve], invitations: [before] },
    };
    const code = invitation?.code ?? "";
    await acceptInvitation(here.world, { account: bob } as Identity, "t1", { code });
    expect(here.state.team.spec.members).toEqual([eve, asMember(bob, "member")]);
  });
  it("is taken back by removing the account", async () => {
    const here = scene([owner]);
    const { invitation } = await add(here);
    await removeMember(here.world, here.caller, "t1", bobsName);
    expect(here.state.team.spec).toMatchObject({ members: [owner], invitations: [] });
    await expect(
      acceptInvitation(here.world, { account: bob } as Identity, "t1", { code: invitation?.code ?? "" }),
    ).rejects.toMatchObject({ code: "not_found" });
  });
  it("is not accepted by an account that is in too many teams", async () => {
    const here = scene([owner], [mostMemberships, mostMemberships]);
    await expect(join(here)).rejects.toMatchObject({ code: "limit_reached" });
    expect(here.state.team.spec.members).toEqual([owner]);
  });
  it("is taken back where the account joined too many teams at the same time", async () => {
    const here = scene([owner], [mostMemberships - 1, mostMemberships]);
    const { invitation } = await add(here);
    here.state.writes = 0;
    await expect(
      acceptInvitation(here.world, { account: bob } as Identity, "t1", { code: invitation?.code ?? "" }),
    ).rejects.toMatchObject({ code: "limit_reached" });
    expect(here.state.team.spec.members).toEqual([owner]);
  });
  it("of a member only gives another role", async () => {
    const here = scene([owner, asMember(bob, "member")], [mostMemberships, mostMemberships]);
    expect(await add(here, "owner")).toMatchObject({ invitation: null, member: { role: "owner", accepted: true } });
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
