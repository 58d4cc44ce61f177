import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { shortList } from "../../contract/text/short-list.ts";

/** A table that a run made, with what others put on it meanwhile, in words. */
export interface TouchedTable {
  name: string;
  others: readonly string[];
}

/** Tables that a message names at most, and others' work on each. */
const mostNamed = 5;

/** Errors: `target_changed`, which names what is not the run's; none where nobody touched a table. */
export function refuseTouched(tables: readonly TouchedTable[]): void {
  const touched = tables.flatMap(({ name, others }) =>
    others.length === 0 ? [] : [printable(`${name} (${shortList(others, mostNamed)})`)],
  );
  if (touched.length === 0) return;
  throw new EngineError(
    "target_changed",
    `others changed tables that this run made in the target, and that it would make anew: ${shortList(touched, mostNamed, "; ")}. Nothing was dropped. Save and remove the named objects, then run again. Or name the tables in options.drop, or reset the run, which drops them too`,
  );
}
