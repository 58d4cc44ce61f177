import type { InventoryEntry } from "../../contract/index.ts";
import type { SourceTable } from "../catalogue/tables.ts";
import { type Definition, type Item, optionText, outside } from "./definition.ts";
import type { TranslatedTable } from "./dialect.ts";
import { asShown } from "./exact-text.ts";
import { withoutIntroducers } from "./introducers.ts";

interface RequestedTable {
  source: Pick<SourceTable, "name" | "foreignKeys">;
  definition: Definition;
  translated: TranslatedTable;
  /** Items that are not made. */
  without: ReadonlySet<Item>;
}

/**
 * What was made against what was asked for, by the servers' own texts: a server may leave out or change a part without an
 * error, as MariaDB does with ON DELETE SET DEFAULT. Of one kind of server the texts are equal; of two, what can be told.
 */
export function compareTable(plan: RequestedTable, made: Definition, crossing: boolean): InventoryEntry[] {
  const { source, definition } = plan;
  const there = new Map(made.items.map((item) => [key(item), item]));
  const noted = new Set(plan.translated.notes.map(({ item }) => item));
  const entries: InventoryEntry[] = [];
  const differs = (kind: string, name: string, note: string, wanted: string) =>
    entries.push({ kind, name, outcome: "reported", note, definition: wanted });
  for (const item of definition.items) {
    if (plan.without.has(item) || item.kind === "foreign") continue;
    const found = there.get(key(item));
    const name = item.kind === "primary" ? source.name : `${source.name}.${item.name}`;
    const wanted = plan.translated.items.find((one) => one.source === item)?.text;
    if (wanted === undefined) continue;
    if (found === undefined) {
      // A column's own check gets another name.
      if (crossing && item.kind === "check") continue;
      differs(words(item), name, "it is not in the target", item.text);
    } else if (!crossing && !noted.has(item) && comparable(found.text) !== comparable(item.text))
      differs(words(item), name, `the target's server made it differently: ${found.text}`, item.text);
  }
  if (crossing || noted.has(undefined)) return entries;
  const [before, after] = [optionsOf(definition), optionsOf(made)];
  if (before !== after)
    differs("table option", source.name, `the target's server gave it other options: ${after}`, before);
  if (comparable(definition.partitions) !== comparable(made.partitions)) {
    const note = `the target's server made them differently: ${made.partitions.slice(0, 4096)}`;
    differs("partitions", source.name, note, definition.partitions.slice(0, 16_384));
  }
  return entries;
}

const key = ({ kind, name }: Item): string => `${kind === "key" ? "index" : kind}\0${name.toLowerCase()}`;

const words = ({ kind }: Item): string =>
  ["unique", "key", "fulltext", "spatial", "vector"].includes(kind)
    ? "index"
    : kind === "primary"
      ? "primary key"
      : kind;

/** Versions differ in spaces and in the numbers of executable comments, and MySQL makes utf8mb4 of texts in other sets. */
export const comparable = (text: string): string => {
  const plain = outside(text, (between) =>
    between.replace(/\/\*M?!\d*\s*|(?:(?<!\s)\s+)?\*\//g, "").replace(/\s+/g, " "),
  );
  return asShown(withoutIntroducers(plain)).trim();
};

const optionsOf = ({ options }: Definition): string =>
  options
    .filter(({ key }) => key !== "AUTO_INCREMENT" && key !== "COMMENT")
    .map(optionText)
    .join(" ");

/** Words for foreign keys whose rules are not as asked for. */
export function compareRules(
  plan: RequestedTable,
  found: readonly { name: string; onUpdate: string; onDelete: string }[],
): InventoryEntry[] {
  const alike = (rule: string) => (rule === "RESTRICT" || rule === "" ? "NO ACTION" : rule);
  return plan.source.foreignKeys.flatMap((wanted): InventoryEntry[] => {
    const made = found.find(({ name }) => name === wanted.name);
    if (made === undefined) return [];
    if (alike(made.onDelete) === alike(wanted.onDelete) && alike(made.onUpdate) === alike(wanted.onUpdate)) return [];
    return [
      {
        kind: "foreign key",
        name: `${plan.source.name}.${wanted.name}`,
        outcome: "reported",
        note: `its rules in the target are ON DELETE ${made.onDelete} ON UPDATE ${made.onUpdate}, not ON DELETE ${wanted.onDelete} ON UPDATE ${wanted.onUpdate}`,
      },
    ];
  });
}
