import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { sourceFiles } from "./imports.ts";

/**
 * Words of the project's own for known things, and sentence openings that a reader stumbles over, do not get into sentences that a
 * user reads: texts of more than one word in the source. Comments are not looked at. SQL is: it has none of them.
 */
const privateWords =
  /\b(?:mends?|mended|lessons?|canon|wholly|swift|strangers?|whoever|left behind|carried over|one of theirs|who calls|is told|there is none|there is no such|ended in order|ends in order)\b/i;

const root = join(import.meta.dirname, "../..");

/** Every text in the source that has a space: literals, and the fixed parts of templates. */
function sentencesIn(path: string, text: string): string[] {
  const found: string[] = [];
  const see = (value: unknown) => {
    if (typeof value === "string" && value.includes(" ")) found.push(value);
  };
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const { type, ...rest } = node as { type?: string; value?: unknown };
    if (type === "Literal") see(rest.value);
    else if (type === "TemplateElement") see((rest.value as { cooked?: string }).cooked);
    else for (const child of Object.values(rest)) visit(child);
  };
  const { program, errors } = parseSync(path, text);
  expect(errors, path).toEqual([]);
  visit(program.body);
  return found;
}

it("sentences for users have no private word of writing.md", () => {
  const files = sourceFiles(root, ["src", "controllers"]).filter(
    ({ path }) => /\.ts$/.test(path) && !path.endsWith(".test.ts"),
  );
  expect(files.length).toBeGreaterThan(300);
  // Only a file that has such a word somewhere, be it in a comment, is worth the parser's time.
  const hits = files
    .filter(({ text }) => privateWords.test(text))
    .flatMap(({ path, text }) => sentencesIn(path, text).map((sentence) => ({ path, sentence })))
    .filter(({ sentence }) => privateWords.test(sentence));
  expect(hits.map(({ path, sentence }) => `${path}: ${sentence.slice(0, 160)}`)).toEqual([]);
});

it("pages and the chart's values have none of them either", () => {
  const pages = [
    ...readdirSync(join(root, "docs"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`),
    ...["README.md", "SECURITY.md", "CONTRIBUTING.md", "charts/rowferry/values.yaml"],
  ];
  const hits = pages.flatMap((path) =>
    readFileSync(join(root, path), "utf8")
      .split("\n")
      .flatMap((line, at) => (privateWords.test(line) ? [`${path}:${at + 1}: ${line.slice(0, 160)}`] : [])),
  );
  expect(hits).toEqual([]);
});

it("the test sees words in literals and in templates, and not in comments and names", () => {
  const of = (text: string) => sentencesIn("x.ts", text).filter((sentence) => privateWords.test(sentence));
  expect(of('const a = "Whoever has it";')).toEqual(["Whoever has it"]);
  expect(of("const a = `$" + "{b} is left behind`;")).toEqual([" is left behind"]);
  expect(of("// whoever reads\nconst mended = 1; const b = 'mend';")).toEqual([]);
});
