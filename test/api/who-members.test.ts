import { describe, it } from "vitest";
import { kinds } from "../../src/resources/objects.ts";
import { mostMembers } from "../../src/resources/team.ts";
import { until } from "../operator/control-plane.ts";
import {
  add,
  createTeam,
  enroll,
  idOf,
  join,
  list,
  pair,
  problem,
  remove,
  switchTo,
  team,
  teamsOf,
} from "./who-play.ts";
import { admin, api, newEmail, signUp } from "./world.ts";

/** Members of teams, over two replicas. */

describe.concurrent("a member", () => {
  it("sees and changes what the team has, as an owner does", async ({ expect }) => {
    const { owner, member } = await team();
    const made = await api("/api/migrations", { token: member.token, body: pair });
    expect(made.status).toBe(201);
    for (const person of [owner, member])
      expect((await api(`/api/migrations/${made.body.migration.id}`, { token: person.token, replica: 1 })).status).toBe(
        200,
      );
    expect(
      (await api(`/api/migrations/${made.body.migration.id}`, { method: "DELETE", token: owner.token })).status,
    ).toBe(200);
  });

  it("is listed with address and role, to every member and to nobody else", async ({ expect }) => {
    const { id, owner, member } = await team();
    const members = await api(`/api/teams/${id}/members`, { token: member.token, replica: 1 });
    expect(members.body.data).toEqual(
      [
        { account: await idOf(owner), email: owner.email, role: "owner", accepted: true },
        { account: await idOf(member), email: member.email, role: "member", accepted: true },
      ].toSorted((a, b) => (a.account < b.account ? -1 : 1)),
    );
    const first = await api(`/api/teams/${id}/members?limit=1`, { token: member.token });
    const second = await api(`/api/teams/${id}/members?limit=1&cursor=${first.body.next_cursor}`, {
      token: member.token,
    });
    expect([...first.body.data, ...second.body.data]).toEqual(members.body.data);
    expect(problem(await api(`/api/teams/${id}/members`, { token: (await signUp()).token }))).toBe("403 other_team");
  });

  it("neither adds nor removes, and does not learn which addresses have accounts", async ({ expect }) => {
    const { id, owner, member } = await team();
    const there = await add(member, id, (await signUp()).email);
    const not = await add(member, id, newEmail());
    expect([there, not].map(problem)).toEqual(["403 owners_only", "403 owners_only"]);
    expect(there.body.detail).toBe(not.body.detail);
    expect(problem(await remove(member, id, owner))).toBe("403 owners_only");
    expect(problem(await add(member, id, member.email, "owner"))).toBe("403 owners_only");
  });

  it("is added once, by whatever way of writing the address, and has the role of the last call", async ({ expect }) => {
    const { id, owner, member } = await team();
    expect((await add(owner, id, ` ${member.email.toUpperCase()}`)).status).toBe(200);
    expect((await api(`/api/teams/${id}/members`, { token: owner.token })).body.data).toHaveLength(2);
    expect((await add(owner, id, member.email, "owner")).body.member.role).toBe("owner");
    expect((await add(member, id, owner.email, "member")).status).toBe(200);
    expect(problem(await add(owner, id, member.email, "member"))).toBe("403 owners_only");
    expect(problem(await add(member, id, member.email, "member"))).toBe("409 state_conflict");
  });

  it("is in the team once it has accepted, by a code that works once and for nobody else", async ({ expect }) => {
    const { id, owner, member } = await team();
    const [person, thief] = await Promise.all([signUp(), signUp()]);
    const { status, body } = await add(owner, id, person.email);
    expect(status).toBe(200);
    const { account } = body.member;
    expect(body).toMatchObject({ member: { account: await idOf(person), accepted: false }, invitation: {} });
    expect(problem(await switchTo(person, id))).toBe("403 not_a_member");
    expect((await teamsOf(person)).map((shown) => shown.id)).toEqual([person.team]);
    const listed = async () => (await api(`/api/teams/${id}/members`, { token: member.token, replica: 1 })).body.data;
    expect(await listed()).toContainEqual({ account, email: person.email, role: "member", accepted: false });
    const { code } = body.invitation;
    expect(JSON.stringify(await admin.get(kinds.teams, "", id))).not.toContain(code);
    expect(problem(await join(thief, id, code))).toBe("404 not_found");
    expect(problem(await join(person, person.team, code))).toBe("404 not_found");
    expect(problem(await join(person, id, "0".repeat(40)))).toBe("404 not_found");
    expect(problem(await join(person, id, "abc"))).toBe("422 invalid");
    const joined = await join(person, id, code, 1);
    expect(joined).toMatchObject({ status: 200, body: { team: { id, role: "member", members: 3 } } });
    expect(await listed()).toContainEqual({ account, email: person.email, role: "member", accepted: true });
    expect((await switchTo(person, id)).status).toBe(200);
    expect((await remove(owner, id, person)).status).toBe(200);
    expect(problem(await join(person, id, code))).toBe("404 not_found");
    // An invitation that is taken back, and one that is replaced.
    const first = (await add(owner, id, person.email)).body.invitation.code;
    const second = (await add(owner, id, person.email, "owner")).body.invitation.code;
    expect(problem(await join(person, id, first))).toBe("404 not_found");
    expect((await remove(owner, id, person)).status).toBe(200);
    expect(problem(await join(person, id, second))).toBe("404 not_found");
  });

  it("who was an owner and is removed has left no way back in: who was invited stays out, and is not listed", async ({
    expect,
  }) => {
    const { id, owner, member } = await team();
    const accomplice = await signUp();
    expect((await add(owner, id, member.email, "owner")).status).toBe(200);
    const { code } = (await add(member, id, accomplice.email, "owner")).body.invitation;
    expect((await remove(owner, id, member)).status).toBe(200);
    expect(problem(await join(accomplice, id, code, 1))).toBe("404 not_found");
    const listed = await api(`/api/teams/${id}/members`, { token: owner.token });
    expect(listed.body.data.map(({ email }: { email: string }) => email)).toEqual([owner.email]);
  });

  it("of an address without an account is refused to an owner in words", async ({ expect }) => {
    const { id, owner } = await team();
    expect(problem(await add(owner, id, newEmail()))).toBe("404 not_found");
    expect(problem(await add(owner, id, "nobody"))).toBe("422 invalid");
    expect(problem(await add(owner, id, owner.email, "admin"))).toBe("422 invalid");
  });

  it.for(["/", "..", "%2f", '\u008a"', "A1", "a1/status"])(
    "is not removed by what no account has as its id: %j",
    async (id, { expect }) => {
      const { team: own, token } = await signUp();
      const answer = await api(`/api/teams/${own}/members?account=${encodeURIComponent(id)}`, {
        method: "DELETE",
        token,
      });
      expect(answer).toMatchObject({ status: 422, body: { code: "invalid", errors: [{ field: "account" }] } });
    },
  );

  it("who was removed is refused on every replica once that has answered, and fixes it with a switch", async ({
    expect,
  }) => {
    const { id, owner, member } = await team();
    expect((await list(member, 0)).status).toBe(200);
    expect((await remove(owner, id, member, 1)).status).toBe(200);
    for (const replica of [0, 1]) {
      const refused = await list(member, replica);
      expect(problem(refused)).toBe("403 not_a_member");
      expect(refused.body.detail).toContain("/switch");
      expect(problem(await api("/api/migrations", { token: member.token, body: pair, replica }))).toBe(
        "403 not_a_member",
      );
      expect((await api("/api/account", { token: member.token, replica })).status).toBe(200);
    }
    expect((await teamsOf(member, 1)).map((shown) => shown.id)).toEqual([member.team]);
    expect(problem(await switchTo(member, id))).toBe("403 not_a_member");
    expect((await switchTo(member, member.team)).status).toBe(200);
    expect((await list(member, 1)).status).toBe(200);
  });

  it("leaves by removing itself, and is not in the team then", async ({ expect }) => {
    const { id, owner, member } = await team();
    expect((await remove(member, id, member)).status).toBe(200);
    expect(problem(await list(member, 1))).toBe("403 not_a_member");
    expect((await api(`/api/teams/${id}/members`, { token: owner.token, replica: 1 })).body.data).toHaveLength(1);
    expect(problem(await remove(owner, id, member))).toBe("404 not_found");
  });

  it("leaves a team that somebody added it to without acting in it, and its acting team never changed", async ({
    expect,
  }) => {
    const [stranger, person] = await Promise.all([signUp(), signUp()]);
    const { id } = await createTeam(stranger);
    expect((await switchTo(stranger, id)).status).toBe(200);
    expect((await enroll(stranger, id, person)).status).toBe(200);
    const shown = (await teamsOf(person, 1)).map(({ id: team, own, acting }) => ({ team, own, acting }));
    expect(shown).toHaveLength(2);
    expect(shown).toEqual(
      expect.arrayContaining([
        { team: id, own: false, acting: false },
        { team: person.team, own: true, acting: true },
      ]),
    );
    expect(problem(await remove(person, id, stranger))).toBe("403 other_team");
    expect((await remove(person, id, person)).status).toBe(200);
    expect((await teamsOf(person, 1)).map((team) => team.id)).toEqual([person.team]);
    expect((await list(person)).status).toBe(200);
    expect(problem(await remove(person, id, person))).toBe("403 other_team");
  });

  it("who is the last owner stays; with another owner it may go", async ({ expect }) => {
    const { id, owner, member } = await team();
    const refused = await remove(owner, id, owner);
    expect(problem(refused)).toBe("409 state_conflict");
    expect(refused.body.detail).toContain("another member an owner");
    expect((await add(owner, id, member.email, "owner")).status).toBe(200);
    expect((await remove(owner, id, owner)).status).toBe(200);
    expect(problem(await remove(member, id, member))).toBe("409 state_conflict");
  });

  it("of two owners who leave at the same time stays one", async ({ expect }) => {
    const { id, owner, member } = await team();
    expect((await add(owner, id, member.email, "owner")).status).toBe(200);
    const answers = await Promise.all([remove(owner, id, owner, 0), remove(member, id, member, 1)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await admin.get(kinds.teams, "", id))?.spec.members).toHaveLength(1);
  });

  it("for whom a personal team was made stays in it, as its owner", async ({ expect }) => {
    const [person, other] = await Promise.all([signUp(), signUp()]);
    expect(problem(await remove(person, person.team, person))).toBe("409 state_conflict");
    expect((await enroll(person, person.team, other, "owner")).status).toBe(200);
    expect((await switchTo(other, person.team)).status).toBe(200);
    expect(problem(await remove(other, person.team, person))).toBe("409 state_conflict");
    expect(problem(await add(other, person.team, person.email, "member"))).toBe("409 state_conflict");
  });

  it("is added by many owners' calls at once without one being lost", async ({ expect }) => {
    const { id, owner } = await team();
    const people = await Promise.all(Array.from({ length: 8 }, () => signUp()));
    const answers = await Promise.all(people.map((one, at) => enroll(owner, id, one, "member", at % 2)));
    expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200));
    expect((await admin.get(kinds.teams, "", id))?.spec.members).toHaveLength(10);
  });

  it("is one of two hundred at most", async ({ expect }) => {
    const { id, owner } = await team();
    const found = await admin.get(kinds.teams, "", id);
    if (found === undefined) throw new Error("no team");
    const fill = Array.from({ length: mostMembers - found.spec.members.length }, (_, at) => ({
      account: `a${String(at).padStart(40, "0")}`,
      role: "member" as const,
    }));
    await admin.update(kinds.teams, { ...found, spec: { ...found.spec, members: [...found.spec.members, ...fill] } });
    expect(problem(await add(owner, id, (await signUp()).email))).toBe("409 limit_reached");
    await until("the members to be listed", async () => {
      const { body } = await api(`/api/teams/${id}/members?limit=100`, { token: owner.token });
      return body.data.length === 100 && body.data.some(({ email }: { email: string | null }) => email === null);
    });
  });
});
