import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { problems } from "../../src/requests/errors.ts";
import { api, type Person, signUp, startReplica } from "../api/world.ts";
import { connectMcp } from "./client.ts";
import { byHttp } from "./fuzz-play.ts";
import { meta, modern } from "./modern.ts";

let ann: Person;
beforeAll(async () => {
  ann = await signUp();
});

/** The body of an error of HTTP that has a code. */
const fault = (code: string) => ({ jsonrpc: "2.0", id: null, error: { code: -32000, data: { code } } });

const paths = ["/mcp-migrations", "/mcp"] as const;
const accept = "application/json, text/event-stream";
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const post = (path: string, asked: Parameters<typeof api>[1] = {}) =>
  api(path, { token: ann.token, body: initialize, ...asked, headers: { accept, ...asked.headers } });

test("the twelve tools are listed by their names, with all that a model needs, in no more than 27 KB", async () => {
  const lists = await Promise.all(
    paths.map(async (path) => {
      const { client } = await connectMcp(ann.token, path);
      const listed = await client.listTools();
      await client.close();
      return listed;
    }),
  );
  const tools = lists.flatMap((list) => list.tools);
  expect(tools.map(({ name }) => name).sort()).toEqual([
    "create-backup-tool",
    "delete-migration-tool",
    "get-migration-tool",
    "list-backup-runs-tool",
    "list-backups-tool",
    "list-migrations-tool",
    "prepare-migration-tool",
    "preview-migration-tool",
    "reset-migration-tool",
    "restore-backup-tool",
    "retry-migration-tool",
    "run-backup-now-tool",
  ]);
  for (const { title, description, inputSchema, outputSchema, annotations } of tools) {
    expect(title).toBeTruthy();
    expect(description?.length).toBeGreaterThan(40);
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(outputSchema?.type).toBe("object");
    expect(Object.keys(annotations ?? {}).sort()).toEqual([
      "destructiveHint",
      "idempotentHint",
      "openWorldHint",
      "readOnlyHint",
    ]);
  }
  const size = Buffer.byteLength(JSON.stringify(lists));
  console.log(`both lists: ${size} bytes`);
  expect(size).toBeLessThanOrEqual(27 * 1024);
});

test("a client of the newest revision is answered without a handshake", async () => {
  const ask = (method: string) => post("/mcp-migrations", modern(method));
  const discovered = await ask("server/discover");
  expect(discovered.status, discovered.text).toBe(200);
  expect(discovered.body.result.supportedVersions, discovered.text).toContain("2026-07-28");
  const listed = await ask("tools/list");
  expect(listed.body.result.tools, listed.text).toHaveLength(7);
});

describe.each(paths)("%s", (path) => {
  test("takes a bearer token and nothing else, and names no OAuth", async () => {
    for (const asked of [
      { token: undefined, body: initialize },
      { token: "1|rfy_wrong", body: initialize },
      { token: undefined, cookie: ann.cookie, body: initialize },
      ...["server/discover", "tools/list"].flatMap((method) => [
        { token: undefined, ...modern(method) },
        { token: "1|rfy_wrong", ...modern(method) },
      ]),
    ]) {
      const { token, ...rest } = asked;
      const headers = { accept, ...("headers" in asked ? asked.headers : {}) };
      const answer = await api(path, { ...rest, ...(token === undefined ? {} : { token }), headers });
      expect(answer).toMatchObject({ status: 401, body: fault("unauthenticated") });
      expect(answer.headers["content-type"]).toMatch(/^application\/json/);
      expect(answer.headers["www-authenticate"]).toBe('Bearer realm="rowferry"');
    }
    for (const known of ["oauth-protected-resource", "oauth-authorization-server"])
      for (const end of ["", path]) expect((await api(`/.well-known/${known}${end}`)).status).toBe(404);
  });

  test("is no other path", async () => {
    const answer = await post(`${path}/`);
    expect(answer.status).toBe(404);
    expect(answer.headers.location).toBeUndefined();
  });

  test.each(["GET", "DELETE", "PUT", "PATCH"])("takes no %s", async (method) => {
    const answer = await api(path, { method, token: ann.token, headers: { accept } });
    expect(answer).toMatchObject({ status: 405, headers: { allow: "POST, OPTIONS" } });
  });

  test("refuses what is no message, each by its own answer", async () => {
    const answers = {
      batch: await post(path, { body: [initialize] }),
      broken: await post(path, { raw: "{" }),
      empty: await post(path, { raw: "" }),
      large: await post(path, { body: { ...initialize, more: "x".repeat(70_000) } }),
      type: await post(path, { headers: { "content-type": "text/plain" } }),
      accept: await api(path, { token: ann.token, body: initialize, headers: { accept: "text/html" } }),
      nothing: await post(path, { body: { hello: 1 } }),
      version: await post(path, {
        body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
        headers: { "mcp-protocol-version": "1999-01-01" },
      }),
    };
    const found = Object.entries(answers).map(([name, { status, body }]) => [
      name,
      status,
      body?.error?.data?.code ?? body?.error?.code,
    ]);
    expect(found).toEqual([
      ["batch", 400, -32600],
      ["broken", 400, -32700],
      ["empty", 400, -32700],
      ["large", 413, "body_too_large"],
      ["type", 415, "unsupported_media_type"],
      ["accept", 406, -32000],
      ["nothing", 400, -32600],
      ["version", 400, -32000],
    ]);
  });

  test("answers with JSON whoever takes it, by whichever words, and nobody else", async () => {
    for (const { headers, body } of [{ headers: {}, body: initialize }, modern("server/discover")]) {
      const statusOf = async (type: string) =>
        (await post(path, { body, headers: { ...headers, accept: type } })).status;
      for (const type of ["*/*", "application/json", "Application/JSON, text/event-stream", "application/*;q=0.1"])
        expect(await statusOf(type), type).toBe(200);
      for (const type of ["text/html", "text/event-stream", "application/json;q=0, text/event-stream"])
        expect(await statusOf(type), type).toBe(406);
    }
  });

  test("quotes little of what it refuses, however long that is", async () => {
    const long = "a".repeat(60_000);
    for (const body of [
      { jsonrpc: "2.0", id: 1, method: "ping", params: { _meta: meta(long) } },
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: long } },
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list-backups-tool", arguments: { [long]: 1 } } },
    ])
      expect((await post(path, { body })).text.length).toBeLessThan(2500);
  });

  test("refuses a foreign page, by its Origin and by its Host", async () => {
    for (const headers of [{ origin: "https://foreign.example" }, { origin: "null" }, { host: "foreign.example" }])
      expect(await post(path, { headers })).toMatchObject({ status: 403, body: fault("origin_refused") });
  });

  test("takes a notification without an answer", async () => {
    const answer = await post(path, { body: { jsonrpc: "2.0", method: "notifications/initialized" } });
    expect(answer).toMatchObject({ status: 202, text: "" });
  });

  test("answers an unknown method and an unknown tool as JSON-RPC does", async () => {
    const ask = (method: string, params: object) =>
      post(path, {
        body: { jsonrpc: "2.0", id: 1, method, params },
        headers: { "mcp-protocol-version": "2025-11-25" },
      });
    expect((await ask("resources/list", {})).body.error.code).toBe(-32601);
    expect((await ask("tools/call", { name: "drop-all-tool", arguments: {} })).body.error.code).toBe(-32602);
  });
});

test("docs/mcp.md has the answers of HTTP, each by its status", () => {
  const page = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| (\d{3}) +\| (?:`(\w+)`)? *\|/gm)];
  const statuses = rows.map(([, status]) => Number(status));
  expect(statuses).toEqual(expect.arrayContaining(byHttp.filter((status) => status >= 400)));
  for (const [, status, code] of rows)
    if (code !== undefined) expect(problems).toHaveProperty(`${code}.status`, Number(status));
});

describe("a tool says what is wrong with its input, and repeats no URL", () => {
  const secret = "S3cret-Word";
  const good = `mysql://reader:${secret}@127.0.0.1:9/shop`;
  test.each([
    ["a placeholder", { source_url: "mysql://user:password@host:3306/db", target_url: good }, "never invent one"],
    ["a missing field", { target_url: good }, "source_url"],
    ["a foreign scheme", { source_url: `http://a:${secret}@b/c`, target_url: good }, "postgres:// or postgresql://."],
    ["a URL as a field", { source_url: good, target_url: good, [good]: 1 }, "is unknown"],
    ["an option that is none", { source_url: good, target_url: good, options: { jobs: 99 } }, "options.jobs"],
    ["one database twice", { source_url: good, target_url: good }, "same database"],
  ])("%s", async (_what, input, words) => {
    const { client, call } = await connectMcp(ann.token, "/mcp-migrations");
    for (const name of ["preview-migration-tool", "prepare-migration-tool"]) {
      const said = await call(name, input);
      expect(said).toMatchObject({ isError: true, text: expect.stringContaining(words) });
      expect(said.text).not.toMatch(new RegExp(`${secret}|reader|://[^, .]`));
    }
    await client.close();
  });
});

test("the tools of backups say that backups are not enabled", async () => {
  const { caller } = await startReplica({ ROWFERRY_BACKUPS: "false" });
  const { client, call } = await connectMcp(ann.token, "/mcp", caller.ask);
  const url = "postgres://reader:word@127.0.0.1:9/shop";
  for (const [name, input] of [
    ["list-backups-tool", {}],
    ["create-backup-tool", { database_url: url }],
    ["run-backup-now-tool", { id: "a" }],
    ["list-backup-runs-tool", { id: "a" }],
    ["restore-backup-tool", { id: "a", run: "b", target_url: url }],
  ] as const)
    expect(await call(name, input)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^backups_disabled: Backups are not enabled/),
    });
  await client.close();
});
