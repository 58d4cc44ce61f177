import { beforeAll, describe, expect, it } from "vitest";
import { operationsOf } from "../../src/api/table.ts";
import { tokenDigits } from "../../src/requests/tokens/token.ts";
import { origin } from "./who.ts";
import { api, kubectl, type Person, signUp, startReplica } from "./world.ts";

/** Tokens with scopes: what each may do, and that none makes a stronger one. */

const operations = operationsOf({ ready: () => true, document: () => ({}) }).filter(({ auth }) => auth === "token");
const someId = "482915073648201";

let person: Person;
beforeAll(async () => {
  person = await signUp();
});

const mint = (token: string, body: object = {}) => api("/api/tokens", { token, body: { name: "ci", ...body } });
async function tokenWith(...scopes: string[]): Promise<string> {
  const { body, status } = await mint(person.token, { scopes });
  expect(status).toBe(201);
  return body.token;
}
const missing = { status: 403, body: { code: "scope_missing" } };

describe("a token with the one scope", () => {
  it.each([
    ["read", (method: string, ofTokens: boolean) => method === "get" && !ofTokens],
    ["write", (method: string, ofTokens: boolean) => method !== "get" && !ofTokens],
    ["tokens", (_: string, ofTokens: boolean) => ofTokens],
  ])("%s may do what it is for, and nothing else: every operation", async (scope, may) => {
    const token = await tokenWith(scope);
    const ofTokens = new Set(["createToken", "revokeToken"]);
    const refused: string[] = [];
    for (const { id, method, path } of operations) {
      const to = path.replace(/\{\w+\}/g, someId);
      // Of the others nothing is done without a body.
      const sent = id === "createToken" ? { body: { name: "ci" } } : {};
      const { body } = await api(to, { method: method.toUpperCase(), token, ...sent });
      if (body?.code === "scope_missing") refused.push(id);
    }
    const expected = operations.filter(({ id, method }) => !may(method, ofTokens.has(id))).map(({ id }) => id);
    expect(refused).toEqual(expected);
    expect(refused.length).toBeGreaterThan(2);
  });
});

it("scopes are told with the token and in the list, and cannot be changed", async () => {
  const { body } = await mint(person.token, { scopes: ["write", "read", "read"] });
  expect(body.scopes).toEqual(["read", "write"]);
  const { body: list } = await api("/api/tokens", { token: body.token, replica: 1 });
  expect(list.data.find(({ id }: { id: string }) => id === body.id).scopes).toEqual(["read", "write"]);
  expect(list.data.find(({ id }: { id: string }) => id === tokenDigits(person.token)).scopes).toBeNull();
  const widened = JSON.stringify({ spec: { scopes: null } });
  const { code, err } = await kubectl(["patch", "apitoken", body.id, "--type=merge", `--patch=${widened}`]);
  expect([code, err]).toEqual([1, expect.stringContaining("scopes cannot be changed")]);
});

it.each([[[]], [["all"]], [["read", "write", "tokens", "read"]], ["read"], [null]])(
  "scopes of %j are refused by the field's name",
  async (scopes) => {
    const { status, body } = await mint(person.token, { scopes });
    expect(status).toBe(422);
    expect(body.errors[0].field).toMatch(/^scopes/);
  },
);

describe("a token that creates tokens", () => {
  it("gives none a scope that it lacks; by default they have its own", async () => {
    const token = await tokenWith("read", "tokens");
    expect((await mint(token)).body.scopes).toEqual(["read", "tokens"]);
    expect((await mint(token, { scopes: ["read"] })).body.scopes).toEqual(["read"]);
    expect(await mint(token, { scopes: ["read", "write"] })).toMatchObject({
      status: 422,
      body: { errors: [{ field: "scopes", message: expect.stringContaining("write") }] },
    });
  });

  it("gives none a later end than its own, which is the default", async () => {
    const ends = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await mint(person.token, { expires_at: ends });
    expect((await mint(body.token)).body.expires_at).toBe(ends);
    const later = new Date(Date.parse(ends) + 1000).toISOString();
    expect(await mint(body.token, { expires_at: later })).toMatchObject({
      status: 422,
      body: { errors: [{ field: "expires_at" }] },
    });
  });
});

it("A token without the scope revokes itself, and no other", async () => {
  const token = await tokenWith("read");
  const { body: other } = await mint(person.token);
  expect(await api(`/api/tokens/${other.id}`, { method: "DELETE", token })).toMatchObject(missing);
  expect((await api(`/api/tokens/${tokenDigits(token)}`, { method: "DELETE", token })).status).toBe(200);
  expect((await api("/api/account", { token, replica: 1 })).status).toBe(401);
});

it("Over MCP a token that may only read lists, and neither starts nor measures anything", async () => {
  const token = await tokenWith("read");
  const call = async (name: string, args: object) => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    const headers = { accept: "application/json, text/event-stream" };
    const { body } = await api("/mcp-migrations", { token, body: message, headers });
    return body.result;
  };
  const urls = { source_url: "postgres://app:x@127.0.0.1:9/app", target_url: "mysql://app:x@127.0.0.1:9/app" };
  expect((await call("list-migrations-tool", {})).isError).toBeUndefined();
  for (const name of ["prepare-migration-tool", "preview-migration-tool"]) {
    const result = await call(name, urls);
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toMatch(/^scope_missing: /);
  }
});

it("Where only a session may, a token creates and revokes none but itself", async () => {
  const { caller } = await startReplica({ ROWFERRY_TOKENS_BY_TOKEN: "false" });
  const { body: minted } = await mint(person.token);
  const refused = { status: 403, body: { code: "session_required" } };
  expect(await caller.ask("/api/tokens", { token: minted.token, body: { name: "x" } })).toMatchObject(refused);
  const of = (token: string) => `/api/tokens/${tokenDigits(token)}`;
  expect(await caller.ask(of(person.token), { method: "DELETE", token: minted.token })).toMatchObject(refused);
  expect((await caller.ask(of(minted.token), { method: "DELETE", token: minted.token })).status).toBe(200);
  const made = await caller.ask("/api/tokens", { cookie: person.cookie, headers: { origin }, body: { name: "x" } });
  expect(made.status).toBe(201);
});
