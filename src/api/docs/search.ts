import { lexer, type Token, type Tokens } from "marked";
import type { DocPage } from "./pages.ts";
import { createSlugs, plainOf } from "./render.ts";

/**
 * Search over the text below each heading. Every word of the query must be there, or a word of the same meaning, as the beginning
 * of a word.
 */

/** Words that readers bring from other services → words of these pages. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  pagination: ["cursor"],
  paginate: ["cursor"],
  paging: ["cursor"],
  offset: ["cursor"],
  webhook: ["events"],
  webhooks: ["events"],
  callback: ["events"],
  sse: ["events"],
  cancel: ["delete"],
  golang: ["go"],
  abort: ["delete"],
  remove: ["delete"],
  stop: ["cancel", "delete"],
  edit: ["change"],
  undo: ["reset"],
  rollback: ["reset"],
  resume: ["retry"],
  restart: ["retry"],
  apikey: ["token"],
  apikeys: ["token"],
  quota: ["limit"],
  throttling: ["limit"],
  pricing: ["price"],
  cost: ["price"],
  cdc: ["replication"],
  ssl: ["tls"],
  permissions: ["rights", "privilege"],
  grants: ["rights", "privilege"],
  dryrun: ["preflight"],
  deploy: ["install"],
  setup: ["install"],
  swagger: ["openapi"],
  library: ["libraries"],
  sso: ["openid"],
};

/** Terms in the words of these pages, or as one word that has synonyms. */
const terms: readonly (readonly [RegExp, string])[] = [
  [/\bapi[ -]key/g, "apikey"],
  [/\blog(?:ging)?[ -]?(?:in|on)\b|\bsignin\b/g, "sign in"],
  [/\blog(?:ging)?[ -]?out\b|\bsignout\b/g, "sign out"],
  [/\bsignup\b|\bregister\b/g, "sign up"],
  [/\btoo many requests\b/g, "rate limit"],
  [/\b(?:forgot(?:ten)?|lost) password\b/g, "password reset"],
  [/\bdry[ -]run\b/g, "dryrun"],
];

/** One heading with what is below it. */
interface Part {
  page: DocPage;
  heading: string;
  anchor: string;
  /** Paragraphs, items, rows and code. */
  texts: string[];
  /** In lower case. */
  head: string;
  body: string;
}

export interface Hit {
  page: DocPage;
  heading: string;
  /** Of the heading; empty: the page itself. */
  anchor: string;
  /** Around the first word that was asked for. */
  excerpt: string;
}

export const bounds = { words: 8, length: 100, hits: 30, excerpt: 220 };

type Search = (asked: string) => Hit[];

export const wordsOf = (asked: string): string[] =>
  [...new Set(withTerms(asked.toLowerCase()).match(/[\p{L}\p{N}_]+/gu) ?? [])].slice(0, bounds.words);

const withTerms = (asked: string): string =>
  terms.reduce((text, [pattern, word]) => text.replace(pattern, word), asked);

export function createSearch(pages: readonly DocPage[]): Search {
  const titles = new Map(pages.map(({ name, title }) => [`${name}.md`, title]));
  // As on the page itself, a link that has a file's name for words is read as that page's title.
  const named = (markdown: string) =>
    markdown.replace(/\[([a-z0-9-]+\.md)\](?=\()/g, (words, file) => `[${titles.get(file) ?? words.slice(1, -1)}]`);
  const ranked = createIndex(pages.flatMap((page) => partsOf(page, named(page.markdown))));
  return (asked) => {
    const words = wordsOf(asked);
    if (words.length === 0) return [];
    const patterns = words.map(patternOf);
    return ranked(words)
      .slice(0, bounds.hits)
      .map(({ page, heading, anchor, texts }) => ({ page, heading, anchor, excerpt: excerptOf(texts, patterns) }));
  };
}

/** A word this short is no beginning of another: "go" does not mean Google. */
const longestShort = 2;

/** The word, and those of these pages that mean the same. */
const meanings = (word: string): string[] => [word, ...(Object.hasOwn(synonyms, word) ? (synonyms[word] ?? []) : [])];

const patternOf = (word: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])(?:${meanings(word).join("|")})`, "gu");

/**
 * What a word weighs: most in a page's title, least in a text; whole more than as a beginning, and often more than once. A heading
 * of these words alone, or with them one after the other, weighs more, and a synonym less than the word of the query.
 */
const weight = { title: 6, heading: 4, whole: 1, exact: 2, phrase: 1.5, most: 5, synonym: 0.7 };

const hasPhrase = (text: string, phrase: string): boolean =>
  ` ${(text.match(/[\p{L}\p{N}_]+/gu) ?? []).join(" ")} `.includes(` ${phrase} `);

/** How often a part has a word. */
interface Place {
  part: Part;
  head: number;
  body: number;
}

/** More beginnings than any name of these pages has; without a limit they are the square of a word's length. */
const mostBeginnings = 12;

/** Each word of a text, and what begins behind its underscores. */
const beginnings = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((word) => {
    const parts = word.split("_");
    return parts.slice(0, mostBeginnings).flatMap((_, at) => parts.slice(at).join("_") || []);
  });

/**
 * The parts that have all of some words, the best first. The words are indexed once, in the order of the alphabet, so that a search looks
 * at those alone that begin with what was asked for.
 */
function createIndex(parts: readonly Part[]): (words: readonly string[]) => Part[] {
  const index = new Map<string, Map<Part, Place>>();
  for (const part of parts)
    for (const field of ["head", "body"] as const)
      for (const word of beginnings(part[field])) {
        const places = index.get(word) ?? new Map<Part, Place>();
        const place = places.get(part) ?? { part, head: 0, body: 0 };
        place[field] += 1;
        index.set(word, places.set(part, place));
      }
  const vocabulary = [...index.keys()].sort();
  const titles = new Map(parts.map(({ page }) => [page, beginnings(page.title.toLowerCase())]));

  const pointsOfWord = (asked: string): Map<Part, number> => {
    const sums = new Map<Part, Place & { isWhole: boolean }>();
    const begins = (word = "") => (asked.length > longestShort ? word.startsWith(asked) : word === asked);
    for (let at = firstFrom(vocabulary, asked); begins(vocabulary[at]); at++) {
      const word = vocabulary[at] ?? "";
      for (const { part, head, body } of index.get(word)?.values() ?? []) {
        const sum = sums.get(part) ?? { part, head: 0, body: 0, isWhole: false };
        sum.head += head;
        sum.body += body;
        sum.isWhole ||= head > 0 && (word === asked || word[asked.length] === "_");
        sums.set(part, sum);
      }
    }
    const points = new Map<Part, number>();
    for (const { part, head, body, isWhole } of sums.values()) {
      const inHead =
        head === 0 ? 0 : (part.anchor === "" ? weight.title : weight.heading) + (isWhole ? weight.whole : 0);
      points.set(part, inHead + Math.min(body, weight.most) / weight.most);
    }
    return points;
  };

  return (words) => {
    const each = words.map((word) => {
      const points = new Map<Part, number>();
      for (const meant of meanings(word))
        for (const [part, own] of pointsOfWord(meant)) {
          const weighed = meant === word ? own : own * weight.synonym;
          points.set(part, Math.max(points.get(part) ?? 0, weighed));
        }
      return { word, points };
    });
    const found = parts.flatMap((part) => {
      let sum = 0;
      for (const { word, points } of each) {
        const own = points.get(part);
        // The page's title alone is none of the part's.
        if (own === undefined && !titles.get(part.page)?.some((title) => title.startsWith(word))) return [];
        sum += own ?? 0;
      }
      const phrase = words.join(" ");
      if (part.head === phrase) sum += weight.exact;
      else if (words.length > 1 && hasPhrase(part.head, phrase)) sum += weight.phrase;
      return sum > 0 ? [{ part, sum }] : [];
    });
    return found.sort((a, b) => b.sum - a.sum).map(({ part }) => part);
  };
}

/** Where the first word stands that is not before another. */
function firstFrom(words: readonly string[], word: string): number {
  let [from, to] = [0, words.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((words[middle] ?? "") < word) from = middle + 1;
    else to = middle;
  }
  return from;
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

function partsOf(page: DocPage, markdown: string): Part[] {
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
