import { beforeAll, expect, it } from "vitest";
import { tokenDigits } from "../../src/requests/tokens/token.ts";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { origin } from "./who.ts";
import { admin, api, type Person, signUp } from "./world.ts";

/** What an account did, as its owner sees it. */

interface Event {
  id: string;
  created_at: string;
  account: string;
  token_id: string | null;
  session_id: string | null;
  address: string | null;
  verb: string;
  team: string | null;
  object: string | null;
  result: string;
}

let person: Person;
beforeAll(async () => {
  person = await signUp();
});

async function eventsOf({ token }: Person, query = ""): Promise<{ data: Event[]; next_cursor: string | null }> {
  const { status, body, text } = await api(`/api/account/events${query}`, { token });
  if (status !== 200) throw new Error(`${status} ${text}`);
  return body;
}
const untilThere = (of: Person, found: (events: Event[]) => boolean) =>
  until("the events", async () => {
    const { data } = await eventsOf(of, "?limit=100");
    return found(data) ? data : undefined;
  });
const pair = {
  source_url: "postgres://app:hunter2-secret@127.0.0.1:9/app",
  target_url: "mysql://app:x@127.0.0.1:9/app",
};

it("each change is listed, newest first: who, by which token, from where, what, on which object, with which result", async () => {
  const { token } = person;
  const { body: made } = await api("/api/migrations", { token, body: pair });
  await api(`/api/migrations/${made.migration.id}`, { method: "DELETE", token });
  await api("/api/tokens", { cookie: person.cookie, headers: { origin }, body: { name: "very-private-name" } });
  await api("/api/migrations/9f0c2f9e-0d6b-4a0e-8f55-0a2f6f1c1a11", { method: "DELETE", token });
  await api("/api/session", { body: { email: person.email, password: person.password } });
  await api("/api/session", { body: { email: person.email, password: "wrong" } });
  const { body: account } = await api("/api/account", { token });
  const events = await untilThere(person, (all) => all.some(({ verb }) => verb === "signIn"));

  expect(events.map(({ verb, result }) => `${verb} ${result}`)).toEqual([
    "signIn done",
    "deleteMigration not_found",
    "createToken done",
    "deleteMigration done",
    "createMigration done",
    "createToken done",
    "signUp done",
  ]);
  const created = events.find(({ verb }) => verb === "createMigration");
  expect(created).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    created_at: expect.any(String),
    account: account.id,
    token_id: tokenDigits(token),
    session_id: null,
    address: "127.0.0.1",
    verb: "createMigration",
    team: person.team,
    object: made.migration.id,
    result: "done",
  });
  expect(events.find(({ verb }) => verb === "createToken")).toMatchObject({
    token_id: null,
    session_id: expect.any(String),
  });
  const text = JSON.stringify(events);
  for (const secret of [
    "hunter2-secret",
    "very-private-name",
    person.password,
    person.email,
    token.split("|")[1] ?? "?",
  ])
    expect(text).not.toContain(secret);
});

it("calls of two replicas at the same time are all there, in pages without a gap", async () => {
  const other = await signUp();
  const calls = Array.from({ length: 40 }, (_, at) =>
    api("/api/tokens", { token: other.token, replica: at % 2, body: { name: "x" } }),
  );
  const minted = (await Promise.all(calls)).map(({ body }) => String(body.id));
  await untilThere(other, (all) => all.length >= 42);
  const paged: Event[] = [];
  let cursor: string | null = "";
  do {
    const page: { data: Event[]; next_cursor: string | null } = await eventsOf(
      other,
      `?limit=15${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`,
    );
    paged.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(paged).toHaveLength(42);
  expect(paged.map(({ object }) => object)).toEqual(expect.arrayContaining(minted));
  const times = paged.map(({ created_at }) => created_at);
  expect(times).toEqual(times.toSorted().reverse());
});

it("MCP tools are listed by their names, and nobody sees another's", async () => {
  const other = await signUp();
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "prepare-migration-tool", arguments: pair },
  };
  const headers = { accept: "application/json, text/event-stream" };
  await api("/mcp-migrations", { token: other.token, body: message, headers });
  const events = await untilThere(other, (all) => all.length >= 3);
  expect(events[0]).toMatchObject({
    verb: expect.stringContaining("prepare-migration-tool"),
    token_id: tokenDigits(other.token),
  });
  const mine = await eventsOf(person, "?limit=100");
  expect(mine.data.map(({ id }) => id).filter((id) => events.some((event) => event.id === id))).toEqual([]);
});

it("the kept events are the Account's, and at most 100", async () => {
  const other = await signUp();
  const { body: account } = await api("/api/account", { token: other.token });
  for (let round = 0; round < 6; round += 1)
    await Promise.all(
      Array.from({ length: 20 }, () =>
        api("/api/migrations/9f0c2f9e-0d6b-4a0e-8f55-0a2f6f1c1a11", { method: "DELETE", token: other.token }),
      ),
    );
  const log = await until("120 events", async () => {
    const found = await admin.get(kinds.accountLogs, "", account.id);
    return found?.spec.events.some(({ verb }) => verb === "signUp" || verb === "createToken") ? undefined : found;
  });
  expect(log.spec.events).toHaveLength(100);
  const owner = await admin.get(kinds.accounts, "", account.id);
  expect(log.metadata.ownerReferences).toMatchObject([{ kind: "Account", uid: owner?.metadata.uid }]);
});
