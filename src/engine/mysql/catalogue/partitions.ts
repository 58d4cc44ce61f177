import type { Session } from "../driver/session.ts";
import type { SourceTable } from "./tables.ts";

export async function readPartitions(
  session: Session,
  schema: string,
  tables: ReadonlyMap<string, SourceTable>,
  onlyThese: string,
): Promise<void> {
  for (const [table, name, method, expression, sub, subExpression, bound, comment] of await session.query(
    `SELECT TABLE_NAME, PARTITION_NAME, PARTITION_METHOD, PARTITION_EXPRESSION, SUBPARTITION_METHOD, SUBPARTITION_EXPRESSION,
            PARTITION_DESCRIPTION, PARTITION_COMMENT
       FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = ${schema} AND PARTITION_NAME IS NOT NULL${onlyThese}
      ORDER BY TABLE_NAME, PARTITION_ORDINAL_POSITION, SUBPARTITION_ORDINAL_POSITION`,
  )) {
    const of = tables.get(table ?? "");
    if (of === undefined) continue;
    of.partitions ??= {
      method: method ?? "",
      expression: expression ?? "",
      sub: sub === null ? undefined : `${sub} (${subExpression ?? ""})`,
      parts: [],
    };
    if (of.partitions.parts.some((part) => part.name === name)) continue;
    of.partitions.parts.push({ name: name ?? "", bound: bound ?? "", comment: comment ?? "" });
  }
}

/** `` `a``b`,`c` `` → its names; undefined for anything but names. */
export function columnsOf(expression: string): string[] | undefined {
  const name = "`(?:[^`]|``)*`|[\\w$\\u0080-\\uffff]+";
  if (!new RegExp(`^\\s*(?:${name})(?:\\s*,\\s*(?:${name}))*\\s*$`).test(expression)) return undefined;
  return [...expression.matchAll(new RegExp(name, "g"))].map(([found]) =>
    found.startsWith("`") ? found.slice(1, -1).replaceAll("``", "`") : found,
  );
}

/** One value of a bound: SQL's literal as its text, or a word. */
export type Bound = { text: string } | "NULL" | "MAXVALUE";

/** A bound's values in tuples: `1,NULL` → [[1], [NULL]] for `each` 1. Undefined for what is no list of literals. */
export function boundsOf(bound: string, each: number): Bound[][] | undefined {
  const token = /\s*(?:'((?:[^'\\]|''|\\[\s\S])*)'|(-?\d+(?:\.\d+)?)|(MAXVALUE|NULL)|([(),]))/iy;
  const flat: Bound[] = [];
  let at = 0;
  while (at < bound.trimEnd().length) {
    token.lastIndex = at;
    const found = token.exec(bound);
    if (found === null) return undefined;
    at = token.lastIndex;
    const [, quoted, number, word] = found;
    if (quoted !== undefined) flat.push({ text: unquoted(quoted) });
    else if (number !== undefined) flat.push({ text: number });
    else if (word !== undefined) flat.push(word.toUpperCase() as Bound & string);
  }
  if (flat.length === 0 || flat.length % each !== 0) return undefined;
  return Array.from({ length: flat.length / each }, (_, index) => flat.slice(index * each, (index + 1) * each));
}

const unquoted = (body: string): string => body.replace(/''|\\([\s\S])/g, (_, letter?: string) => letter ?? "'");
