import { lexer, type Token, type Tokens } from "marked";
import type { Page } from "./pages.ts";
import { createSlugs, plainOf } from "./render.ts";

/** Search over what stands below each heading. Every word that is asked for must be there, as the beginning of a word. */

/** One heading with what is below it. */
interface Part {
  page: Page;
  heading: string;
  anchor: string;
  /** Paragraphs, items, rows and code. */
  texts: string[];
  /** In lower case. */
  head: string;
  body: string;
}

export interface Hit {
  page: Page;
  heading: string;
  /** Of the heading; empty: the page itself. */
  anchor: string;
  /** Around the first word that was asked for. */
  excerpt: string;
}

export const bounds = { words: 8, length: 100, hits: 30, excerpt: 220 };

export type Search = (asked: string) => Hit[];

/** What was asked for, as words. */
export const wordsOf = (asked: string): string[] =>
  [...new Set(asked.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])].slice(0, bounds.words);

export function createSearch(pages: readonly Page[]): Search {
  const titles = new Map(pages.map(({ name, title }) => [`${name}.md`, title]));
  // As on the page itself, a link that has a file's name for words is read as that page's title.
  const named = (markdown: string) =>
    markdown.replace(/\[([a-z0-9-]+\.md)\](?=\()/g, (words, file) => `[${titles.get(file) ?? words.slice(1, -1)}]`);
  const parts = pages.flatMap((page) => partsOf(page, named(page.markdown)));
  return (asked) => {
    const words = wordsOf(asked);
    if (words.length === 0) return [];
    const patterns = words.map((word) => new RegExp(`(?<![\\p{L}\\p{N}])${word}`, "gu"));
    return parts
      .map((part) => ({ part, points: pointsOf(part, patterns) }))
      .filter(({ points }) => points > 0)
      .toSorted((a, b) => b.points - a.points)
      .slice(0, bounds.hits)
      .map(({ part: { page, heading, anchor, texts } }) => ({
        page,
        heading,
        anchor,
        excerpt: excerptOf(texts, patterns),
      }));
  };
}

/** What a word weighs: most in a page's title, least in a text; whole more than as a beginning, and often more than once. */
const weight = { title: 6, heading: 4, whole: 1, most: 5 };

/** 0: a word is missing. The page's title alone is none of the part's. */
function pointsOf({ page, anchor, head, body }: Part, patterns: readonly RegExp[]): number {
  const title = page.title.toLowerCase();
  let points = 0;
  for (const pattern of patterns) {
    const inHead = head.match(pattern)?.length ?? 0;
    const inBody = body.match(pattern)?.length ?? 0;
    if (inHead > 0) {
      points += anchor === "" ? weight.title : weight.heading;
      if (new RegExp(`${pattern.source}(?![\\p{L}\\p{N}])`, "u").test(head)) points += weight.whole;
    }
    if (inHead + inBody > 0) points += Math.min(inBody, weight.most) / weight.most;
    else if (title.search(pattern) < 0) return 0;
  }
  return points;
}

function excerptOf(texts: readonly string[], patterns: readonly RegExp[]): string {
  const found =
    texts.find((text) => patterns.some((pattern) => text.toLowerCase().search(pattern) >= 0)) ?? texts[0] ?? "";
  const at = Math.max(0, Math.min(...patterns.map((pattern) => positionOf(found, pattern))) - bounds.excerpt / 3);
  const from = at === 0 ? 0 : found.indexOf(" ", at) + 1;
  const cut = found.slice(from, from + bounds.excerpt);
  return `${from > 0 ? "… " : ""}${cut}${from + bounds.excerpt < found.length ? " …" : ""}`;
}

function positionOf(text: string, pattern: RegExp): number {
  const at = text.toLowerCase().search(pattern);
  return at < 0 ? text.length : at;
}

function partsOf(page: Page, markdown: string): Part[] {
  const slugs = createSlugs();
  const parts: { heading: string; anchor: string; texts: string[] }[] = [];
  for (const token of lexer(markdown)) {
    if (token.type === "heading") {
      const heading = plainOf(token.tokens ?? []);
      const anchor = slugs(heading);
      parts.push({ heading, anchor: token["depth"] === 1 ? "" : anchor, texts: [] });
    } else parts.at(-1)?.texts.push(...textsOf(token));
  }
  return parts.map((part) => ({
    ...part,
    page,
    head: part.heading.toLowerCase(),
    body: part.texts.join("\n").toLowerCase(),
  }));
}

const spaced = (text: string): string => text.replace(/\s+/g, " ").trim();

function textsOf(token: Token): string[] {
  if (token.type === "html" || token.type === "space") return [];
  if (token.type === "list") return (token as Tokens.List).items.flatMap((item) => item.tokens.flatMap(textsOf));
  if (token.type === "blockquote") return (token.tokens ?? []).flatMap(textsOf);
  if (token.type === "table")
    return (token as Tokens.Table).rows.map((row) => spaced(row.map((cell) => plainOf(cell.tokens)).join(" · ")));
  if (token.type === "code") return [spaced(String(token["text"]))];
  return [spaced("tokens" in token && token.tokens !== undefined ? plainOf(token.tokens) : token.raw)];
}
