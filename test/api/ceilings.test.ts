import { beforeAll, expect, test } from "vitest";
import { until } from "../operator/control-plane.ts";
import { create, pair } from "./migrations-play.ts";
import { type Person, signUp, startReplica } from "./world.ts";

/** Of one replica: what an account and the installation may have in the cluster's store. */

let replica: Awaited<ReturnType<typeof startReplica>>;
let ann: Person;
let bob: Person;
beforeAll(async () => {
  [replica, ann, bob] = await Promise.all([
    startReplica({
      ROWFERRY_CEILINGS: JSON.stringify({ account: { migrations: 2, teams: 1, megabytes: 1 }, installation: {} }),
    }),
    signUp(),
    signUp(),
  ]);
});

const used = async (scope: string, of: string): Promise<number> => {
  const text = await (await fetch(`${replica.health}/metrics`)).text();
  return Number(new RegExp(`^rowferry_api_used\\{scope="${scope}",of="${of}"\\} (\\d+)$`, "m").exec(text)?.[1]);
};
const post = (person: Person, path: string, body: object) => replica.caller.ask(path, { token: person.token, body });

test("an account's ceiling of migrations is told by REST and MCP, and metrics show what is used", async () => {
  const before = await used("installation", "migrations");
  for (let count = 1; count <= 2; count += 1) await create(ann);
  await until("the replica to know of both", async () => (await used("account", "migrations")) >= 2);
  expect(await used("installation", "migrations")).toBe(before + 2);
  expect(await used("account", "bytes")).toBeGreaterThan(1000);
  const words =
    "Your account is limited to 2 migrations. Delete a migration first, or ask your administrator to raise `ceilings.account.migrations`.";
  expect(await post(ann, "/api/migrations", pair)).toMatchObject({
    status: 409,
    body: { code: "limit_reached", detail: words },
  });
  const tool = { name: "prepare-migration-tool", arguments: pair };
  const called = await replica.caller.ask("/mcp-migrations", {
    token: ann.token,
    headers: { accept: "application/json, text/event-stream" },
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: tool },
  });
  expect(called.text).toContain(words);
  expect((await post(bob, "/api/migrations", pair)).status).toBe(201);
});

test("an account's ceiling of teams is told, also of many calls at the same time", async () => {
  const answers = await Promise.all([1, 2, 3, 4].map((at) => post(bob, "/api/teams", { name: `n ${at}` })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    code: "limit_reached",
    detail: expect.stringContaining("`ceilings.account.teams`"),
  });
});

test("the installation's ceiling of teams ends sign-ups", async () => {
  const full = await startReplica({ ROWFERRY_CEILINGS: JSON.stringify({ installation: { teams: 1 } }) });
  const body = { email: "late@example.com", password: "a password that is long" };
  expect(await full.caller.ask("/api/account", { body })).toMatchObject({
    status: 409,
    body: { code: "limit_reached", detail: expect.stringContaining("This installation is limited to 1 teams.") },
  });
});
