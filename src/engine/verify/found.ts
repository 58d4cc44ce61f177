import type { InventoryEntry } from "../contract/index.ts";
import { renamed } from "../contract/known.ts";
import type { PlannedObject } from "../plan/types.ts";
import { countedKind } from "../report/not-copied.ts";
import type { TablePair } from "./checksum/index.ts";
import type { TableName } from "./checksum/rows.ts";
import { type InventoryObject, tableOf } from "./inventory.ts";

/** The objects of two databases side by side by kind, name and columns, as a copy would have them in the target. Pure. */

interface Matching {
  outcome: "converted" | "copied";
  /** That the target may give to names. */
  prefixes: readonly string[];
  /** What a copy would make of an object of the source; undefined: it is not told, or not known. */
  planned?: (found: InventoryObject) => PlannedObject | undefined;
  /** The target has sequences of their own. */
  sequences: boolean;
}

interface Matched {
  inventory: InventoryEntry[];
  /** Objects that a copy makes and the target lacks or has otherwise. */
  different: number;
  /** What a copy does not carry over either, and why. */
  notes: string[];
  /** Objects, by kind, of which no definition was compared, with their first names. */
  notCompared: string[];
}

const mostWords = 300;
export const shortened = (words: string) => (words.length > mostWords ? `${words.slice(0, mostWords)}…` : words);

/** What a person would miss; of another kind (a type of PostgreSQL) the target has no object of its own. */
const missed = new Set(["primary key", "index", "foreign key", "check", "view", "materialized view", "sequence"]);

/**
 * By the name that a copy gives, by the source's, or by the name with the table's or a schema's prefix before it, which the copy gives where a name is taken or
 * means more there; keys and indexes by their columns as well. `pairs`: tableOf() of the source → its pair.
 */
export function compareFound(
  source: readonly InventoryObject[],
  target: readonly InventoryObject[],
  pairs: ReadonlyMap<string, TablePair>,
  { outcome, prefixes, planned, sequences }: Matching,
): Matched {
  const group = (kind: string, of: TableName | undefined) => `${kind}\0${of === undefined ? "" : tableOf(of)}`;
  // A name may stand in several schemas: each of the target's is used up once.
  const there = new Map<string, InventoryObject[]>();
  for (const one of target) {
    const key = group(one.kind, one.of);
    const some = there.get(key);
    if (some === undefined) there.set(key, [one]);
    else some.push(one);
  }
  const alikeName = (one: InventoryObject, name: string) => one.name.toLowerCase() === name.toLowerCase();
  const wanted = source.map((one) => ({
    one,
    plan: planned?.(one),
    pair: one.of && pairs.get(tableOf(one.of)),
    found: undefined as InventoryObject | undefined,
  }));
  const take = (match: (one: InventoryObject, other: InventoryObject, pair: TablePair | undefined) => boolean) => {
    for (const each of wanted) {
      if (each.found !== undefined) continue;
      const left = there.get(group(each.one.kind, each.pair?.target ?? each.one.of)) ?? [];
      const at = left.findIndex((other) => match(each.one, other, each.pair));
      if (at >= 0) [each.found] = left.splice(at, 1);
    }
  };
  for (const each of wanted) {
    const given = each.plan?.targetName;
    const left = there.get(group(each.one.kind, each.pair?.target ?? each.one.of)) ?? [];
    const at = given === undefined ? -1 : left.findIndex((other) => alikeName(other, given));
    if (at >= 0) [each.found] = left.splice(at, 1);
  }
  take((one, other, pair) => alikeName(other, one.name) && alikeColumns(one, other, pair, pairs) !== false);
  take((one, other, pair) => alikeColumns(one, other, pair, pairs) === true);
  take((one, other, pair) =>
    ["", ...(pair === undefined ? [...prefixes, `${one.schema}_`] : [`${pair.source[1]}_`, `${pair.target[1]}_`])].some(
      (prefix) => alikeName(other, prefix + one.name),
    ),
  );
  const doubtful = new Set(wanted.flatMap(({ one, plan }) => (one.of && mayBeRefused(plan) ? [tableOf(one.of)] : [])));
  const notes: string[] = [];
  let different = 0;
  const unseen: Uncompared[] = [];
  const inventory = wanted.map(({ one, pair, found, plan }): InventoryEntry => {
    const { kind, of, name } = one;
    const entry = { kind, name: [...(of ?? []), name].filter((part) => part !== "").join(".") };
    const lost = (note: string): InventoryEntry => {
      different++;
      return { ...entry, outcome: "reported", note };
    };
    if (found !== undefined) {
      const alike = alikeColumns(one, found, pair, pairs) !== false;
      if (!one.columns) unseen.push({ ...entry, why: "only the name was compared" });
      else notes.push(...lessThan(plan).map((note) => `${kind} ${entry.name}: ${shortened(note)}`));
      if (alike || isOtherwise(plan) || isHelped(one, found, pair)) return { ...entry, outcome };
      return lost(`${definition(one)} in the source, ${definition(found)} in the target`);
    }
    const gone = `the target has no ${kind} of this name${one.columns ? " or of its columns" : ""}`;
    const isMissed = missed.has(kind) && (sequences || kind !== "sequence");
    // A key that may be too long and what refers to it, and in MySQL an expression that the server may refuse.
    const isDoubtful =
      mayBeRefused(plan) ||
      (one.to !== undefined && doubtful.has(tableOf(one.to))) ||
      (!sequences && kind === "index" && !one.columns);
    if (planned === undefined || (isMissed && !isDoubtful && plan !== undefined && isMade(plan))) return lost(gone);
    if (plan !== undefined && isMade(plan) && !isDoubtful) {
      unseen.push({ ...entry, why: "not compared, since the target has no such object of its own" });
      return { ...entry, outcome, ...(plan.note ? { note: plan.note } : {}) };
    }
    const why = whyNot(plan, isDoubtful, gone);
    notes.push(`${kind} ${entry.name}: ${shortened(why)}`);
    return { ...entry, outcome: "not_applicable", note: why };
  });
  return { inventory, different, notes, notCompared: notComparedMessage(unseen) };
}

/** A copy makes a key over a period, without what keeps the periods apart. */
const lessThan = (plan: PlannedObject | undefined): string[] =>
  plan?.outcome === "reported" && plan.note !== undefined ? [plan.note] : [];

interface Uncompared {
  kind: string;
  name: string;
  why: string;
}

const mostNames = 5;

/** A line for each kind and reason. */
function notComparedMessage(unseen: readonly Uncompared[]): string[] {
  return [...Map.groupBy(unseen, ({ kind, why }) => `${kind}\0${why}`).values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const names = some.slice(0, mostNames).map(({ name }) => name);
    const more = some.length > mostNames ? [`${some.length - mostNames} more`] : [];
    return [`${countedKind(some.length, first.kind)} (${[...names, ...more].join(", ")}): ${first.why}`];
  });
}

const isMade = ({ outcome }: PlannedObject) => outcome === "converted" || outcome === "copied";

/** What keeps a copy from making it for sure comes before what may. */
function whyNot(plan: PlannedObject | undefined, isDoubtful: boolean, gone: string): string {
  if (isDoubtful && (plan === undefined || isMade(plan))) return `${gone}, which a copy does not always make`;
  return plan?.note ?? gone;
}

const mayBeRefused = (plan: PlannedObject | undefined): boolean => plan?.inDoubt === true;

/** A copy makes it of other columns (a hash, a prefix), as its note says. */
const isOtherwise = (plan: PlannedObject | undefined): boolean =>
  plan?.note !== undefined && plan.note !== (plan.targetName && renamed(plan.targetName));

/** Of as many columns, and one that is none of the source's: what the values taught the copy to use in its place (a hash). */
const isHelped = (one: InventoryObject, { columns, unique }: InventoryObject, pair: TablePair | undefined): boolean =>
  unique === one.unique &&
  columns?.length === one.columns?.length &&
  pair !== undefined &&
  columns?.some((name) => pair.columns.every(({ target }) => target !== name)) === true;

/** Undefined where they cannot be compared by columns. */
function alikeColumns(
  one: InventoryObject,
  other: InventoryObject,
  pair: TablePair | undefined,
  pairs: ReadonlyMap<string, TablePair>,
): boolean | undefined {
  if (!one.columns || !other.columns || (one.unique ?? false) !== (other.unique ?? false)) {
    return one.columns && other.columns ? false : undefined;
  }
  if (!sameNames(one.columns, other.columns, pair)) return false;
  if (!one.to || !other.to) return true;
  const referred = pairs.get(tableOf(one.to));
  return (
    referred !== undefined &&
    tableOf(referred.target) === tableOf(other.to) &&
    sameNames(one.toColumns ?? [], other.toColumns ?? [], referred)
  );
}

const sameNames = (ours: readonly string[], theirs: readonly string[], pair: TablePair | undefined): boolean =>
  ours.length === theirs.length &&
  ours.every((name, at) => {
    const planned = pair?.columns.find(({ source }) => source.toLowerCase() === name.toLowerCase())?.target ?? name;
    return planned.toLowerCase() === theirs[at]?.toLowerCase();
  });

const definition = ({ unique, columns, to, toColumns }: InventoryObject): string =>
  `${unique ? "UNIQUE " : ""}(${(columns ?? []).join(", ")})${to ? ` to ${to.join(".")} (${(toColumns ?? []).join(", ")})` : ""}`;
