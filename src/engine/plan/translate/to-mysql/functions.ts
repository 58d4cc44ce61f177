import { refuse } from "../refusal.ts";
import { int, type Type } from "../types.ts";
import { digitsOf } from "./arithmetic.ts";
import { unify } from "./choices.ts";
import { compare, equalText } from "./comparisons.ts";
import { asBytes, isPlainText, type MysqlContext, type MysqlTerm, made } from "./term.ts";

/** PostgreSQL's functions. What is not here is refused by name. */

export function callFunction(context: MysqlContext, name: string, args: readonly MysqlTerm[]): MysqlTerm {
  const [first, ...others] = args;
  const found = first === undefined ? undefined : functions[name.toLowerCase()]?.(context, [first, ...others]);
  return found ?? refuse(`the function ${name}() is not translated`);
}

/** Undefined: not with these arguments. */
type Rule = (context: MysqlContext, args: readonly [MysqlTerm, ...MysqlTerm[]]) => MysqlTerm | undefined;

const long = int(0n, 2n ** 30n);

const length: Rule = (_, [a]) => {
  if (isPlainText(a)) return made(`CHAR_LENGTH(${a.sql})`, long, [a]);
  return a.type.kind === "bytes" ? made(`LENGTH(${a.sql})`, long, [a]) : undefined;
};

const trim =
  (word: string): Rule =>
  (_, [a, b]) =>
    isPlainText(a) && (b === undefined || b.constant === " ") ? made(`${word}(${a.sql})`, a.type, [a]) : undefined;

/** PostgreSQL's passes over NULLs. */
const concat: Rule = (context, args) => {
  const texts = args.map((arg) => written(context, arg));
  if (texts.some((text) => text === undefined)) return undefined;
  const sql = args.map(({ nullable }, at) => (nullable ? `COALESCE(${texts[at]}, _utf8mb4'')` : texts[at]));
  const type = unify(args.filter(({ type: { kind } }) => kind === "text"));
  return made(`CONCAT(${sql.join(", ")})`, type, args, { nullable: false });
};

/** Text as both engines write it. */
function written(context: MysqlContext, term: MysqlTerm): string | undefined {
  if (isPlainText(term) || term.type.kind === "null") return term.sql;
  const exact = term.type.kind === "int" || (term.type.kind === "decimal" && term.type.scale !== undefined);
  return exact ? asBytes(context, { sql: `CAST(${term.sql} AS CHAR CHARACTER SET utf8mb4)` }) : undefined;
}

const count = (term: MysqlTerm | undefined, least: number): number | undefined =>
  term?.constant !== undefined && term.type.kind === "int" && Number(term.constant) >= least
    ? Number(term.constant)
    : undefined;

const substring: Rule = (_, [a, from, to]) => {
  const start = count(from, 1);
  if (!isPlainText(a) || start === undefined) return undefined;
  if (to === undefined) return made(`SUBSTRING(${a.sql}, ${start})`, a.type, [a]);
  const characters = count(to, 0);
  return characters === undefined ? undefined : made(`SUBSTRING(${a.sql}, ${start}, ${characters})`, a.type, [a]);
};

const end =
  (word: string): Rule =>
  (_, [a, b]) => {
    const characters = count(b, 0);
    return isPlainText(a) && characters !== undefined
      ? made(`${word}(${a.sql}, ${characters})`, a.type, [a])
      : undefined;
  };

const rounded =
  (word: string): Rule =>
  (_, [a, b]) => {
    const digits = b === undefined ? 0 : count(b, 0);
    if (a.type.kind !== "decimal" || digits === undefined || digits > 30) return undefined;
    const { precision, scale } = digitsOf(a);
    // PostgreSQL adds zeros, which MySQL does not show.
    if (digits > scale) return undefined;
    const type: Type = { kind: "decimal", precision: precision - scale + 1 + digits, scale: digits };
    return made(`${word}(${a.sql}, ${digits})`, type, [a]);
  };

const integral =
  (word: string): Rule =>
  (_, [a]) => {
    if (a.type.kind !== "decimal") return undefined;
    const { precision, scale } = digitsOf(a);
    const digits = precision - scale + 1;
    if (digits > 17) return undefined;
    // MySQL's own result is a whole number, which fails beyond 64 bits where PostgreSQL's counts on.
    return made(`CAST(${word}(${a.sql}) AS DECIMAL(${digits},0))`, { kind: "decimal", precision: digits, scale: 0 }, [
      a,
    ]);
  };

const cased =
  (word: string): Rule =>
  (context, [a]) => {
    if (!isPlainText(a)) return undefined;
    context.doubt(`${word.toLowerCase()}(), of which the engines know different letters beyond ASCII`);
    return made(`${word}(${a.sql})`, a.type, [a]);
  };

const place: Rule = (context, [a, b]) => {
  if (b === undefined || !isPlainText(a) || !isPlainText(b)) return undefined;
  equalText(context, collationOf(a), collationOf(b));
  return made(`LOCATE(${b.sql}, ${asBytes(context, a)})`, long, [a, b]);
};

const collationOf = ({ type }: MysqlTerm): string | undefined => (type.kind === "text" ? type.collation : undefined);

/** MariaDB looks at what comes in its place only where there is something to replace, and so misses its NULL. */
function replaced(context: MysqlContext, a: MysqlTerm, b: MysqlTerm, c: MysqlTerm): MysqlTerm {
  equalText(context, collationOf(a), collationOf(b));
  const sql = `REPLACE(${asBytes(context, a)}, ${b.sql}, ${c.sql})`;
  return made(c.nullable ? `(CASE WHEN ${c.sql} IS NOT NULL THEN ${sql} END)` : sql, unify([a, b, c]), [a, b, c]);
}

const functions: Record<string, Rule> = {
  coalesce: (_, args) =>
    made(`COALESCE(${args.map((arg) => arg.sql).join(", ")})`, unify(args), args, {
      nullable: args.every(({ nullable }) => nullable),
    }),
  nullif: (context, [a, b]) =>
    b === undefined
      ? undefined
      : made(`(CASE WHEN ${compare(context, "=", a, b).sql} THEN NULL ELSE ${a.sql} END)`, a.type, [a, b], {
          nullable: true,
        }),
  length,
  char_length: length,
  character_length: length,
  octet_length: (_, [a]) =>
    isPlainText(a) || a.type.kind === "bytes" ? made(`LENGTH(${a.sql})`, long, [a]) : undefined,
  btrim: trim("TRIM"),
  ltrim: trim("LTRIM"),
  rtrim: trim("RTRIM"),
  concat,
  substring,
  substr: substring,
  left: end("LEFT"),
  right: end("RIGHT"),
  replace: (context, [a, b, c]) =>
    b !== undefined && c !== undefined && [a, b, c].every(isPlainText) ? replaced(context, a, b, c) : undefined,
  strpos: place,
  upper: cased("UPPER"),
  lower: cased("LOWER"),
  abs: (_, [a]) => (a.type.kind === "decimal" ? made(`ABS(${a.sql})`, a.type, [a]) : undefined),
  round: rounded("ROUND"),
  trunc: rounded("TRUNCATE"),
  floor: integral("FLOOR"),
  ceil: integral("CEILING"),
  ceiling: integral("CEILING"),
};
