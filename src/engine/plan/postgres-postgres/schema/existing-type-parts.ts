import type { TypePart } from "../../../postgres/catalogue/type-parts.ts";
import { postgresValueType } from "../../fits/postgres-type.ts";
import { fitOf } from "../../fits/rules.ts";
import type { Check } from "../../fits/types.ts";

/** Content `data`: types of one name whose parts may differ. Their text has no names of fields, and is cut to the target's lengths. Pure. */

/** What to look for in the values, or the part that differs. */
export function partsFit(
  source: readonly TypePart[],
  target: readonly TypePart[],
): readonly Check[] | { differs: string } {
  const checks: Check[] = [];
  for (const at of Array(Math.max(source.length, target.length)).keys()) {
    const [from, to] = [source[at], target[at]];
    if (from === undefined || to === undefined || from.path !== to.path) return { differs: pathOf(to ?? from) };
    if (from.labels !== null && to.labels !== null) {
      const known = to.labels;
      if (from.labels.every((label) => known.includes(label))) continue;
      if (from.path !== "[]") return { differs: pathOf(to) };
      checks.push({ check: "labels", labels: known });
    } else if (from.type !== to.type && !keeps(from, to)) return { differs: pathOf(to) };
  }
  return checks;
}

const pathOf = (part: TypePart | undefined): string => part?.path ?? "";

/** A field whose type takes every value of the other. */
const keeps = (from: TypePart, to: TypePart): boolean =>
  from.labels === null &&
  to.labels === null &&
  fitOf(postgresValueType(from.type), postgresValueType(to.type)) === "always";
