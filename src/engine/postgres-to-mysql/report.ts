import type { InventoryEntry } from "../contract.ts";
import type { Chosen } from "./choose.ts";
import { lostWords } from "./lessons.ts";
import { reportObject, type SourceObject } from "./objects.ts";
import type { SourceSequence } from "./sequences.ts";
import type { TableState } from "./tables.ts";

/** What the report says when all is done: values given up, and what became of everything that is no table. Pure. */

/** Words for each column whose values became NULL in part. */
export const dataWarnings = (states: readonly TableState[]): string[] =>
  states.flatMap(({ plan, results }) =>
    plan.loaded.flatMap(({ source }, at) => {
      const lost = results.reduce((sum, { findings }) => sum + (findings[at]?.lost ?? 0), 0);
      const example = results.map(({ findings }) => findings[at]?.example ?? "").find((one) => one !== "") ?? "";
      return lost === 0 ? [] : [lostWords(plan.source, source.name, lost, example)];
    }),
  );

export const isLostKey = ({ kind, outcome, note = "" }: InventoryEntry): boolean =>
  kind === "index" && outcome === "reported" && note.includes("does not refuse doubled values");

export function objectEntries(objects: readonly SourceObject[], { left }: Chosen): InventoryEntry[] {
  return objects.map((object) => {
    const entry = reportObject(object);
    if (object.owner === null || !left.has(object.owner)) return entry;
    return {
      kind: entry.kind,
      name: entry.name,
      outcome: "not_applicable",
      note: "its table is left out by the options include and exclude",
    };
  });
}

export function sequenceEntries(sequences: readonly SourceSequence[], states: readonly TableState[]): InventoryEntry[] {
  const counters = new Map(
    states.flatMap(({ plan }) =>
      plan.counter === undefined ? [] : [[plan.counter.sequence.oid, `${plan.name}.${plan.counter.column}`]],
    ),
  );
  return sequences.map(({ oid, schema, name, definition, last, called }) => {
    const counter = counters.get(oid);
    return counter === undefined
      ? {
          kind: "sequence",
          name: `${schema}.${name}`,
          outcome: "reported",
          note: `not the counter of one column; its last value is ${last ?? "not to be read"}${called ? "" : ", not given out yet"}`,
          definition,
        }
      : { kind: "sequence", name: `${schema}.${name}`, outcome: "converted", note: `AUTO_INCREMENT of ${counter}` };
  });
}
