import { escapeHtml } from "./escape.ts";

/**
 * Code as HTML with a class for comments, strings, numbers, keywords and field names. One pattern for each language: it need not
 * understand the code, only never change what is read.
 */

type Kind = "comment" | "string" | "keyword" | "attr" | "number";

const words = (list: string): string => `\\b(?:${list.split(" ").join("|")})\\b`;
const number = String.raw`(?<![\w.-])-?\d+(?:\.\d+)?\b`;
const doubled = String.raw`"(?:[^"\\\n]|\\.)*"`;
const single = String.raw`'(?:[^'\\\n]|\\.)*'`;

const shell: [Kind, string][] = [
  ["comment", String.raw`(?<=^|\s)#.*$`],
  ["string", `${doubled}|'[^']*'`],
  ["keyword", `(?<=^|[|;(]\\s*)${words("if then else fi for do done while case esac export exit source set")}`],
  ["attr", String.raw`(?<=\s)--?[a-zA-Z][\w-]*|\$\{?\w+\}?`],
];
const json: [Kind, string][] = [
  ["attr", `${doubled}(?=\\s*:)`],
  ["string", doubled],
  ["keyword", words("true false null")],
  ["number", number],
];
const script: [Kind, string][] = [
  ["comment", String.raw`//.*$|/\*[\s\S]*?\*/`],
  ["string", `${doubled}|${single}|\`[^\`]*\``],
  [
    "keyword",
    words("const let import from export function return if else for of in while async await new throw try catch type"),
  ],
  ["number", number],
];
const python: [Kind, string][] = [
  ["comment", "#.*$"],
  ["string", `[frb]?(?:"""[\\s\\S]*?"""|${doubled}|${single})`],
  [
    "keyword",
    words("import from def return if elif else for in while with as class try except raise not and or None True False"),
  ],
  ["number", number],
];
const sql: [Kind, string][] = [
  ["comment", "--.*$"],
  ["string", single],
  [
    "keyword",
    words("SELECT FROM WHERE CREATE TABLE ALTER GRANT ON TO INSERT INTO VALUES USER ROLE WITH AND OR NOT NULL SET"),
  ],
  ["number", number],
];
const settings: [Kind, string][] = [
  ["comment", String.raw`(?<=^|\s)#.*$`],
  ["attr", String.raw`^[ \t-]*[\w.-]+(?=\s*[:=])`],
  ["string", `${doubled}|${single}`],
];
const http: [Kind, string][] = [
  ["keyword", String.raw`^(?:GET|POST|PATCH|PUT|DELETE)\b`],
  ["attr", `^[A-Z][\\w-]+(?=: )|${doubled}(?=\\s*:)`],
  ["string", doubled],
];

const languages: Readonly<Record<string, [Kind, string][]>> = {
  ...{ sh: shell, bash: shell, json, ts: script, mts: script, py: python, python, sql, http },
  ...{ yaml: settings, toml: settings, ini: settings },
};

const patterns = new Map(
  Object.entries(languages).map(([name, rules]) => [
    name,
    { pattern: new RegExp(rules.map(([, rule]) => `(${rule})`).join("|"), "gm"), kinds: rules.map(([kind]) => kind) },
  ]),
);

/** HTML. Code of a language that is not known is only escaped. */
export function highlight(code: string, language: string): string {
  const found = patterns.get(language);
  if (found === undefined) return escapeHtml(code);
  let at = 0;
  let html = "";
  for (const match of code.matchAll(found.pattern)) {
    const kind = found.kinds[match.slice(1).findIndex((group) => group !== undefined)];
    html += `${escapeHtml(code.slice(at, match.index))}<span class="code-${kind}">${escapeHtml(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(at));
}
