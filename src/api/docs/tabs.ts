import type { Token } from "marked";

/** Code blocks below comments `<!-- example: NAME.ENDING -->`: those that follow each other are one example in several languages. */
interface Example {
  /** A word before the dot, the same for all languages. */
  name: string;
  language: string;
  code: Token;
}

/** Either `examples`, at least two, or other tokens. */
interface TabsBlock {
  tokens: Token[];
  examples?: Example[];
}

const languages: Record<string, string> = { sh: "curl", mts: "TypeScript", py: "Python" };

const mark = /^<!-- example: (\w+)\.(\w+) -->\s*$/;

function exampleAt(tokens: readonly Token[], at: number): { example: Example; next: number } | undefined {
  const [, name = "", ending = ""] = mark.exec(tokens[at]?.type === "html" ? tokens[at].raw : "") ?? [];
  const language = languages[ending];
  if (language === undefined) return undefined;
  const next = tokens[at + 1]?.type === "space" ? at + 2 : at + 1;
  const code = tokens[next];
  return code?.type === "code" ? { example: { name, language, code }, next: next + 1 } : undefined;
}

export function examplesOf(tokens: readonly Token[]): TabsBlock[] {
  const parts: TabsBlock[] = [];
  let at = 0;
  while (at < tokens.length) {
    const examples: Example[] = [];
    let next = at;
    for (let found = exampleAt(tokens, next); found !== undefined; found = exampleAt(tokens, next)) {
      if (examples[0] !== undefined && examples[0].name !== found.example.name) break;
      examples.push(found.example);
      next = tokens[found.next]?.type === "space" ? found.next + 1 : found.next;
    }
    if (examples.length > 1) {
      parts.push({ tokens: [], examples });
      at = next;
      continue;
    }
    const last = parts.at(-1);
    const token = tokens[at] as Token;
    if (last === undefined || last.examples !== undefined) parts.push({ tokens: [token] });
    else last.tokens.push(token);
    at += 1;
  }
  return parts;
}

/** Radio buttons that the style sheet makes tabs of: without it, and for a reader of the page's text, all languages stand there. */
export function withTabs(examples: readonly Example[], parsed: (tokens: readonly Token[]) => string): string {
  const choices = examples.map(({ name, language }, at) => {
    const id = `${name}-${language.toLowerCase()}`;
    return `<input type="radio" name="${name}" id="${id}"${at === 0 ? " checked" : ""}><label for="${id}">${language}</label>`;
  });
  const panels = examples.map(
    ({ language, code }) => `<div class="panel" role="group" aria-label="${language}">\n${parsed([code])}</div>`,
  );
  return `<fieldset class="example">\n<legend>Example in</legend>\n${[...choices, ...panels].join("\n")}\n</fieldset>\n`;
}
