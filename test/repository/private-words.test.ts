import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { crds } from "../../src/resources/crd/index.ts";
import { sourceFiles } from "./imports.ts";
import {
  bareOpening,
  commentsIn,
  explanationsIn,
  mostWords,
  privateWordIn,
  proseIn,
  sentencesOf,
  textsIn,
  wordsIn,
} from "./words.ts";

/**
 * What a user reads has no word of the project's own for a known thing, no sentence that begins with a bare "What" or "Of", and
 * none of more than 25 words (writing.md). Looked at: texts of more than one word in the source (REST, MCP, `kubectl explain`,
 * conditions, events, log entries, reports, assessments, the command line), the pages, the chart with its messages, alerts and
 * dashboard, the examples. Comments of the source are not looked at.
 */

interface Text {
  place: string;
  text: string;
}

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const namesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);

const readSource = (): Text[] =>
  sourceFiles(root, ["src", "controllers"])
    .filter(({ path }) => /\.ts$/.test(path) && !path.endsWith(".test.ts"))
    .flatMap(({ path, text }) => textsIn(path, text).map((one) => ({ place: path, text: one })));

const readPages = (): Text[] =>
  [
    ...namesIn("docs", ".md"),
    ...["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "charts/rowferry/README.md"],
  ].flatMap((place) => proseIn(read(place)).map((text) => ({ place, text })));

const [alerts, dashboard] = ["charts/rowferry/files/alerts.yaml", "charts/rowferry/files/dashboard.json"];

/** Messages of admission policies, and of values that the chart refuses. */
const messagesIn = (template: string): string[] =>
  [...template.matchAll(/^ +- message: "?(.*?)"?$|\bfail "(.*?)" \}\}/gm)].map(([, message, refusal]) =>
    (message ?? refusal ?? "").replace(/\{\{.*?\}\}/g, "…"),
  );

const readManifests = (): Text[] => [
  ...["charts/rowferry/values.yaml", "charts/rowferry/Chart.yaml", ...namesIn("examples", ".yaml")].flatMap((place) =>
    commentsIn(read(place)).map((text) => ({ place, text })),
  ),
  { place: "charts/rowferry/Chart.yaml", text: String(parse(read("charts/rowferry/Chart.yaml")).description) },
  ...read("charts/rowferry/templates/NOTES.txt")
    .replace(/\{\{-? (?:if|else|end)[^}]*\}\}/g, "")
    .split("\n\n")
    .map((text) => ({ place: "charts/rowferry/templates/NOTES.txt", text })),
  ...[...namesIn("charts/rowferry/templates", ".yaml"), ...namesIn("charts/rowferry/templates", ".tpl")].flatMap(
    (place) => messagesIn(read(place)).map((text) => ({ place, text })),
  ),
  ...[...read(alerts).matchAll(/^ +(?:summary|description): "(.*)"$/gm)].map(([, text = ""]) => ({
    ...{ place: alerts, text: text.replace(/\{\{.*?\}\}/g, "…") },
  })),
  ...[...read(dashboard).matchAll(/"(?:title|description)": "(.*)"/g)].map(([, text = ""]) => ({
    place: dashboard,
    text,
  })),
  ...Object.entries(crds).flatMap(([place, crd]) => explanationsIn(crd()).map((text) => ({ place, text }))),
];

const inPages: Text[] = [];
const elsewhere: Text[] = [];
beforeAll(() => {
  inPages.push(...readPages());
  elsewhere.push(...readSource(), ...readManifests());
});
const everywhere = (): Text[] => [...elsewhere, ...inPages];
const shown = ({ place, text }: Text): string => `${place}: ${text.slice(0, 200)}`;

it("sentences for users have no private word of writing.md", () => {
  const all = everywhere();
  expect(all.length).toBeGreaterThan(10_000);
  const hits = all.filter(({ text }) => privateWordIn(text) !== undefined);
  expect(hits.map(shown)).toEqual([]);
});

it("no sentence begins with a bare What, Who, Of, Such or Whoever", () => {
  const hits = everywhere().flatMap(({ place, text }) =>
    sentencesOf(text)
      .filter((sentence) => bareOpening.test(sentence))
      .map((sentence) => ({ place, text: sentence })),
  );
  expect(hits.map(shown)).toEqual([]);
});

/** SQL, HTML, CSS and the shells' scripts of completion. */
const isCode = (text: string): boolean =>
  /\b(?:SELECT|INSERT INTO|UPDATE|WHERE|JOIN|CASE|CREATE TABLE|compgen|local -a)\b/.test(text) ||
  /<\/?[a-z][^>]*>|\{[^}]*:[^}]*;/.test(text);

/** A message in lower case says what is wrong, then the fix, then the state: each of the three counts by itself. */
const partsOf = (sentence: string): string[] => (/^[\p{Ll}…]/u.test(sentence) ? sentence.split(/[:;] /) : [sentence]);

it(`no sentence has more than ${mostWords} words`, () => {
  const hits = [
    ...elsewhere
      .filter(({ text }) => !isCode(text))
      .flatMap(({ place, text }) =>
        sentencesOf(text)
          .flatMap(partsOf)
          .map((one) => ({ place, text: one })),
      ),
    ...inPages.flatMap(({ place, text }) => sentencesOf(text).map((one) => ({ place, text: one }))),
  ].filter(({ text }) => wordsIn(text) > mostWords);
  expect(hits.map(shown)).toEqual([]);
});

it("the tests see words in literals and in templates, and not in comments and names", () => {
  const of = (text: string) => textsIn("x.ts", text).filter((sentence) => privateWordIn(sentence) !== undefined);
  expect(of('const a = "Whoever has it";')).toEqual(["Whoever has it"]);
  expect(of("const a = `$" + "{b} is left behind, $" + "{c}`;")).toEqual(["… is left behind, …"]);
  expect(of('const a = "is a whole number"; const b = "the whole table";')).toEqual(["the whole table"]);
  expect(of("// whoever reads\nconst mended = 1; const b = 'mend';")).toEqual([]);
});

it("the tests count code as one word, and know where a sentence ends", () => {
  expect(wordsIn("Set `spec.attempt` to 2, with `kubectl patch migration shop`.")).toBe(6);
  expect(sentencesOf("Ends at 1.5 s, e.g. here. `code` begins one (as this). A third?")).toEqual([
    "Ends at 1.5 s, e.g. here.",
    "`code` begins one (as this).",
    "A third?",
  ]);
  expect(sentencesOf("Over\nlines.\n\nNext").filter((one) => bareOpening.test(one))).toEqual([]);
  expect(["What it is", "Of the run.", "(Such a row."].filter((one) => !bareOpening.test(one))).toEqual([]);
});

it("the tests see prose of pages, not their blocks of code", () => {
  const page = "# What is told\n\nA `told` word.\n\n```\ntold\n```\n\n| a | b |\n| --- | --- |\n| heard | 1 |\n";
  expect(proseIn(page).filter((text) => privateWordIn(text) !== undefined)).toEqual(["What is told", "heard"]);
  expect(commentsIn("a: 1\n# One\n# and two.\nb: 2\n  # Three.\n")).toEqual(["One\nand two.", "Three."]);
});
