import type { Cursor } from "./cursor.ts";
import { refuse } from "./refusal.ts";
import type { Node, OrderItem } from "./tree.ts";

/** ORDER BY, of queries, aggregates and windows. */

export function parseOrder(cursor: Cursor): OrderItem[] {
  cursor.expect("ORDER", "BY");
  return cursor.list(() => {
    const by: Node = cursor.expression();
    if (cursor.sees("USING")) refuse("ORDER BY USING is not translated");
    const descending = cursor.took("DESC");
    if (!descending) cursor.took("ASC");
    const nulls = cursor.took("NULLS", "FIRST") ? "first" : cursor.took("NULLS", "LAST") ? "last" : undefined;
    return { by, descending, ...(nulls === undefined ? {} : { nulls }) };
  });
}
