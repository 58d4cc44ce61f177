import { describe, expect, it } from "vitest";
import { createSlugs, placesOf, renderHtml } from "./render.ts";

const linked = {
  path: (file: string) => (file === "rest.md" ? "/docs/rest" : undefined),
  title: (file: string) => (file === "rest.md" ? "REST & more" : undefined),
};
const html = (markdown: string) => renderHtml(markdown, linked).trim();

describe("Markdown as HTML", () => {
  it.each([
    ["a link to a page", "[see](rest.md)", '<p><a href="/docs/rest">see</a></p>'],
    ["one to a place on it", "[see](rest.md#limits)", '<p><a href="/docs/rest#limits">see</a></p>'],
    [
      "one that is called by the file",
      "[rest.md](rest.md#limits)",
      '<p><a href="/docs/rest#limits">REST &amp; more</a></p>',
    ],
    ["one to a place here", "[here](#a)", '<p><a href="#a">here</a></p>'],
    ["one to the web", "[w](https://example.com/?a=1&b=2)", '<p><a href="https://example.com/?a=1&amp;b=2">w</a></p>'],
    ["one to no page", "[gone](gone.md)", "<p>gone</p>"],
    ["one out of the folder", "[up](../README.md)", "<p>up</p>"],
    ["one that is a script", "[x](javascript:alert(1))", "<p>x</p>"],
    ["one that is data", "[x](data:text/html,1)", "<p>x</p>"],
    [
      "one with a quote in it",
      '[x](https://e.example/"onclick="y)',
      '<p><a href="https://e.example/&quot;onclick=&quot;y">x</a></p>',
    ],
    ["one to another host without a scheme", "[x](//evil.example)", "<p>x</p>"],
    ["an image", "![<b>](https://e.example/x.png)", "<p>&lt;b&gt;</p>"],
    ["a block of HTML", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    ["a tag among words", 'a <img src=x onerror="y"> b', "<p>a &lt;img src=x onerror=&quot;y&quot;&gt; b</p>"],
    ["a comment", "<!-- note -->\n\ntext", "<p>text</p>"],
    ["HTML that hides between comments", "<!-- a --><b><!-- c -->", "&lt;b&gt;"],
    ["code", "`<b>`", "<p><code>&lt;b&gt;</code></p>"],
    ["code with a word that is kept together", "`f(a) --b`", '<p><code>f(a) <span class="word">--b</span></code></p>'],
  ])("%s", (_, markdown, expected) => {
    expect(html(markdown)).toBe(expected);
  });

  it("a code block's language breaks out of nothing", () => {
    expect(html('```"><script>\nx\n```')).not.toContain("<script>");
  });

  it("a heading has an anchor, a second one of the same words another", () => {
    const text = html("## Taking it `back`\n\n## Taking it back");
    expect(text).toContain('<h2 id="taking-it-back">Taking it <code>back</code>');
    expect(text).toContain('<h2 id="taking-it-back-1">');
  });
});

describe("examples in several languages", () => {
  const example = (name: string, text: string) => `<!-- example: ${name} -->\n\n\`\`\`sh\n${text}\n\`\`\`\n\n`;
  const both = html(`${example("list.sh", "curl <a>")}${example("list.py", "print(1)")}after`);

  it("that follow each other are choices of one, of which the first is chosen", () => {
    expect(both.match(/<fieldset/g)).toHaveLength(1);
    expect(both).toContain(
      '<input type="radio" name="list" id="list-curl" checked><label for="list-curl">curl</label>',
    );
    expect(both).toContain('<input type="radio" name="list" id="list-python"><label for="list-python">Python</label>');
    expect(both).toContain('<div class="panel" role="group" aria-label="curl">\n<div class="code"><pre tabindex="0">');
    expect(both).toContain("curl &lt;a&gt;");
    expect(both).toMatch(/<\/fieldset>\n<p>after<\/p>$/);
  });

  it.each([
    [
      "of other names are two",
      `${example("a.sh", "1")}${example("a.py", "2")}${example("b.sh", "3")}${example("b.py", "4")}`,
      2,
    ],
    ["with words between are none", `${example("a.sh", "1")}words\n\n${example("a.py", "2")}`, 0],
    ["of one language are none", example("a.sh", "1"), 0],
    ["of no known language are none", `${example("a.sh", "1")}${example("a.rb", "2")}`, 0],
    ["without code are none", "<!-- example: a.sh -->\n\n<!-- example: a.py -->\n\nwords", 0],
  ])("that are %s", (_, markdown, count) => {
    const text = html(markdown);
    expect(text.match(/<fieldset/g) ?? []).toHaveLength(count);
    expect(text).not.toContain("example:");
    for (const [, code] of markdown.matchAll(/```sh\n(\d)/g)) expect(text).toContain(`>${code}\n</code>`);
  });
});

it("a cell of a table names its head, for narrow pages", () => {
  const text = html('| a "b" | c |\n| --- | --- |\n| `f(1)` | |');
  expect(text).toContain('<td role="cell" data-head="a &quot;b&quot;"><code>f(1)</code></td>');
  expect(text).toContain('<td role="cell" data-head="c"></td>');
});

it("the places of a page are its headings of the second level with those of the third, by their anchors", () => {
  const page = "# T\n\n## A `b`\n\n### A b\n\n## A b\n";
  expect(placesOf(page)).toEqual([
    { heading: "A b", anchor: "a-b", below: [{ heading: "A b", anchor: "a-b-1" }] },
    { heading: "A b", anchor: "a-b-2", below: [] },
  ]);
  for (const { anchor } of placesOf(page)) expect(html(page)).toContain(`<h2 id="${anchor}">`);
});

it.each([
  ["Which rights?", "which-rights"],
  ["PostgreSQL → PostgreSQL", "postgresql--postgresql"],
  ["other_team", "other_team"],
  ["MySQL's, and others'", "mysqls-and-others"],
])("the anchor of %s is %s, as on GitHub", (heading, slug) => {
  expect(createSlugs()(heading)).toBe(slug);
});
