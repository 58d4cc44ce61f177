import { lexer, Marked, type Token, type Tokens } from "marked";
import { escapeHtml } from "./escape.ts";
import { highlight } from "./highlight.ts";
import { examplesOf, withTabs } from "./tabs.ts";

/**
 * Markdown as HTML. Raw HTML is shown as text, comments are left out; a link leads to a page of ours, to a place on the same page or
 * to https, and is text otherwise. Examples that follow each other are the tabs of one.
 */
interface Linked {
  /** Its path; undefined where there is no such page. */
  path: (file: string) => string | undefined;
  /** What the link is called where the page's own text has the file's name. */
  title: (file: string) => string | undefined;
}

/** The anchors of a page's headings as GitHub makes them: a second one of the same words gets -1. */
export function createSlugs(): (heading: string) => string {
  const taken = new Map<string, number>();
  return (heading) => {
    const slug = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
      .replaceAll(" ", "-");
    const times = taken.get(slug) ?? 0;
    taken.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  };
}

/** Of words with Markdown in them, what is read. */
export const plainOf = (tokens: readonly Tokens.Generic[]): string =>
  tokens
    .map((token) => {
      if (token.type === "html" || token.type === "image") return "";
      if (token.type === "br") return " ";
      return token.tokens === undefined ? String(token["text"] ?? "") : plainOf(token.tokens);
    })
    .join("");

function target(href: string, linked: Linked): string | undefined {
  if (href.startsWith("#") || /^https:\/\//.test(href)) return href;
  const [, file = "", anchor = ""] = /^([a-z0-9.-]+)(#.*)?$/.exec(href) ?? [];
  const path = linked.path(file);
  return path === undefined ? undefined : `${path}${anchor}`;
}

/** A heading of the second level, with those of the third below it. */
export interface PageHeading {
  heading: string;
  anchor: string;
  below: Omit<PageHeading, "below">[];
}

export function placesOf(markdown: string): PageHeading[] {
  const slugs = createSlugs();
  const places: PageHeading[] = [];
  for (const token of lexer(markdown)) {
    if (token.type !== "heading") continue;
    const heading = plainOf(token.tokens ?? []);
    const anchor = slugs(heading);
    if (token["depth"] === 2) places.push({ heading, anchor, below: [] });
    else if (token["depth"] === 3) places.at(-1)?.below.push({ heading, anchor });
  }
  return places;
}

/** Characters that a line of 360 px has room for in every place. */
const narrowLine = 30;

/** Code in a text. A browser breaks its words behind a hyphen or slash, so each such word is kept together (style.ts). */
const codeWords = (text: string): string =>
  text.replace(/\S+|\s+/g, (word) => {
    const html = escapeHtml(word);
    if (/^[\s\w<>().]+$/.test(word)) return html;
    return `<span class="${word.length <= narrowLine ? "word" : "long word"}">${html}</span>`;
  });

export function renderHtml(markdown: string, linked: Linked): string {
  const slugs = createSlugs();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const id = escapeHtml(slugs(plainOf(tokens)));
        const words = this.parser.parseInline(tokens);
        return `<h${depth} id="${id}">${words} <a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a></h${depth}>\n`;
      },
      // It scrolls sideways, so the keyboard has to reach it.
      code({ text, lang = "" }) {
        return `<div class="code"><pre tabindex="0"><code>${highlight(text, lang)}\n</code></pre></div>\n`;
      },
      codespan({ text }) {
        return `<code>${codeWords(text)}</code>`;
      },
      html({ text }) {
        return escapeHtml(text.replace(/<!--[\s\S]*?-->/g, "").trim());
      },
      image({ text }) {
        return escapeHtml(text);
      },
      link({ href, tokens }) {
        const to = target(href, linked);
        const file = href.replace(/#.*/, "");
        const title = plainOf(tokens) === file ? linked.title(file) : undefined;
        const words = title === undefined ? this.parser.parseInline(tokens) : escapeHtml(title);
        return to === undefined ? words : `<a href="${escapeHtml(to)}">${words}</a>`;
      },
      table({ header, rows }) {
        const heads = header.map((cell) => escapeHtml(plainOf(cell.tokens)));
        const cell = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens);
        const head = header.map((one) => `<th role="columnheader">${cell(one)}</th>`).join("");
        // Where the page is narrow a row is a list, and each cell says its head (style.ts).
        const cells = (row: Tokens.TableCell[]) =>
          row.map((one, at) => `<td role="cell" data-head="${heads[at]}">${cell(one)}</td>`).join("");
        const body = rows.map((row) => `<tr role="row">${cells(row)}</tr>\n`).join("");
        return `<div class="scroll" tabindex="0"><table role="table">\n<thead><tr role="row">${head}</tr>\n</thead>\n<tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const parsed = (tokens: readonly Token[]): string => marked.parser([...tokens]);
  return examplesOf(lexer(markdown))
    .map((part) => (part.examples === undefined ? parsed(part.tokens) : withTabs(part.examples, parsed)))
    .join("");
}
