import { counted, numberText } from "../../guard/text.ts";
import type { CopyReport, InventoryEntry, Verification } from "../contract/index.ts";
import { escapeUnseen } from "../contract/text/printable.ts";
import { factsOf, resumedText, withoutRows } from "./facts.ts";
import { style } from "./style.ts";

/**
 * A report as one HTML page that needs nothing else: no script, no request, every text from the databases escaped.
 * Readable on paper, in the dark, and by a screen reader.
 */
export function reportPage(report: CopyReport, title = "Rowferry report"): string {
  const { verdict, whole, summary, inventory } = factsOf(report);
  const sections = [
    section("Summary", definitions(summary)),
    section("Verification", verification(report)),
    section("Warnings", list(report.warnings), report.warnings.length),
    section("Not copied, or changed", groups(inventory.reported, full), size(inventory.reported)),
    section("Converted", groups(inventory.converted, noted), size(inventory.converted)),
    section("Tables", tables(report), report.tables.length),
    section("Copied as it was", groups(inventory.copied, noted), size(inventory.copied)),
    section("Not applicable", groups(inventory.not_applicable, noted), size(inventory.not_applicable)),
    section("Made in the target", made(report), report.made.length),
  ].filter(({ html }) => html !== "");
  const links = sections.map(({ id, heading }) => `<li><a href="#${id}">${safe(heading)}</a></li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${safe(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${safe(title)}</h1>
<p class="verdict ${whole ? "complete" : "parts"}">${safe(verdict)}</p>
</header>
<nav aria-label="Contents"><ul>${links.join("")}</ul></nav>
<main>
${sections.map(({ html }) => html).join("\n")}
</main>
<footer><p>Made by Rowferry. A reset drops exactly the objects under “Made in the target”.</p></footer>
</body>
</html>
`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text for HTML. What is not seen (control characters, marks that turn the direction of text) is written as an escape. */
const safe = (text: string): string => escapeUnseen(text).replace(/[&<>"']/g, (character) => entities[character] ?? "");

/** A name of a database's object: on one line, whatever is in it, and with no influence on the text around it. */
const name = (text: string) => `<bdi class="name">${safe(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t")}</bdi>`;

interface Section {
  id: string;
  heading: string;
  html: string;
}

function section(title: string, body: string, number?: number): Section {
  const id = title.toLowerCase().replaceAll(" ", "-");
  const heading = number === undefined ? title : `${title} (${numberText(number)})`;
  const html = body === "" ? "" : `<section aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>\n${body}</section>`;
  return { id, heading, html };
}

const size = (of: Map<string, InventoryEntry[]>) =>
  [...of.values()].reduce((total, entries) => total + entries.length, 0);

const definitions = (rows: readonly [string, string][]) =>
  `<dl>${rows.map(([term, value]) => `<div><dt>${safe(term)}</dt><dd>${safe(value)}</dd></div>`).join("")}</dl>`;

const list = (texts: readonly string[]) =>
  texts.length === 0 ? "" : `<ul>${texts.map((text) => `<li>${safe(text)}</li>`).join("\n")}</ul>`;

/** `numbers`: how many of the last columns are numbers. Cells are HTML. */
function table(caption: string, head: readonly string[], rows: readonly (readonly string[])[], numbers = 0): string {
  const first = head.length - numbers;
  const cell = (tag: "td" | "th", html: string, column: number, scope = "") =>
    `<${tag}${scope}${column >= first ? ' class="number"' : ""}>${html}</${tag}>`;
  const headings = head.map((text, column) => cell("th", text, column, ' scope="col"')).join("");
  const body = rows.map((cells) => `<tr>${cells.map((html, column) => cell("td", html, column)).join("")}</tr>`);
  return `<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr>${headings}</tr></thead><tbody>\n${body.join("\n")}\n</tbody></table></div>`;
}

function groups(of: Map<string, InventoryEntry[]>, show: (entries: readonly InventoryEntry[]) => string): string {
  return [...of]
    .map(
      ([kind, entries]) =>
        `<h3>${safe(kind.charAt(0).toUpperCase() + kind.slice(1))} (${numberText(entries.length)})</h3>\n${show(entries)}`,
    )
    .join("\n");
}

/** Names that have nothing to tell stand in columns; the others each with its note. */
function noted(entries: readonly InventoryEntry[]): string {
  const plain = entries.filter(({ note }) => note === undefined);
  const told = entries.filter(({ note }) => note !== undefined);
  const names = plain.map((entry) => `<li>${name(entry.name)}</li>`).join("");
  return [
    names === "" ? "" : `<ul class="names">${names}</ul>`,
    told.length === 0
      ? ""
      : `<ul>${told.map((entry) => `<li>${name(entry.name)}: ${safe(entry.note ?? "")}</li>`).join("\n")}</ul>`,
  ].join("");
}

function full(entries: readonly InventoryEntry[]): string {
  return entries
    .map((entry) => {
      const note = entry.note === undefined ? "" : `<p>${safe(entry.note)}</p>`;
      const text =
        entry.definition === undefined
          ? ""
          : `<pre tabindex="0" aria-label="The source's own text"><code>${safe(entry.definition)}</code></pre>`;
      return `<article><h4>${name(entry.name)}</h4>${note}${text}</article>`;
    })
    .join("\n");
}

function tables(report: CopyReport): string {
  if (report.tables.length === 0) return "";
  if (withoutRows(report)) {
    const names = report.tables.map(({ source, target }) => [name(source), source === target ? "" : name(target)]);
    return table("Every table", ["Source", "Target, if called otherwise"], names);
  }
  const rows = report.tables.map(({ source, target, rows }) => [
    name(source),
    source === target ? "" : name(target),
    `${numberText(rows.source)}${rows.source === rows.target ? "" : " <strong>differs</strong>"}`,
    numberText(rows.target),
  ]);
  return table("Rows of every table", ["Source", "Target, if called otherwise", "Rows read", "Rows there"], rows, 2);
}

function verification(report: CopyReport): string {
  if (withoutRows(report)) return "<p>Rows were not requested: none was read or counted.</p>";
  const unequal = report.tables.filter(({ rows }) => rows.source !== rows.target).length;
  const counts =
    unequal === 0
      ? "Every table's rows were counted on both sides, in the snapshot that was copied: the numbers are equal."
      : `The number of rows differs in ${counted(unequal, "table")}.`;
  const resumed = resumedText(report);
  const kept = resumed === undefined ? "" : `<p>${resumed}</p>`;
  return `<p>${counts}</p>${report.verification === undefined ? "" : values(report.verification)}${kept}`;
}

function values({ level, rows, tables, differences, uncompared }: Verification): string {
  if (level === "counts") return "";
  const outcome =
    differences.length === 0 ? "no value differs" : `${counted(differences.length, "table")} with differences`;
  const found = differences.flatMap(({ source, target, keys, differing }) => [
    `<h3>${name(source)} and ${name(target)}</h3>`,
    differing === undefined ? "" : `<p>${counted(differing, "row")} differ.</p>`,
    table(
      "Keys of rows that differ",
      ["Key", "In the target"],
      keys.map(({ key, what }) => [name(key), what]),
    ),
  ]);
  const left =
    uncompared.length === 0
      ? ""
      : `<h3>Columns that could not be compared (${numberText(uncompared.length)})</h3>${list(uncompared)}`;
  return `<p>The values of ${counted(rows, "row")} in ${counted(tables, "table")} were compared: ${outcome}.</p>${found.join("")}${left}`;
}

function made({ made }: CopyReport): string {
  if (made.length === 0) return "";
  return `<ul class="names">${made.map((object) => `<li>${safe(object.kind)} ${name(object.name.join("."))}</li>`).join("")}</ul>`;
}
