import { open } from "./parse.ts";
import { attempt } from "./refusal.ts";
import type { Dialect } from "./tokens.ts";
import type { Node } from "./tree.ts";

/**
 * Conditions of one server that another of its kind may be asked: of columns, literals and functions that are every
 * server's own and do nothing but compute. Pure.
 */

const kinds = new Set<Node["is"]>(
  "null boolean number string column call unary binary test between in like case cast array quantified".split(
    " ",
  ) as Node["is"][],
);
const functions = new Set(
  "abs btrim ceil char_length coalesce floor length lower mod octet_length trim upper".split(" "),
);
const types = new Set(
  "text bpchar integer bigint smallint numeric date boolean character,varying timestamp,without,time,zone"
    .split(" ")
    .map((name) => name.replaceAll(",", " ")),
);
const ordering = new Set(["<", ">", "<=", ">="]);

interface PlainCondition {
  columns: ReadonlySet<string>;
  /** It asks which of two values comes first. */
  orders: boolean;
}

/** Undefined: there is more in it. */
export function plainCondition(sql: string, dialect: Dialect): PlainCondition | undefined {
  const columns = new Set<string>();
  let orders = false;
  const isPlain = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.every(isPlain);
    if (typeof value !== "object" || value === null || !("is" in value)) return true;
    const node = value as Node;
    if (!kinds.has(node.is)) return false;
    if (node.is === "column") {
      columns.add(node.path.at(-1) ?? "");
      return node.path.length === 1;
    }
    if (node.is === "cast" && (node.type.schema !== undefined || !types.has(node.type.name))) return false;
    if (node.is === "like" && node.how !== "LIKE") return false;
    if (node.is === "call" && (node.schema !== undefined || node.over !== undefined || node.filter !== undefined))
      return false;
    if (node.is === "call" && !functions.has(node.name.toLowerCase())) return false;
    if (node.is === "between" || ((node.is === "binary" || node.is === "quantified") && ordering.has(node.op)))
      orders = true;
    return Object.values(node).every(isPlain);
  };
  const parsed = attempt(() => {
    const cursor = open(sql, dialect);
    const node = cursor.expression();
    cursor.end();
    return { node };
  });
  return "node" in parsed && isPlain(parsed.node) ? { columns, orders } : undefined;
}
