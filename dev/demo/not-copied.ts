// The objects of a report that were not copied, or were changed, as lines of a table.
import { countedKind } from "../../src/engine/report/not-copied.ts";

interface Entry {
  kind: string;
  name: string;
  outcome: string;
  note?: string;
}

/** A header and a line for each such object; its kind and reason are said once for all that share them. Empty where there is no such object. */
export function notCopiedLines(inventory: readonly Entry[]): string[] {
  const missing = inventory.filter(({ outcome }) => outcome === "reported");
  if (missing.length === 0) return [];
  const groups = Map.groupBy(missing, ({ kind, note = "" }) => `${kind}\0${note}`);
  const rows = [...groups.values()].flatMap((group) =>
    group.map(({ kind, name, note = "" }, at) =>
      at === 0 ? [countedKind(group.length, kind), name, note] : ["", name],
    ),
  );
  const cells = [["not copied, or changed", "object", "reason"], ...rows];
  const width = (at: number) => Math.max(...cells.map((row) => row[at]?.length ?? 0));
  return cells.map(([kind = "", name = "", reason = ""]) =>
    `  ${kind.padEnd(width(0))}  ${name.padEnd(width(1))}  ${reason}`.trimEnd(),
  );
}
