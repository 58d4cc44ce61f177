import { numberText } from "../../guard/text.ts";
import type { InventoryEntry } from "../contract/index.ts";

/** Objects that were not copied, or changed, for a person at a terminal: the same reason is written once. Pure. */

type Entry = Pick<InventoryEntry, "kind" | "name" | "note">;

const heavy = [
  ...["table", "partition", "column", "view", "materialized view", "trigger", "function", "procedure", "aggregate"],
  ...["event", "constraint", "index", "sequence", "type", "domain"],
];
const light = ["comment", "default grants", "grants", "grant"];

/** By how much an application would miss one. */
export function weightOf(kind: string): number {
  const at = heavy.indexOf(kind);
  return at >= 0 ? at : heavy.length + 1 + light.indexOf(kind);
}

const draft = /; draft: .*/s;

/** Without the draft of a translation; `where` has the draft. */
const shortNote = (note: string, where: string): string => note.replace(draft, ` (a draft is in ${where})`);

/** Objects of one kind and reason, the kinds first that an application would miss first. */
export function byReason<T extends Entry>(entries: readonly T[]): T[][] {
  const groups = Map.groupBy(entries, ({ kind, note = "" }) => `${kind}\0${note.replace(draft, "")}`);
  return [...groups.values()].sort(([a], [b]) => weightOf(a?.kind ?? "") - weightOf(b?.kind ?? ""));
}

const mostNamed = 5;

/** The first names, and how many more. */
export const namesOf = (names: readonly string[]): string =>
  `${names.slice(0, mostNamed).join(", ")}${names.length > mostNamed ? ` and ${numberText(names.length - mostNamed)} more` : ""}`;

/** "trigger a, b: why". */
export function reasonLine(group: readonly Entry[], where: string): string {
  const [first] = group;
  const note = shortNote(first?.note ?? "", where);
  return `${first?.kind} ${namesOf(group.map(({ name }) => name))}${note === "" ? "" : `: ${note}`}`;
}
