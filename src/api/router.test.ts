import { randomBytes } from "node:crypto";
import { PassThrough } from "node:stream";
import type { Request, Response } from "express";
import { expect, test } from "vitest";
import * as z from "zod";
import { passesOf } from "../requests/freshness/fresh.ts";
import { makeToken } from "../requests/tokens/token.ts";
import type { World } from "../requests/world.ts";
import { createFlight } from "./flight.ts";
import type { RateLimiter } from "./limits.ts";
import type { Operation } from "./openapi/operation.ts";
import { runOperation } from "./router.ts";
import type { Streams } from "./streams/open.ts";

const minted = makeToken(randomBytes);

/** One account with one token, and a request whose body comes when the case sends it. */
function scene(operation: Partial<Operation>, authorization?: string) {
  const state = { revoked: false, runs: 0, taken: 0, teams: ["t1"], looks: 0, steady: 0 };
  const team = { metadata: { name: "t1" }, spec: { title: "One", members: [{ account: "a1", role: "owner" }] } };
  const world = {
    caches: { tokens: { get: () => undefined } },
    fresh: {
      account: async () => {
        state.looks += 1;
        return { metadata: { name: "a1", uid: "u1" }, spec: { email: "a@b.c", actingTeam: "t1" } };
      },
      team: async (name: string) => (state.teams.includes(name) ? team : undefined),
      token: async () =>
        state.revoked
          ? undefined
          : {
              metadata: { name: minted.digits, ownerReferences: [{ kind: "Account", name: "a1", uid: "u1" }] },
              spec: { account: "a1", title: "ci", hash: minted.hash },
              status: { lastUsedAt: new Date().toISOString() },
            },
      ...passesOf(() => state.steady),
    },
    now: () => new Date(),
  } as unknown as World;
  const headers: Record<string, string> = { "content-type": "application/json", "transfer-encoding": "chunked" };
  if (authorization !== undefined) headers.authorization = authorization;
  const body = new PassThrough();
  const request = Object.assign(body, {
    method: "POST",
    url: "/x",
    headers,
    headersDistinct: {},
    params: {},
    get: (name: string) => headers[name],
    accepts: () => "application/json",
  }) as unknown as Request;
  const answered = Promise.withResolvers<string>();
  const response = {
    locals: {},
    once: () => response,
    set: () => response,
    status: () => response,
    end: (text: string) => answered.resolve(text),
  } as unknown as Response;
  const begun = Promise.withResolvers<void>();
  const limits = {
    async spend() {
      state.taken += 1;
      begun.resolve();
      return { standings: [], giveBack: async () => {} };
    },
  } as unknown as RateLimiter;
  const whole: Operation = {
    id: "x",
    method: "post",
    path: "/x",
    summary: "",
    description: "",
    tag: "",
    auth: "token",
    tier: "write",
    body: z.object({}),
    answer: { status: 200, description: "", schema: z.object({}) },
    problems: [],
    examples: { response: {} },
    async run() {
      state.runs += 1;
      return { body: {} };
    },
    ...operation,
  };
  const flight = createFlight({ most: 1, mostOfOne: 1 });
  const ended = runOperation(whole, { world, limits, streams: {} as Streams, flight }, request, response);
  ended.catch(() => {});
  return { state, body, begun: begun.promise, ended };
}
const bearer = `Bearer ${minted.plaintext}`;

test("A call whose body came slowly runs", async () => {
  const { state, body, begun, ended } = scene({}, bearer);
  await begun;
  body.end("{}");
  await ended;
  expect(state).toMatchObject({ runs: 1, taken: 1 });
});

test.each([
  ["at once", 0, 1],
  ["slowly", 900, 2],
])("Where the body comes %s, who calls is looked up so often", async (_how, steady, looks) => {
  const { state, body, begun, ended } = scene({}, bearer);
  await begun;
  state.steady = steady;
  body.end("{}");
  await ended;
  expect(state.looks).toBe(looks);
});

test.each([{}, { withoutTeam: true as const }])(
  "A token that is revoked while the body comes acts no more: %j",
  async (operation) => {
    const { state, body, begun, ended } = scene(operation, bearer);
    await begun;
    state.revoked = true;
    state.steady += 900;
    body.end("{}");
    await expect(ended).rejects.toMatchObject({ code: "unauthenticated" });
    expect(state.runs).toBe(0);
  },
);

test("Who is removed from the team while the body comes acts no more", async () => {
  const { state, body, begun, ended } = scene({}, bearer);
  await begun;
  state.teams = [];
  state.steady += 900;
  body.end("{}");
  await expect(ended).rejects.toMatchObject({ code: "not_a_member" });
  expect(state.runs).toBe(0);
});

test.each([
  ["a stranger", { auth: "credentials" as const }, undefined, 16_384],
  ["an account", {}, bearer, 65_536],
])("Of %s no more of a body is held than it may have", async (_who, operation, authorization, most) => {
  const { state, body, ended } = scene(operation, authorization);
  for (let size = 0; size <= most; size += 1024) body.write(" ".repeat(1024));
  await expect(ended).rejects.toMatchObject({
    code: "body_too_large",
    message: expect.stringContaining(`${most} bytes`),
  });
  expect(state.runs).toBe(0);
});

test("A stranger is refused before the body is read", async () => {
  for (const authorization of [undefined, "Bearer x"]) {
    const { state, body, ended } = scene({}, authorization);
    await expect(ended).rejects.toMatchObject({ code: "unauthenticated" });
    expect(state.taken).toBe(0);
    expect(body.readableFlowing).toBeNull();
  }
});
