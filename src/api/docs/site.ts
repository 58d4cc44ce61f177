import { frame, indexPage, missingPage, searchPage } from "./html.ts";
import { llmsFullText, llmsText } from "./llms.ts";
import type { Pages } from "./pages.ts";
import { placesOf, renderHtml } from "./render.ts";
import { createSearch } from "./search.ts";
import { icon, style } from "./style.ts";

/** Every public document of the service by its path: fixed texts, each made when it is first asked for and then kept. */
export interface Document {
  type: string;
  text: () => string;
}

export interface Site {
  documents: ReadonlyMap<string, Document>;
  /** HTML; `asked` is at most as long as search's bounds say. */
  search: (asked: string) => string;
  /** HTML. */
  missing: () => string;
}

const types = {
  html: "text/html; charset=utf-8",
  markdown: "text/markdown; charset=utf-8",
  plain: "text/plain; charset=utf-8",
  css: "text/css; charset=utf-8",
  icon: "image/svg+xml",
  schema: "application/schema+json",
};

/** `base`: where users reach the service, without a slash at the end. */
export function createSite({ sections, schema }: Pages, base: string): Site {
  const prefix = new URL(base).pathname.replace(/\/$/, "");
  const site = { sections, prefix };
  const pages = sections.flatMap((section) => section.pages);
  const files = new Map(pages.map((page) => [`${page.name}.md`, page]));
  const linked = {
    path: (file: string) => {
      const page = files.get(file);
      if (page !== undefined) return `${prefix}/docs/${page.name}`;
      return file === "report.schema.json" ? `${prefix}/docs/${file}` : undefined;
    },
    title: (file: string) => files.get(file)?.title,
  };

  const documents = new Map<string, Document>();
  const add = (path: string, type: string, make: () => string) => documents.set(path, { type, text: once(make) });
  add("/docs", types.html, () => indexPage(site));
  add("/docs.md", types.markdown, () => llmsText(sections, base));
  add("/docs/style.css", types.css, () => style);
  add("/docs/icon.svg", types.icon, () => icon);
  add("/docs/report.schema.json", types.schema, () => schema);
  add("/llms.txt", types.plain, () => llmsText(sections, base));
  add("/llms-full.txt", types.plain, () => llmsFullText(sections, base));
  for (const { name, title, markdown } of pages) {
    add(`/docs/${name}.md`, types.markdown, () => markdown);
    add(`/docs/${name}`, types.html, () =>
      frame(site, { title, name, content: renderHtml(markdown, linked), places: placesOf(markdown) }),
    );
  }
  const search = once(() => createSearch(pages));
  return {
    documents,
    search: (asked) => searchPage(site, asked, search()(asked)),
    missing: () => missingPage(site),
  };
}

function once<T extends {}>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
