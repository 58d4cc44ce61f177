import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { tokenDigits } from "../../src/requests/tokens/token.ts";
import { mostTokens } from "../../src/requests/tokens/tokens.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import { labels } from "../../src/resources/group.ts";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { home } from "../operator/operator.ts";
import { admin, api, type Person, signUp, startReplica } from "./world.ts";

/** Tokens of the API, over two replicas. */

const mint = (person: Person, body: object = { name: "ci" }, replica = 0) =>
  api("/api/tokens", { token: person.token, body, replica });
const revoke = (person: Person, id: string, replica = 0) =>
  api(`/api/tokens/${id}`, { method: "DELETE", token: person.token, replica });
const tokenObject = async (id: string) => {
  const found = await admin.get(kinds.tokens, "", id);
  if (found === undefined) throw new Error(`no token ${id}`);
  return found;
};

const tokensOf = (account: string) => admin.list(kinds.tokens, { labelSelector: `${labels.account}=${account}` });

describe("a new token", () => {
  it("is shown once, and stored as a hash alone", async () => {
    const person = await signUp();
    const { status, body } = await mint(person);
    expect(status).toBe(201);
    expect(body.token).toMatch(/^[1-9][0-9]{14}\|rfy_[0-9A-Za-z]{49}$/);
    expect(tokenDigits(body.token)).toBe(body.id);
    expect(body).toMatchObject({ name: "ci", expires_at: null, last_used_at: null });
    const stored = await tokenObject(body.id);
    expect(stored.spec.hash).toBe(createHash("sha256").update(body.token).digest("hex"));
    const random = body.token.split("|")[1];
    expect(JSON.stringify(stored)).not.toContain(random);
    expect((await api("/api/tokens", { token: person.token })).text).not.toContain(random);
  });

  it("expires at a time of any zone, which is shown in UTC", async () => {
    const person = await signUp();
    for (const expires_at of ["2099-01-01T01:30:00+01:30", "2098-12-31T19:00:00.5-05:00"]) {
      const { status, body } = await mint(person, { name: "ci", expires_at });
      expect({ status, body }).toMatchObject({ status: 201, body: { expires_at: new Date(expires_at).toISOString() } });
    }
  });

  it("is taken from the header alone: not from a query, a cookie or a body", async () => {
    const { token } = await signUp();
    const text = encodeURIComponent(token);
    for (const name of ["token", "access_token", "api_key", "authorization"])
      expect((await api(`/api/account?${name}=${text}`)).status).toBe(401);
    expect((await api("/api/account", { cookie: `token=${token}` })).status).toBe(401);
    expect((await api("/api/tokens", { body: { name: "x", token } })).status).toBe(401);
    for (const header of ["x-api-key", "x-token", "token", "proxy-authorization"])
      expect((await api("/api/account", { headers: { [header]: `Bearer ${token}` } })).status).toBe(401);
  });

  it("that two headers show is refused", async () => {
    const { token } = await signUp();
    const answer = await api("/api/account", { headers: { authorization: [`Bearer ${token}`, "Bearer x"] } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  it.each([
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: "   " }, "name"],
    [{ name: "x".repeat(101) }, "name"],
    [{ name: "a\u001b[2J" }, "name"],
    [{ name: "x", expires_at: "tomorrow" }, "expires_at"],
    [{ name: "x", expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
    [{ name: "x", account: "a1" }, "account"],
  ])("of %j is refused by the field's name", async (body, field) => {
    expect(await mint(await signUp(), body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });

  it("is one of a hundred at most, also of several at the same time", async () => {
    const person = await signUp();
    const made = await tokenObject(tokenDigits(person.token) ?? "");
    const { account: name } = made.spec;
    const ownerReferences = made.metadata.ownerReferences ?? [];
    for (let count = 1; count < mostTokens; count += 1)
      await admin.create(kinds.tokens, {
        metadata: {
          name: `${2 * 10 ** 14 + Math.floor(Math.random() * 10 ** 14)}`,
          labels: { [labels.account]: name },
          ownerReferences,
        },
        spec: { account: name, title: `t ${count}`, hash: "0".repeat(64) },
      });
    expect(await mint(person)).toMatchObject({ status: 409, body: { code: "limit_reached" } });
    const { metadata } = (await tokensOf(name)).find(({ spec }) => spec.title === "t 1") ?? made;
    await admin.remove(kinds.tokens, "", metadata.name, metadata.uid ?? "");
    await Promise.all(Array.from({ length: 8 }, (_, at) => mint(person, { name: "at once" }, at % 2)));
    const left = mostTokens - (await tokensOf(name)).length;
    expect(left).toBeGreaterThanOrEqual(0);
    for (let count = 0; count < left; count += 1) expect((await mint(person)).status).toBe(201);
    expect(await mint(person, undefined, 1)).toMatchObject({ status: 409, body: { code: "limit_reached" } });
    const seen = new Set<string>();
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: { body: { data: { id: string }[]; next_cursor: string | null } } = await api(
        `/api/tokens?limit=30${cursor ? `&cursor=${cursor}` : ""}`,
        { token: person.token },
      );
      expect(page.body.data.length).toBeLessThanOrEqual(30);
      for (const { id } of page.body.data) seen.add(id);
      cursor = page.body.next_cursor;
    }
    expect(seen.size).toBe(mostTokens);
  });

  it("counts in the tier of minting: ten an hour", async () => {
    const { caller } = await startReplica({ ROWFERRY_LIMITS: "{}" });
    const { token } = await signUp();
    for (let count = 0; count < 10; count += 1)
      expect((await caller.ask("/api/tokens", { token, body: { name: "x" } })).status).toBe(201);
    const refused = await caller.ask("/api/tokens", { token, body: { name: "x" } });
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(3000);
  });
});

describe("a revoked token", () => {
  it.each([1, 2, 3])(
    "is accepted by no replica once the revoke has answered, however busily it is used: %i",
    async () => {
      const person = await signUp();
      const { body } = await mint(person);
      const stop = new AbortController();
      const later: number[] = [];
      let answered = false;
      const use = async (replica: number) => {
        while (!stop.signal.aborted) {
          const after = answered;
          const { status } = await api("/api/account", { token: body.token, replica });
          if (after) later.push(status);
        }
      };
      const users = [0, 1, 0, 1].map(use);
      expect((await revoke(person, body.id, 1)).status).toBe(200);
      answered = true;
      await until("twenty answers", () => later.length >= 20);
      stop.abort();
      await Promise.all(users);
      expect(new Set(later)).toEqual(new Set([401]));
    },
  );

  it("is noted for the replicas, by a version that their watches reach", async () => {
    const noted = async () =>
      BigInt((await admin.get(kinds.configMaps, home, installed.apiWrites))?.data?.apitokens ?? "0");
    const person = await signUp();
    const { body } = await mint(person);
    const made = BigInt((await tokenObject(body.id)).metadata.resourceVersion ?? "");
    expect((await revoke(person, body.id)).status).toBe(200);
    expect(await noted()).toBeGreaterThan(made);
    expect(await noted()).toBeLessThanOrEqual(BigInt(await admin.latest(kinds.tokens)));
  });

  it("is no longer listed, and cannot be revoked again", async () => {
    const person = await signUp();
    const { body } = await mint(person);
    await revoke(person, body.id);
    const { body: list } = await api("/api/tokens", { token: person.token, replica: 1 });
    expect(list.data.map(({ id }: { id: string }) => id)).toEqual([tokenDigits(person.token)]);
    expect((await revoke(person, body.id)).status).toBe(404);
  });

  it("may have revoked itself", async () => {
    const person = await signUp();
    expect((await revoke(person, tokenDigits(person.token) ?? "")).status).toBe(200);
    expect((await api("/api/account", { token: person.token, replica: 1 })).status).toBe(401);
  });

  it("is gone alike when kubectl deletes it, a second later", async () => {
    const person = await signUp();
    const { metadata } = await tokenObject(tokenDigits(person.token) ?? "");
    await admin.remove(kinds.tokens, "", metadata.name, metadata.uid ?? "");
    await until("it to be refused", async () => (await api("/api/account", { token: person.token })).status === 401);
    const { body } = await api("/api/account", { token: person.token });
    expect(body.code).toBe("unauthenticated");
  });
});

it("calls of several accounts cost the cluster a read of the note, and none of who calls", async () => {
  const people = [await signUp(), await signUp(), await signUp(), await signUp()];
  const replica = await startReplica();
  const reads = async () => {
    const text = await (await fetch(`${replica.health}/metrics`)).text();
    return Number(/rowferry_api_kubernetes_requests_total\{method="GET"\} (\d+)/.exec(text)?.[1]);
  };
  const statuses = new Set<number>();
  // Live they would be twelve.
  await until("calls of four accounts for two reads at most", async () => {
    const before = await reads();
    for (const { token } of people) statuses.add((await replica.caller.ask("/api/account", { token })).status);
    return (await reads()) - before <= 2;
  });
  expect([...statuses]).toEqual([200]);
});

describe("another's token", () => {
  it("is not there for who asks, and stays", async () => {
    const [one, other] = [await signUp(), await signUp()];
    const { body } = await mint(one);
    expect(await revoke(other, body.id)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await api("/api/account", { token: body.token })).status).toBe(200);
    expect((await api("/api/tokens", { token: other.token })).text).not.toContain(body.id);
  });

  it("made by hand without an owner opens nothing", async () => {
    const person = await signUp();
    const { body } = await mint(person);
    const stored = await tokenObject(body.id);
    await admin.update(kinds.tokens, { ...stored, metadata: { ...stored.metadata, ownerReferences: [] } });
    await until("it to be refused", async () => (await api("/api/account", { token: body.token })).status === 401);
    const { body: refused } = await api("/api/account", { token: body.token });
    expect(refused.code).toBe("unauthenticated");
  });
});

it("A token's use is written once in five minutes, without holding a call up", async () => {
  const person = await signUp();
  const { body } = await mint(person);
  await Promise.all(Array.from({ length: 40 }, (_, at) => api("/api/account", { token: body.token, replica: at % 2 })));
  const shown = async (replica: number): Promise<unknown> => {
    const { body: list } = await api("/api/tokens", { token: body.token, replica });
    return list.data.find(({ id }: { id: string }) => id === body.id)?.last_used_at;
  };
  // Each replica may write once, and once more when what it read before gives way to what it sees in its cache.
  const { used, metadata } = await until("both replicas to show the use that is stored", async () => {
    const found = await tokenObject(body.id);
    const at = found.status?.lastUsedAt;
    const isShown = at !== undefined && (await shown(0)) === at && (await shown(1)) === at;
    return isShown ? { used: at, metadata: found.metadata } : undefined;
  });
  for (let count = 0; count < 20; count += 1) await api("/api/account", { token: body.token, replica: count % 2 });
  const after = await tokenObject(body.id);
  expect(after.status?.lastUsedAt).toBe(used);
  expect(after.metadata.resourceVersion).toBe(metadata.resourceVersion);
});
