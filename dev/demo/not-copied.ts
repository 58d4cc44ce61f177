// The objects of a report that were not copied, as lines of a table.

interface Entry {
  kind: string;
  name: string;
  outcome: string;
  note?: string;
}

/** A header and a line for each object that was not copied, with the reason; empty where all were. */
export function notCopiedLines(inventory: readonly Entry[]): string[] {
  const missing = inventory.filter(({ outcome }) => outcome === "reported");
  if (missing.length === 0) return [];
  const cells = [["not copied", "object", "reason"], ...missing.map(({ kind, name, note = "" }) => [kind, name, note])];
  const width = (at: number) => Math.max(...cells.map((row) => row[at]?.length ?? 0));
  return cells.map(([kind = "", name = "", reason = ""]) =>
    `  ${kind.padEnd(width(0))}  ${name.padEnd(width(1))}  ${reason}`.trimEnd(),
  );
}
