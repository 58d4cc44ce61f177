import { beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "./http.ts";
import { api, open, type Person, provided, signUp } from "./world.ts";

/** What HTTP asks of every path, on real replicas. */

let person: Person;
beforeAll(async () => {
  person = await signUp();
});

const expectProblem = (answer: Answer, status: number, code: string) => {
  expect(answer.body).toMatchObject({
    type: `${provided.baseUrl}/docs/errors#${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    code,
    request_id: answer.headers["x-request-id"],
  });
  expect(answer.status).toBe(status);
  expect(answer.headers["content-type"]).toBe("application/problem+json");
  expect(answer.headers["cache-control"]).toBe("no-store");
};

test("A token that was just minted is known to both replicas", async () => {
  for (const replica of [0, 1]) {
    const answer = await api("/api/account", { token: person.token, replica });
    expect(answer).toMatchObject({ status: 200, body: { email: person.email } });
  }
});

describe("paths and methods", () => {
  test.each([
    "/api",
    "/api/nothing",
    "/api/account/",
    "/API/account",
    "//api/account",
    "/api/migrations/%zz",
    "/api/%2e%2e/account",
    "/.env",
    "/api/account;x=1",
  ])("%s is a 404", async (path) => {
    expectProblem(await api(path, { token: person.token }), 404, "not_found");
  });

  test("the root leads to the documentation, with or without a token", async () => {
    for (const asked of [{}, { token: person.token }])
      expect(await api("/", asked)).toMatchObject({ status: 302, headers: { location: "docs" } });
    expect(await api("/", { method: "POST" })).toMatchObject({ status: 405, headers: { allow: "GET, HEAD, OPTIONS" } });
  });

  test.each([
    ["/api/migrations/", "/api/migrations"],
    ["/api/migrations/abc/logs/", "/api/migrations/{id}/logs"],
    ["/openapi.json//", "/openapi.json"],
  ])("%s says that the slash at its end is too much", async (path, meant) => {
    const answer = await api(path, { token: person.token });
    expectProblem(answer, 404, "not_found");
    expect(answer.body.detail).toBe(`Nothing is at this path. Remove the slash at its end: ${meant}`);
  });

  test("a slash at the end of an MCP server's path is too much, in the words of its protocol", async () => {
    const detail = "Nothing is at this path. Remove the slash at its end: /mcp-migrations";
    expect(await api("/mcp-migrations/", { token: person.token })).toMatchObject({
      ...{ status: 404, body: { jsonrpc: "2.0", id: null, error: { message: detail, data: { code: "not_found" } } } },
    });
  });

  test.each([
    ["PUT", "/api/account", "POST, GET, PATCH, HEAD, OPTIONS"],
    ["TRACE", "/openapi.json", "GET, HEAD, OPTIONS"],
    ["DELETE", "/api/tokens", "GET, POST, HEAD, OPTIONS"],
    ["GET", "/api/migrations/preflight", "POST, OPTIONS"],
  ])("%s %s is a 405 that names the methods", async (method, path, allow) => {
    const answer = await api(path, { method, token: person.token });
    expectProblem(answer, 405, "method_not_allowed");
    expect(answer.headers.allow).toBe(allow);
  });

  test("OPTIONS names the methods, and CORS is off", async () => {
    const answer = await api("/api/tokens", {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect(answer).toMatchObject({ status: 204, text: "", headers: { allow: "GET, POST, HEAD, OPTIONS" } });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("OPTIONS says of a path the same whoever asks, and whether its id is somebody's or nobody's", async () => {
    const minted = await api("/api/tokens", { token: person.token, body: { name: "asked" } });
    const said = async (path: string, token?: string) => {
      const { status, text, headers } = await api(path, { method: "OPTIONS", ...(token ? { token } : {}) });
      return { status, text, allow: headers.allow, names: Object.keys(headers).sort() };
    };
    const [theirs, nobodys] = [`/api/tokens/${minted.body.id}`, "/api/tokens/100000000000000"];
    const first = await said(theirs);
    expect(first).toMatchObject({ status: 204, text: "" });
    for (const path of [theirs, nobodys])
      for (const token of [undefined, person.token]) expect(await said(path, token)).toEqual(first);
  });

  test("what is made tells where it is", async () => {
    const minted = await api("/api/tokens", { token: person.token, body: { name: "located" } });
    expect(minted.headers.location).toBe(`/api/tokens/${minted.body.id}`);
    const team = await api("/api/teams", { token: person.token, body: { name: "Located" } });
    expect(team.headers.location).toBe(`/api/teams/${team.body.team.id}/members`);
  });

  test("HEAD has the headers of GET and no body", async () => {
    const [got, head] = [
      await api("/api/account", { token: person.token }),
      await api("/api/account", { method: "HEAD", token: person.token }),
    ];
    expect(head).toMatchObject({ status: 200, text: "" });
    for (const name of ["etag", "content-type", "content-length"]) expect(head.headers[name]).toBe(got.headers[name]);
  });
});

describe("what is accepted", () => {
  const at = (accept: string) => api("/api/account", { token: person.token, headers: { accept } });

  test.each([
    "*/*",
    "application/json",
    "application/*",
    "text/html, application/json;q=0.1",
    "application/problem+json",
  ])("Accept: %s passes", async (accept) => {
    expect((await at(accept)).status).toBe(200);
  });
  test.each(["text/html", "application/xml", "application/json;q=0", "image/*"])(
    "Accept: %s is a 406",
    async (accept) => {
      expectProblem(await at(accept), 406, "not_acceptable");
    },
  );
});

describe("bodies", () => {
  const send = (raw: string | Buffer, headers: Record<string, string> = {}) =>
    api("/api/tokens", { method: "POST", token: person.token, raw, headers });

  test.each([
    ["text/plain", {}],
    ["application/x-www-form-urlencoded", {}],
    ["application/json; charset=latin1", {}],
    ["application/json", { "content-encoding": "gzip" }],
  ])("of %s %j are a 415", async (type, more) => {
    expectProblem(await send('{"name":"a"}', { "content-type": type, ...more }), 415, "unsupported_media_type");
  });

  test("with a charset of UTF-8 pass", async () => {
    expect((await send('{"name":"ä"}', { "content-type": 'application/json; charset="UTF-8"' })).status).toBe(201);
  });

  test("of more than 64 KB are a 413, announced or in pieces", async () => {
    const large = JSON.stringify({ name: "x".repeat(65_536) });
    expectProblem(await send(large), 413, "body_too_large");
    const chunked = { "transfer-encoding": "chunked" };
    expectProblem(await send(large, chunked), 413, "body_too_large");
    // Also of one that is still on its way when it is refused.
    const larger = JSON.stringify({ name: "x".repeat(10_000_000) });
    for (const headers of [{}, chunked]) expectProblem(await send(larger, headers), 413, "body_too_large");
    expect((await api("/api/account", { token: person.token })).status).toBe(200);
  });

  test.each([
    ["{", "line 1, column 2"],
    ['{"name": "a",}', "line 1, column 14"],
    ["{\n \"name\": 'a'}", "line 2, column 10"],
    ['{"name":"a","name":"b"}', "name is repeated: send it once"],
    ['{"__proto__":{"name":"a"}}', "may not be named __proto__"],
    [`${"[".repeat(2000)}`, "deeper than 32"],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), "not text in UTF-8"],
    ["\ufeff{}", "column 1"],
  ])("that are malformed (%j) are a 422 with the place", async (raw, words) => {
    const answer = await send(raw);
    expectProblem(answer, 422, "invalid");
    expect(answer.body.errors).toEqual([{ field: "body", message: expect.stringContaining(words) }]);
  });

  test.each([
    ["", "body", "is required"],
    ["null", "body", "must be an object"],
    ["[]", "body", "must be an object"],
    ["{}", "name", "is required (string)"],
    ['{"name":1}', "name", "must be a string"],
    ['{"name":"a","owner":"b"}', "owner", "is unknown: remove it; allowed are name"],
    ['{"name":"a","constructor":{"prototype":{"admin":true}}}', "constructor", "is unknown"],
  ])("that are not right (%s) are a 422 with the field", async (raw, field, words) => {
    const answer = await send(raw);
    expectProblem(answer, 422, "invalid");
    expect(answer.body.errors).toEqual([{ field, message: expect.stringContaining(words) }]);
    expect(answer.body.detail).toContain(words);
  });

  test("that nobody asks for are refused, but for an empty object", async () => {
    expect(
      (await api("/api/session", { method: "DELETE", token: person.token, raw: '{"all":true}' })).body,
    ).toMatchObject({
      code: "invalid",
      errors: [{ field: "body" }],
    });
  });
});

describe("queries", () => {
  test.each([
    ["/api/tokens?limit=1&limit=2", "limit", "is repeated"],
    ["/api/tokens?limt=1", "limt", "is unknown"],
    ["/api/account?token=1%7Crfy_x", "token", "is unknown"],
    ["/api/tokens?__proto__=1", "__proto__", "is unknown"],
  ])("%s is a 422 with the parameter", async (path, field, words) => {
    const answer = await api(path, { token: person.token });
    expectProblem(answer, 422, "invalid");
    expect(answer.body.errors).toEqual([{ field, message: expect.stringContaining(words) }]);
  });
});

describe("headers", () => {
  test("a request's id is taken over where it is harmless, and there is always one", async () => {
    const id = "trace-4bf92f3577b34da6a3ce929d0e0e4736";
    expect((await api("/healthz", { headers: { "x-request-id": id } })).headers["x-request-id"]).toBe(id);
    for (const bad of ["", " ", "a b", "<script>", "x".repeat(101), "ä"]) {
      const answer = await api("/healthz", { headers: { "x-request-id": bad } });
      expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    }
  });

  test("one that is security's business and stands twice is a 400", async () => {
    for (const [name, values] of [
      ["authorization", [`Bearer ${person.token}`, "Bearer 1"]],
      ["idempotency-key", ["a", "b"]],
      ["x-request-id", ["a", "b"]],
      ["origin", ["https://a.example", provided.baseUrl]],
    ] as const) {
      expectProblem(await api("/api/account", { headers: { [name]: [...values] } }), 400, "malformed_request");
    }
  });

  test("of more than 16 KB are a 431", async () => {
    expectProblem(await api("/healthz", { headers: { "x-long": "x".repeat(17_000) } }), 431, "headers_too_large");
  });

  test("every answer tells browsers to guess, frame and keep nothing", async () => {
    for (const path of ["/api/account", "/openapi.json", "/nothing"]) {
      const { headers } = await api(path, { token: person.token });
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "strict-transport-security": expect.stringMatching(/^max-age=\d{8}/),
        "referrer-policy": "no-referrer",
        "content-security-policy": expect.stringContaining("default-src 'none'"),
      });
      expect(headers["x-powered-by"]).toBeUndefined();
      if (path !== "/openapi.json") expect(headers["cache-control"]).toBe("no-store");
    }
  });

  test("a 401 names the scheme, with a broken token, an empty one and none", async () => {
    for (const headers of [
      {},
      { authorization: "Bearer" },
      { authorization: "Basic eDp5" },
      { authorization: "Bearer 1|x" },
    ]) {
      const answer = await api("/api/account", { headers });
      expectProblem(answer, 401, "unauthenticated");
      expect(answer.headers["www-authenticate"]).toBe('Bearer realm="rowferry"');
    }
  });
});

test("A GET's ETag answers 304 while nothing changed, on both replicas", async () => {
  const { headers } = await api("/api/account", { token: person.token });
  const etag = String(headers.etag);
  expect(etag).toMatch(/^"[\w-]+"$/);
  for (const shown of [etag, `W/${etag}`, `"other", ${etag}`, "*"])
    expect(
      await api("/api/account", { token: person.token, replica: 1, headers: { "if-none-match": shown } }),
    ).toMatchObject({ status: 304, text: "", headers: { etag } });
  expect((await api("/api/account", { token: person.token, headers: { "if-none-match": '"other"' } })).status).toBe(
    200,
  );
});

test("A caller who goes away in the middle of a body harms nobody", async () => {
  const response = open("/api/tokens", {
    method: "POST",
    token: person.token,
    raw: '{"na',
    headers: { "content-length": "100" },
  });
  response.catch(() => {});
  expect((await api("/api/account", { token: person.token })).status).toBe(200);
});
