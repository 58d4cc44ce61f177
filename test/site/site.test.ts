import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPages } from "../../src/api/docs/pages.ts";
import { serveDocs } from "./serve.ts";

/** Every page of the documentation in a real Chromium. */
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const names = readPages(new URL("../../docs", import.meta.url).pathname).sections.flatMap(({ pages }) =>
  pages.map(({ name }) => name),
);
let site: Awaited<ReturnType<typeof serveDocs>>;
let browser: Browser;

beforeAll(async () => {
  site = await serveDocs();
  browser = await chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    // The tests run as root, where Chromium has no sandbox of its own.
    args: ["--no-sandbox"],
  });
});
afterAll(async () => {
  await browser?.close();
  site?.close();
});

const narrow = { width: 360, height: 740 };

async function open(path: string, context: BrowserContext): Promise<{ page: Page; said: string[] }> {
  const page = await context.newPage();
  const said: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(String(error)));
  await page.goto(`${site.url}${path}`);
  return { page, said };
}

interface WithAxe {
  axe: { run(options: RunOptions): Promise<AxeResults> };
}

/** Of axe's findings the serious and the critical ones, each with its first place. */
async function findings(page: Page, options: RunOptions = {}): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(
    (given) => (globalThis as unknown as WithAxe).axe.run({ ...given, resultTypes: ["violations"] }),
    options,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(" ")} ${nodes[0]?.failureSummary ?? ""}`);
}

describe.each(["", "/search?q=limits", "/no-such-page", ...names.map((name) => `/${name}`)])("/docs%s", (path) => {
  it("has no error in the console and no serious finding of axe's, in light and dark, wide and narrow", async () => {
    // axe is put into the page, which the page's own policy would refuse.
    const context = await browser.newContext({ colorScheme: "light", bypassCSP: true });
    const { page, said } = await open(`/docs${path}`, context);
    expect(said.filter((text) => !(path === "/no-such-page" && text.includes("404")))).toEqual([]);
    expect(await findings(page)).toEqual([]);
    // Nothing but colours is another one in the dark.
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await findings(page, { runOnly: ["color-contrast"] })).toEqual([]);
    await page.setViewportSize(narrow);
    // Tables and code scroll within themselves.
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(narrow.width);
    await context.close();
  });
});

describe("the script, under the pages' own policy,", () => {
  it("copies a block of code", async () => {
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page, said } = await open("/docs/cli", context);
    const block = page.locator(".code").first();
    await block.getByRole("button", { name: "Copy" }).click();
    await block.getByRole("button", { name: "Copied" }).waitFor();
    const text = await page.evaluate("navigator.clipboard.readText()");
    expect(text).toBe((await block.locator("code").textContent())?.trimEnd());
    expect(text).toContain("npx rowferry copy");
    expect(said).toEqual([]);
    await context.close();
  });

  it("remembers the chosen language, on the next page too", async () => {
    const context = await browser.newContext();
    const { page, said } = await open("/docs/quick-start", context);
    expect(await page.locator(".example").count()).toBeGreaterThan(0);
    await page.locator(".example label", { hasText: "Python" }).first().click();
    const chosen = () =>
      page.locator(".example > input:checked + label").evaluateAll((labels) => labels.map((one) => one.textContent));
    expect(new Set(await chosen())).toEqual(new Set(["Python"]));
    await page.goto(`${site.url}/docs/rest`);
    expect(await page.locator(".example").count()).toBeGreaterThan(0);
    expect(new Set(await chosen())).toEqual(new Set(["Python"]));
    expect(said).toEqual([]);
    await context.close();
  });

  it("is the only one: another one in the page is refused", async () => {
    const context = await browser.newContext();
    const { page, said } = await open("/docs/cli", context);
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement("script"), { text: "window.ran = 1" }))`,
    );
    expect(await page.evaluate("window.ran")).toBeUndefined();
    expect(said.join()).toContain("Content Security Policy");
    await context.close();
  });
});

/** Words of code in the text that stand on two lines although one has room for them. */
const brokenWords = `[...document.querySelectorAll("main code:not(pre code)")].flatMap((code) => {
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  const box = code.closest("p, li, td, th, h1, h2, h3, div");
  const { paddingLeft, paddingRight } = getComputedStyle(box);
  const room = box.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - 10;
  const broken = [];
  while (texts.nextNode())
    for (const { 0: word, index } of texts.currentNode.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      const lines = [...range.getClientRects()].filter(({ width }) => width > 0);
      const width = lines.reduce((sum, line) => sum + line.width, 0);
      if (new Set(lines.map(({ top }) => Math.round(top))).size > 1 && width <= room) broken.push(word);
    }
  return broken;
})`;

it.each([360, 800, 1280])("at %d px no word of code is broken where a line has room for it", async (width) => {
  const context = await browser.newContext({ viewport: { width, height: 740 } });
  const { page } = await open("/docs", context);
  const broken: string[] = [];
  for (const name of names) {
    await page.goto(`${site.url}/docs/${name}`);
    const found = await page.evaluate<string[]>(brokenWords);
    broken.push(...found.map((word) => `${name}: ${word}`));
  }
  expect(broken).toEqual([]);
  await context.close();
});

it("code scrolls sideways: no line is broken", async () => {
  const context = await browser.newContext({ viewport: narrow });
  const { page } = await open("/docs/cli", context);
  const sizes = await page.evaluate(
    "(() => { const block = document.querySelector('pre'); return [block.scrollWidth > block.clientWidth, getComputedStyle(block).whiteSpace]; })()",
  );
  expect(sizes).toEqual([true, "pre"]);
  await context.close();
});
