import { named } from "../../../contract/text/own-property.ts";
import { refuse } from "../refusal.ts";
import type { FunctionCall, OrderItem } from "../tree.ts";
import { formatType, int, least64, most64, type Type } from "../types.ts";
import { bitsOf } from "./arithmetic.ts";
import { boolean } from "./choices.ts";
import { distinguished, orderable } from "./comparisons.ts";
import { asBytes, type MysqlContext, type MysqlTerm, made, textLiteral } from "./term.ts";

/** Aggregates and window functions of a view. NULLs are passed over in both engines. */

const aggregates = new Set([
  "count",
  "sum",
  "min",
  "max",
  "avg",
  "bool_and",
  "bool_or",
  "every",
  "string_agg",
  "array_agg",
  "json_agg",
  "jsonb_agg",
]);

export const isAggregate = ({ name, schema, over }: FunctionCall): boolean =>
  over === undefined && (schema === undefined || schema === "pg_catalog") && aggregates.has(name.toLowerCase());

const ranks = new Set(["row_number", "rank", "dense_rank"]);
const frames = /^(RANGE|ROWS) BETWEEN UNBOUNDED PRECEDING AND (CURRENT ROW|UNBOUNDED FOLLOWING)$/;

/** Undefined: neither. `notes` take what a person should know. */
export function aggregate(context: MysqlContext, call: FunctionCall, notes: Set<string>): MysqlTerm | undefined {
  const name = call.name.toLowerCase();
  if (call.over !== undefined) return windowed(context, call, name, notes);
  return aggregates.has(name) ? aggregated(context, call, name, notes) : undefined;
}

function windowed(context: MysqlContext, call: FunctionCall, name: string, notes: Set<string>): MysqlTerm {
  const { partition, order, frame } = call.over as NonNullable<FunctionCall["over"]>;
  if (frame !== undefined && !frames.test(frame)) return refuse(`the window's frame ${frame}`);
  if (call.distinct) return refuse("DISTINCT in a window");
  const whole = int(1n, most64);
  const value = ranks.has(name)
    ? made(`${name.toUpperCase()}()`, whole, [])
    : aggregates.has(name) && name !== "string_agg"
      ? aggregated(context, call, name, notes)
      : refuse(`the window function ${name}()`);
  if (name === "row_number" && order.length === 0) notes.add("row_number() numbers rows in any order, in both engines");
  const by = partition.map((node) => distinguished(context, context.term(node), "PARTITION BY"));
  const sorted = order.flatMap((item) => ordered(context, item));
  const parts = [
    ...(by.length === 0 ? [] : [`PARTITION BY ${by.join(", ")}`]),
    ...(sorted.length === 0 ? [] : [`ORDER BY ${sorted.join(", ")}`]),
    ...(frame === undefined ? [] : [frame]),
  ];
  return { ...value, sql: `${value.sql} OVER (${parts.join(" ")})`, aggregate: true };
}

function aggregated(context: MysqlContext, call: FunctionCall, name: string, notes: Set<string>): MysqlTerm {
  const filter = call.filter === undefined ? undefined : boolean(context.term(call.filter));
  const args = call.args.map((arg) => context.term(arg));
  if ([...args, ...(filter === undefined ? [] : [filter])].some((arg) => arg.aggregate === true))
    return refuse("an aggregate within an aggregate");
  const only = (sql: string) => (filter === undefined ? sql : `CASE WHEN ${filter.sql} THEN ${sql} END`);
  const counted = int(0n, most64);
  if (call.star) {
    const what = filter === undefined ? "*" : only("1");
    return made(`COUNT(${what})`, counted, [], { nullable: false, aggregate: true });
  }
  if (name === "string_agg") return joined(context, call, args, notes);
  const [first] = args;
  const rule = named(rules, name);
  if (first === undefined || rule === undefined) return refuse(`the aggregate ${name}()`);
  if (call.order.length > 0) return refuse(`${name}(… ORDER BY …)`);
  const value = call.distinct ? distinguished(context, first, `${name}(DISTINCT …)`) : first.sql;
  const inside = `${call.distinct ? "DISTINCT " : ""}${only(value)}`;
  return { ...made(rule.call(inside), rule.type(context, first), args), nullable: name !== "count", aggregate: true };
}

interface Rule {
  call(inside: string): string;
  /** Of the result. Errors: Refusal. */
  type(context: MysqlContext, argument: MysqlTerm): Type;
}

const truth = ({ type }: MysqlTerm): Type => (type.kind === "boolean" ? type : refuse("an aggregate of conditions"));

function summed(_: MysqlContext, { type }: MysqlTerm): Type {
  if (type.kind === "int")
    return bitsOf(type) <= 32n ? int(least64, most64) : { kind: "decimal", precision: 41, scale: 0 };
  if (type.kind !== "decimal" || type.scale === undefined)
    return refuse(
      type.kind === "float"
        ? "a sum of floating-point numbers, which depends on the order of the rows"
        : `a sum of ${formatType(type)}`,
    );
  return { kind: "decimal", precision: Math.min(65, type.precision + 22), scale: type.scale };
}

function extreme(context: MysqlContext, term: MysqlTerm): Type {
  orderable(context, term);
  if (term.type.kind === "boolean" || term.type.kind === "bytes") return refuse(`an extreme of ${term.type.kind}`);
  return term.type;
}

const rules: Record<string, Rule> = {
  count: { call: (inside) => `COUNT(${inside})`, type: () => int(0n, most64) },
  sum: { call: (inside) => `SUM(${inside})`, type: summed },
  min: { call: (inside) => `MIN(${inside})`, type: extreme },
  max: { call: (inside) => `MAX(${inside})`, type: extreme },
  avg: { call: String, type: () => refuse("avg(), whose quotient has other digits in PostgreSQL") },
  bool_and: { call: (inside) => `MIN(${inside})`, type: (_, term) => truth(term) },
  every: { call: (inside) => `MIN(${inside})`, type: (_, term) => truth(term) },
  bool_or: { call: (inside) => `MAX(${inside})`, type: (_, term) => truth(term) },
};

function joined(
  context: MysqlContext,
  call: FunctionCall,
  [value, separator]: readonly MysqlTerm[],
  notes: Set<string>,
): MysqlTerm {
  if (value?.type.kind !== "text" || separator?.constant === undefined || call.filter !== undefined)
    return refuse("string_agg() by what is no literal");
  context.doubt("GROUP_CONCAT, which is cut at group_concat_max_len");
  if (call.order.length === 0) notes.add("string_agg() without ORDER BY joins in any order, in both engines");
  const order = call.order.flatMap((item) => ordered(context, item));
  const by = order.length === 0 ? "" : ` ORDER BY ${order.join(", ")}`;
  const distinct = call.distinct ? "DISTINCT " : "";
  const sql = `GROUP_CONCAT(${distinct}${asBytes(context, value)}${by} SEPARATOR ${textLiteral(separator.constant).replace(/^_utf8mb4/, "")})`;
  return made(sql, value.type, [value], { nullable: true, aggregate: true });
}

/** As PostgreSQL orders: NULLs are the greatest, unless told. Errors: Refusal. */
export function ordered(context: MysqlContext, { by, descending, nulls }: OrderItem): string[] {
  const term = context.term(by);
  return sorting(orderable(context, term), term.nullable, { descending, ...(nulls === undefined ? {} : { nulls }) });
}

export function sorting(sql: string, nullable: boolean, { descending, nulls }: Omit<OrderItem, "by">): string[] {
  const written = `${sql}${descending ? " DESC" : ""}`;
  const first = (nulls ?? (descending ? "first" : "last")) === "first";
  // MySQL's NULLs are the smallest.
  if (!nullable || first !== descending) return [written];
  return [`${sql} IS NULL${first ? " DESC" : ""}`, written];
}
