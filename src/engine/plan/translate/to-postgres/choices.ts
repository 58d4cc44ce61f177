import { larger, smaller } from "../numbers.ts";
import { refuse } from "../refusal.ts";
import type { Node } from "../tree.ts";
import { bit, int, isBit, sameType, type Type } from "../types.ts";
import { compare, sharedCollation } from "./comparisons.ts";
import { decimalOf, double } from "./numbers.ts";
import {
  asCondition,
  asNumber,
  asText,
  integerForm,
  made,
  type PostgresContext,
  type PostgresTerm,
  words,
} from "./term.ts";

/** CASE, IF, IFNULL and their like: the branches must be of one kind, since the engines mix kinds in different ways. */

/** The terms brought to one type and form; NULLs take the others'. */
function unify(terms: readonly PostgresTerm[]): { sql: string[]; type: Type; form: PostgresTerm["form"] } {
  const real = terms.filter(({ type }) => type.kind !== "null");
  const [first] = real;
  if (first === undefined) return refuse("only NULL in all branches");
  const kinds = new Set(real.map(({ type }) => type.kind));
  const written = (form: string, each: (term: PostgresTerm) => string): string[] =>
    terms.map((term) => (term.type.kind === "null" ? `NULL::${form}` : each(term)));
  if ([...kinds].every((kind) => kind === "int")) return integers(terms, real);
  if ([...kinds].every((kind) => kind === "int" || kind === "decimal")) {
    const decimals = real.map((term) => decimalOf(asNumber(term).type));
    const scale = Math.max(...decimals.map((type) => type.scale));
    const whole = Math.max(...decimals.map((type) => type.precision - type.scale));
    if (whole + scale > 65) refuse("a decimal of more digits than MySQL holds");
    // The cast gives every branch the same digits behind the point, as MySQL does.
    const type = `numeric(${Math.max(1, whole + scale)},${scale})`;
    return {
      sql: written(type, (term) => `(${asNumber(term).sql})::${type}`),
      type: { kind: "decimal", precision: Math.max(1, whole + scale), scale },
      form: "numeric",
    };
  }
  if ([...kinds].every((kind) => kind === "int" || kind === "decimal" || kind === "float"))
    return {
      sql: written("double precision", (term) => double(asNumber(term))),
      type: { kind: "float", bits: 64 },
      form: "double",
    };
  if ([...kinds].every((kind) => kind === "text" || kind === "enum")) {
    const texts = real.map(asText);
    const ascii = texts.every(({ type }) => type.kind === "text" && type.ascii);
    let collation: string | undefined;
    for (const { type } of texts) collation = sharedCollation({ kind: "text", collation, ascii }, type);
    return { sql: written("text", (term) => asText(term).sql), type: { kind: "text", collation, ascii }, form: "text" };
  }
  const same = real.every(({ type, form }) => form === first.form && sameType(type, first.type));
  const plain: Record<string, string> = {
    date: "date",
    timestamp: "timestamp",
    time: "time",
    bytea: "bytea",
    uuid: "uuid",
    timestamptz: "timestamptz",
  };
  const name = plain[first.form];
  if (!same || name === undefined)
    return refuse(`branches of different kinds: ${[...new Set(real.map(words))].join(" and ")}`);
  return { sql: written(name, ({ sql }) => sql), type: first.type, form: first.form };
}

type Int = Extract<Type, { kind: "int" }>;

function integers(terms: readonly PostgresTerm[], real: readonly PostgresTerm[]): ReturnType<typeof unify> {
  const types = real.map(({ type }) => type as Int);
  const min = types.reduce((least, { min }) => smaller(least, min), types[0]?.min ?? 0n);
  const max = types.reduce((most, { max }) => larger(most, max), types[0]?.max ?? 0n);
  const unsigned = types.some((type) => type.unsigned);
  // MariaDB counts on with decimals there.
  if (unsigned && min < 0n && (min < -(2n ** 31n) || max >= 2n ** 32n))
    refuse("branches of signed and unsigned numbers of 64 bits");
  const type: Type = types.every(isBit) ? bit : int(min, max, unsigned && min >= 0n);
  if (real.every(({ form }) => form === "boolean"))
    return {
      sql: terms.map((term) => (term.type.kind === "null" ? "NULL::boolean" : term.sql)),
      type,
      form: "boolean",
    };
  const form = real.some((term) => term.form === "numeric")
    ? "numeric"
    : real.some((term) => term.form === "bigint")
      ? "bigint"
      : integerForm(min, max);
  const sql = terms.map((term) => (term.type.kind === "null" ? `NULL::${form}` : `(${asNumber(term).sql})::${form}`));
  return { sql, type, form };
}

export function choice(context: PostgresContext, node: Extract<Node, { is: "case" }>): PostgresTerm {
  const operand = node.operand === undefined ? undefined : context.term(node.operand);
  const conditions = node.arms.map(({ when }) => {
    const term = context.term(when);
    return operand === undefined ? term : compare(context, "=", operand, term);
  });
  const branches = node.arms.map(({ result }) => context.term(result));
  const otherwise = node.otherwise === undefined ? undefined : context.term(node.otherwise);
  return chosen(conditions, branches, otherwise);
}

/** What MySQL's text of a choice takes from the branch. */
function shownAs(branches: readonly PostgresTerm[]): Partial<PostgresTerm> {
  const zerofill = branches.some((branch) => branch.zerofill === true);
  const scales = new Set(
    branches.flatMap(({ type }) => (type.kind === "int" ? [0] : type.kind === "decimal" ? [type.scale ?? 0] : [])),
  );
  return { ...(zerofill ? { zerofill } : {}), ...(scales.size > 1 ? { branchDigits: true } : {}) };
}

export function chosen(
  conditions: readonly PostgresTerm[],
  branches: readonly PostgresTerm[],
  otherwise: PostgresTerm | undefined,
): PostgresTerm {
  const results = otherwise === undefined ? branches : [...branches, otherwise];
  const bits = results.filter((term) => isBit(term.type));
  // MySQL gives the branch's byte then, as if it were text, and MariaDB a digit.
  if (bits.length > 0 && results.some(({ type }) => type.kind !== "null" && !isBit(type)))
    refuse("a choice between a BIT and what is none, where MySQL gives the BIT's byte");
  const { sql, type, form } = unify(results);
  const arms = conditions.map((when, index) => `WHEN ${asCondition(when)} THEN ${sql[index]}`);
  const last = otherwise === undefined ? "" : ` ELSE ${sql.at(-1)}`;
  return made(`CASE ${arms.join(" ")}${last} END`, type, form, [...conditions, ...results], {
    nullable: otherwise === undefined || results.some(({ nullable }) => nullable),
    ...shownAs(results),
  });
}

/** IFNULL and COALESCE. */
export function coalesced(terms: readonly PostgresTerm[]): PostgresTerm {
  const { sql, type, form } = unify(terms);
  return made(`coalesce(${sql.join(", ")})`, type, form, terms, {
    nullable: terms.every(({ nullable }) => nullable),
    ...shownAs(terms),
  });
}

/** NULL if the two are equal, else the first. */
export function nullIf(context: PostgresContext, a: PostgresTerm, b: PostgresTerm): PostgresTerm {
  const equal = compare(context, "=", a, b);
  const { constant: _, ...rest } = a;
  return { ...rest, sql: `CASE WHEN ${equal.sql} THEN NULL ELSE ${a.sql} END`, nullable: true };
}

/** MySQL's GREATEST and LEAST are NULL if one is; PostgreSQL's pass over it. */
export function extreme(
  context: PostgresContext,
  name: "GREATEST" | "LEAST",
  terms: readonly PostgresTerm[],
): PostgresTerm {
  const [first, ...others] = terms;
  if (first === undefined) return refuse(`${name} of nothing`);
  for (const other of others) compare(context, "<", first, other);
  const { sql, type, form } = unify(terms);
  if (type.kind === "text" || form === "boolean")
    return refuse(`${name} of ${type.kind === "text" ? "text" : "booleans"}`);
  const call = `${name.toLowerCase()}(${sql.join(", ")})`;
  const nulls = terms.filter(({ nullable }) => nullable).map((term) => `${term.sql} IS NULL`);
  return made(
    nulls.length === 0 ? call : `CASE WHEN ${nulls.join(" OR ")} THEN NULL ELSE ${call} END`,
    type,
    form,
    terms,
    shownAs(terms),
  );
}
