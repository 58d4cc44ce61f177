import { counted, durationText, numberText, sizeText } from "../../guard/text.ts";
import type { CopyReport, InventoryEntry } from "../contract/index.ts";
import { engineName } from "../contract/text/engine-name.ts";
import { formatSnapshot } from "./format-snapshot.ts";
import { notCopiedText } from "./not-copied.ts";
import { weightOf } from "./reasons.ts";

/** What page and text say of a report, in the order in which they say it. Pure. */

interface Facts {
  /** One sentence: what was copied and how far it is proven. */
  verdict: string;
  /** Nothing differs, nothing was changed and nothing was left out. */
  whole: boolean;
  summary: [name: string, value: string][];
  /** Objects by outcome, each grouped by kind: kinds that hold or show rows first, rights and comments last. */
  inventory: Record<InventoryEntry["outcome"], Map<string, InventoryEntry[]>>;
}

/** Nothing is said of the numbers of rows then: nobody read any. */
export const withoutRows = ({ content }: CopyReport): boolean => content === "schema";
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

export function factsOf(report: CopyReport): Facts {
  const inventory: Facts["inventory"] = {
    reported: grouped(report, "reported"),
    converted: grouped(report, "converted"),
    not_applicable: grouped(report, "not_applicable"),
    copied: grouped(report, "copied"),
  };
  const left = notCopiedText(report.inventory);
  const unequal = report.tables.filter(({ rows }) => rows.source !== rows.target).length;
  const differing = report.verification?.differences.length ?? 0;
  return {
    verdict: verdictOf(report, `${left ?? "No source object is missing or changed"}.`, unequal + differing),
    whole: left === undefined && unequal + differing === 0 && (report.changed_columns ?? 0) === 0,
    summary: summaryOf(report),
    inventory,
  };
}

/** `left`: a sentence about the objects. `wrong`: tables that differ. */
function verdictOf(report: CopyReport, left: string, wrong: number): string {
  const rows = sum(report.tables.map((table) => table.rows.target));
  if (withoutRows(report) && wrong === 0)
    return `Made ${counted(report.tables.length, "table")} without rows, as requested. ${left}`;
  const copied = `${counted(report.tables.length, "table")} with ${counted(rows, "row")}`;
  if (wrong > 0)
    return `${counted(wrong, "table")} of the target ${wrong === 1 ? "differs" : "differ"} from the source.`;
  const level =
    report.verification?.level === "checksum" ? "every value was compared" : "every table's rows were counted";
  return `Copied and verified ${copied}: ${level}${changedColumnsMessage(report)}. ${left}`;
}

/** What became of the tables of an earlier attempt; undefined for a first one. */
export const resumedText = ({ resumed }: CopyReport): string | undefined =>
  resumed &&
  `An earlier attempt had finished ${counted(resumed.kept.length + resumed.copied_again.length, "table")}: ${numberText(resumed.kept.length)} kept, verified as equal to the source; ${numberText(resumed.copied_again.length)} copied again.`;

/** Nothing where no column's values were changed. */
export const changedColumns = (count: number): Pick<CopyReport, "changed_columns"> =>
  count === 0 ? {} : { changed_columns: count };

/** After a sentence that says that values are equal. */
export const changedColumnsMessage = ({ changed_columns = 0 }: Pick<CopyReport, "changed_columns">): string =>
  changed_columns === 0
    ? ""
    : `, after values in ${counted(changed_columns, "column")} were changed to fit the target (see the warnings)`;

/** Comments, and steps that complete another object, are in the inventory and are not counted as objects. */
export const isCounted = ({ kind, name }: Pick<InventoryEntry, "kind" | "name">): boolean =>
  !steps.has(kind) && !(kind === "rule" && / _RETURN"?$/.test(name));

const steps = new Set(["comment", "table attach", "index attach", "materialized view data"]);

function summaryOf(report: CopyReport): Facts["summary"] {
  const { source, target, tables, inventory, snapshot } = report;
  const seconds = (Date.parse(report.finished_at) - Date.parse(report.started_at)) / 1000;
  const outcomes: [InventoryEntry["outcome"], string][] = [
    ["copied", "copied"],
    ["converted", "converted"],
    ["reported", "missing or changed"],
    ["not_applicable", "not applicable"],
  ];
  const objects = outcomes
    .map(
      ([outcome, words]) =>
        [inventory.filter((entry) => entry.outcome === outcome && isCounted(entry)).length, words] as const,
    )
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${numberText(number)} ${words}`);
  return [
    ["Source", `${engineName(source.engine)} ${source.version}, ${sizeText(report.size)}`],
    ["Target", `${engineName(target.engine)} ${target.version}`],
    ["Kind", report.type === "transfer" ? "transfer between servers of one engine" : "conversion across engines"],
    ["Started", `${report.started_at.slice(0, 19).replace("T", " ")} UTC`],
    ...(snapshot === undefined ? [] : [["Snapshot", formatSnapshot(snapshot)] as [string, string]]),
    ["Took", durationText(Math.max(seconds, 0))],
    ["Tables", numberText(tables.length)],
    ["Rows", withoutRows(report) ? "not requested" : numberText(sum(tables.map(({ rows }) => rows.target)))],
    ["Objects", objects.join(", ") || "none"],
    ["Warnings", numberText(report.warnings.length)],
  ];
}

function grouped(report: CopyReport, outcome: InventoryEntry["outcome"]): Map<string, InventoryEntry[]> {
  const groups = new Map<string, InventoryEntry[]>();
  for (const entry of report.inventory) {
    if (entry.outcome !== outcome) continue;
    const group = groups.get(entry.kind) ?? [];
    groups.set(entry.kind, group);
    group.push(entry);
  }
  for (const group of groups.values()) group.sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Map([...groups].sort(([a], [b]) => weightOf(a) - weightOf(b) || (a < b ? -1 : 1)));
}
