import { describe, expect, it } from "vitest";
import { mostOwnTeams } from "../../src/requests/who/teams.ts";
import { kinds } from "../../src/resources/objects.ts";
import { mostMembers } from "../../src/resources/team.ts";
import { until } from "../operator/control-plane.ts";
import type { Answer } from "./http.ts";
import { admin, api, newEmail, type Person, signUp } from "./world.ts";

/** Teams and their members, over two replicas. */

const pair = { source_url: "postgres://app:x@127.0.0.1:9/app", target_url: "mysql://app:x@127.0.0.1:9/app" };

type Shown = { id: string; role: string; acting: boolean; personal: boolean; members: number; ready: boolean };

const createTeam = async (person: Person, name = "Platform"): Promise<Shown> => {
  const { status, body } = await api("/api/teams", { token: person.token, body: { name } });
  expect(status).toBe(201);
  return body.team;
};
const teamsOf = async (person: Person, replica = 0): Promise<Shown[]> =>
  (await api("/api/teams", { token: person.token, replica })).body.data;
const switchTo = (person: Person, team: string, replica = 0) =>
  api(`/api/teams/${team}/switch`, { method: "POST", token: person.token, replica });
const add = (person: Person, team: string, email: string, role?: string, replica = 0) =>
  api(`/api/teams/${team}/members`, { token: person.token, replica, body: { email, ...(role ? { role } : {}) } });
const idOf = async (person: Person): Promise<string> => (await api("/api/account", { token: person.token })).body.id;
const remove = async (person: Person, team: string, member: Person, replica = 0) =>
  api(`/api/teams/${team}/members?account=${await idOf(member)}`, { method: "DELETE", token: person.token, replica });
const list = (person: Person, replica = 0) => api("/api/migrations", { token: person.token, replica });
const problem = ({ status, body }: Answer): string => `${status} ${body?.code}`;

/** A team that acts for its owner, and a member for whom it acts too. */
async function team(): Promise<{ id: string; owner: Person; member: Person }> {
  const [owner, member] = await Promise.all([signUp(), signUp()]);
  const { id } = await createTeam(owner);
  expect((await switchTo(owner, id)).status).toBe(200);
  expect((await add(owner, id, member.email)).status).toBe(200);
  expect((await switchTo(member, id)).status).toBe(200);
  return { id, owner, member };
}

describe("a new team", () => {
  it("has its namespace, its maker as owner, and does not act yet", async () => {
    const person = await signUp();
    const made = await createTeam(person, "Data platform 🐎");
    expect(made).toMatchObject({
      name: "Data platform 🐎",
      role: "owner",
      acting: false,
      personal: false,
      members: 1,
      ready: true,
    });
    expect(made.id).toMatch(/^t[0-9a-f]{20}$/);
    expect(await admin.get(kinds.namespaces, "", `rowferry-${made.id}`)).toBeDefined();
    const shown = await teamsOf(person, 1);
    expect(shown.map(({ id, acting, personal }) => ({ id, acting, personal }))).toEqual(
      expect.arrayContaining([
        { id: made.id, acting: false, personal: false },
        { id: person.team, acting: true, personal: true },
      ]),
    );
    expect(shown).toHaveLength(2);
  });

  it("is one of twenty at most", async () => {
    const person = await signUp();
    const answers: Answer[] = [];
    for (let count = 0; count <= mostOwnTeams; count += 1)
      answers.push(await api("/api/teams", { token: person.token, body: { name: `n ${count}` } }));
    expect(answers.slice(0, -1).map(({ status }) => status)).toEqual(answers.slice(0, -1).map(() => 201));
    expect(answers.slice(-1).map(problem)).toEqual(["409 limit_reached"]);
    const page = await api("/api/teams?limit=15", { token: person.token });
    const rest = await api(`/api/teams?limit=15&cursor=${page.body.next_cursor}`, { token: person.token, replica: 1 });
    const ids = [...page.body.data, ...rest.body.data].map(({ id }: Shown) => id);
    expect(new Set(ids).size).toBe(mostOwnTeams + 1);
    expect(rest.body.next_cursor).toBeNull();
  });

  it.each([
    [{}],
    [{ name: "" }],
    [{ name: " x" }],
    [{ name: "a\nb" }],
    [{ name: "a\u202eb" }],
    [{ name: "x".repeat(101) }],
    [{ name: 1 }],
    [{ name: "x", members: [] }],
  ])("of %j is refused", async (body) => {
    expect(problem(await api("/api/teams", { token: (await signUp()).token, body }))).toBe("422 invalid");
  });
});

describe.concurrent("a switch", () => {
  it("holds for the next request on every replica, for every token and session", async () => {
    const person = await signUp();
    const { id } = await createTeam(person);
    const own = await api("/api/migrations", { token: person.token, body: pair });
    expect(own.status).toBe(201);
    const migration = own.body.migration.id;
    for (const [to, status, count] of [
      [id, 403, 0],
      [person.team, 200, 1],
      [id, 403, 0],
    ] as const) {
      expect((await switchTo(person, to, 1)).status).toBe(200);
      for (const replica of [0, 1]) {
        expect((await api(`/api/migrations/${migration}`, { token: person.token, replica })).status).toBe(status);
        expect((await api(`/api/migrations/${migration}`, { cookie: person.cookie, replica })).status).toBe(status);
        expect((await list(person, replica)).body.data).toHaveLength(count);
        expect((await api("/api/account", { cookie: person.cookie, replica })).body.acting_team).toBe(to);
      }
    }
  });

  it("of two at once ends in one of them, on both replicas", async () => {
    const person = await signUp();
    const { id } = await createTeam(person);
    const answers = await Promise.all([switchTo(person, id, 0), switchTo(person, person.team, 1)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const acting = await Promise.all(
      [0, 1].map(async (replica) => (await api("/api/account", { token: person.token, replica })).body.acting_team),
    );
    expect(acting[0]).toBe(acting[1]);
  });

  it("to another's team, to none, or to what cannot be one is refused", async () => {
    const [person, other] = await Promise.all([signUp(), signUp()]);
    expect(problem(await switchTo(person, other.team))).toBe("403 not_a_member");
    expect(problem(await switchTo(person, `t${"0".repeat(20)}`))).toBe("404 not_found");
    expect(problem(await switchTo(person, "..%2faccounts"))).toBe("422 invalid");
    expect(problem(await switchTo(person, "T1"))).toBe("422 invalid");
    expect((await api("/api/account", { token: person.token })).body.acting_team).toBe(person.team);
  });
});

describe.concurrent("a member", () => {
  it("sees and changes what the team has, as an owner does", async () => {
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

  it("is listed with address and role, to every member and to nobody else", async () => {
    const { id, owner, member } = await team();
    const members = await api(`/api/teams/${id}/members`, { token: member.token, replica: 1 });
    expect(members.body.data).toEqual(
      [
        { account: await idOf(owner), email: owner.email, role: "owner" },
        { account: await idOf(member), email: member.email, role: "member" },
      ].toSorted((a, b) => (a.account < b.account ? -1 : 1)),
    );
    const first = await api(`/api/teams/${id}/members?limit=1`, { token: member.token });
    const second = await api(`/api/teams/${id}/members?limit=1&cursor=${first.body.next_cursor}`, {
      token: member.token,
    });
    expect([...first.body.data, ...second.body.data]).toEqual(members.body.data);
    expect(problem(await api(`/api/teams/${id}/members`, { token: (await signUp()).token }))).toBe("403 other_team");
  });

  it("neither adds nor removes, and does not learn which addresses have accounts", async () => {
    const { id, owner, member } = await team();
    const there = await add(member, id, (await signUp()).email);
    const not = await add(member, id, newEmail());
    expect([there, not].map(problem)).toEqual(["403 owners_only", "403 owners_only"]);
    expect(there.body.detail).toBe(not.body.detail);
    expect(problem(await remove(member, id, owner))).toBe("403 owners_only");
    expect(problem(await add(member, id, member.email, "owner"))).toBe("403 owners_only");
  });

  it("is added once, by whatever way of writing the address, and has the role of the last call", async () => {
    const { id, owner, member } = await team();
    expect((await add(owner, id, ` ${member.email.toUpperCase()}`)).status).toBe(200);
    expect((await api(`/api/teams/${id}/members`, { token: owner.token })).body.data).toHaveLength(2);
    expect((await add(owner, id, member.email, "owner")).body.member.role).toBe("owner");
    expect((await add(member, id, owner.email, "member")).status).toBe(200);
    expect(problem(await add(owner, id, member.email, "member"))).toBe("403 owners_only");
    expect(problem(await add(member, id, member.email, "member"))).toBe("409 state_conflict");
  });

  it("of an address without an account is refused to an owner in words", async () => {
    const { id, owner } = await team();
    expect(problem(await add(owner, id, newEmail()))).toBe("404 not_found");
    expect(problem(await add(owner, id, "nobody"))).toBe("422 invalid");
    expect(problem(await add(owner, id, owner.email, "admin"))).toBe("422 invalid");
  });

  it("who was removed is refused on every replica once that has answered, and mends it with a switch", async () => {
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

  it("leaves by removing itself, and is not in the team then", async () => {
    const { id, owner, member } = await team();
    expect((await remove(member, id, member)).status).toBe(200);
    expect(problem(await list(member, 1))).toBe("403 not_a_member");
    expect((await api(`/api/teams/${id}/members`, { token: owner.token, replica: 1 })).body.data).toHaveLength(1);
    expect(problem(await remove(owner, id, member))).toBe("404 not_found");
  });

  it("who is the last owner stays; with another owner it may go", async () => {
    const { id, owner, member } = await team();
    const refused = await remove(owner, id, owner);
    expect(problem(refused)).toBe("409 state_conflict");
    expect(refused.body.detail).toContain("another member an owner");
    expect((await add(owner, id, member.email, "owner")).status).toBe(200);
    expect((await remove(owner, id, owner)).status).toBe(200);
    expect(problem(await remove(member, id, member))).toBe("409 state_conflict");
  });

  it("of two owners who leave at the same time stays one", async () => {
    const { id, owner, member } = await team();
    expect((await add(owner, id, member.email, "owner")).status).toBe(200);
    const answers = await Promise.all([remove(owner, id, owner, 0), remove(member, id, member, 1)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await admin.get(kinds.teams, "", id))?.spec.members).toHaveLength(1);
  });

  it("for whom a personal team was made stays in it, as its owner", async () => {
    const [person, other] = await Promise.all([signUp(), signUp()]);
    expect(problem(await remove(person, person.team, person))).toBe("409 state_conflict");
    expect((await add(person, person.team, other.email, "owner")).status).toBe(200);
    expect((await switchTo(other, person.team)).status).toBe(200);
    expect(problem(await remove(other, person.team, person))).toBe("409 state_conflict");
    expect(problem(await add(other, person.team, person.email, "member"))).toBe("409 state_conflict");
  });

  it("is added by many owners' calls at once without one being lost", async () => {
    const { id, owner } = await team();
    const people = await Promise.all(Array.from({ length: 8 }, () => signUp()));
    const answers = await Promise.all(people.map(({ email }, at) => add(owner, id, email, "member", at % 2)));
    expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200));
    expect((await admin.get(kinds.teams, "", id))?.spec.members).toHaveLength(10);
  });

  it("is one of two hundred at most", async () => {
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

it("What is asked of a team that is not acting is refused, the caller's own or not, and an unknown one is not there", async () => {
  const { id, owner } = await team();
  const stranger = await signUp();
  for (const [person, of, answer] of [
    [owner, owner.team, "403 other_team"],
    [stranger, id, "403 other_team"],
    [stranger, `t${"0".repeat(20)}`, "404 not_found"],
  ] as const) {
    expect(problem(await api(`/api/teams/${of}/members`, { token: person.token }))).toBe(answer);
    expect(problem(await add(person, of, owner.email))).toBe(answer);
    expect(problem(await remove(person, of, owner))).toBe(answer);
  }
});

it("A team whose object kubectl deletes is nobody's acting team any more", async () => {
  const { id, owner, member } = await team();
  const found = await admin.get(kinds.teams, "", id);
  await admin.remove(kinds.teams, "", id, found?.metadata.uid ?? "");
  await until("both to be refused", async () => {
    const answers = await Promise.all([list(owner), list(member, 1)]);
    return answers.every((answer) => problem(answer) === "403 not_a_member");
  });
  expect((await switchTo(owner, owner.team)).status).toBe(200);
  expect((await list(owner)).status).toBe(200);
});
