import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { problems } from "../../requests/errors.ts";
import type { LimitName } from "../limits.ts";
import { operationsOf } from "../table.ts";
import { openApi } from "./index.ts";

const operations = operationsOf({ ready: () => true, document: () => ({}) });
const none = new Proxy({} as Record<LimitName, []>, { get: () => [] });
const document = openApi(operations, { baseUrl: "https://rowferry.example", version: "1", limits: none });

interface Described {
  security: object[];
  responses: Record<string, { headers?: object; content?: object }>;
}
const described = (method: string, path: string): Described => {
  const found = (document["paths"] as Record<string, Record<string, Described>>)[path]?.[method];
  if (found === undefined) throw new Error(`${method} ${path} is not described`);
  return found;
};

describe("each operation's examples are what its schemas say", () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))("%s", (_id, operation) => {
    const { body, answer, examples } = operation;
    if (answer.type === undefined) {
      const parsed = answer.schema.safeParse(examples.response);
      expect(parsed.error).toBeUndefined();
      expect(parsed.data).toEqual(examples.response);
    }
    if (body !== undefined && !operation.bodyOptional) expect(examples.request).toBeDefined();
    if (examples.request !== undefined) expect(body?.strict().safeParse(examples.request).error).toBeUndefined();
  });
});

const engineOfScheme: Record<string, string[]> = { mysql: ["MySQL", "MariaDB"], postgresql: ["PostgreSQL"] };

test("The engine and the type of an example are those of its URLs", () => {
  const asked = operations.flatMap(({ id, examples }) => {
    const { url, source_url, target_url } = (examples.request ?? {}) as Record<string, string>;
    return url === undefined && source_url === undefined ? [] : [{ id, url, source_url, target_url, examples }];
  });
  expect(asked.map(({ id }) => id)).toEqual(
    expect.arrayContaining(["createMigration", "preflightMigration", "testConnection"]),
  );
  const fits = (engine: unknown, url = "") =>
    engine === undefined || engineOfScheme[new URL(url).protocol.slice(0, -1)]?.includes(String(engine)) === true;
  for (const { id, url, source_url, target_url, examples } of asked) {
    const { engine, source, target, type, migration } = examples.response as Record<string, Record<string, unknown>>;
    expect([id, fits(engine, url), fits(source?.["engine"], source_url), fits(target?.["engine"], target_url)]).toEqual(
      [id, true, true, true],
    );
    const shown = migration?.["type"] ?? type;
    if (shown === undefined || source_url === undefined || target_url === undefined) continue;
    const isSame = new URL(source_url).protocol === new URL(target_url).protocol;
    expect([id, shown]).toEqual([id, isSame ? "transfer" : "conversion"]);
  }
});

test("Every 429 and 503 is described with Retry-After", () => {
  const paths = document["paths"] as Record<
    string,
    Record<string, { responses: Record<string, { headers?: object }> }>
  >;
  for (const { id, path, method } of operations)
    for (const status of ["429", "503"]) {
      const response = paths[path]?.[method]?.responses[status];
      if (response !== undefined)
        expect([id, Object.keys(response.headers ?? {})]).toEqual([id, expect.arrayContaining(["Retry-After"])]);
    }
});

test("Every id and every method of a path stands once", () => {
  const ids = operations.map(({ id }) => id);
  const places = operations.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(places).size).toBe(places.length);
});

test("Every name in a path is a parameter that is described, and no other", () => {
  for (const { id, path, params } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect([id, Object.keys(params?.shape ?? {})]).toEqual([id, named]);
  }
});

test("Every reference leads somewhere, and nothing of Kubernetes or zod is left", () => {
  const text = JSON.stringify(document);
  for (const [, place = ""] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = place.split("/").reduce<unknown>((node, part) => (node as Record<string, unknown>)?.[part], document);
    expect([place, typeof found]).toEqual([place, "object"]);
  }
  expect(text).not.toMatch(/x-kubernetes|x-component|\$defs|\$schema|9007199254740991/);
});

test("Every link leads from what an example answers to an operation that takes it", () => {
  const paths = document["paths"] as Record<string, Record<string, { responses: Record<string, { links?: object }> }>>;
  const links = operations.flatMap(({ path, method, answer, examples }) =>
    Object.values(paths[path]?.[method]?.responses[answer.status]?.links ?? {}).map(
      (link: { operationId: string; parameters: Record<string, string> }) => ({
        link,
        path,
        answer: examples.response,
      }),
    ),
  );
  expect(links.length).toBeGreaterThan(8);
  for (const { link, path, answer } of links) {
    const target = operations.find(({ id }) => id === link.operationId);
    const known = [...Object.keys(target?.params?.shape ?? {}), ...Object.keys(target?.query?.shape ?? {})];
    expect([link.operationId, known]).toEqual([link.operationId, expect.arrayContaining(Object.keys(link.parameters))]);
    for (const place of Object.values(link.parameters)) {
      if (place.startsWith("$request.path.")) {
        expect([place, path.includes(`{${place.slice("$request.path.".length)}}`)]).toEqual([place, true]);
        continue;
      }
      const parts = place.replace("$response.body#/", "").split("/");
      const value = parts.reduce<unknown>((node, part) => (node as Record<string, unknown>)?.[part], answer);
      expect([place, typeof value]).toEqual([place, "string"]);
    }
  }
});

test("What is made tells where it is, at a path that the document knows", () => {
  const made = operations.filter(({ answer }) => answer.status === 201);
  expect(made.length).toBeGreaterThan(3);
  for (const { id, path, method, answer } of made) {
    const location = (answer.location ?? "").replace(/\{[^}]+\}/g, "{}");
    expect([id, operations.map((other) => other.path.replace(/\{[^}]+\}/g, "{}"))]).toEqual([
      id,
      expect.arrayContaining([location]),
    ]);
    expect(document["paths"]).toHaveProperty([path, method, "responses", "201", "headers", "Location"]);
  }
});

test("What a stranger sends is closed: no field beside those that are named", () => {
  const walk = (node: unknown, path: string): string[] => {
    if (typeof node !== "object" || node === null) return [];
    const own = "properties" in node && !("additionalProperties" in node) ? [path] : [];
    return [...own, ...Object.entries(node).flatMap(([name, value]) => walk(value, `${path}/${name}`))];
  };
  const { schemas } = document["components"] as { schemas: Record<string, unknown> };
  const requests = Object.entries(schemas).filter(([name]) => /(Request|Options|Input)$/.test(name));
  expect(requests.length).toBeGreaterThan(5);
  expect(requests.flatMap(([name, schema]) => walk(schema, name))).toEqual([]);
});

test("What the service answers is open: a client must take fields of a later version", () => {
  const walk = (node: unknown, path: string): string[] => {
    if (typeof node !== "object" || node === null) return [];
    const own = "additionalProperties" in node && node.additionalProperties === false ? [path] : [];
    return [...own, ...Object.entries(node).flatMap(([name, value]) => walk(value, `${path}/${name}`))];
  };
  const { schemas } = document["components"] as { schemas: Record<string, unknown> };
  /** Every schema that the answers lead to. */
  const reached = new Set<string>();
  const follow = (node: unknown): void => {
    for (const [, name = ""] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      if (!reached.has(name)) {
        reached.add(name);
        follow(schemas[name]);
      }
  };
  const responses = Object.values(document["paths"] as Record<string, Record<string, { responses: unknown }>>).flatMap(
    (methods) => Object.values(methods).map(({ responses }) => responses),
  );
  follow(responses);
  expect(reached.size).toBeGreaterThan(15);
  expect(walk(responses, "responses")).toEqual([]);
  expect([...reached].flatMap((name) => walk(schemas[name], name))).toEqual([]);
});

test("The MCP servers, the documentation and the texts for models have entries with their tier", () => {
  const paths = document["paths"] as Record<string, Record<string, Record<string, unknown>>>;
  const tierOf = (path: string, method: string) => paths[path]?.[method]?.["x-rate-limit-tier"];
  expect(["/mcp", "/mcp-migrations"].map((path) => tierOf(path, "post"))).toEqual(["ai", "ai"]);
  const texts = ["/docs", "/docs/search", "/docs/{page}", "/docs/{page}.md", "/llms.txt", "/llms-full.txt"];
  const tierOfText = (path: string) => (path === "/docs/search" ? "search" : "none");
  expect(texts.map((path) => tierOf(path, "get"))).toEqual(texts.map(tierOfText));
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect(new Set(ids).size).toBe(ids.length);
});

test("A search of the documentation tells that it is limited, and what it refuses", () => {
  const { responses } = described("get", "/docs/search");
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(["422", "429", "503"]));
  expect(responses["429"]?.headers).toHaveProperty("Retry-After");
  expect(described("get", "/docs").responses).not.toHaveProperty("429");
});

test("The MCP servers answer JSON and never a stream, and their errors of HTTP are described", () => {
  const table = readFileSync(new URL("../../../docs/mcp.md", import.meta.url), "utf8");
  const statuses = new Set([...table.matchAll(/^\| (\d{3}) /gm)].map(([, status]) => status));
  expect(statuses.size).toBeGreaterThan(10);
  // Of other methods, which this entry is not about.
  statuses.delete("405");
  for (const path of ["/mcp", "/mcp-migrations"]) {
    const { responses } = described("post", path);
    expect(Object.keys(responses["200"]?.content ?? {})).toEqual(["application/json"]);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining([...statuses]));
  }
});

test("checkout's example awaits payment", () => {
  const { examples } = operations.find(({ id }) => id === "checkoutMigration") ?? {};
  expect(examples?.response).toMatchObject({ migration: { status: "awaiting_payment" } });
});

test("Signing out takes a session and no token; other calls take both", () => {
  expect(described("delete", "/api/session").security).toEqual([{ session: [] }]);
  expect(described("get", "/api/account").security).toEqual([{ token: [] }, { session: [] }]);
});

test("Of a URL it is said that it is stored only where it is", () => {
  const { schemas } = document["components"] as {
    schemas: Record<string, { properties?: Record<string, { description?: string }> }>;
  };
  const said = (name: string, field: string) => schemas[name]?.properties?.[field]?.description;
  const once = /Used for this call only; not stored or returned\.$/;
  const kept = /Stored encrypted and never returned\.$/;
  for (const field of ["source_url", "target_url"]) {
    expect(said("PreflightMigrationRequest", field)).toMatch(once);
    expect(said("EstimateMigrationRequest", field)).toMatch(once);
    expect(said("CreateMigrationRequest", field)).toMatch(kept);
    expect(said("RetryMigrationRequest", field)).toMatch(kept);
  }
  expect(said("TestConnectionRequest", "url")).toMatch(once);
});

test("Errors stand with their codes at the status of the registry", () => {
  const paths = document["paths"] as Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { examples?: Record<string, unknown> }> }> }>
  >;
  for (const operation of operations) {
    const responses = paths[operation.path]?.[operation.method]?.responses ?? {};
    for (const code of operation.problems) {
      const examples = responses[problems[code].status]?.content?.["application/problem+json"]?.examples ?? {};
      expect([operation.id, Object.keys(examples)]).toEqual([operation.id, expect.arrayContaining([code])]);
    }
  }
});
