import { larger, smaller } from "../numbers.ts";
import { refuse } from "../refusal.ts";
import type { Node } from "../tree.ts";
import { formatType, sameType, type Type } from "../types.ts";
import { bitsOf, heldIn } from "./arithmetic.ts";
import { compare } from "./comparisons.ts";
import { type MysqlContext, type MysqlTerm, made } from "./term.ts";

/** CASE and its like: the branches must be of one kind, since MySQL would mix others in its own way. */

export function boolean(term: MysqlTerm): MysqlTerm {
  if (term.type.kind === "boolean") return term;
  return refuse(`${formatType(term.type)} where a boolean is needed`);
}

/** One type for all branches. */
export function unify(terms: readonly MysqlTerm[]): Type {
  const types = terms.map(({ type }) => type).filter(({ kind }) => kind !== "null");
  const [type] = types;
  if (type === undefined) return refuse("only NULL in all branches");
  if (types.some(({ kind }) => kind !== type.kind)) return refuse("branches of different types");
  const rule = unified[type.kind];
  if (rule !== undefined) return rule(types);
  const same = types.every((other) => sameType(other, type));
  if (!same || type.kind === "other" || type.kind === "enum") return refuse("branches of different types");
  return type;
}

const first = ([type]: readonly Type[]): Type => type as Type;

const unified: Partial<Record<Type["kind"], (types: readonly Type[]) => Type>> = {
  boolean: first,
  date: first,
  bytes: first,
  int(types) {
    const ints = types.flatMap((type) => (type.kind === "int" ? [type] : []));
    const range = [ints.map(({ min }) => min).reduce(smaller), ints.map(({ max }) => max).reduce(larger)] as const;
    return heldIn(ints.map(bitsOf).reduce(larger), ...range);
  },
  text(types) {
    const collations = new Set(types.flatMap((type) => (type.kind === "text" ? (type.collation ?? []) : [])));
    if (collations.size > 1) return refuse("text of several collations");
    if (types.some((type) => type.kind === "text" && type.fixed === true))
      return refuse("character(n), whose trailing spaces do not count");
    return { kind: "text", collation: [...collations][0], ascii: false };
  },
};

export function choice(context: MysqlContext, node: Extract<Node, { is: "case" }>): MysqlTerm {
  const operand = node.operand === undefined ? undefined : context.term(node.operand);
  const whens = node.arms.map(({ when }) =>
    operand === undefined ? boolean(context.term(when)) : compare(context, "=", operand, context.term(when)),
  );
  const branches = node.arms.map(({ result }) => context.term(result));
  const otherwise = node.otherwise === undefined ? undefined : context.term(node.otherwise);
  const results = otherwise === undefined ? branches : [...branches, otherwise];
  const type = unify(results);
  const arms = whens.map(({ sql }, index) => `WHEN ${sql} THEN ${branches[index]?.sql}`).join(" ");
  const last = otherwise === undefined ? "" : ` ELSE ${otherwise.sql}`;
  return made(`(CASE ${arms}${last} END)`, type, [...whens, ...results], {
    nullable: otherwise === undefined || results.some(({ nullable }) => nullable),
  });
}
