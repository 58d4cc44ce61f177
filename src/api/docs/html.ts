import { product, summary } from "./contents.ts";
import { escapeHtml } from "./escape.ts";
import type { DocPage, PageSection } from "./pages.ts";
import type { PageHeading } from "./render.ts";
import { script } from "./script.ts";
import { bounds, type Hit } from "./search.ts";

/** The frame around a page, and the pages that are made of no Markdown. One script, no inline style. */
interface Frame {
  sections: readonly PageSection[];
  /** Before /docs in every path: empty, or what the base URL has behind its host. */
  prefix: string;
}

interface Framed {
  title: string;
  /** HTML. */
  content: string;
  /** The page, where it is one. */
  name?: string;
  /** Of the page, where it has several. */
  places?: readonly PageHeading[];
  asked?: string;
}

export function frame({ sections, prefix }: Frame, { title, content, name, places = [], asked = "" }: Framed): string {
  const docs = `${prefix}/docs`;
  const lists = sections.map(({ title: words, pages }) => {
    const items = pages.map(
      (page) =>
        `<li><a href="${docs}/${page.name}"${page.name === name ? ' aria-current="page"' : ""}>${escapeHtml(page.title)}</a></li>`,
    );
    return `<h2>${escapeHtml(words)}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
  });
  const here =
    places.length < 3
      ? ""
      : `<nav class="here" aria-label="On this page">\n<h2>On this page</h2>\n${listOf(places)}\n</nav>\n`;
  const source = name === undefined ? `${prefix}/llms.txt` : `${docs}/${name}.md`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · ${product}</title>
<link rel="stylesheet" href="${docs}/style.css">
<link rel="icon" href="${docs}/icon.svg" type="image/svg+xml">
${name === undefined ? "" : `<link rel="alternate" type="text/markdown" href="${source}">\n`}</head>
<body>
<a class="skip" href="#main">To the content</a>
<header><a href="${docs}">${product}</a>
<form action="${docs}/search" role="search"><input type="search" name="q" aria-label="Search the documentation" maxlength="${bounds.length}" value="${escapeHtml(asked)}"> <button>Search</button></form>
</header>
<div class="columns">
<details class="pages" tabindex="0"><summary>Pages</summary>
<nav aria-label="Pages">
${lists.join("\n")}
</nav>
</details>
<main id="main" tabindex="-1">
${content}
<footer><a href="${source}">${name === undefined ? "For models: llms.txt" : "This page as Markdown"}</a> · <a href="${prefix}/openapi.json">OpenAPI document</a></footer>
</main>
${here}</div>
<script>${script}</script>
</body>
</html>
`;
}

const listOf = (places: readonly (Omit<PageHeading, "below"> & Partial<PageHeading>)[]): string =>
  `<ul>\n${places
    .map(({ heading, anchor, below = [] }) => {
      const inner = below.length === 0 ? "" : `\n${listOf(below)}`;
      return `<li><a href="#${escapeHtml(anchor)}">${escapeHtml(heading)}</a>${inner}</li>`;
    })
    .join("\n")}\n</ul>`;

export function indexPage(site: Frame): string {
  const lists = site.sections.map(({ title, pages }) => {
    const items = pages.map((page) => `<li>${linkTo(site, page)}: ${escapeHtml(page.about)}</li>`);
    return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
  });
  const content = `<h1>${product}</h1>\n<p>${escapeHtml(summary)}</p>\n${lists.join("\n")}`;
  return frame(site, { title: "Documentation", content });
}

export function searchPage(site: Frame, asked: string, hits: readonly Hit[]): string {
  const items = hits.map(({ page, heading, anchor, excerpt }) => {
    const place = anchor === "" ? "" : `#${anchor}`;
    const words = anchor === "" ? page.title : `${page.title} › ${heading}`;
    return `<li><a href="${escapeHtml(`${site.prefix}/docs/${page.name}${place}`)}">${escapeHtml(words)}</a><p>${escapeHtml(excerpt)}</p></li>`;
  });
  const found =
    items.length === 0
      ? `<p>Nothing has all of these words. <a href="${site.prefix}/docs/not-supported">Features that do not exist</a> are listed on a page of their own.</p>`
      : `<ul class="hits">\n${items.join("\n")}\n</ul>`;
  const content = `<h1>Search</h1>\n${asked.trim() === "" ? "<p>Type one word or more above.</p>" : found}`;
  return frame(site, { title: "Search", content, asked });
}

export const missingPage = (site: Frame): string =>
  frame(site, { title: "Not found", content: "<h1>Not found</h1>\n<p>This page does not exist.</p>" });

const linkTo = ({ prefix }: Frame, { name, title }: DocPage): string =>
  `<a href="${prefix}/docs/${name}">${escapeHtml(title)}</a>`;
