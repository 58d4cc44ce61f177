import { lexer, Marked, type Token, type Tokens } from "marked";
import { examplesOf, withTabs } from "./tabs.ts";

/**
 * Markdown as HTML. Raw HTML is shown as text, comments are left out; a link leads to a page of ours, to a place on the same page or
 * to https, and is text otherwise. Examples that follow each other are the tabs of one.
 */
export interface Linked {
  /** Its path; undefined where there is no such page. */
  path: (file: string) => string | undefined;
  /** What the link is called where the page's own text has the file's name. */
  title: (file: string) => string | undefined;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);

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

/** A heading of the second level. */
export interface Place {
  heading: string;
  anchor: string;
}

export function placesOf(markdown: string): Place[] {
  const slugs = createSlugs();
  return lexer(markdown).flatMap((token) => {
    if (token.type !== "heading") return [];
    const heading = plainOf(token.tokens ?? []);
    const anchor = slugs(heading);
    return token["depth"] === 2 ? [{ heading, anchor }] : [];
  });
}

export function renderHtml(markdown: string, linked: Linked): string {
  const slugs = createSlugs();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const id = escapeHtml(slugs(plainOf(tokens)));
        const words = this.parser.parseInline(tokens);
        return `<h${depth} id="${id}">${words} <a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a></h${depth}>\n`;
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
        // Narrow columns break long types where a bracket opens.
        const cell = ({ tokens }: Tokens.TableCell) =>
          this.parser.parseInline(tokens).replace(/<code>[^<]*/g, (code) => code.replaceAll("(", "(<wbr>"));
        const head = header.map((one) => `<th role="columnheader">${cell(one)}</th>`).join("");
        // Where the page is narrow a row is a list, and each cell says its head (style.ts).
        const cells = (row: Tokens.TableCell[]) =>
          row.map((one, at) => `<td role="cell" data-head="${heads[at]}">${cell(one)}</td>`).join("");
        const body = rows.map((row) => `<tr role="row">${cells(row)}</tr>\n`).join("");
        return `<table role="table">\n<thead><tr role="row">${head}</tr>\n</thead>\n<tbody>${body}</tbody></table>\n`;
      },
    },
  });
  const parsed = (tokens: readonly Token[]): string => marked.parser([...tokens]);
  return examplesOf(lexer(markdown))
    .map((part) => (part.examples === undefined ? parsed(part.tokens) : withTabs(part.examples, parsed)))
    .join("");
}
