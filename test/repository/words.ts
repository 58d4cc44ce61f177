import { lexer, type Token, walkTokens } from "marked";
import { parseSync } from "oxc-parser";

/** What people and models read, as sentences, and what writing.md says of its words and lengths. */

/** Words of the project's own for known things: writing.md's table, in each form that a sentence can have. */
const privateWords = new RegExp(
  `\\b(?:${[
    ["mends?", "mended", "mending", "lessons?", "canon", "wholly", "whole", "swift", "strangers?"],
    ["whoever", "begun", "ended in order", "ends in order", "stands", "stood", "troubles?"],
    ["proofs?", "proving", "proven", "proved", "told", "asked", "said", "answered", "heard"],
    ["as many as", "may have", "left behind", "left out", "carried over", "go(?:es)? on", "going on"],
    ["one of theirs", "who calls", "that calls", "there (?:is|are) none", "there is no (?:such|\\S+ (?:of|with) this)"],
  ]
    .flat()
    .join("|")})\\b`,
  "i",
);

/** Phrases that have one of these words and are the field's own, each with its reason. */
const usual: readonly { phrase: RegExp; reason: string }[] = [
  { phrase: /\bwhole numbers?\b/gi, reason: "what a reader who is no programmer calls an integer" },
  { phrase: /\bstands by\b/gi, reason: "a replica beside the leader is a standby" },
  { phrase: /\bmay have been\b/gi, reason: "something uncertain in the past, and no limit" },
];

/** The private word in a text, code aside; undefined: none. */
export function privateWordIn(text: string): string | undefined {
  const prose = usual.reduce((rest, { phrase }) => rest.replace(phrase, "…"), text.replace(/`[^`]*`/g, "…"));
  return privateWords.exec(prose)?.[0];
}

/** The first word of a sentence that names nothing. */
export const bareOpening = /^["'(*]*(?:What|Who|Of|Such|Whoever)\b/;

export const mostWords = 25;

/** A word has a letter or a digit; code is one word, whatever is in it. */
export const wordsIn = (sentence: string): number =>
  sentence
    .replace(/`[^`]*`/g, "code")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Sentences of a text, and its lines. An abbreviation such as `e.g.` is no end, nor is a point within a name. */
export const sentencesOf = (text: string): string[] =>
  text
    .split(/\n{2,}|(?<=[.?!]["')]*)(?<!\b(?:e\.g|i\.e|vs|etc)\.)\s+(?=["'(`*]*[\p{Lu}\p{N}`<$\u2026]|[\w-]+\.md\b)/u)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => sentence !== "");

/** Place of a variable part in a text of the source. */
const variable = "…";

/** Every text in a TypeScript source that has a space: literals, and templates with their variable parts as "…". */
export function textsIn(path: string, source: string): string[] {
  const found: string[] = [];
  const see = (value: string) => {
    if (value.includes(" ")) found.push(value);
  };
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const { type, ...rest } = node as { type?: string; value?: unknown; quasis?: { value: { cooked: string } }[] };
    if (type === "Literal") {
      if (typeof rest.value === "string") see(rest.value);
    } else if (type === "TemplateLiteral") {
      see((rest.quasis ?? []).map(({ value }) => value.cooked).join(variable));
      visit((rest as { expressions?: unknown }).expressions);
    } else for (const child of Object.values(rest)) visit(child);
  };
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  visit(program.body);
  return found;
}

const plain = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (token.type === "codespan") return `\`${(token as { text: string }).text}\``;
      if (token.type === "br") return " ";
      const inner = (token as { tokens?: Token[] }).tokens;
      return inner === undefined ? ((token as { text?: string }).text ?? "") : plain(inner);
    })
    .join("");

/** The prose of a Markdown page: paragraphs, items of lists, headings and cells of tables, without blocks of code. */
export function proseIn(page: string): string[] {
  const found: string[] = [];
  void walkTokens(lexer(page), (token) => {
    const { type, tokens } = token as { type: string; tokens?: Token[] };
    if ((type === "paragraph" || type === "heading" || type === "text") && tokens !== undefined)
      found.push(plain(tokens));
    if (type !== "table") return;
    const { header, rows } = token as unknown as { header: { tokens: Token[] }[]; rows: { tokens: Token[] }[][] };
    found.push(...[header, ...rows].flat().map((cell) => plain(cell.tokens)));
  });
  return found;
}

/** Comments of YAML, those on lines one below the other as one. */
export const commentsIn = (yaml: string): string[] =>
  [...yaml.matchAll(/^(?:[ \t]*#.*\n?)+/gm)].map(([block]) => block.replace(/^[ \t]*#[ \t]?/gm, "").trim());

/** Texts of a CRD that `kubectl explain` and refusals show. */
export function explanationsIn(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    (name === "description" || name === "message") && typeof value === "string" ? [value] : explanationsIn(value),
  );
}
