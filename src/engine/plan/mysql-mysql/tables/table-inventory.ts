import type { CopyOptions } from "../../../contract/index.ts";
import { type Known, type KnownEntry, lostIndex } from "../../../contract/known.ts";
import type { Item } from "../../../mysql/definitions/definition.ts";
import type { TranslatedTable } from "../../../mysql/definitions/dialect.ts";
import type { TablePlan } from "./table-plan.ts";

/** What the report says of a table and of all that stands in its text. Pure. */

const kindWords: Record<Item["kind"], string> = {
  column: "column",
  primary: "primary key",
  unique: "index",
  key: "index",
  fulltext: "index",
  spatial: "index",
  vector: "index",
  foreign: "foreign key",
  check: "check",
  period: "period",
  other: "part of a table",
};

const isKey = ({ kind }: Item): boolean => kind === "primary" || kind === "unique";

export function tableInventory(plan: TablePlan, content: CopyOptions["content"]): KnownEntry[] {
  const { source, translated, shown, without } = plan;
  // The target's table stays as it is.
  if (content === "data") return [{ kind: "table", name: source.name, outcome: "copied" }];
  const own = translated.notes.filter(({ item }) => item === undefined);
  const entry = (
    kind: string,
    name: string,
    notes: TranslatedTable["notes"],
    definition: string,
    extra: string[] = [],
    known: Known = {},
  ): KnownEntry => {
    const words = [...notes.map(({ note }) => note), ...extra];
    if (words.length === 0) return { kind, name, outcome: "copied" };
    const reported = extra.length > 0 || notes.some(({ outcome }) => outcome === "reported");
    const bounded = definition.slice(0, 16 * 1024);
    return {
      kind,
      name,
      outcome: reported ? "reported" : "converted",
      note: words.join("; "),
      definition: bounded,
      ...known,
    };
  };
  return [
    entry(
      "table",
      source.name,
      own.map((note) => ({ ...note, outcome: "converted" as const })),
      shown,
    ),
    ...own
      .filter(({ outcome }) => outcome === "reported")
      .map((note) => entry(note.kind ?? "table option", source.name, [note], shown)),
    ...translated.items.map(({ source: item, text }) => {
      const refused = without.has(item);
      const isLost = isKey(item) && (refused || text === undefined);
      return entry(
        kindWords[item.kind],
        item.kind === "primary" ? source.name : `${source.name}.${item.name}`,
        translated.notes.filter((note) => note.item === item),
        item.text,
        refused
          ? [
              item.kind !== "column"
                ? `${lostIndex("the target's server did not take it", isKey(item)).note}`
                : "the target's server did not take its expression, or computes other values by it: the column is plain there",
            ]
          : [],
        isLost ? { lostKey: true } : {},
      );
    }),
    ...(translated.partitions === "" ? [] : [{ kind: "partitions", name: source.name, outcome: "copied" as const }]),
  ];
}
