import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Operation } from "../../src/api/operation.ts";
import { operationsOf } from "../../src/api/table.ts";
import { makeToken } from "../../src/requests/who/token.ts";
import { until } from "../operator/control-plane.ts";
import { api, newEmail, open, type Person, provided, signUp } from "./world.ts";

/** Every operation of the table × everybody who may call: what each is answered. */

const callers = [
  "no token",
  "a wrong token",
  "a revoked token",
  "an expired token",
  "an ended session",
  "the owner's session from a foreign page",
  "another team",
  "own, but not acting",
  "no longer in the acting team",
  "member",
  "owner",
] as const;
type Who = (typeof callers)[number];

const operations = operationsOf({ ready: () => true, document: () => ({}) });
const cells = operations.flatMap((operation) => callers.map((who) => ({ operation, who })));

const tokens = new Map<Who, string>();
const cookies = new Map<Who, string>();
const people = new Map<Who, Person>();
let owner: Person;
let away: Person;
let extra: Person;
let team = "";
let migration = "";

const pair = {
  source_url: "postgres://app:x@127.0.0.1:9/app",
  target_url: "mysql://app:x@127.0.0.1:9/app",
};

async function must(path: string, asked: Parameters<typeof api>[1]): Promise<Record<string, unknown>> {
  const answer = await api(path, asked);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body as Record<string, unknown>;
}
const create = async (): Promise<string> => {
  const made = await must("/api/migrations", { token: owner.token, body: pair });
  return (made.migration as { id: string }).id;
};
const add = (person: Person) =>
  must(`/api/teams/${team}/members`, { token: owner.token, body: { email: person.email } });
const accountOf = async (person: Person) => String((await must("/api/account", { token: person.token })).id);
const switchTo = (person: Person, to: string) =>
  must(`/api/teams/${to}/switch`, { method: "POST", token: person.token });

beforeAll(async () => {
  const [one, two, three, four, five, six] = await Promise.all(Array.from({ length: 6 }, () => signUp()));
  if (!one || !two || !three || !four || !five || !six) throw new Error("six people");
  owner = one;
  away = three;
  extra = five;
  team = ((await must("/api/teams", { token: owner.token, body: { name: "A" } })).team as { id: string }).id;
  await switchTo(owner, team);
  await Promise.all([two, away, six].map(add));
  await Promise.all([two, six].map((person) => switchTo(person, team)));
  const query = `account=${await accountOf(six)}`;
  await must(`/api/teams/${team}/members?${query}`, { method: "DELETE", token: owner.token });
  migration = await create();

  const revoked = await must("/api/tokens", { token: owner.token, body: { name: "revoked" } });
  await must(`/api/tokens/${revoked.id}`, { method: "DELETE", token: owner.token });
  const expires_at = new Date(Date.now() + 8000).toISOString();
  const expired = await must("/api/tokens", { token: owner.token, body: { name: "expired", expires_at } });
  await until("the token to expire", async () => {
    const answer = await api("/api/account", { token: String(expired.token) });
    return answer.status === 401;
  });
  const ended = await ownersCookie();
  await must("/api/session", { method: "DELETE", cookie: ended, headers: { origin: provided.baseUrl } });
  cookies.set("an ended session", ended);
  tokens.set("a wrong token", makeToken((count) => crypto.getRandomValues(new Uint8Array(count))).plaintext);
  tokens.set("a revoked token", String(revoked.token));
  tokens.set("an expired token", String(expired.token));
  people.set("another team", four);
  people.set("own, but not acting", away);
  people.set("no longer in the acting team", six);
  people.set("member", two);
  people.set("owner", owner);
  for (const [who, { token }] of people) tokens.set(who, token);
}, 120_000);

const strangers: readonly Who[] = [
  "no token",
  "a wrong token",
  "a revoked token",
  "an expired token",
  "an ended session",
];
const foreign: Who = "the owner's session from a foreign page";
const outsiders: readonly Who[] = ["another team", "own, but not acting"];

/** Allowed, and then answered otherwise: what is to be done cannot be done now. */
const otherwise: Record<string, string> = {
  checkoutMigration: "409 nothing_to_pay",
  subscribe: "409 nothing_to_pay",
  openBillingPortal: "409 nothing_to_pay",
  retryMigration: "409 state_conflict",
  getMigrationReport: "409 state_conflict",
  estimateMigration: "422 source_unreachable",
  signOut: "409 state_conflict",
};

function expected({ id, auth, method, path, withoutTeam, answer }: Operation, who: Who): string {
  const allowed = otherwise[id] ?? String(answer.status);
  if (auth !== "token") return allowed;
  if (strangers.includes(who)) return "401 unauthenticated";
  if (who === foreign) return method === "get" ? allowed : "403 origin_refused";
  // What is an account's has nothing to do with teams.
  if (id === "revokeToken") return who === "owner" ? allowed : "404 not_found";
  const outside = who === "another team" || who === "no longer in the acting team";
  if (id === "switchTeam") return outside ? "403 not_a_member" : allowed;
  if (withoutTeam) return allowed;
  if (who === "no longer in the acting team") return "403 not_a_member";
  const named = path.includes("{");
  if (named && outsiders.includes(who)) return "403 other_team";
  if ((id === "addMember" || id === "removeMember") && who === "member") return "403 owners_only";
  return allowed;
}

/** What the path's braces and the query are filled with: the team's own, and new where the call may change it. */
async function fill(operation: Operation, allowed: boolean): Promise<string> {
  const { id, path, method } = operation;
  const one = async () => {
    if (path.startsWith("/api/tokens"))
      return String((await must("/api/tokens", { token: owner.token, body: { name: "one" } })).id);
    return allowed && method !== "get" ? create() : migration;
  };
  const filled = path.replace("{team}", team).replace("{id}", path.includes("{id}") ? await one() : "");
  if (id !== "removeMember") return filled;
  if (allowed) await add(extra);
  return `${filled}?account=${await accountOf(extra)}`;
}

function bodyOf({ id, body, examples }: Operation, who: Who): unknown {
  if (body === undefined) return undefined;
  if (id === "signUp") return { email: newEmail(), password: "correct horse battery" };
  if (id === "signIn") return { email: owner.email, password: owner.password };
  if (id === "addMember") return { email: extra.email };
  if (id === "changePassword") {
    const person = people.get(who) ?? owner;
    return { password: person.password, new_password: person.password };
  }
  if (id === "testConnection") return { url: pair.source_url };
  return examples.request !== undefined && "source_url" in (examples.request as object) ? pair : examples.request;
}

const seen = new Map<string, number>();
let asks = 0;

async function ownersCookie(): Promise<string> {
  const { headers } = await api("/api/session", { body: { email: owner.email, password: owner.password } });
  return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}

async function answered(operation: Operation, who: Who, path: string): Promise<string> {
  const token = tokens.get(who);
  // The owner's password may have been changed, which ends sessions.
  const cookie = who === foreign && operation.auth === "token" ? await ownersCookie() : cookies.get(who);
  asks += 1;
  const body = bodyOf(operation, who);
  const asked = {
    method: operation.method.toUpperCase(),
    ...(token === undefined ? {} : { token }),
    ...(cookie === undefined ? {} : { cookie, headers: { origin: "https://evil.example" } }),
    ...(body === undefined ? {} : { body }),
  };
  if (!operation.streams) {
    const { status, body: problem } = await api(path, { ...asked, replica: asks % 2 });
    return status < 400 ? String(status) : `${status} ${problem.code}`;
  }
  // A stream has no end to wait for.
  const response = await open(path, asked);
  const status = response.statusCode ?? 0;
  if (status < 400) {
    response.destroy();
    return String(status);
  }
  let text = "";
  for await (const part of response) text += part;
  return `${status} ${JSON.parse(text).code}`;
}

/** A switch of who acts elsewhere is undone, for the next cell. */
async function restore({ id }: Operation, who: Who): Promise<void> {
  if (id === "switchTeam" && who === "own, but not acting") await switchTo(away, away.team);
}

describe.each(operations.map((operation) => ({ operation, name: operation.id })))("$name", ({ operation }) => {
  it.each(callers.map((who) => ({ who, answer: expected(operation, who) })))(
    "answers $who with $answer",
    async ({ who, answer }) => {
      const path = await fill(operation, answer === expected(operation, "owner"));
      const found = await answered(operation, who, path);
      seen.set(`${who}: ${found}`, (seen.get(`${who}: ${found}`) ?? 0) + 1);
      expect(found).toBe(answer);
      await restore(operation, who);
    },
  );
});

it("leaves what a refused call named as it was", async () => {
  expect(await api(`/api/migrations/${migration}`, { token: owner.token })).toMatchObject({
    status: 200,
    body: { status: "pending" },
  });
});

it("holds a cell for each operation and caller", () => {
  expect(cells.length).toBe(operations.length * callers.length);
  expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(cells.length);
});

afterAll(() => {
  console.log(`${operations.length} operations × ${callers.length} callers = ${cells.length} answers`);
  for (const [what, count] of [...seen].sort()) console.log(`${String(count).padStart(4)}  ${what}`);
});
