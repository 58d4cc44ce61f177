import { expect, test } from "vitest";
import { api, signUp, startReplica } from "../api/world.ts";
import { connectMcp } from "./client.ts";
import { modern } from "./modern.ts";

const window = (points: number) => [{ points, seconds: 60 }];
const much = window(1_000_000);
const replica = (limits: object) =>
  startReplica({
    ROWFERRY_LIMITS: JSON.stringify({ read: much, write: much, ai: much, probe: much, ...limits }),
  });

const message = (method: string, params: object = {}) => ({
  headers: { accept: "application/json, text/event-stream" },
  body: { jsonrpc: "2.0", id: 1, method, params },
});

test("every request but a handshake and a ping counts in the AI tier, which the 429 tells by HTTP", async () => {
  const { caller } = await replica({ ai: window(2) });
  const { token } = await signUp();
  // The handshake and what notifies of it are free.
  const { client, call } = await connectMcp(token, "/mcp-migrations", caller.ask);
  for (let count = 0; count < 5; count += 1) await client.ping();
  await client.listTools();
  await call("list-migrations-tool");
  await expect(call("list-migrations-tool")).rejects.toThrow(/retry in \d+ seconds?/);
  const refused = await caller.ask("/mcp", { token, ...message("tools/list") });
  expect(refused).toMatchObject({
    status: 429,
    body: { id: 1, error: { message: expect.stringContaining("retry in"), data: { code: "rate_limited" } } },
  });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  await client.ping();
  await client.close();
  // Other tiers, and others' calls, are not touched.
  expect((await caller.ask("/api/migrations", { token })).status).toBe(200);
  expect((await caller.ask("/mcp", { token: (await signUp()).token, ...message("tools/list") })).status).toBe(200);
});

test("a client of the newest revision is told of the limit alike", async () => {
  const { caller } = await replica({ ai: window(2) });
  const { token } = await signUp();
  for (const method of ["server/discover", "tools/list", "tools/list"])
    expect((await caller.ask("/mcp", { token, ...modern(method) })).status).toBe(200);
  const refused = await caller.ask("/mcp", { token, ...modern("tools/list") });
  expect(refused).toMatchObject({
    status: 429,
    body: { id: 1, error: { message: expect.stringContaining("retry in"), data: { code: "rate_limited" } } },
  });
  expect(refused.headers["content-type"]).toMatch(/^application\/json/);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expect((await caller.ask("/mcp", { token, ...modern("server/discover") })).status).toBe(200);
});

test("what is in no tier is bounded by its own limit, which what is in one does not touch", async () => {
  const { caller } = await replica({ handshake: window(6), ai: window(1) });
  const { token } = await signUp();
  const ask = (body: unknown, more: object = {}) =>
    caller.ask("/mcp", { token, raw: JSON.stringify(body), headers: { ...message("").headers, ...more } });
  const ping = message("ping").body;
  const uncounted = [
    await ask(ping),
    await ask({ jsonrpc: "2.0", method: "notifications/initialized" }),
    await ask({ jsonrpc: "2.0", id: 1, result: {} }),
    await ask([ping]),
    await ask(ping, { "content-type": "text/plain" }),
    await ask("x".repeat(70_000)),
  ];
  expect(uncounted.map(({ status }) => status)).toEqual([200, 202, 202, 400, 415, 413]);
  for (const one of [await ask(ping), await ask([ping]), await ask(message("initialize").body)]) {
    expect(one).toMatchObject({ status: 429, body: { error: { data: { code: "rate_limited" } } } });
    expect(one.headers["ratelimit-policy"]).toBe('"handshake";q=6;w=60');
    expect(Number(one.headers["retry-after"])).toBeGreaterThan(0);
  }
  // No stranger spends it, nor is told where it stands.
  const stranger = await caller.ask("/mcp", { token: "1|rfy_wrong", body: ping });
  expect(stranger.status).toBe(401);
  expect(stranger.headers["ratelimit-policy"]).toBeUndefined();
  expect((await ask(message("tools/list").body)).status).toBe(200);
});

test("a preview counts as probe too, and one that is refused for that takes nothing of the AI tier", async () => {
  const { caller } = await replica({ ai: window(3), probe: window(1) });
  const { token } = await signUp();
  const ask = (name: string) =>
    caller.ask("/mcp-migrations", { token, ...message("tools/call", { name, arguments: {} }) });
  expect((await ask("preview-migration-tool")).status).toBe(200);
  for (let count = 0; count < 4; count += 1) expect((await ask("preview-migration-tool")).status).toBe(429);
  for (let count = 0; count < 2; count += 1) expect((await ask("list-migrations-tool")).status).toBe(200);
  expect((await ask("list-migrations-tool")).status).toBe(429);
});

test("a restore counts as read alone", async () => {
  const { caller } = await replica({ ai: window(1), probe: window(1), write: window(1), read: window(4) });
  const { token } = await signUp();
  const ask = (name: string) => caller.ask("/mcp", { token, ...message("tools/call", { name, arguments: {} }) });
  for (let count = 0; count < 4; count += 1) expect((await ask("restore-backup-tool")).status).toBe(200);
  expect((await ask("restore-backup-tool")).status).toBe(429);
  expect((await ask("list-backups-tool")).status).toBe(200);
});

test("a token that was revoked is refused", async () => {
  const { token } = await signUp();
  const [digits] = token.split("|");
  const { client } = await connectMcp(token, "/mcp");
  expect((await api(`/api/tokens/${digits}`, { method: "DELETE", token })).status).toBe(200);
  await expect(client.listTools()).rejects.toThrow('"code":"unauthenticated"');
  await client.close();
});
