import type { InventoryEntry } from "../contract/index.ts";
import { printable } from "../contract/text/printable.ts";

/** The objects of two databases of one engine side by side, by all that their catalogues tell of them. Pure. */

export interface ComparedObject {
  kind: string;
  /** As a person knows it; with its kind what finds it on the other side. */
  name: string;
  /** The table (or view) that it is, or belongs to, as that one is named. */
  of?: string | undefined;
  aspects: Particular[];
  /** Why the target may lack it, which is told then and is no difference. */
  may?: string;
  /** Of no table, and a difference all the same where only the target has it. */
  alone?: boolean;
}

export interface Particular {
  /** As in `its … differs`. */
  aspect: string;
  value: string;
  /** Both servers write it alike, whatever their versions; undefined: only servers of one version do. */
  settled?: boolean;
  /** Its text may be shown to a person. */
  shown?: boolean;
}

export interface Compared {
  inventory: InventoryEntry[];
  /** Objects that the target lacks, has otherwise, or has on a table of the source that does not. */
  different: number;
  /** Objects whose texts differ, between servers that write texts differently. */
  undecided: string[];
  /** What the target lacks, and why it may. */
  notes: string[];
}

const mostShown = 200;

/** `alike`: the servers write every text alike. */
export function compareSeen(
  source: readonly ComparedObject[],
  target: readonly ComparedObject[],
  alike: boolean,
): Compared {
  const there = new Map(target.map((one) => [keyOf(one), one]));
  const tables = new Set(source.flatMap(({ of }) => (of === undefined ? [] : [of])));
  const inventory: InventoryEntry[] = [];
  const undecided: string[] = [];
  const notes: string[] = [];
  let different = 0;
  const report = (entry: { kind: string; name: string }, note: string) => {
    different++;
    inventory.push({ ...entry, outcome: "reported", note: printable(note) });
  };
  for (const one of source) {
    const entry = { kind: one.kind, name: printable(one.name) };
    const found = there.get(keyOf(one));
    there.delete(keyOf(one));
    if (found === undefined && one.may !== undefined) {
      notes.push(`${entry.kind} ${entry.name}: ${printable(one.may)}`);
      inventory.push({ ...entry, outcome: "not_applicable", note: printable(one.may) });
      continue;
    }
    if (found === undefined) {
      report(entry, `the target has no ${one.kind} of this name`);
      continue;
    }
    const differing = differencesOf(one, found);
    const sure = differing.filter(({ settled }) => alike || settled);
    if (sure.length > 0) report(entry, told(sure).map(words).join("; "));
    else {
      if (differing.length > 0) undecided.push(`${entry.kind} ${entry.name}`);
      inventory.push({
        ...entry,
        outcome: "copied",
        ...(differing.length > 0 ? { note: "servers of these versions write its text differently" } : {}),
      });
    }
  }
  for (const { kind, name, of, alone } of there.values())
    if (alone || (of !== undefined && of !== name && tables.has(of)))
      report({ kind, name: printable(name) }, "only the target has it");
  return { inventory, different, undecided, notes };
}

const keyOf = ({ kind, name }: ComparedObject) => `${kind}\0${name}`;

interface Difference extends Particular {
  other: string;
}

function differencesOf({ aspects }: ComparedObject, found: ComparedObject): Difference[] {
  return aspects.flatMap((particular, at) => {
    // An object may have several of one name, in the same order on both sides.
    const nth = aspects.slice(0, at).filter(({ aspect }) => aspect === particular.aspect).length;
    const other = found.aspects.filter(({ aspect }) => aspect === particular.aspect)[nth]?.value ?? "";
    return other === particular.value ? [] : [{ ...particular, other }];
  });
}

/** Said by an object's definition too. */
const within = new Set(["type", "collation", "nullability", "comment", "parts", "identity", "body"]);

/** One of each name, without what another says too. */
function told(differences: readonly Difference[]): readonly Difference[] {
  const defined = differences.some(({ aspect }) => aspect === "definition");
  const each = differences.filter((one, at) => differences.findIndex(({ aspect }) => aspect === one.aspect) === at);
  return defined ? each.filter(({ aspect }) => !within.has(aspect)) : each;
}

function words({ aspect, value, other, shown }: Difference): string {
  const said = `its ${aspect} ${/^(?:options|settings|parts|partitions|grants)$/.test(aspect) ? "differ" : "differs"}`;
  if (!shown || value.length > mostShown || other.length > mostShown) return said;
  return `${said}: ${value || "none"} in the source, ${other || "none"} in the target`;
}
