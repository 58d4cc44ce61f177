import { counted } from "../../guard/text.ts";
import type { Preflight } from "../../requests/migrations/probe/probe-shapes.ts";
import { inLines } from "../fence.ts";

/** What a preview says to a model: sentences of ours, and the findings in pages for the fence. */

/** Lines of a page always fit into the fence. */
const pageLines = 20;

interface Findings {
  lines: string[];
  /** Findings before the next page; null: there is none. */
  next: number | null;
}

/** Findings from `skip` on, a reason of a preview that is not ready first; the versions are on the first page. */
export function pageOfFindings({ source, target, reasons, findings }: Preflight, skip: number): Findings {
  const versions = Object.entries({ source, target }).flatMap(([side, { version }]) =>
    version === null ? [] : [`${side} version: ${version}`],
  );
  const why = reasons.map(({ side, code, message }) => `reason ${side ?? "copy"} ${code}: ${message}`);
  const found = findings
    .filter(({ severity }) => severity !== "blocker")
    .map(({ severity, code, object, reason, fix }) =>
      [`${severity} ${code} ${object}: ${reason}`, ...(fix === null ? [] : [`fix: ${fix}`])].join("; "),
    );
  const all = [...why, ...found];
  const lines = skip === 0 ? versions.flatMap(inLines) : [];
  for (let at = skip; at < all.length; at += 1) {
    const more = inLines(all[at] ?? "");
    if (at > skip && lines.length + more.length > pageLines) return { lines, next: at };
    lines.push(...more);
  }
  return { lines, next: null };
}

/** Kinds are words of ours; whatever else might be one is not repeated. */
function kindsOf(kinds: Record<string, number>): string {
  const words = Object.entries(kinds)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${count} ${/^[a-z ]{1,40}$/.test(kind) ? kind : "other"}`);
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

/** Objects of the source that would be lost or changed. */
export function lossOf({ counts }: Pick<Preflight, "counts">): string {
  if (!counts?.reported) return "";
  return ` ${counted(counts.reported, "source object")} would not be copied or would change${kindsOf(counts.reported_kinds)}.`;
}

/** Nobody may agree to a copy without having read this. */
export function dropsOf({ target: { drops } }: Pick<Preflight, "target">, content: string | undefined): string {
  if (drops === null) return "";
  const them = drops.tables === 1 ? "it" : "them";
  return ` DATA LOSS: options.drop would ${content === "data" ? "empty" : "drop"} ${counted(drops.tables, "table")} of the target with all rows in ${them}, about ${counted(drops.rows, "row")}; this cannot be undone.`;
}

/** The values themselves are not read here. */
export const unchecked = ({ source: { engine } }: Pick<Preflight, "source">): string =>
  ` Values are checked only during the copy${engine === "PostgreSQL" ? "" : ": for example, dates such as 0000-00-00 become NULL unless options.zero_dates says otherwise"}.`;

const money = (amount: number, currency: string): string => `${amount} ${currency}`;

export function priceOf({ amount, currency, covered_by_plan }: Preflight, lines: readonly string[]): string {
  if (covered_by_plan) return "no charge";
  if (amount === null) return "price unknown";
  return `${money(amount, currency)}${lines.length === 0 ? "" : ` (${lines.join("; ")})`}`;
}

export const durationOf = ({ least, most }: { least: number; most: number }): string =>
  least === most ? `about ${least} ${least === 1 ? "second" : "seconds"}` : `${least} to ${most} seconds`;

/** What a model does next. `more`: where the findings go on. */
export function nextAfterPreview({ ready, counts, target, reasons }: Preflight, more: number | null): string {
  const rest =
    more === null
      ? ""
      : ` There are more findings: for the next page call preview-migration-tool again with skip=${more}.`;
  if (!ready) {
    const inUse = reasons.some(({ code }) => code === "target_in_use");
    const other = inUse ? " Another run has not finished in this target: the user can also name another database." : "";
    return `Tell the user the reasons; when they are fixed, preview again.${other}${rest}`;
  }
  const loss = counts?.reported ? ", which objects would be lost or changed," : "";
  const drops =
    target.drops === null
      ? ""
      : " Name each table that would be dropped, with its rows, from `untrusted`, and ask the user whether this data may be destroyed.";
  const agree = target.drops === null ? "When they agree" : "Only when they agree to that loss";
  return `Tell the user size, price${loss} and warnings.${drops} ${agree}, call prepare-migration-tool with the same URLs and options and this estimate_id.${rest}`;
}
