import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { problems } from "../../requests/errors.ts";
import { llmsFullText, llmsText } from "./llms.ts";
import { readPages } from "./pages.ts";
import { script, scriptSource } from "./script.ts";
import { createSearch } from "./search.ts";
import { createSite } from "./site.ts";

/** The real pages: their order, their links, and the texts for models. */
const pages = readPages(join(import.meta.dirname, "../../../docs"));
const base = "https://rowferry.example";
const site = createSite(pages, base);
const all = pages.sections.flatMap((section) => section.pages);
const textOf = (path: string) => site.documents.get(path)?.text() ?? "";
const idsIn = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));

describe.each(all.map(({ name }) => name))("%s", (name) => {
  it("is served as it is, and as HTML in which every link leads somewhere", () => {
    expect(textOf(`/docs/${name}.md`)).toMatch(/^(<!--.*-->\n\n)?# /);
    const html = textOf(`/docs/${name}`);
    const targets = [...html.matchAll(/ (?:href|action)="([^"]+)"/g)].map((match) => match[1] ?? "");
    const broken = targets.filter((target) => {
      if (target.startsWith("https://") || target === "/openapi.json" || target === "/docs/search") return false;
      const [path = "", anchor] = target.split("#");
      const page = path === "" ? html : textOf(path);
      return page === "" || (anchor !== undefined && anchor !== "main" && !idsIn(page).has(anchor));
    });
    expect(broken).toEqual([]);
  });

  it("links to nothing but other pages and the web", () => {
    const targets = [...textOf(`/docs/${name}.md`).matchAll(/\]\(([^)#]*)/g)].map((match) => match[1] ?? "");
    const strange = targets.filter(
      (target) => target !== "" && !target.startsWith("https://") && !site.documents.has(`/docs/${target}`),
    );
    expect(strange).toEqual([]);
  });

  it("has the one script whose hash the policy names, and no inline style", () => {
    const html = textOf(`/docs/${name}`);
    const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text = ""]) => text);
    expect(scripts).toEqual([script]);
    expect(scriptSource).toBe(`'sha256-${createHash("sha256").update(script).digest("base64")}'`);
    expect(html.replace(/<script>[\s\S]*?<\/script>/, "")).not.toMatch(/<script| style=| on[a-z]+=|javascript:/i);
  });
});

it("each id of a page stands there once", () => {
  const doubled = all.flatMap(({ name }) => {
    const ids = [...textOf(`/docs/${name}`).matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
    return ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${name}#${id}`);
  });
  expect(doubled).toEqual([]);
});

describe("a search of the real pages leads first, by words of other services,", () => {
  const search = createSearch(all);
  it.each([
    ["pagination", "rest#pagination"],
    ["webhook", "not-supported#webhooks-and-callbacks"],
    ["cancel migration", "not-supported#cancel-or-pause-a-migration"],
    ["stop migration", "endpoints#delete-a-migration"],
    ["remove migration", "endpoints#delete-a-migration"],
    ["rename migration", "not-supported#rename-or-label-a-migration"],
    ["undo", "endpoints#reset-a-migration"],
    ["cdc", "not-supported#continuous-replication"],
    ["sdk", "not-supported#client-libraries-sdks-for-go-java-c-php-ruby"],
    ["client library", "not-supported#client-libraries-sdks-for-go-java-c-php-ruby"],
    ["golang", "not-supported#client-libraries-sdks-for-go-java-c-php-ruby"],
    ["go example", "not-supported#client-libraries-sdks-for-go-java-c-php-ruby"],
    ["go client", "not-supported#client-libraries-sdks-for-go-java-c-php-ruby"],
    ["java", "not-supported#client-libraries-sdks-for-go-java-c-php-ruby"],
    ["php", "not-supported#client-libraries-sdks-for-go-java-c-php-ruby"],
    ["c#", "not-supported#client-libraries-sdks-for-go-java-c-php-ruby"],
    ["label", "not-supported#rename-or-label-a-migration"],
    ["wrong password", "rest#retry-with-other-urls-after-a-wrong-password"],
    ["wrong passwords", "authentication#limits-for-wrong-passwords"],
    ["api key", "quick-start#create-an-api-token"],
    ["API keys", "quick-start#create-an-api-token"],
    ["log in", "endpoints#sign-in"],
    ["login", "endpoints#sign-in"],
    ["log out", "endpoints#sign-out"],
    ["register", "endpoints#sign-up"],
    ["forgot password", "not-supported#password-reset-by-email"],
    ["too many requests", "limits#rate-limits"],
    ["2fa", "not-supported#two-factor-authentication-2fa"],
    ["sso", "authentication#openid-connect"],
    ["oauth", "not-supported#oauth-for-api-clients-and-saml"],
    ["terraform", "not-supported#terraform-provider"],
    ["swagger", "endpoints#the-machine-readable-description"],
  ])("%s to %s", (words, place) => {
    const [first] = search(words);
    expect(first && `${first.page.name}#${first.anchor}`).toBe(place);
  });
});

it("every code of an error has an anchor that its type names", () => {
  const ids = idsIn(textOf("/docs/errors"));
  expect(Object.keys(problems).filter((code) => !ids.has(code))).toEqual([]);
});

it("below a path of its own, every link of the site has it", () => {
  const html = createSite(pages, "https://example.com/ferry").documents.get("/docs/rest")?.text() ?? "";
  const own = [...html.matchAll(/ (?:href|action)="(\/[^"]*)"/g)].map((match) => match[1] ?? "");
  expect(own.length).toBeGreaterThan(20);
  expect(own.filter((target) => !target.startsWith("/ferry/"))).toEqual([]);
});

describe("llms.txt", () => {
  const lines = llmsText(pages.sections, base).trimEnd().split("\n");

  it("has a title, a summary, and then nothing but sections of links", () => {
    expect(lines.filter((line) => line.startsWith("# "))).toEqual(["# Rowferry"]);
    expect(lines[0]).toBe("# Rowferry");
    expect(lines[2]).toMatch(/^> \S/);
    const firstList = lines.findIndex((line) => line.startsWith("## "));
    expect(lines.slice(0, firstList).join("\n")).not.toMatch(/^#{2}/m);
    for (const line of lines.slice(firstList))
      expect(line).toMatch(/^$|^## \S|^- \[[^\]]+\]\(https:\/\/rowferry\.example\/\S+\): \S/);
    expect(lines.findLast((line) => line.startsWith("## "))).toBe("## Optional");
  });

  it("links to every page as Markdown", () => {
    const linked = [...lines.join("\n").matchAll(/\(https:\/\/rowferry\.example(\/[^)]+)\)/g)].map(([, path]) => path);
    expect(linked).toEqual(expect.arrayContaining(all.map(({ name }) => `/docs/${name}.md`)));
    expect(linked.filter((path = "") => path !== "/openapi.json" && !site.documents.has(path))).toEqual([]);
  });
});

it("llms-full.txt holds every page with its source, and no link that leads nowhere", () => {
  const text = llmsFullText(pages.sections, base);
  for (const { name, title } of all) expect(text).toContain(`# ${title}\n\nSource: ${base}/docs/${name}.md\n`);
  expect([...text.matchAll(/\]\((?!https:\/\/)[^)]*\)/g)].map(([link]) => link)).toEqual([]);
});
