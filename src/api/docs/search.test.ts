import { describe, expect, it } from "vitest";
import { searchPage } from "./html.ts";
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
    ["the beginning of a word", "lim", ["rest#limits", "errors#rate_limited"]],
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
    expect(html).not.toMatch(/<script|<b>/);
  });
});
