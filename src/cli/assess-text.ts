import { findingText } from "../engine/assess/finding.ts";
import type { Assessment } from "../engine/assess/index.ts";
import { byReason, namesOf, reasonLine } from "../engine/report/reasons.ts";
import { durationText, numberText, sizeText } from "../guard/text.ts";

/** An assessment for a person at a terminal: the verdict first; what is the same for many objects is said once. Pure. */

type Found = Assessment["findings"][number];
type Planned = Assessment["objects"][number];

const marks = { blocker: "BLOCKER", warning: "warning", note: "note" } as const;
const mostLines = 20;

export function assessmentText(found: Assessment): string {
  const { findings, objects } = found;
  const keyOf = ({ severity, code, reason, fix }: Found) => [severity, code, reason, fix].join("\0");
  const sayings = [...Map.groupBy(findings, keyOf).values()];
  const lost = byReason(objects.filter(({ outcome }) => outcome === "reported"));
  const converted = byReason(
    objects.filter(({ outcome, note = "" }) => outcome === "converted" && !isPlain(note)),
  ).sort((a, b) => b.length - a.length);
  return `${[
    verdict(found),
    "",
    ...facts(found),
    ...(sayings.length === 0 ? [] : [""]),
    ...sayings.flatMap(findingLines),
    ...section("Would not be copied, or would be changed:", lost),
    ...section("Conversions, the most frequent first:", converted),
  ].join("\n")}\n`;
}

function verdict({ ready, findings }: Assessment): string {
  if (ready) return "Ready: no blockers.";
  const blockers = findings.filter(({ severity }) => severity === "blocker").length;
  return `Not ready: ${blockers === 1 ? "1 blocker" : `${blockers} blockers`}.`;
}

function facts({ source, target, objects, estimate, samples }: Assessment): string[] {
  const { least, most } = estimate.seconds;
  const took = [durationText(least), durationText(most)];
  const rows = source.rows === 0 && source.size > 0 ? "rows not known" : `about ${numberText(source.rows)} rows`;
  const tables = `${numberText(source.tables)} ${source.tables === 1 ? "table" : "tables"}`;
  const free = target.free === null ? "free disk not known" : `${sizeText(target.free)} free`;
  const become = Object.entries(outcomes)
    .map(([outcome, words]) => [words, objects.filter((one) => one.outcome === outcome).length] as const)
    .filter(([, count]) => count > 0)
    .map(([words, count]) => `${numberText(count)} ${words}`);
  return [
    `  Source     ${source.engine} ${source.version}: ${sizeText(source.size)}, ${tables}, ${rows}`,
    `  Target     ${target.engine} ${target.version}: ${target.empty ? "empty" : "not empty"}, ${free}`,
    `  Estimate   ${took[0] === took[1] ? `about ${took[0]}` : took.join(" to ")}`,
    `             ${estimate.basis}`,
    `  Objects    ${become.join(", ") || "none"}`,
    ...samples.map((sample, at) => `  ${at === 0 ? "Looked at" : "         "}  ${sample}`),
  ];
}

const outcomes: Record<Planned["outcome"], string> = {
  copied: "copied as they are",
  converted: "converted",
  reported: "missing or changed",
  not_applicable: "not part of this copy",
};

function findingLines(group: readonly Found[]): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const { severity, reason, fix } = first;
  const names = namesOf(group.map(({ object }) => object));
  const line = `${marks[severity].padEnd(8)} ${findingText({ object: names, reason })}`;
  return fix === "" ? [line] : [line, `         → ${fix}`];
}

/** Another name, or the same type as the other engine writes it. */
function isPlain(note: string): boolean {
  const [from = "", to = ""] = note.toLowerCase().replace("character varying", "varchar").split(" → ");
  return note === "" || /^as \S+$/.test(note) || from.replace(/"/g, "") === to;
}

function section(title: string, groups: readonly Planned[][]): string[] {
  if (groups.length === 0) return [];
  const lines = groups.slice(0, mostLines).map((group) => `  ${reasonLine(group, "--json")}`);
  const more = groups.slice(mostLines).reduce((sum, group) => sum + group.length, 0);
  return ["", title, ...lines, ...(more === 0 ? [] : [`  and ${numberText(more)} more (--json)`])];
}
