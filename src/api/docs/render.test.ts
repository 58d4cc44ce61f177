import { describe, expect, it } from "vitest";
import { createSlugs, renderHtml } from "./render.ts";

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

it.each([
  ["Which rights?", "which-rights"],
  ["PostgreSQL → PostgreSQL", "postgresql--postgresql"],
  ["other_team", "other_team"],
  ["MySQL's, and others'", "mysqls-and-others"],
])("the anchor of %s is %s, as on GitHub", (heading, slug) => {
  expect(createSlugs()(heading)).toBe(slug);
});
