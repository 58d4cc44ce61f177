import { describe, expect, it } from "vitest";
import { searchPage } from "./html.ts";
import { script } from "./script.ts";
import { createSearch, wordsOf } from "./search.ts";

const page = (name: string, title: string, text: string) => ({
  name,
  title,
  about: "",
  markdown: `# ${title}\n\n${text}`,
});
const search = createSearch([
  page(
    "rest",
    "REST",
    "What all share.\n\n## Limits\n\nA call costs points.\n\n- `ai` has ten\n\n| tier | points |\n| --- | --- |\n| read | sixty |\n\n```sh\ncurl --retry\n```",
  ),
  page(
    "errors",
    "Errors",
    "Codes.\n\n## rate_limited\n\nWait: the limits are used up. <b>Zebra</b> <!-- secretnote -->",
  ),
]);
const found = (asked: string) => search(asked).map((hit) => `${hit.page.name}#${hit.anchor}`);

describe("a search", () => {
  it.each([
    ["a word of a heading first, then one of a text", "limits", ["rest#limits", "errors#rate_limited"]],
    ["in upper case", "LIMITS", ["rest#limits", "errors#rate_limited"]],
    ["the beginning of a word", "lim", ["errors#rate_limited", "rest#limits"]],
    ["not the middle of a word", "imits", []],
    ["all words", "limits wait", ["errors#rate_limited"]],
    ["a word of the page's title beside one of a part", "errors wait", ["errors#rate_limited"]],
    ["an item of a list", "ten", ["rest#limits"]],
    ["a cell of a table", "sixty", ["rest#limits"]],
    ["code", "--retry", ["rest#limits"]],
    ["below the title", "share", ["rest#"]],
    ["nothing", "", []],
    ["signs only", "(.*)+$ [", []],
    ["signs around a word", "(ten)*", ["rest#limits"]],
    ["what stands in a comment", "secretnote", []],
    ["what is nowhere", "ten nowhere", []],
  ])("for %s", (_, asked, expected) => {
    expect(found(asked)).toEqual(expected);
  });

  it("shows first the page that is called so, then headings, then texts by how often it is said", () => {
    const several = createSearch([
      page("a", "A", "Install once.\n\n## Installations\n\ntext\n\n## Install\n\ntext"),
      page("b", "B", "Install, install and install."),
      page("c", "Install", "text"),
    ]);
    expect(several("install").map((hit) => `${hit.page.name}#${hit.anchor}`)).toEqual([
      "c#",
      "a#install",
      "a#installations",
      "b#",
      "a#",
    ]);
  });

  it("reads a link that has a file's name for words as the title of that page", () => {
    const linked = createSearch([
      page("a", "A", "Ask: [b.md](b.md#c) has the rest, [gone.md](gone.md) nothing."),
      page("b", "The rest", "text"),
    ]);
    expect(linked("ask").map(({ excerpt }) => excerpt)).toEqual(["Ask: The rest has the rest, gone.md nothing."]);
  });

  it("takes a bounded number of words, and gives a bounded number of hits", () => {
    expect(wordsOf("a b c d e f g h i j")).toHaveLength(8);
    const many = createSearch([page("many", "Many", "## word\n\ntext\n\n".repeat(100))]);
    expect(many("word")).toHaveLength(30);
  });

  it("shows the words around what it found", () => {
    const long = createSearch([page("long", "Long", `${"before ".repeat(100)}needle ${"after ".repeat(100)}`)]);
    const [hit] = long("needle");
    expect(hit?.excerpt).toMatch(/^… before .*needle after.* …$/);
    expect(hit?.excerpt.length).toBeLessThan(240);
  });

  it("is shown without a tag of the asker's or of the page's", () => {
    const asked = '"><script>alert(1)</script> zebra';
    const html = searchPage({ sections: [], prefix: "" }, asked, search("zebra"));
    expect(html).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; zebra"');
    expect(html).toContain("Zebra");
    expect(html.replace(`<script>${script}</script>`, "")).not.toMatch(/<script|<b>/);
  });
});
