import { numberText } from "../../guard/text.ts";
import type { InventoryEntry } from "../contract/index.ts";
import { weightOf } from "./reasons.ts";

/** The objects that a copy did not copy, or changed, in one sentence. Pure. */

/** More kinds are summed up. */
const mostKinds = 6;

/** "1 view", "4 indexes". */
export const countedKind = (count: number, kind: string): string =>
  `${numberText(count)} ${count === 1 ? kind.replace(/\bgrants$/, "grant") : plural(kind)}`;

function plural(kind: string): string {
  if (kind.endsWith("s")) return kind;
  if (/[^aeiou]y$/.test(kind)) return `${kind.slice(0, -1)}ies`;
  return /(x|ch|sh)$/.test(kind) ? `${kind}es` : `${kind}s`;
}

/** "7 views, 6 triggers". */
export const kindsOf = (entries: readonly Pick<InventoryEntry, "kind">[]): string =>
  [...Map.groupBy(entries, ({ kind }) => kind)]
    .sort(([a], [b]) => weightOf(a) - weightOf(b))
    .map(([kind, some]) => countedKind(some.length, kind))
    .join(", ");

/** Large objects are one entry, by the name `all 30000`. */
const sumOf = (entries: readonly Pick<InventoryEntry, "kind" | "name">[]): number =>
  entries.reduce(
    (sum, { kind, name }) => sum + (kind === "large object" ? Number(/^all (\d+)$/.exec(name)?.[1] ?? 1) : 1),
    0,
  );

/** Without a full stop; undefined where every object was copied or converted. */
export function notCopiedText(
  inventory: readonly Pick<InventoryEntry, "kind" | "name" | "outcome">[],
): string | undefined {
  const missing = inventory.filter(({ outcome }) => outcome === "reported");
  if (missing.length === 0) return undefined;
  const all = sumOf(missing);
  const kinds = [...Map.groupBy(missing, ({ kind }) => kind)]
    .map(([kind, entries]) => [kind, sumOf(entries)] as const)
    .sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1));
  const named = kinds.slice(0, mostKinds).map(([kind, count]) => countedKind(count, kind));
  const others = kinds.slice(mostKinds).reduce((sum, [, count]) => sum + count, 0);
  if (others > 0) named.push(`${numberText(others)} of other kinds`);
  const were = all === 1 ? "was not copied or was changed" : "were not copied or were changed";
  return `${countedKind(all, "source object")} ${were}: ${named.join(", ")}`;
}
