/** What the parsers make of SQL, without meaning: the same tree for both dialects, read by the rules of one direction. */

export interface TypeName {
  /** Lower case, words separated by one space, without its arguments: `character varying`, `timestamp without time zone`. */
  name: string;
  /** PostgreSQL: its schema, where one is written. */
  schema?: string;
  arguments: number[];
  array: boolean;
  /** MySQL's CAST … CHARSET. */
  charset?: string;
}

export interface OrderItem {
  by: Node;
  descending: boolean;
  nulls?: "first" | "last";
}

export interface Window {
  partition: Node[];
  order: OrderItem[];
  /** As written, upper case; undefined: none is written. */
  frame?: string;
}

export interface FunctionCall {
  is: "call";
  /** Upper case for MySQL; as it is called for PostgreSQL. */
  name: string;
  schema?: string;
  args: Node[];
  star: boolean;
  distinct: boolean;
  order: OrderItem[];
  separator?: string;
  filter?: Node;
  over?: Window;
}

export type Node =
  | { is: "null" }
  | { is: "boolean"; value: boolean }
  | { is: "number"; text: string }
  | { is: "string"; text: string; charset?: string }
  | { is: "hex"; text: string }
  | { is: "bits"; text: string }
  /** From outside in: [schema, table, column]. */
  | { is: "column"; path: string[] }
  | FunctionCall
  | { is: "unary"; op: string; operand: Node }
  | { is: "binary"; op: string; left: Node; right: Node }
  | { is: "test"; operand: Node; what: "NULL" | "TRUE" | "FALSE" | "UNKNOWN"; not: boolean }
  | { is: "between"; operand: Node; low: Node; high: Node; not: boolean }
  | { is: "in"; operand: Node; list: Node[]; not: boolean }
  | { is: "in query"; operand: Node; query: Query; not: boolean }
  | { is: "like"; operand: Node; pattern: Node; escape?: Node; not: boolean; how: "LIKE" | "ILIKE" | "REGEXP" }
  | { is: "case"; operand?: Node; arms: { when: Node; result: Node }[]; otherwise?: Node }
  | { is: "cast"; operand: Node; type: TypeName }
  | { is: "collate"; operand: Node; collation: string }
  | { is: "extract"; field: string; operand: Node }
  | { is: "interval"; amount: Node; unit: string }
  /** DATE'…', TIME'…', TIMESTAMP'…'. */
  | { is: "temporal"; type: "date" | "time" | "timestamp"; text: string }
  | { is: "array"; items: Node[] }
  | { is: "quantified"; op: string; how: "ANY" | "ALL"; operand: Node; array: Node }
  | { is: "exists"; query: Query }
  | { is: "subquery"; query: Query }
  | { is: "row"; items: Node[] }
  /** A keyword that is a value: CURRENT_TIMESTAMP(3). */
  | { is: "now"; what: "timestamp" | "localtimestamp" | "date" | "time"; digits: number };

export type From =
  | { is: "table"; path: string[]; alias?: string; columns?: string[] }
  | { is: "derived"; query: Query; alias: string; columns?: string[]; lateral: boolean }
  | {
      is: "join";
      how: "INNER" | "LEFT" | "RIGHT" | "FULL" | "CROSS";
      left: From;
      right: From;
      on?: Node;
      using?: string[];
      natural: boolean;
    };

export interface Select {
  is: "select";
  distinct: boolean;
  items: { value: Node; alias?: string }[];
  from: From[];
  where?: Node;
  group: Node[];
  having?: Node;
}

export interface Combined {
  is: "combined";
  op: "UNION" | "EXCEPT" | "INTERSECT";
  all: boolean;
  left: Query;
  right: Query;
}

/** A select or a union with what applies to the whole. */
export interface Query {
  with: { name: string; columns?: string[]; query: Query }[];
  recursive: boolean;
  body: Select | Combined;
  order: OrderItem[];
  limit?: Node;
  offset?: Node;
}

/** One function for each kind of node that a direction knows. */
export type NodeRules<Context, Result> = {
  [Kind in Node["is"]]?: (context: Context, node: Extract<Node, { is: Kind }>) => Result;
};

/** Undefined: there is no rule for the node. */
export function ruleFor<Context, Result>(
  rules: NodeRules<Context, Result>,
  { is }: Node,
): ((context: Context, node: Node) => Result) | undefined {
  return rules[is] as ((context: Context, node: Node) => Result) | undefined;
}
