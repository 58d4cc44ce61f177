import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Account } from "../../resources/account.ts";
import type { Team } from "../../resources/team.ts";
import type { ApiToken } from "../../resources/token.ts";
import { passesOf } from "../freshness/fresh.ts";
import { makeToken } from "../tokens/token.ts";
import type { World } from "../world.ts";
import { authenticate, identify, type RequestCredentials } from "./authenticate.ts";
import { openSession, sessionCookie } from "./session.ts";

const noon = new Date("2030-01-31T12:00:00Z");
const minted = makeToken(randomBytes);

/** A world of one account, its token and its team, of which a case changes what it is about. */
function worldOf(
  change: {
    account?: Partial<Account["spec"]>;
    token?: Partial<ApiToken["spec"]>;
    usedAt?: string;
    owner?: string;
    /** Whether the caches have heard of it all. */
    cached?: boolean;
  } = {},
) {
  const account: Account = {
    metadata: { name: "a1", uid: "u1" },
    spec: { email: "ann@example.com", plan: "free", actingTeam: "t1", ...change.account },
  };
  const team: Team = { metadata: { name: "t1" }, spec: { title: "One", members: [{ account: "a1", role: "owner" }] } };
  const other: Team = { metadata: { name: "t2" }, spec: { title: "Two", members: [{ account: "a2", role: "owner" }] } };
  const token: ApiToken = {
    metadata: {
      name: minted.digits,
      uid: "k1",
      ownerReferences: [{ apiVersion: "", kind: "Account", name: "a1", uid: change.owner ?? "u1" }],
    },
    spec: { account: "a1", title: "ci", hash: minted.hash, ...change.token },
    ...(change.usedAt === undefined ? {} : { status: { lastUsedAt: change.usedAt } }),
  };
  const reads: string[] = [];
  const state = { now: noon.getTime(), steady: 0 };
  const uses: unknown[] = [];
  const found = <T extends { metadata: { name: string } }>(...objects: T[]) => {
    return async (name: string) => {
      reads.push(name);
      return objects.find(({ metadata }) => metadata.name === name);
    };
  };
  const cache = (object: object) => ({ get: () => (change.cached ? object : undefined) });
  const world = {
    caches: { tokens: cache(token), accounts: cache(account) },
    fresh: {
      account: found(account),
      team: found(team, other),
      token: found(token),
      everywhere: async () => {},
      ...passesOf(() => state.steady),
    },
    client: {
      async applyStatus(_kind: unknown, { status }: { status: unknown }) {
        uses.push(status);
        throw new Error("the cluster is away");
      },
    },
    secret: new Uint8Array(32).fill(7),
    now: () => new Date(state.now),
    randomBytes,
    settings: { baseUrl: "https://rowferry.example:8443" },
  } as unknown as World;
  return { world, account, reads, uses, state };
}

const shown = (more: Partial<RequestCredentials>): RequestCredentials => ({
  authorization: undefined,
  cookie: undefined,
  origin: undefined,
  method: "GET",
  ...more,
});
const bearer = (token: string) => shown({ authorization: `Bearer ${token}` });
const cookie = (value: string, more: Partial<RequestCredentials> = {}) =>
  shown({ cookie: `${sessionCookie}=${value}`, ...more });

describe("a token", () => {
  it.each([`Bearer ${minted.plaintext}`, `bearer   ${minted.plaintext} `, `BEARER ${minted.plaintext}`])(
    "tells who calls, and for which team: %.12s",
    async (authorization) => {
      const caller = await authenticate(worldOf().world, shown({ authorization }));
      expect(caller).toMatchObject({ token: minted.digits, role: "owner" });
      expect(caller.account.metadata.name).toBe("a1");
      expect(caller.team.metadata.name).toBe("t1");
    },
  );
  it.each([
    ["no scheme", minted.plaintext],
    ["another scheme", `Basic ${minted.plaintext}`],
    ["nothing behind the scheme", "Bearer "],
    ["two tokens", `Bearer ${minted.plaintext} ${minted.plaintext}`],
    ["digits alone", `Bearer ${minted.digits}`],
    ["a wrong checksum", `Bearer ${minted.plaintext.slice(0, -1)}${minted.plaintext.endsWith("0") ? "1" : "0"}`],
    ["a very long one", `Bearer ${minted.plaintext.repeat(50)}`],
    ["an empty header", ""],
  ])("that cannot be one is refused without asking the cluster: %s", async (_what, authorization) => {
    const { world, reads } = worldOf();
    await expect(authenticate(world, shown({ authorization }))).rejects.toMatchObject({ code: "unauthenticated" });
    expect(reads).toEqual([]);
  });
  it("that nobody minted is refused", async () => {
    const promise = authenticate(worldOf().world, bearer(makeToken(randomBytes).plaintext));
    await expect(promise).rejects.toMatchObject({ code: "unauthenticated", status: 401 });
  });
  it("of the right digits with another secret is refused in the words for an unknown one", async () => {
    const { world } = worldOf({ token: { hash: "0".repeat(64) } });
    const unknown = await identify(world, bearer(makeToken(randomBytes).plaintext)).catch((error: Error) => error);
    const wrong = await identify(world, bearer(minted.plaintext)).catch((error: Error) => error);
    expect(wrong).toMatchObject({ code: "unauthenticated" });
    expect((wrong as Error).message).toBe((unknown as Error).message);
  });
  it("of the right digits with another secret costs no read where the cache has it", async () => {
    const { world, reads } = worldOf({ token: { hash: "0".repeat(64) }, cached: true });
    await expect(identify(world, bearer(minted.plaintext))).rejects.toMatchObject({ code: "unauthenticated" });
    expect(reads).toEqual([]);
  });
  it("has all that its call needs read at once where the cache has it", async () => {
    const { world, reads } = worldOf({ cached: true });
    const caller = authenticate(world, bearer(minted.plaintext));
    expect(reads).toEqual(["a1", "t1", minted.digits]);
    await expect(caller).resolves.toMatchObject({ role: "owner" });
  });
  it("holds until its expiry and not at it", async () => {
    const until = (time: string) =>
      authenticate(worldOf({ token: { expiresAt: time } }).world, bearer(minted.plaintext));
    await expect(until("2030-01-31T12:00:00.001Z")).resolves.toBeDefined();
    await expect(until("2030-01-31T12:00:00.000Z")).rejects.toThrow("expired");
  });
  it("of who had the address before is refused", async () => {
    const promise = authenticate(worldOf({ owner: "u0" }).world, bearer(minted.plaintext));
    await expect(promise).rejects.toMatchObject({ code: "unauthenticated" });
  });
  it("is what counts where a cookie is there too", async () => {
    const { world, account } = worldOf();
    const both = { ...cookie(openSession(world, account)), authorization: "Bearer x" };
    await expect(authenticate(world, both)).rejects.toMatchObject({ code: "unauthenticated" });
  });
  it.each([
    ["never used before", undefined, 1],
    ["used five minutes ago", "2030-01-31T11:55:00Z", 1],
    ["used a moment ago", "2030-01-31T11:55:01Z", 0],
  ])("has its use written, once and without harm when that fails: %s", async (_what, usedAt, writes) => {
    const { world, uses } = worldOf(usedAt === undefined ? {} : { usedAt });
    for (let count = 0; count < 5; count += 1) await authenticate(world, bearer(minted.plaintext));
    expect(uses).toEqual(Array.from({ length: writes }, () => ({ lastUsedAt: noon.toISOString() })));
  });
});

it("a use that could not be written is written after a while, also where the token stays the same object", async () => {
  const { world, uses, state } = worldOf();
  for (const after of [0, 29_999, 1, 1]) {
    state.now += after;
    await authenticate(world, bearer(minted.plaintext));
  }
  expect(uses).toHaveLength(2);
});

describe("a session", () => {
  const origin = "https://rowferry.example:8443";
  it("tells who calls", async () => {
    const { world, account } = worldOf();
    const caller = await authenticate(world, cookie(openSession(world, account)));
    expect(caller.session).toMatchObject({ expiresAt: new Date("2030-02-07T12:00:00Z") });
    expect(caller.token).toBeUndefined();
  });
  it.each(["GET", "HEAD"])("reads from anywhere: %s", async (method) => {
    const { world, account } = worldOf();
    const value = openSession(world, account);
    const caller = await authenticate(world, cookie(value, { method, origin: "https://evil.example" }));
    expect(caller.session).toMatchObject({ expiresAt: new Date("2030-02-07T12:00:00Z") });
  });
  it.each(["POST", "PATCH", "DELETE"])("changes from our own origin alone: %s", async (method) => {
    const { world, account } = worldOf();
    const value = openSession(world, account);
    await expect(authenticate(world, cookie(value, { method, origin }))).resolves.toBeDefined();
    for (const foreign of [
      undefined,
      "null",
      "",
      "https://evil.example",
      "http://rowferry.example:8443",
      "https://rowferry.example",
      "https://rowferry.example:8443.evil.example",
      `${origin}/`,
    ])
      await expect(authenticate(world, cookie(value, { method, origin: foreign }))).rejects.toMatchObject({
        code: "origin_refused",
        status: 403,
      });
  });
  it("that was ended is refused", async () => {
    const { world, account } = worldOf();
    const value = openSession(world, account);
    const { world: later } = worldOf({ account: { sessions: { generation: 1, ended: [] } } });
    await expect(authenticate(later, cookie(value))).rejects.toMatchObject({ code: "unauthenticated" });
  });
  it.each(["", "x", "x.y"])("that is none is refused: %j", async (value) => {
    await expect(authenticate(worldOf().world, cookie(value))).rejects.toMatchObject({ code: "unauthenticated" });
  });
});

it.each([
  ["identify", identify, 0],
  ["authenticate", authenticate, 0],
  ["where the clock was set back meanwhile", authenticate, -3_600_000],
])("of reads that took their time, the first ones are looked at again: %s", async (_how, look, set) => {
  const { world, reads, state } = worldOf();
  let slow = true;
  const { account } = world.fresh;
  const slowly: World = {
    ...world,
    fresh: {
      ...world.fresh,
      async account(name) {
        if (slow) {
          state.steady += 900;
          state.now += set;
        }
        slow = false;
        return account(name);
      },
    },
  };
  await expect(look(slowly, bearer(minted.plaintext))).resolves.toMatchObject({ token: minted.digits });
  expect(reads.filter((name) => name === minted.digits)).toHaveLength(2);
});

it("of reads that are slow for good no more are made than two looks take", async () => {
  const { world, reads, state } = worldOf();
  const slowly =
    <T>(read: (name: string) => Promise<T>) =>
    async (name: string) => {
      state.steady += 900;
      return read(name);
    };
  const { account, team, token } = world.fresh;
  const fresh = { ...world.fresh, account: slowly(account), team: slowly(team), token: slowly(token) };
  const all = authenticate({ ...world, fresh }, bearer(minted.plaintext));
  await expect(all).rejects.toMatchObject({ code: "unavailable", retryAfter: 2 });
  expect(reads).toHaveLength(6);
});

it("who shows nothing is told what to send", async () => {
  await expect(authenticate(worldOf().world, shown({}))).rejects.toThrow("Authorization: Bearer");
});

it.each(["t2", "t3"])("who is not in the acting team %s may not act, but is known", async (actingTeam) => {
  const { world } = worldOf({ account: { actingTeam } });
  await expect(authenticate(world, bearer(minted.plaintext))).rejects.toMatchObject({ code: "not_a_member" });
  await expect(identify(world, bearer(minted.plaintext))).resolves.toMatchObject({ token: minted.digits });
});
