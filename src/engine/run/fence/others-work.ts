import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";

/** A table that a run made, with what others put on it meanwhile, in words. */
export interface TouchedTable {
  name: string;
  others: readonly string[];
}

/** Tables that a message names at most, and others' work on each. */
const mostNamed = 5;

const listed = (words: readonly string[], separator: string): string =>
  words.slice(0, mostNamed).join(separator) + (words.length > mostNamed ? ` and ${words.length - mostNamed} more` : "");

/** Errors: `target_changed`, which names what is not the run's; none where nobody touched a table. */
export function refuseTouched(tables: readonly TouchedTable[]): void {
  const touched = tables.flatMap(({ name, others }) =>
    others.length === 0 ? [] : [printable(`${name} (${listed(others, ", ")})`)],
  );
  if (touched.length === 0) return;
  throw new EngineError(
    "target_changed",
    `others changed tables that this run made in the target, and that it would make anew: ${listed(touched, "; ")}. Nothing was dropped. Save and remove the named objects, then run again. Or name the tables in options.drop, or reset the run, which drops them too`,
  );
}
