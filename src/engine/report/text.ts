import { counted, numberText } from "../../guard/text.ts";
import type { CopyReport, InventoryEntry } from "../contract/index.ts";
import { escapeUnseen } from "../contract/text/printable.ts";
import { factsOf, resumedText, withoutRows } from "./facts.ts";
import { byReason, reasonLine } from "./reasons.ts";

/** A report as text: whole as Markdown, and short for the end of a run in a terminal. */

/** What a terminal would obey, or a reader would not see, is written as an escape. */
const visible = (text: string): string => escapeUnseen(text).replaceAll("\t", "\\t");

const oneLine = (text: string) => visible(text).replaceAll("\n", "\\n");

/** Prose in Markdown: nothing in it becomes a link, HTML or a table's border. */
const prose = (text: string) => oneLine(text).replace(/[\\`*<[|]/g, "\\$&");

/** A name in Markdown: in as many backticks as it takes. In a table a | has to be escaped even so. */
function code(text: string, inTable = false): string {
  const shown = inTable ? oneLine(text).replaceAll("|", "\\|") : oneLine(text);
  const fence = "`".repeat(longestRun(shown) + 1);
  const pad = shown.startsWith("`") || shown.endsWith("`") || shown.trim() === "" ? " " : "";
  return `${fence}${pad}${shown}${pad}${fence}`;
}

const longestRun = (text: string) => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));

function block(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  const body = text.split("\n").map((line) => line.split("\t").map(visible).join("\t"));
  return `${fence}sql\n${body.join("\n")}\n${fence}`;
}

export function reportMarkdown(report: CopyReport, title = "Rowferry report"): string {
  const { verdict, summary, inventory } = factsOf(report);
  const parts: string[] = [
    `# ${prose(title)}`,
    verdict,
    summary.map(([name, value]) => `- ${name}: ${prose(value)}`).join("\n"),
  ];
  const add = (heading: string, number: number, body: string) => {
    if (number > 0) parts.push(`## ${heading} (${numberText(number)})`, body);
  };
  const { verification } = report;
  if (verification?.level === "checksum") {
    parts.push(
      "## Verification",
      `Compared the values of ${counted(verification.rows, "row")} in ${counted(verification.tables, "table")}.`,
    );
    for (const { source, target, keys, differing } of verification.differences) {
      const how = differing === undefined ? "" : ` (${counted(differing, "row")})`;
      const rows = keys.map(({ key, what }) => `  - ${code(key)}: ${what}`);
      parts.push([`- ${code(source)} and ${code(target)} differ${how}`, ...rows].join("\n"));
    }
    if (verification.uncompared.length > 0)
      parts.push(
        "Columns that could not be compared:",
        verification.uncompared.map((text) => `- ${prose(text)}`).join("\n"),
      );
  }
  parts.push(resumedText(report) ?? "");
  add("Warnings", report.warnings.length, report.warnings.map((warning) => `- ${prose(warning)}`).join("\n"));
  const reported = all(inventory.reported);
  add("Not copied, or changed", reported.length, reported.map(full).join("\n\n"));
  for (const [heading, of] of [
    ["Converted", inventory.converted],
    ["Copied as it was", inventory.copied],
    ["Not applicable", inventory.not_applicable],
  ] as const)
    add(heading, all(of).length, all(of).map(line).join("\n"));
  const bare = withoutRows(report);
  const lines = report.tables.map(({ source, target, rows }) => {
    const numbers = bare ? "" : ` ${numberText(rows.source)} | ${numberText(rows.target)} |`;
    return `| ${code(source, true)} | ${code(target, true)} |${numbers}`;
  });
  const head = bare
    ? ["| source | target |", "| --- | --- |"]
    : ["| source | target | rows read | rows there |", "| --- | --- | ---: | ---: |"];
  add("Tables", lines.length, [...head, ...lines].join("\n"));
  add(
    "Made in the target",
    report.made.length,
    report.made.map(({ kind, name }) => `- ${prose(kind)} ${code(name.join("."))}`).join("\n"),
  );
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const all = (of: Map<string, InventoryEntry[]>) => [...of.values()].flat();

const line = ({ kind, name, note }: InventoryEntry) =>
  `- ${prose(kind)} ${code(name)}${note === undefined ? "" : `: ${prose(note)}`}`;

const full = (entry: InventoryEntry) =>
  entry.definition === undefined ? line(entry) : `${line(entry)}\n\n${block(entry.definition)}`;

/** Some lines for the end of a run; `most` warnings and `most` objects that were not copied, or were changed, are named. */
export function reportSummary(
  report: CopyReport,
  { stored, most = 10 }: { stored?: boolean; most?: number } = {},
): string {
  const { verdict, summary, inventory } = factsOf(report);
  const width = Math.max(...summary.map(([name]) => name.length));
  const where = stored ? "the report" : "the report (--report FILE)";
  const named = (heading: string, lines: readonly string[], counts: readonly number[] = lines.map(() => 1)) => {
    const more = counts.slice(most).reduce((sum, count) => sum + count, 0);
    return [
      ...(lines.length === 0 ? [] : ["", `${heading}:`, ...lines.slice(0, most).map((line) => `  ${line}`)]),
      ...(more > 0 ? [`  and ${numberText(more)} more, in ${where}`] : []),
    ];
  };
  const groups = byReason(all(inventory.reported));
  return [
    verdict,
    "",
    ...summary.map(([name, value]) => `  ${name.padEnd(width)}  ${oneLine(value)}`),
    ...named("Warnings", report.warnings.map(oneLine)),
    ...named(
      "Not copied, or changed",
      groups.map((group) => oneLine(reasonLine(group, where))),
      groups.map(({ length }) => length),
    ),
  ].join("\n");
}
