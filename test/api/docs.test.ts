import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bundle } from "../../dev/build.ts";
import { script, scriptSource } from "../../src/api/docs/script.ts";
import { api, provided, startReplica } from "./world.ts";

/** The documentation as a real replica serves it, to whoever asks, without a token. */

const folder = join(import.meta.dirname, "../../docs");
const html = "text/html; charset=utf-8";
/** The pages' only script. */
const own = `<script>${script}</script>`;
const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

describe("every page of docs/", () => {
  test.each(readdirSync(folder).filter((name) => name.endsWith(".md")))(
    "%s as Markdown, to the byte, and as HTML",
    async (file) => {
      const source = await api(`/docs/${file}`);
      expect(source).toMatchObject({ status: 200, headers: { "content-type": "text/markdown; charset=utf-8" } });
      expect(source.text).toBe(readFileSync(join(folder, file), "utf8"));
      const page = await api(`/docs/${file.replace(/\.md$/, "")}`);
      expect(page).toMatchObject({ status: 200, headers: { "content-type": html } });
      expect(page.text).toContain("<main");
    },
  );
});

test.each([
  ["/docs", html],
  ["/docs.md", "text/markdown; charset=utf-8"],
  ["/docs/search", html],
  ["/docs/style.css", "text/css; charset=utf-8"],
  ["/docs/icon.svg", "image/svg+xml"],
  ["/docs/report.schema.json", "application/schema+json"],
  ["/llms.txt", "text/plain; charset=utf-8"],
  ["/llms-full.txt", "text/plain; charset=utf-8"],
])(
  "%s is public, has an ETag, answers HEAD, and lets a browser run one script and load nothing but style sheet and icon",
  async (path, type) => {
    const answer = await api(path);
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        "content-type": type,
        "cache-control": "public, max-age=60",
        "x-content-type-options": "nosniff",
        "content-security-policy": `default-src 'none'; script-src ${scriptSource}; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      },
    });
    const etag = String(answer.headers.etag);
    expect(await api(path, { replica: 1, headers: { "if-none-match": etag } })).toMatchObject({
      status: 304,
      text: "",
      headers: { etag },
    });
    expect(await api(path, { method: "HEAD" })).toMatchObject({
      status: 200,
      text: "",
      headers: { etag, "content-length": String(Buffer.byteLength(answer.text)) },
    });
    const posted = await api(path, { method: "POST", body: {} });
    expect(posted).toMatchObject({
      status: 405,
      headers: { allow: "GET, HEAD, OPTIONS" },
      body: { code: "method_not_allowed" },
    });
    expect(await api(path, { method: "OPTIONS" })).toMatchObject({
      status: 204,
      headers: { allow: "GET, HEAD, OPTIONS" },
    });
  },
);

test("the links of llms.txt lead to what they name, at the address that users have", async () => {
  const { text } = await api("/llms.txt");
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] ?? "");
  expect(links.length).toBeGreaterThan(15);
  for (const link of links) {
    expect(link.startsWith(`${provided.baseUrl}/`)).toBe(true);
    expect((await api(new URL(link).pathname)).status).toBe(200);
  }
});

test("the page that an error's type names explains it", async () => {
  const { body } = await api("/api/account");
  const { pathname, hash } = new URL(body.type);
  expect((await api(pathname)).text).toContain(`<h2 id="${hash.slice(1)}">`);
});

describe("search", () => {
  test("finds a heading by its words, and links to it", async () => {
    const { text } = await api("/docs/search?q=resume+an+interrupted+copy&utm_source=letter");
    expect(text).toContain('<a href="/docs/cli#resume-an-interrupted-copy">');
  });

  test("shows what was asked for as text", async () => {
    const { text } = await api(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(text.replace(own, "")).not.toContain("<script");
    expect(text).toContain("&lt;script&gt;");
  });

  test.each(["q=a&q=b", `q=${"x".repeat(101)}`])("refuses %s by name", async (query) => {
    expect(await api(`/docs/search?${query}`)).toMatchObject({ status: 422, body: { errors: [{ field: "q" }] } });
  });
});

describe("what is not there", () => {
  test.each([
    "/docs/nothing",
    "/docs/nothing.md",
    "/docs/../package.json",
    "/docs/%2e%2e/package.json",
    "/docs/..%2fpackage.json",
    "/docs/constructor",
    "/docs/rest/",
    "/docs/rest.md.md",
    "/Docs/rest",
    "/docs/%zz",
  ])("%s is a problem to a program", async (path) => {
    for (const headers of [{}, { accept: "application/json" }, { accept: "*/*" }])
      expect(await api(path, { headers })).toMatchObject({
        status: 404,
        headers: { "content-type": "application/problem+json", "cache-control": "no-store" },
        body: { code: "not_found" },
      });
  });

  test("below /docs it is a page to a browser", async () => {
    const answer = await api("/docs/<script>", { headers: browser });
    expect(answer).toMatchObject({ status: 404, headers: { "content-type": html, "cache-control": "no-store" } });
    expect(answer.text.replace(own, "")).not.toContain("<script");
    expect(answer.headers["content-security-policy"]).toContain("default-src 'none'; script-src 'sha256-");
  });

  test("a slash too many leads to the index", async () => {
    expect(await api("/docs/")).toMatchObject({ status: 308, headers: { location: "../docs" } });
  });
});

test("the bundle, which is all that the image has, serves the same", async () => {
  const built = mkdtempSync(join(tmpdir(), "built-"));
  await bundle(built);
  const { caller } = await startReplica({}, built);
  for (const path of ["/docs", "/docs/rest", "/docs/rest.md", "/docs/report.schema.json", "/docs/search?q=limits"])
    expect((await caller.ask(path)).text).toBe((await api(path)).text);
});

test("searches of one address are limited", async () => {
  const limited = await startReplica({ ROWFERRY_LIMITS: JSON.stringify({ search: [{ points: 2, seconds: 3600 }] }) });
  const ask = () => limited.caller.ask("/docs/search?q=limits");
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
  const refused = await ask();
  expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expect((await limited.caller.ask("/docs/limits")).status).toBe(200);
});
