import { expect, it } from "vitest";
import { escapeHtml } from "./escape.ts";
import { highlight } from "./highlight.ts";

const plain = (html: string) => html.replace(/<\/?span[^>]*>/g, "");

it.each([
  ["sh", 'curl -sS "$API/x" # all', '<span class="code-attr">-sS</span>', '<span class="code-comment"># all</span>'],
  [
    "json",
    '{"a": "b", "c": true, "d": -1.5}',
    '<span class="code-attr">&quot;a&quot;</span>',
    '<span class="code-number">-1.5</span>',
  ],
  ["ts", "const x = `a`; // b", '<span class="code-keyword">const</span>', '<span class="code-comment">// b</span>'],
  ["python", "import os  # x", '<span class="code-keyword">import</span>', '<span class="code-comment"># x</span>'],
  ["http", "POST /api\nA-B: c", '<span class="code-keyword">POST</span>', '<span class="code-attr">A-B</span>'],
])("%s has its parts marked, and reads as before", (language, code, ...marked) => {
  const html = highlight(code, language);
  for (const one of marked) expect(html).toContain(one);
  expect(plain(html)).toBe(escapeHtml(code));
});

it("markup in code stays text, in a known language and in an unknown one", () => {
  for (const language of ["sh", "json", "ts", "python", "sql", "http", "yaml", "", "constructor"]) {
    const code = `<script>"<b>" '&' \`<i>\` # </code>`;
    expect(plain(highlight(code, language))).toBe(escapeHtml(code));
  }
});
