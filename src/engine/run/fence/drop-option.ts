import { EngineError } from "../../contract/index.ts";
import { dotFix, fullName, means } from "../../contract/text/full-name.ts";
import { printable } from "../../contract/text/printable.ts";

/**
 * The option `drop`: tables of the target, each by `table` or `schema.table` (in MySQL the schema is the database), a name
 * that has a dot in quotes: `a.b` is never a table "a.b".
 */

export interface NamedTable {
  schema: string;
  name: string;
}

export const isNamed = (drop: readonly string[], schema: string, name: string): boolean =>
  drop.some((one) => means(one, [schema, name]));

/**
 * A name that is mistyped must not pass for one that stands in nobody's way. `known`: what the target has, and what is
 * copied into it, which an earlier attempt may have dropped. Errors: `option_unmatched`.
 */
export function refuseUnknownDrops(drop: readonly string[], known: readonly NamedTable[]): void {
  const lost = drop.filter((one) => !known.some(({ schema, name }) => isNamed([one], schema, name)));
  if (lost.length === 0) return;
  throw new EngineError(
    "option_unmatched",
    `options.drop matches no table of the target: ${lost
      .slice(0, 5)
      .map((one) => JSON.stringify(one))
      .join(", ")}. Write table or schema.table exactly as in the target, ${dotFix}`,
  );
}

/** A name without its schema must not drop more than one table. Errors: `option_invalid`. */
export function refuseAmbiguousDrops(drop: readonly string[], dropped: readonly NamedTable[]): void {
  for (const one of drop) {
    const meant = dropped.filter(({ schema, name }) => isNamed([one], schema, name));
    if (meant.length < 2) continue;
    const words = meant.map(({ schema, name }) => printable(fullName(schema, name))).join(" and ");
    throw new EngineError(
      "option_invalid",
      `options.drop names ${JSON.stringify(one)}, which is ${words}: write each that is meant with its schema`,
    );
  }
}

/** What can be done where the target has what a copy makes; all directions and the assessment say it so. */
export const targetFix = "drop or rename them, name tables among them in options.drop, or name an empty database";
const mostTaken = 20;

/** The target has what the copy would make; `taken` in words, printable, tables first. */
export class TargetNotEmptyError extends EngineError {
  readonly taken: readonly string[];
  constructor(taken: readonly string[], fix = targetFix) {
    const more = taken.length > mostTaken ? ` and ${taken.length - mostTaken} more` : "";
    const named = taken.slice(0, mostTaken).join(", ");
    super("target_not_empty", `the target database already has ${named}${more}: ${fix}; nothing was written`);
    this.taken = taken;
  }
}
