import { literal } from "../../../postgres/driver/names.ts";
import { mysqlComparison } from "../collation.ts";
import { refuse } from "../refusal.ts";
import type { FunctionCall, OrderItem } from "../tree.ts";
import { int, most64 } from "../types.ts";
import { arithmetic, decimalOf, hasFixedDigits } from "./numbers.ts";
import { asNumber, asText, made, type PostgresContext, type PostgresTerm } from "./term.ts";

/** Aggregates of a view. NULLs are passed over in both engines. */

const names = new Set(["COUNT", "SUM", "AVG", "MIN", "MAX", "GROUP_CONCAT"]);

export const isAggregate = ({ name }: FunctionCall): boolean => names.has(name);

/** Undefined: no aggregate. `notes` take what a person should know. */
export function aggregate(context: PostgresContext, call: FunctionCall, notes: Set<string>): PostgresTerm | undefined {
  if (!isAggregate(call)) return undefined;
  if (call.over !== undefined) return refuse("window functions are not translated");
  const args = call.args.map((arg) => context.term(arg));
  if (args.some((arg) => arg.aggregate === true)) return refuse("an aggregate within an aggregate");
  const distinct = call.distinct ? "DISTINCT " : "";
  if (call.distinct) for (const arg of args) distinguished(context, arg, `${call.name}(DISTINCT)`);
  const [first] = args;
  switch (call.name) {
    case "COUNT": {
      const type = int(0n, most64);
      if (call.star || (args.length === 1 && first?.constant !== undefined && !call.distinct))
        return { sql: "count(*)", type, form: "bigint", nullable: false, stability: "immutable", aggregate: true };
      if (first === undefined || args.length !== 1) return refuse("COUNT of several columns");
      return made(`count(${distinct}${first.sql})`, type, "bigint", args, { nullable: false, aggregate: true });
    }
    case "SUM": {
      const number = asNumber(first as PostgresTerm);
      return summed(number, distinct);
    }
    case "AVG": {
      const number = asNumber(first as PostgresTerm);
      const count = made(`count(${distinct}${number.sql})`, int(0n, most64), "bigint", [number], { aggregate: true });
      return arithmetic("/", summed(number, distinct), count);
    }
    case "MIN":
    case "MAX": {
      const value = first as PostgresTerm;
      if (value.type.kind === "enum") return refuse(`${call.name} of an enum`);
      if (
        value.form === "boolean" ||
        value.type.kind === "json" ||
        value.type.kind === "other" ||
        value.type.kind === "null"
      )
        return made(
          `${call.name.toLowerCase()}(${asNumber(value).sql})`,
          asNumber(value).type,
          asNumber(value).form,
          args,
          { nullable: true, aggregate: true },
        );
      const sql = orderable(context, value);
      const { constant: _, ...rest } = value;
      return { ...rest, sql: `${call.name.toLowerCase()}(${sql})`, nullable: true, aggregate: true };
    }
    default:
      return joined(context, call, args, notes);
  }
}

function summed(number: PostgresTerm, distinct: string): PostgresTerm {
  if (number.type.kind === "float")
    return refuse("a sum of floating-point numbers, which depends on the order of the rows");
  const { precision, scale } = decimalOf(number.type);
  const type = { kind: "decimal" as const, precision: Math.min(65, precision + 22), scale };
  return made(`(sum(${distinct}${number.sql}))::numeric`, type, "numeric", [number], {
    nullable: true,
    aggregate: true,
    fixedDigits: hasFixedDigits(number),
  });
}

function joined(
  context: PostgresContext,
  call: FunctionCall,
  args: readonly PostgresTerm[],
  notes: Set<string>,
): PostgresTerm {
  const texts = args.map(asText);
  const value = `(${texts.map(({ sql }) => sql).join(" || ")})`;
  const order = call.order.map((item) => ordered(context, item, true));
  if (call.distinct && order.length > 0) return refuse("GROUP_CONCAT(DISTINCT … ORDER BY …)");
  if (order.length === 0) notes.add("GROUP_CONCAT without ORDER BY joins in any order, in both engines");
  notes.add("GROUP_CONCAT is cut at group_concat_max_len in MySQL, and not in PostgreSQL");
  const by = order.length === 0 ? "" : ` ORDER BY ${order.join(", ")}`;
  const separator = `${literal(call.separator ?? ",").trimStart()}::text`;
  return made(
    `string_agg(${call.distinct ? "DISTINCT " : ""}${value}, ${separator}${by})`,
    { kind: "text", collation: texts[0]?.type.kind === "text" ? texts[0].type.collation : undefined, ascii: false },
    "text",
    texts,
    { nullable: true, aggregate: true },
  );
}

/** Values that are told apart as in MySQL. */
export function distinguished(context: PostgresContext, term: PostgresTerm, where: string): void {
  const { type } = term;
  if (term.unrounded !== undefined) refuse(`${where} of a quotient`);
  if (type.kind === "json" || type.kind === "other") refuse(`${where} of ${type.kind}`);
  if (type.kind !== "text") return;
  if (type.collation === undefined && term.constant !== undefined) return;
  const collation = type.collation ?? "of a session";
  if (mysqlComparison(collation).equality !== "exact")
    context.doubt(`${where} of text in the collation ${collation}, which takes different text for equal`);
}

/** Text ordered as in MySQL. */
function orderable(context: PostgresContext, term: PostgresTerm): string {
  if (term.type.kind !== "text") return term.sql;
  const collation = term.type.collation ?? "of a session";
  if (mysqlComparison(collation).byteOrder) return `(${term.sql} COLLATE "C")`;
  context.doubt(`text is ordered by the collation ${collation}, which PostgreSQL does not have`);
  return term.sql;
}

/** `strictly`: the order is part of the result, and not only of how it is shown. NULLs come first in MySQL. */
export function ordered(context: PostgresContext, item: OrderItem, strictly: boolean): string {
  const term = context.term(item.by);
  if (strictly && term.type.kind === "enum" && term.form !== "enum") refuse("an enum as text is ordered by its text");
  const sql = strictly ? orderable(context, term) : term.sql;
  return `${sql}${item.descending ? " DESC NULLS LAST" : " NULLS FIRST"}`;
}
