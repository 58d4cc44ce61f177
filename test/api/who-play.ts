import { expect } from "vitest";
import type { Answer } from "./http.ts";
import { api, type Person, signUp } from "./world.ts";

/** Teams as people use them. */

export const pair = { source_url: "postgres://app:x@127.0.0.1:9/app", target_url: "mysql://app:x@127.0.0.1:9/app" };

export interface Shown {
  id: string;
  role: string;
  acting: boolean;
  personal: boolean;
  own: boolean;
  members: number;
  ready: boolean;
}

export const createTeam = async (person: Person, name = "Platform"): Promise<Shown> => {
  const { status, body } = await api("/api/teams", { token: person.token, body: { name } });
  expect(status).toBe(201);
  return body.team;
};
export const teamsOf = async (person: Person, replica = 0): Promise<Shown[]> =>
  (await api("/api/teams", { token: person.token, replica })).body.data;
export const switchTo = (person: Person, team: string, replica = 0) =>
  api(`/api/teams/${team}/switch`, { method: "POST", token: person.token, replica });
export const add = (person: Person, team: string, email: string, role?: string, replica = 0) =>
  api(`/api/teams/${team}/members`, { token: person.token, replica, body: { email, ...(role ? { role } : {}) } });
/** Of a member it changes the role; anybody else is invited, and accepts. Answers the last call. */
export async function enroll(person: Person, team: string, member: Person, role?: string, replica = 0) {
  const added = await add(person, team, member.email, role, replica);
  return added.body?.invitation ? join(member, team, added.body.invitation.code, replica) : added;
}
export const join = (person: Person, team: string, code: string, replica = 0) =>
  api(`/api/teams/${team}/join`, { token: person.token, replica, body: { code } });
export const idOf = async (person: Person): Promise<string> =>
  (await api("/api/account", { token: person.token })).body.id;
export const remove = async (person: Person, team: string, member: Person, replica = 0) =>
  api(`/api/teams/${team}/members?account=${await idOf(member)}`, { method: "DELETE", token: person.token, replica });
export const list = (person: Person, replica = 0) => api("/api/migrations", { token: person.token, replica });
export const problem = ({ status, body }: Answer): string => `${status} ${body?.code}`;

/** A team that acts for its owner, and a member for whom it acts too. */
export async function team(): Promise<{ id: string; owner: Person; member: Person }> {
  const [owner, member] = await Promise.all([signUp(), signUp()]);
  const { id } = await createTeam(owner);
  expect((await switchTo(owner, id)).status).toBe(200);
  expect((await enroll(owner, id, member)).status).toBe(200);
  expect((await switchTo(member, id)).status).toBe(200);
  return { id, owner, member };
}
