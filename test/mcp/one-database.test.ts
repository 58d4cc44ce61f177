import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { api, type Person, signUp } from "../api/world.ts";
import { borrowDatabase } from "../servers/index.ts";
import { connectMcp } from "./client.ts";
import type { McpClient } from "./connect.ts";

/** preview-migration-tool with one database: REST's connection test and the size of REST's estimate. */

let ann: Person;
let mcp: McpClient;
let mysql: Database;
let postgres: Database;
beforeAll(async () => {
  [ann, mysql, postgres] = await Promise.all([signUp(), borrowDatabase("mysql"), borrowDatabase("postgres")]);
  mcp = await connectMcp(ann.token, "/mcp-migrations");
});
afterAll(async () => {
  await mcp?.client.close();
  await Promise.all([mysql, postgres].map((database) => database?.stop()));
});

const preview = (input: object) => mcp.call("preview-migration-tool", { ...input });

test.each(["MySQL", "PostgreSQL"])("an agent tests %s alone as REST's connection test does", async (engine) => {
  const [one, other] = engine === "MySQL" ? [mysql, postgres] : [postgres, mysql];
  const { data, text, isError } = await preview({ source_url: one.url });
  expect(isError, text).toBe(false);
  const tested = await api("/api/connections/test", { token: ann.token, body: { url: one.url } });
  const priced = await api("/api/estimates", {
    token: ann.token,
    body: { source_url: one.url, target_url: other.url },
  });
  expect(data).toMatchObject({
    ready: null,
    size: priced.body.size,
    amount: priced.body.amount,
    currency: priced.body.currency,
    source: { reachable: tested.body.reachable, engine: tested.body.engine, tls: tested.body.tls },
    estimate_id: null,
    reasons: [],
  });
  expect(data.untrusted).toContain(`version: ${tested.body.version}`);
  expect(text).not.toContain("://");
  expect((await api("/api/migrations", { token: ann.token })).body.data).toEqual([]);
});

test("an agent hears that one database refuses the login, and no password", async () => {
  const wrong = new URL(postgres.url);
  wrong.password = "Pl4nted-Passw0rd";
  const shown = await preview({ source_url: wrong.href });
  expect(shown.data, shown.text).toMatchObject({
    reasons: ["access_denied"],
    source: { reachable: true, engine: null },
    size: null,
  });
  expect(shown.text).toContain("The server responds, but refuses the connection.");
  expect(shown.data.untrusted).toMatch(/reason access_denied: .*password/i);
  expect(JSON.stringify(shown)).not.toContain("Pl4nted");
});

test.each([
  ["a placeholder", { source_url: "mysql://user:password@host:3306/db" }, "url_refused"],
  ["a wrong scheme", { source_url: "oracle://anna:x@10.0.0.1/db" }, "url_refused"],
  ["the target alone", { target_url: "postgres://anna:x@10.0.0.1/db" }, "invalid"],
])("%s is refused", async (_what, input, code) => {
  expect(await preview(input)).toMatchObject({ isError: true, text: expect.stringContaining(`${code}: `) });
});
