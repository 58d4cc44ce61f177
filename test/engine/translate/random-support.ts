import { seeded } from "./support.ts";

/** Random expressions over the columns of the translation's tests (support.ts), typed so that most are sense. */

export type Kind = "int" | "decimal" | "text" | "bool" | "date" | "datetime";

type Make = (of: (kind: Kind) => string, pick: <Value>(values: readonly Value[]) => Value) => string;

const comparison = ["=", "<>", "<", "<=", ">", ">="];
const equality = ["=", "<>"];

const common: Record<Kind, Make[]> = {
  int: [
    (of) => `(${of("int")} + ${of("int")})`,
    (of) => `(${of("int")} - ${of("int")})`,
    (of) => `(${of("int")} * ${of("int")})`,
    (of, pick) => `(${of("int")} % ${pick(["2", "7", "100"])})`,
    (of) => `CASE WHEN ${of("bool")} THEN ${of("int")} ELSE ${of("int")} END`,
    (of) => `CASE WHEN ${of("bool")} THEN ${of("int")} END`,
    (of) => `COALESCE(${of("int")}, ${of("int")})`,
    (of) => `NULLIF(${of("int")}, ${of("int")})`,
    (of) => `CHAR_LENGTH(${of("text")})`,
    (of) => `OCTET_LENGTH(${of("text")})`,
    (of, pick) => `EXTRACT(${pick(["YEAR", "MONTH", "DAY", "QUARTER"])} FROM ${of("date")})`,
    (of, pick) => `EXTRACT(${pick(["YEAR", "HOUR", "MINUTE", "DAY"])} FROM ${of("datetime")})`,
  ],
  decimal: [
    (of) => `(${of("decimal")} + ${of("decimal")})`,
    (of) => `(${of("decimal")} - ${of("int")})`,
    (of) => `(${of("decimal")} * ${of("decimal")})`,
    (of) => `(${of("int")} * ${of("decimal")})`,
    (of) => `ABS(${of("decimal")})`,
    (of, pick) => `ROUND(${of("decimal")}, ${pick([0, 1, 2, 4])})`,
    (of) => `FLOOR(${of("decimal")})`,
    (of) => `CEILING(${of("decimal")})`,
    (of) => `COALESCE(${of("decimal")}, ${of("decimal")})`,
    (of) => `NULLIF(${of("decimal")}, ${of("decimal")})`,
    (of) => `CASE WHEN ${of("bool")} THEN ${of("decimal")} ELSE ${of("decimal")} END`,
  ],
  text: [
    (of) => `COALESCE(${of("text")}, ${of("text")})`,
    (of) => `CASE WHEN ${of("bool")} THEN ${of("text")} ELSE ${of("text")} END`,
    (of) => `NULLIF(${of("text")}, ${of("text")})`,
    (of) => `CONCAT(${of("text")}, ${of("text")})`,
    (of) => `CONCAT(${of("text")}, ${of("int")}, ${of("text")})`,
    (of, pick) => `LEFT(${of("text")}, ${pick([0, 1, 2, 5])})`,
    (of, pick) => `RIGHT(${of("text")}, ${pick([0, 1, 3])})`,
    (of, pick) => `SUBSTRING(${of("text")}, ${pick([1, 2, 4])}, ${pick([0, 1, 3])})`,
    (of) => `REPLACE(${of("text")}, ${of("text")}, ${of("text")})`,
    (of) => `TRIM(${of("text")})`,
    (of) => `LTRIM(${of("text")})`,
    (of) => `RTRIM(${of("text")})`,
  ],
  bool: [
    (of, pick) => `(${of("int")} ${pick(comparison)} ${of("int")})`,
    (of, pick) => `(${of("decimal")} ${pick(comparison)} ${of("int")})`,
    (of, pick) => `(${of("decimal")} ${pick(comparison)} ${of("decimal")})`,
    (of, pick) => `(${of("text")} ${pick(equality)} ${of("text")})`,
    (of, pick) => `(${of("date")} ${pick(comparison)} ${of("date")})`,
    (of, pick) => `(${of("datetime")} ${pick(comparison)} ${of("datetime")})`,
    (of) => `(${of("bool")} AND ${of("bool")})`,
    (of) => `(${of("bool")} OR ${of("bool")})`,
    (of) => `(NOT ${of("bool")})`,
    (of, pick) => `(${of(pick(["int", "text", "date", "decimal", "bool"] as const))} IS ${pick(["", "NOT "])}NULL)`,
    (of, pick) => `(${of("bool")} IS ${pick(["", "NOT "])}${pick(["TRUE", "FALSE", "UNKNOWN"])})`,
    (of) => `(${of("int")} BETWEEN ${of("int")} AND ${of("int")})`,
    (of) => `(${of("int")} NOT IN (${of("int")}, ${of("int")}))`,
    (of) => `(${of("text")} IN (${of("text")}, ${of("text")}))`,
    (of, pick) =>
      `(${of("text")} ${pick(["", "NOT "])}LIKE ${pick(["'a%'", "'%_'", "'%'", "'_'", "''", "'%\\\\%%'"])})`,
  ],
  date: [
    (of) => `COALESCE(${of("date")}, ${of("date")})`,
    (of) => `NULLIF(${of("date")}, ${of("date")})`,
    (of) => `CAST(${of("datetime")} AS DATE)`,
    (of) => `CASE WHEN ${of("bool")} THEN ${of("date")} ELSE ${of("date")} END`,
  ],
  datetime: [
    (of) => `COALESCE(${of("datetime")}, ${of("datetime")})`,
    (of) => `NULLIF(${of("datetime")}, ${of("datetime")})`,
    (of) => `CASE WHEN ${of("bool")} THEN ${of("datetime")} ELSE ${of("datetime")} END`,
  ],
};

const mysqlOnly: Partial<Record<Kind, Make[]>> = {
  int: [
    (of, pick) => `(${of("int")} DIV ${pick(["3", "-7", "NULLIF(j, 0)", "j", "a"])})`,
    (of) => `ABS(${of("int")})`,
    (of) => `(${of("int")} MOD ${of("int")})`,
    (of) => `IF(${of("bool")}, ${of("int")}, ${of("int")})`,
    (of) => `IFNULL(${of("int")}, ${of("int")})`,
    (of) => `(-${of("int")})`,
    (of) => `GREATEST(${of("int")}, ${of("int")})`,
    (of) => `SIGN(${of("decimal")})`,
    (of) => `LOCATE(${of("text")}, ${of("text")})`,
    (of) => `DATEDIFF(${of("datetime")}, ${of("date")})`,
    (of, pick) => `${pick(["WEEKDAY", "DAYOFWEEK", "DAYOFYEAR", "TO_DAYS"])}(${of("date")})`,
    (of, pick) => `(${of("int")} & ${pick(["12", "255"])})`,
    (of) => `CAST(${of("decimal")} AS SIGNED)`,
    (of) => `(${of("bool")} + ${of("int")})`,
  ],
  decimal: [
    (of) => `(${of("int")} / ${of("int")})`,
    (of) => `(${of("decimal")} / ${of("int")})`,
    (of) => `(${of("decimal")} % ${of("decimal")})`,
    (of) => `ROUND(${of("int")} / ${of("int")}, 2)`,
    (of, pick) => `TRUNCATE(${of("decimal")}, ${pick([0, 1, 3])})`,
    (of) => `CAST(${of("decimal")} AS DECIMAL(40,3))`,
    (of) => `LEAST(${of("decimal")}, ${of("decimal")})`,
    (of) => `IF(${of("bool")}, ${of("decimal")}, ${of("int")})`,
    (of) => `IFNULL(${of("int")}, ${of("decimal")})`,
  ],
  text: [
    (of) => `CONCAT_WS('-', ${of("text")}, ${of("text")}, ${of("int")})`,
    (of) => `CONCAT(${of("text")}, ${of("decimal")})`,
    (of) => `CAST(${of("date")} AS CHAR)`,
    (of) => `DATE_FORMAT(${of("datetime")}, '%Y/%m %H:%i')`,
    (of) => `LPAD(${of("int")}, 6, '0')`,
    (of) => `CAST(${of("int")} AS CHAR)`,
    (of) => `RPAD(${of("text")}, 3, 'xy')`,
    (of) => `REVERSE(${of("text")})`,
    (of) => `REPEAT(${of("text")}, 2)`,
    (of) => `TRIM(LEADING 'a' FROM ${of("text")})`,
    (of) => `IF(${of("bool")}, ${of("text")}, ${of("int")})`,
  ],
  bool: [
    (of) => `(${of("int")} <=> ${of("int")})`,
    (of) => `(${of("text")} <=> ${of("text")})`,
    (of) => `(${of("int")} XOR ${of("bool")})`,
    (of) => `(${of("int")} AND ${of("decimal")})`,
    (_, pick) => `(e ${pick(equality)} ${pick(["'PG'", "'pg'", "'x'", "'G'"])})`,
    (of, pick) => `(${of("text")} ${pick(comparison)} ${of("text")})`,
    (_, pick) => `(p ${pick(equality)} ${pick(["'a'", "''", "'A '"])})`,
    (_, pick) => `(g ${pick(["=", "<>", "LIKE"])} ${pick(["''", "'12-34'", "'%'"])})`,
    (of) => `(${of("date")} = ${of("datetime")})`,
  ],
  date: [
    (of) => `LAST_DAY(${of("date")})`,
    (of, pick) =>
      `(${of("date")} ${pick(["+", "+", "+", "-"])} INTERVAL ${pick([1, 13, 400])} ${pick(["DAY", "MONTH", "YEAR", "WEEK"])})`,
    (of) => `DATE(${of("datetime")})`,
  ],
  datetime: [
    (of, pick) => `(${of("datetime")} + INTERVAL ${pick([1, 90])} ${pick(["MINUTE", "HOUR", "SECOND", "MONTH"])})`,
    (of) => `CAST(${of("date")} AS DATETIME)`,
  ],
};

const postgresOnly: Partial<Record<Kind, Make[]>> = {
  int: [
    (of, pick) => `(${of("int")} / ${pick(["3", "7"])})`,
    (of) => `(${of("date")} - ${of("date")})`,
    (of, pick) => `(${of("int")} / ${pick(["2", "'3'"])}::${pick(["smallint", "bigint", "numeric"])})`,
    (of, pick) => `(${of("int")})::${pick(["smallint", "integer", "bigint"])}`,
    (of, pick) => `(${of("decimal")})::${pick(["integer", "bigint"])}`,
    (of, pick) =>
      `(EXTRACT(${pick(["year", "month"])} FROM ${of("date")}))::${pick(["smallint", "integer", "bigint"])}`,
    (of) => `strpos(${of("text")}, ${of("text")})`,
    (of) => `length(${of("text")})`,
  ],
  decimal: [
    (of, pick) => `trunc(${of("decimal")}, ${pick([0, 1])})`,
    (of) => `(${of("int")})::numeric`,
    (of) => `((${of("int")})::numeric * ${of("int")})`,
    (of, pick) => `((${of("int")})::numeric ${pick(["/", "%"])} ${pick(["2", "100"])})`,
    (_, pick) => `'${pick(["7", "-3", "12.50", "123456789012345678901"])}'::numeric`,
    (of, pick) => `(EXTRACT(${pick(["year", "month"])} FROM ${of("date")}) ${pick(["+", "*", "/"])} 2)`,
  ],
  text: [
    (of) => `(${of("text")} || ${of("text")})`,
    (of) => `(${of("int")})::text`,
    (of) => `(${of("decimal")})::text`,
    (of) => `((${of("int")})::numeric)::text`,
    (of) => `concat(${of("text")}, ${of("decimal")}, NULL)`,
    (of) => `btrim(${of("text")})`,
  ],
  bool: [
    (of) => `(${of("int")} IS DISTINCT FROM ${of("int")})`,
    (of) => `(${of("text")} IS NOT DISTINCT FROM ${of("text")})`,
    (of, pick) => `(s COLLATE "C" ${pick(comparison)} ${of("text")})`,
    (of) => `(${of("bool")} = ${of("bool")})`,
    (of) => `(${of("text")} = ANY (ARRAY[${of("text")}, ${of("text")}]))`,
  ],
};

const leaves: Record<"mysql" | "postgres", Record<Kind, string[]>> = {
  mysql: {
    int: ["i", "j", "b", "u", "z", "t", "a", "a", "q", "q", "x", "1", "-3", "0", "100000"],
    decimal: ["n", "m", "w", "0.5", "-12.345"],
    text: ["s", "s", "c", "'a'", "'A '", "''", "'12'"],
    bool: ["t", "x", "(i > 0)", "(s = 'a')", "TRUE"],
    date: ["d", "d", "DATE'2020-02-29'"],
    datetime: ["h", "k", "TIMESTAMP'1999-12-31 23:59:59'"],
  },
  postgres: {
    int: ["i", "j", "b", "a", "1", "(-3)", "0", "100000"],
    decimal: ["n", "m", "0.5", "(-12.345)"],
    text: ["s", "v::text", "'a'::text", "'A '::text", "''::text", "'it''s \\'::text"],
    bool: ["t", "(i > 0)", "(s = 'a')", "TRUE"],
    date: ["d", "d", "'2020-02-29'::date"],
    datetime: ["k", "k", "'1999-12-31 23:59:59'::timestamp"],
  },
};

/** Expressions of a dialect, the same for a seed. */
export function randomExpressions(dialect: "mysql" | "postgres", count: number, seed: number): string[] {
  const random = seeded(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  const own = dialect === "mysql" ? mysqlOnly : postgresOnly;
  const make = (kind: Kind, depth: number): string => {
    if (depth === 0 || random() < 0.25) return pick(leaves[dialect][kind]);
    return pick([...common[kind], ...(own[kind] ?? [])])((inner) => make(inner, depth - 1), pick);
  };
  const kinds = Object.keys(common) as Kind[];
  return Array.from({ length: count }, (_, at) => make(kinds[at % kinds.length] as Kind, 3));
}
