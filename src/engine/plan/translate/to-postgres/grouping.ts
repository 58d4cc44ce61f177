import { columnsOutside } from "../queries.ts";
import { refuse } from "../refusal.ts";
import type { From, Node, Select } from "../tree.ts";
import { distinguished, isAggregate } from "./aggregates.ts";
import type { PostgresContext, PostgresTerm } from "./term.ts";

/** What a FROM brings into a query. */
export interface PostgresFromItem {
  alias: string;
  columns: Map<string, PostgresTerm>;
  /** Unique keys without NULLs, in the case of `columns`. */
  keys: string[][];
}

/**
 * GROUP BY. MySQL takes columns that are not grouped where the grouped ones determine them; here that is proven by keys
 * and by the equalities of inner joins, and such columns are grouped too, which parts no group.
 */
export function groupColumns(
  sources: readonly PostgresFromItem[],
  select: Select,
  outside: readonly Node[],
  context: PostgresContext,
): string[] {
  const key = (path: readonly string[]): string | undefined => {
    const column = (path.at(-1) ?? "").toLowerCase();
    const table = path.at(-2);
    const found = sources.filter(
      ({ alias, columns }) => (table === undefined || alias === table) && columns.has(column),
    );
    return found.length === 1 ? `${found[0]?.alias}\0${column}` : undefined;
  };
  const grouped = select.group.map((node) => ({
    node,
    term: context.term(node),
    key: node.is === "column" ? key(node.path) : undefined,
  }));
  const plain = grouped.filter(({ term }) => term.type.kind !== "text");
  const equalities = inner(select.from) ? equals(select).flatMap(([a, b]) => [[key(a), key(b)]]) : [];
  const known = closure(
    new Set(plain.flatMap((item) => (item.key === undefined ? [] : [item.key]))),
    sources,
    equalities,
  );
  for (const item of grouped) {
    if (item.key === undefined || !known.has(item.key)) distinguished(context, item.term, "GROUP BY");
  }
  const all = closure(
    new Set([...known, ...grouped.flatMap((item) => (item.key === undefined ? [] : [item.key]))]),
    sources,
    equalities,
  );
  const list = new Map<string, string>();
  for (const { term } of grouped) list.set(term.sql, term.sql);
  const same = new Set(select.group.map((node) => JSON.stringify(node)));
  for (const node of outside) {
    for (const path of columnsOutside(node, same, isAggregate)) {
      const found = key(path);
      // A column of an outer query is the same for all rows.
      if (found === undefined) continue;
      if (!all.has(found))
        refuse(`the column ${path.join(".")} is neither grouped nor known to depend on grouped columns`);
      const term: PostgresTerm = context.term({ is: "column", path });
      list.set(term.sql, term.sql);
    }
  }
  return [...list.values()];
}

function closure(
  start: Set<string>,
  sources: readonly PostgresFromItem[],
  equalities: readonly (string | undefined)[][],
): Set<string> {
  const known = new Set(start);
  for (let size = -1; size !== known.size; ) {
    size = known.size;
    for (const { alias, keys, columns } of sources) {
      if (keys.some((names) => names.length > 0 && names.every((name) => known.has(`${alias}\0${name}`))))
        for (const name of columns.keys()) known.add(`${alias}\0${name}`);
    }
    for (const [a, b] of equalities) {
      if (a === undefined || b === undefined) continue;
      if (known.has(a)) known.add(b);
      else if (known.has(b)) known.add(a);
    }
  }
  return known;
}

const inner = (from: readonly From[]): boolean =>
  from.every(
    (item) => item.is !== "join" || ((item.how === "INNER" || item.how === "CROSS") && inner([item.left, item.right])),
  );

/** Columns that are equal in every row. */
function equals(select: Select): [string[], string[]][] {
  const found: [string[], string[]][] = [];
  const visit = (node: Node | undefined): void => {
    if (node?.is !== "binary") return;
    if (node.op === "AND") {
      visit(node.left);
      visit(node.right);
    } else if (node.op === "=" && node.left.is === "column" && node.right.is === "column")
      found.push([node.left.path, node.right.path]);
  };
  const joins = (from: From): void => {
    if (from.is !== "join") return;
    visit(from.on);
    joins(from.left);
    joins(from.right);
  };
  for (const from of select.from) joins(from);
  visit(select.where);
  return found;
}
