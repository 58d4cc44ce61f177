import { EngineError, type InventoryEntry } from "../../../contract/index.ts";
import type { KnownEntry } from "../../../contract/known.ts";
import { fullName } from "../../../contract/text/full-name.ts";
import { minusZeroMessage } from "../../../mysql/driver/changed-numbers.ts";
import { tableName } from "../../../postgres/catalogue/catalogue.ts";
import { reportObject, type SourceObject } from "../../../postgres/catalogue/objects.ts";
import type { Difference } from "../finish/read-back.ts";
import type { Chosen } from "../tables/choose-tables.ts";
import type { SourceSequence } from "../tables/sequences.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { doubledKeysMessage, lostValuesMessage, roundedValuesMessage } from "./observed-types.ts";
import type { TableState } from "./state.ts";

/** What the report says when all is done: values given up, and what became of everything that is no table. Pure. */

/** Words for each column of which some values are not what they were. */
export const dataWarnings = (states: readonly TableState[]): string[] =>
  states.flatMap(({ plan, results }) =>
    plan.loaded.flatMap(({ source }, at) => {
      const lost = results.reduce((sum, { findings }) => sum + (findings[at]?.lost ?? 0), 0);
      const zeros = results.reduce((sum, { findings }) => sum + (findings[at]?.zeros ?? 0), 0);
      const rounded = results.reduce((sum, { findings }) => sum + (findings[at]?.rounded ?? 0), 0);
      const doubled = results.reduce((sum, { findings }) => sum + (findings[at]?.doubled ?? 0), 0);
      return [
        ...(lost === 0 ? [] : [lostValuesMessage(plan.source, source.name, lost)]),
        ...(zeros === 0 ? [] : [minusZeroMessage(`${tableName(plan.source)}.${source.name}`, zeros)]),
        ...(rounded === 0 ? [] : [roundedValuesMessage(plan.source, source.name, rounded)]),
        ...(doubled === 0 ? [] : [doubledKeysMessage(plan.source, source.name, doubled)]),
      ];
    }),
  );

const leftOut = "its table is skipped by options.include or options.exclude";

export function objectEntries(objects: readonly SourceObject[], { left }: Pick<Chosen, "left">): KnownEntry[] {
  return objects.map((object) => {
    const entry = reportObject(object);
    if (object.owner === null || !left.has(object.owner)) return entry;
    return {
      kind: entry.kind,
      name: entry.name,
      outcome: "not_applicable",
      note: leftOut,
    };
  });
}

export function sequenceEntries(
  sequences: readonly SourceSequence[],
  plans: Iterable<TablePlan>,
  { left }: Pick<Chosen, "left">,
): InventoryEntry[] {
  const counters = new Map<number, string>();
  const users = new Map<number, string[]>();
  for (const { source, counter, name: table } of plans) {
    if (counter !== undefined) counters.set(counter.sequence.oid, `${table}.${counter.column}`);
    for (const { name, sequence } of source.columns)
      if (sequence !== null)
        users.set(sequence.oid, [...(users.get(sequence.oid) ?? []), `${tableName(source)}.${name}`]);
  }
  return sequences.map(({ oid, schema, name: bare, owner, definition, last, called, increment }): InventoryEntry => {
    const entry = { kind: "sequence", name: fullName(schema, bare) };
    const counter = counters.get(oid);
    if (counter !== undefined) return { ...entry, outcome: "converted", note: `AUTO_INCREMENT of ${counter}` };
    const [user, ...others] = users.get(oid) ?? [];
    if (user === undefined && owner !== null && left.has(owner))
      return { ...entry, outcome: "not_applicable", note: leftOut };
    const steps = increment === "1" ? "which MySQL does not count up" : `but counts by ${increment}, and MySQL by 1`;
    const why =
      user === undefined || others.length > 0 ? "not the counter of one column" : `the counter of ${user}, ${steps}`;
    const value = `its last value is ${last ?? "not to be read"}${called ? "" : ", not given out yet"}`;
    return { ...entry, outcome: "reported", note: `${why}; ${value}`, definition };
  });
}

/** The inventory, with what the target made otherwise than asked for. Errors: `target_changed` where a table or column is missing. */
export function withDifferences(
  inventory: readonly KnownEntry[],
  differences: readonly Difference[],
  warn: (words: string) => void,
): KnownEntry[] {
  const entries = [...inventory];
  for (const { plan, kind, name, words } of differences) {
    if (kind === "table")
      throw new EngineError("target_changed", `table ${plan.name} of the target is not as it was made: ${words}`);
    const label = labelOf(plan, kind, name);
    warn(`${kind} ${label}: ${words}`);
    const at = entries.findIndex((entry) => entry.kind === kind && entry.name === label);
    const note = [entries[at]?.note, words].filter((one) => one !== undefined).join("; ");
    const entry: KnownEntry = { ...entries[at], kind, name: label, outcome: "reported", note };
    if (at < 0) entries.push(entry);
    else entries[at] = entry;
  }
  return entries;
}

/** The object's name in the source, as its entry has it. */
function labelOf({ source, columns, indexes }: TablePlan, kind: string, name: string): string {
  const table = tableName(source);
  if (kind === "column") return `${table}.${columns.find((column) => column.name === name)?.source.name ?? name}`;
  if (kind === "partitions") return table;
  const index = indexes.find((one) => one.name === name)?.source;
  if (kind === "index") return index === undefined ? `${table}.${name}` : fullName(index.schema, index.name);
  return `${table} ${name}`;
}
