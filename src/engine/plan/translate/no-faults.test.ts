import { expect, test } from "vitest";
import { type ColumnMeaning, type DatabaseProduct, translateExpression, translateView, type Use } from "./index.ts";

/** Expressions that make no sense: whatever is put together is translated or refused, and never a fault of the translator. */

const seed = Number(process.env.ROWFERRY_SEED ?? Math.floor(Math.random() * 1e9));
const rounds = Number(process.env.ROWFERRY_EXPRESSIONS ?? 500);

const types: Record<"mysql" | "postgres", [source: string, target: string, collation?: string][]> = {
  mysql: [
    ["int", "integer"],
    ["bigint unsigned", "numeric(20,0)"],
    ["bigint", "bigint"],
    ["int(6) unsigned zerofill", "bigint"],
    ["tinyint(1)", "boolean"],
    ["bit(1)", "boolean"],
    ["bit(9)", "bit(9)"],
    ["decimal(65,30)", "numeric(65,30)"],
    ["decimal(10,2)", "numeric(10,2)"],
    ["float", "real"],
    ["double", "double precision"],
    ["varchar(9)", "varchar(9)", "utf8mb4_0900_ai_ci"],
    ["varchar(9)", "varchar(9)", "utf8mb4_0900_bin"],
    ["char(9)", "varchar(9)", "utf8mb4_bin"],
    ["varbinary(9)", "bytea"],
    ["binary(9)", "bytea"],
    ["enum('a','b')", '"public"."e"', "utf8mb4_0900_ai_ci"],
    ["set('a','b')", "text[]"],
    ["date", "date"],
    ["datetime(6)", "timestamp(6)"],
    ["timestamp", "timestamptz(0)"],
    ["time", "time(0)"],
    ["time(3)", "interval"],
    ["year", "smallint"],
    ["json", "jsonb"],
    ["uuid", "uuid"],
    ["geometry", "bytea"],
    ["vector(3)", "bytea"],
  ],
  postgres: [
    ["smallint", "smallint"],
    ["integer", "int"],
    ["bigint", "bigint"],
    ["numeric", "decimal(65,30)"],
    ["numeric(10,2)", "decimal(10,2)"],
    ["numeric(3,5)", "decimal(5,5)"],
    ["numeric(5,-2)", "decimal(7,0)"],
    ["real", "double"],
    ["double precision", "double"],
    ["text", "longtext", "default"],
    ["character varying(9)", "varchar(9)", "C"],
    ["character(9)", "char(9)", "default"],
    ["bytea", "longblob"],
    ["boolean", "tinyint(1)"],
    ["date", "date"],
    ["timestamp without time zone", "datetime(6)"],
    ["timestamp(0) with time zone", "datetime(6)"],
    ["time without time zone", "time(6)"],
    ["time with time zone", "varchar(32)"],
    ["interval", "varchar(96)"],
    ["json", "json"],
    ["uuid", "char(36)"],
    ["integer[]", "json"],
    ["money", "decimal(19,2)"],
    ["int4range", "varchar(99)"],
    ["xml", "longtext"],
  ],
};

const literals = {
  mysql:
    "NULL|0|1|-1|1.5|1e5|18446744073709551615|99999999999999999999999|''|'a'|'12'|_utf8mb4'é'|x'00ff'|b'101'|TRUE|DATE'2020-02-29'|TIMESTAMP'2020-01-01 00:00:00'|'0001-01-01'|now()|curdate()|current_timestamp(6)|-9223372036854775808",
  postgres:
    "NULL|0|1|(-1)|1.5|'7'::numeric|'7'::bigint|(5)::smallint|99999999999999999999999|'a'::text|''::character varying|'x'::bpchar|true|'2020-02-29'::date|'2020-01-01 00:00:00'::timestamp without time zone|now()|CURRENT_TIMESTAMP|'{1,2}'::integer[]|NULL::text|'a'::public.e|'1e400'::double precision|'NaN'::numeric|ARRAY[1, 2]",
};

/** `#` stands for any expression. */
const shapes = {
  both: "(# + #)|(# - #)|(# * #)|(# / #)|(# % #)|(# = #)|(# <> #)|(# < #)|(# >= #)|(# AND #)|(# OR #)|(NOT #)|(# IS NULL)|(# IS NOT TRUE)|(# LIKE #)|CASE WHEN # THEN # ELSE # END|CASE # WHEN # THEN # WHEN # THEN # END|COALESCE(#, #)|COALESCE(#, #, #)|NULLIF(#, #)|GREATEST(#, #)|LEAST(#, #)|ABS(#)|ROUND(#)|ROUND(#, #)|FLOOR(#)|CEILING(#)|SIGN(#)|CONCAT(#, #)|LEFT(#, #)|RIGHT(#, #)|SUBSTRING(#, #, #)|REPLACE(#, #, #)|TRIM(#)|UPPER(#)|LOWER(#)|LENGTH(#)|CHAR_LENGTH(#)|OCTET_LENGTH(#)|EXTRACT(YEAR FROM #)|EXTRACT(HOUR FROM #)|(-#)|COUNT(#)|SUM(#)|MIN(#)|MAX(#)|AVG(#)|SUM(DISTINCT #)|MD5(#)|POWER(#, #)",
  mysql:
    "(# DIV #)|(# MOD #)|(# <=> #)|(# XOR #)|(# & #)|(# | #)|(# ^ #)|(# << #)|(# >> #)|(~#)|(# IN (#, #))|(# NOT IN (#))|(# BETWEEN # AND #)|(# NOT LIKE #)|IF(#, #, #)|IFNULL(#, #)|CAST(# AS SIGNED)|CAST(# AS UNSIGNED)|CAST(# AS DECIMAL(10,2))|CAST(# AS DECIMAL(65,30))|CAST(# AS CHAR)|CAST(# AS CHAR(3) CHARACTER SET utf8mb4)|CAST(# AS DATE)|CAST(# AS DATETIME(3))|CAST(# AS TIME)|CAST(# AS JSON)|CAST(# AS DOUBLE)|CAST(# AS BINARY)|CONVERT(# USING utf8mb4)|(# COLLATE utf8mb4_bin)|(# + INTERVAL # DAY)|(# - INTERVAL 1 MONTH)|(# + INTERVAL '1:2' MINUTE_SECOND)|TRUNCATE(#, #)|LPAD(#, #, #)|CONCAT_WS(#, #, #)|LOCATE(#, #)|DATE_FORMAT(#, #)|DATE_FORMAT(#, '%Y-%m')|DATEDIFF(#, #)|LAST_DAY(#)|TO_DAYS(#)|DAYOFWEEK(#)|YEAR(#)|HEX(#)|REPEAT(#, #)|REVERSE(#)|JSON_EXTRACT(#, '$.a')|JSON_UNQUOTE(#)|GROUP_CONCAT(# SEPARATOR ',')|ROW_NUMBER() OVER (ORDER BY #)|SUM(#) OVER (PARTITION BY #)|INET_ATON(#)|UUID()|REGEXP_LIKE(#, #)|FIELD(#, #, #)|STD(#)|BIT_OR(#)",
  postgres:
    '(# || #)|(# IS DISTINCT FROM #)|(# IS NOT DISTINCT FROM #)|(# ~~ #)|(# !~~ #)|(# ~ #)|(# = ANY (ARRAY[#, #]))|(# <> ALL (ARRAY[#, #]))|(#)::numeric|(#)::numeric(10,2)|(#)::integer|(#)::bigint|(#)::smallint|(#)::text|(#)::character varying|(#)::character varying(3)|(#)::bpchar|(#)::date|(#)::timestamp without time zone|(#)::timestamp with time zone|(#)::double precision|(#)::boolean|(#)::json|(#)::integer[]|(#)::public.e|(# COLLATE "C")|trunc(#, #)|strpos(#, #)|btrim(#)|btrim(#, #)|concat(#, #, #)|date_trunc(#, #)|age(#)|to_char(#, #)|string_agg(#, #)|count(#) FILTER (WHERE #)|row_number() OVER (ORDER BY #)|sum(#) OVER (PARTITION BY #)|bool_and(#)|array_agg(#)|jsonb_build_object(#, #)|(# -> #)|(# ->> #)|#[1]|ROW(#, #)|(# AT TIME ZONE #)|generate_series(#, #)',
};

function drawn(dialect: "mysql" | "postgres", random: () => number, depth: number): string {
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] as string;
  if (depth === 0 || random() < 0.15) {
    if (random() < 0.35) return pick(literals[dialect].split("|"));
    const name = `c${Math.floor(random() * types[dialect].length)}`;
    return dialect === "mysql" ? `\`${name}\`` : name;
  }
  const own = shapes[dialect].replaceAll("(# | #)", "(# ¦ #)").replaceAll("(# || #)", "(# ¦¦ #)");
  const shape = pick([...shapes.both.split("|"), ...own.split("|")]).replaceAll("¦", "|");
  return shape.replace(/#/g, () => drawn(dialect, random, depth - 1));
}

const sides: Record<"mysql" | "mariadb" | "postgres", DatabaseProduct> = {
  mysql: { engine: "mysql", version: 90700 },
  mariadb: { engine: "mariadb", version: 101100 },
  postgres: { engine: "postgres", version: 180000 },
};
const uses: Use[] = ["check", "generated", "default", "index", "unique-index", "partial-index"];

test.each([
  ["mysql", "postgres"],
  ["mariadb", "postgres"],
  ["postgres", "mysql"],
  ["postgres", "mariadb"],
] as const)(`from %s to %s, random expressions of seed ${seed} are translated or refused`, (from, to) => {
  let state = seed;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  const dialect = from === "postgres" ? "postgres" : "mysql";
  const columns = new Map(
    types[dialect].map(([sourceType, targetType, collation], at): [string, ColumnMeaning] => [
      `c${at}`,
      {
        name: `c${at}`,
        sourceType,
        targetType,
        nullable: at % 2 === 0,
        ...(collation === undefined ? {} : { collation }),
      },
    ]),
  );
  const every = [...columns.values()];
  const options = { from: sides[from], to: sides[to] };
  const faults: string[] = [];
  let translated = 0;
  const check = (what: string, outcome: { sql: string } | { reason: string }) => {
    if ("sql" in outcome) translated++;
    else if (/fault of its own/.test(outcome.reason)) faults.push(`${what}: ${outcome.reason}`);
  };
  for (let at = 0; at < rounds; at++) {
    const expression = drawn(dialect, random, 1 + (at % 3));
    const use = uses[at % uses.length] as Use;
    const result = every[Math.floor(random() * every.length)] as ColumnMeaning;
    check(expression, translateExpression(expression, { ...options, columns, use, result }));
    const table = dialect === "mysql" ? "`d`.`t`" : "public.t";
    const query = `SELECT ${expression} AS e, ${drawn(dialect, random, 1)} AS f FROM ${table}${at % 5 === 0 ? ` GROUP BY ${drawn(dialect, random, 1)}` : ""}${at % 7 === 0 ? ` UNION SELECT ${drawn(dialect, random, 1)} AS e, 1 AS f` : ""}`;
    const view = translateView(query, {
      ...options,
      relation: () => ({ target: ["s", "t"], columns, keys: [["c0"]] }),
    });
    check(query, view);
    if ("reason" in view) continue;
    // And what stands on it.
    const on = [...view.columns.keys()].map((name) => (dialect === "mysql" ? `\`${name}\`` : name));
    const next = drawn(dialect, random, 2).replace(
      /`?\bc\d+\b`?/g,
      () => on[Math.floor(random() * on.length)] as string,
    );
    const outer = `SELECT ${next} AS g FROM ${table}`;
    check(
      outer,
      translateView(outer, { ...options, relation: () => ({ target: ["s", "v"], columns: view.columns, keys: [] }) }),
    );
  }
  expect(faults.slice(0, 5)).toEqual([]);
  expect(translated).toBeGreaterThan(rounds / 100);
});
