import { expect, it } from "vitest";
import { longestLine, wrapped } from "./wrap.ts";

const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");

it("wraps paragraphs and list items, and indents what follows a marker", () => {
  const lines = wrapped(`${words(40)}\n\n- ${words(40)}\n\n  1. ${words(40)}`).split("\n");
  expect(lines.length).toBeGreaterThan(9);
  expect(lines.every((line) => line.length <= longestLine)).toBe(true);
  expect(lines.filter((line) => line.startsWith("     word")).length).toBeGreaterThan(1);
});

it.each([
  ["a table", `| a | ${words(40)} |\n| --- | --- |`],
  ["code", `\`\`\`sh\n${words(40)}\n\`\`\``],
  ["code in a list", `- item\n\n  \`\`\`\`sh\n  \`\`\`\n  ${words(40)}\n  \`\`\`\`\n`],
  ["a heading", `## ${words(40)}`],
  ["HTML", `<!-- ${words(40)} -->`],
  ["a line break that the writer set", `${words(40)}  \nnext`],
  ["a paragraph of short lines", "one\ntwo\nthree"],
])("leaves %s as it is", (_, page) => {
  expect(wrapped(page)).toBe(page);
});

it("keeps code and links in one line, with the punctuation beside them", () => {
  const code = `\`${words(8)}\`.`;
  const link = `([${words(8)}](https://rowferry.example/a))`;
  const lines = wrapped(`${words(12)} ${code} ${words(9)} ${link} ${words(3)}`).split("\n");
  expect(lines.some((line) => line.includes(code))).toBe(true);
  expect(lines.some((line) => line.includes(link))).toBe(true);
});

it("begins no line with text that is a list, a heading or a table there", () => {
  const text = Array.from({ length: 60 }, (_, at) => ["a", "1.", "-", "#", "|"][at % 5]).join(" word ");
  expect(
    wrapped(text)
      .split("\n")
      .filter((line) => /^(?:1\.|[-#|])/.test(line)),
  ).toEqual([]);
  expect(wrapped(wrapped(text))).toBe(wrapped(text));
});
