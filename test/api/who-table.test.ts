import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Operation } from "../../src/api/openapi/operation.ts";
import { operationsOf } from "../../src/api/table.ts";
import { makeToken } from "../../src/requests/tokens/token.ts";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { answers, answerTo, callers, type Who } from "./who-answers.ts";
import { admin, api, newEmail, open, type Person, provided, signUp } from "./world.ts";

/** Every operation of the table × every caller: the answer is the one in who-answers.ts. */

const operations = operationsOf({ ready: () => true, document: () => ({}) });
const cells = operations.length * callers.length;

const tokens = new Map<Who, string>();
const cookies = new Map<Who, string>();
const people = new Map<Who, Person>();
let owner: Person;
let away: Person;
let extra: Person;
let team = "";
let migration = "";
let run = "";
let restored = "";

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
const createBackup = async (): Promise<string> => {
  const made = await must("/api/backups", { token: owner.token, body: { database_url: pair.source_url } });
  return (made.backup as { id: string }).id;
};
/** A run that waits, of a schedule whose id its own begins with. */
async function createRun(): Promise<string> {
  const made = await must(`/api/backups/${await createBackup()}/run`, { method: "POST", token: owner.token });
  return (made.run as { id: string }).id;
}
const backupOf = (id: string): string => id.slice(0, 36);
/** By kubectl, since no run has completed. */
async function createRestore(): Promise<string> {
  const name = crypto.randomUUID();
  const metadata = { name, namespace: `rowferry-${team}` };
  const spec = { backupRun: run, target: { secretRef: { name: "target" } } };
  await admin.create(kinds.restores, { metadata, spec } as never);
  return name;
}
const invite = (person: Person) =>
  must(`/api/teams/${team}/members`, { token: owner.token, body: { email: person.email } });
async function add(person: Person) {
  const { code } = (await invite(person)).invitation as { code: string };
  await must(`/api/teams/${team}/join`, { token: person.token, body: { code } });
}
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
  run = await createRun();
  restored = await createRestore();

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

const foreign: Who = "the owner's session from a foreign page";

/** What the path's braces and the query are filled with: the team's own, and new where the call may change it. */
async function fill(operation: Operation, allowed: boolean): Promise<string> {
  const { id, path, method } = operation;
  const one = async () => {
    if (path.startsWith("/api/tokens"))
      return String((await must("/api/tokens", { token: owner.token, body: { name: "one" } })).id);
    if (path.startsWith("/api/restores")) return restored;
    // Runs are of the one schedule; what changes a schedule has one of its own.
    if (path.startsWith("/api/backups"))
      return allowed && method !== "get" && !path.includes("{run}") ? createBackup() : backupOf(run);
    return allowed && method !== "get" ? create() : migration;
  };
  const filled = path
    .replace("{team}", team)
    .replace("{id}", path.includes("{id}") ? await one() : "")
    .replace("{run}", run);
  if (id !== "removeMember") return filled;
  if (allowed) await invite(extra);
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
  if (id === "createBackup") return { database_url: pair.source_url };
  if (id === "restoreBackup") return { target_url: pair.source_url };
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

it("has a row for each operation and no other, and a cell for each caller", () => {
  expect([...answers.keys()].sort()).toEqual(operations.map(({ id }) => id).sort());
  for (const [id, row] of answers) expect(row, id).toHaveLength(callers.length);
});

describe.each(operations.map((operation) => ({ operation, name: operation.id })))("$name", ({ operation }) => {
  it.each(callers.map((who) => ({ who, answer: answerTo(operation.id, who) })))(
    "answers $who with $answer",
    async ({ who, answer }) => {
      const path = await fill(operation, answer === answerTo(operation.id, "owner"));
      const found = await answered(operation, who, path);
      seen.set(`${who}: ${found}`, (seen.get(`${who}: ${found}`) ?? 0) + 1);
      expect(found).toBe(answer);
      await restore(operation, who);
    },
  );
});

it("leaves what a refused call named as it was", async () => {
  expect((await api(`/api/restores/${restored}`, { token: owner.token })).status).toBe(200);
  for (const path of [`migrations/${migration}`, `backups/${backupOf(run)}/runs/${run}`])
    expect(await api(`/api/${path}`, { token: owner.token })).toMatchObject({
      status: 200,
      body: { status: "pending" },
    });
});

it("has asked for each cell once", () => {
  expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(cells);
});

afterAll(() => {
  console.log(`${operations.length} operations × ${callers.length} callers = ${cells} answers`);
  for (const [what, count] of [...seen].sort()) console.log(`${String(count).padStart(4)}  ${what}`);
});
