import { tableName } from "../../../postgres/catalogue/catalogue.ts";
import type { PostgresDoubtful } from "../../fits/postgres-values.ts";
import { writtenAlone } from "../../fits/values.ts";
import { doubtsWith } from "../columns/narrowing.ts";
import type { TableState } from "./state.ts";

/** The tables with values that may not fit. Plans are looked at one by one: those of ten thousand tables do not fit into a worker's heap. */
export function doubtfulTables(
  states: Iterable<Pick<TableState, "plan" | "kept" | "rows">>,
  characters: ReadonlyMap<string, string>,
  encoding: string,
): PostgresDoubtful[] {
  const found: PostgresDoubtful[] = [];
  for (const { plan, kept, rows } of states) {
    const all = doubtsWith(plan, characters, encoding);
    const doubts = kept === undefined ? all : writtenAlone(all);
    if (doubts.length === 0) continue;
    found.push({
      table: tableName(plan.source),
      bytes: rows.bytes,
      doubts,
      parts: rows.parts.map(({ from }) => from),
    });
  }
  return found;
}
