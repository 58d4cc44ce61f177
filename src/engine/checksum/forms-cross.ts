import type { Canon } from "./canon.ts";
import type { Hash } from "./dialect.ts";
import {
  type Expression,
  isBinary,
  isLong,
  mysql,
  mysqlIntegers,
  mysqlShapes,
  mysqlTexts,
  postgres,
  postgresIntegers,
  postgresTexts,
  type Rules,
  same,
} from "./expressions.ts";
import type { MysqlType, PostgresType } from "./types.ts";

/**
 * The forms of a column that goes from one engine to the other: the same text for the same value, and for values that
 * the target has no home for the text of what stands there by rule (a zero date's NULL).
 */

export interface Cross {
  my: Expression;
  pg: Expression;
  canon?: Canon;
}

interface Pair {
  my: MysqlType;
  pg: PostgresType;
  /** Quoted columns. */
  m: string;
  p: string;
  toPostgres: boolean;
  utf8: boolean;
  hash: Hash;
  rules: Rules;
}

/** Undefined: no form is known for the pair of types. `utf8`: the encoding of the PostgreSQL server. */
export function crossForm(
  my: { name: string; type: MysqlType },
  pg: { name: string; type: PostgresType },
  toPostgres: boolean,
  utf8: boolean,
  hash: Hash,
  rules: Rules,
): Cross | undefined {
  const pair: Pair = {
    my: my.type,
    pg: pg.type,
    m: mysql.column(my.name),
    p: postgres.column(pg.name),
    toPostgres,
    utf8,
    hash,
    rules,
  };
  return numbers(pair) ?? times(pair) ?? binaries(pair) ?? documents(pair) ?? texts(pair);
}

const both = (my: string, pg: string): Cross => ({ my: same(my), pg: same(pg) });

function numbers(pair: Pair): Cross | undefined {
  const { my, pg, m, p } = pair;
  const integer = mysqlIntegers.has(my.name);
  const isBits = my.name === "bit";
  const real = my.name === "float" || my.name === "double";
  if (pg.name === "bool" && (integer || isBits)) return both(`${m} + 0`, `${p}::pg_catalog.int4::pg_catalog.text`);
  if (pg.name === "bit" || pg.name === "varbit") {
    if (!isBits) return undefined;
    const bits = my.precision;
    return both(`LPAD(BIN(${m} + 0), ${bits}, '0')`, `pg_catalog.lpad(${p}::pg_catalog.text, ${bits}, '0')`);
  }
  if (postgresIntegers.has(pg.name) && (integer || isBits)) return both(`${m} + 0`, postgres.text(p));
  if (pg.name === "float4" || pg.name === "float8") {
    if (!real && my.name !== "decimal" && !integer) return undefined;
    const canon = pg.name === "float4" || my.name === "float" ? "real" : "double";
    return { my: same(mysql.asText(`${m} * 1e0`)), pg: same(postgres.text(p)), canon };
  }
  return decimals(pair);
}

function decimals({ my, pg, m, p, toPostgres }: Pair): Cross | undefined {
  if (!["numeric", "money", ...postgresIntegers].includes(pg.name)) return undefined;
  const integer = mysqlIntegers.has(my.name);
  const real = my.name === "float" || my.name === "double";
  if (real && pg.name === "numeric")
    return { my: same(mysql.asText(`${m} * 1e0`)), pg: same(postgres.text(p)), canon: "double" };
  if (my.name !== "decimal" && !integer) return undefined;
  const number = pg.name === "money" ? `${p}::pg_catalog.numeric` : p;
  const plain = integer || /zerofill/.test(my.full) ? `${m} + 0` : m;
  const ours = integer ? plain : mysql.trimmed(plain, my.scale);
  if (pg.name !== "numeric") return both(ours, postgres.trimmed(number));
  if (my.name === "decimal" && pg.scale === my.scale && toPostgres) return both(plain, postgres.text(p));
  const finite = `CASE WHEN ${postgres.text(p)} NOT IN ('NaN', 'Infinity', '-Infinity') THEN ${postgres.trimmed(number)} END`;
  return both(ours, toPostgres ? postgres.trimmed(number) : finite);
}

const dates = new Set(["date", "datetime", "timestamp"]);

function times({ my, pg, m, p, toPostgres, rules }: Pair): Cross | undefined {
  if (my.name === "time") {
    if (!["time", "interval"].includes(pg.name)) return undefined;
    return both(mysql.trimmed(m, my.fraction), postgres.text(p));
  }
  if (!dates.has(my.name) || !["date", "timestamp", "timestamptz"].includes(pg.name)) return undefined;
  const isDate = my.name === "date";
  const withTime = pg.name !== "date";
  const written = isDate && withTime ? `CONCAT(${m}, ' 00:00:00')` : mysql.asText(mysql.trimmed(m, my.fraction));
  const shown = postgres.text(pg.name === "timestamptz" ? `(${p} AT TIME ZONE 'UTC')` : p);
  if (!toPostgres) {
    const [first, last] = withTime
      ? ["0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"]
      : ["0001-01-01", "9999-12-31"];
    const moment = pg.name === "timestamptz" ? `(${p} AT TIME ZONE 'UTC')` : p;
    const kept = `CASE WHEN ${moment} BETWEEN '${first}' AND '${last}' THEN ${shown} END`;
    return both(written, isDate && withTime ? `pg_catalog.left(${kept}, 10)` : kept);
  }
  if (my.name === "timestamp") {
    // Its only unreal value is the zero one.
    return both(`IF(YEAR(${m}) = 0, ${instead(rules, true)}, ${written})`, shown);
  }
  const unreal = `YEAR(${m}) = 0 OR MONTH(${m}) = 0 OR DAYOFMONTH(${m}) = 0 OR DAYOFMONTH(${m}) > DAYOFMONTH(LAST_DAY(${m}))`;
  return both(`IF(${unreal}, ${instead(rules, withTime)}, ${written})`, shown);
}

/** What stands in PostgreSQL for a date that it does not know. */
function instead({ zero_dates: rule }: Rules, withTime: boolean): string {
  const date = /^\d{4}-\d\d-\d\d$/.exec(rule ?? "")?.[0];
  return date === undefined ? "NULL" : `'${date}${withTime ? " 00:00:00" : ""}'`;
}

function binaries({ my, pg, m, p, toPostgres, hash }: Pair): Cross | undefined {
  const shape = mysqlShapes.has(my.name);
  if (pg.name === "bytea") {
    // SRID (4 bytes), then WKB.
    if (shape) return { my: mysql.bytes(hash, `UNHEX(SUBSTR(HEX(${m}), 9))`), pg: postgres.bytes(hash, p) };
    if (isBinary(my)) return { my: mysql.bytes(hash, m), pg: postgres.bytes(hash, p) };
    return toPostgres && !mysqlTexts.has(my.name)
      ? { my: mysql.bytes(hash, `CAST(${m} AS BINARY)`), pg: postgres.bytes(hash, p) }
      : undefined;
  }
  if (!shape) {
    if (pg.name !== "uuid" || !isBinary(my)) return undefined;
    return both(`LOWER(HEX(${m}))`, `pg_catalog.replace(${postgres.text(p)}, '-', '')`);
  }
  if (pg.name === "point" || pg.name === "polygon")
    return { my: same(`HEX(${m})`), pg: same(postgres.text(p)), canon: "points" };
  if (pg.name !== "geometry") return undefined;
  const call = (name: string) => `${postgres.column(pg.schema)}.${name}`;
  return both(
    `CONCAT(ST_SRID(${m}), ':', SUBSTR(HEX(${m}), 9))`,
    `(${call("st_srid")}(${p}) || ':' || pg_catalog.upper(pg_catalog.encode(${call("st_asbinary")}(${p}, 'NDR'), 'hex')))`,
  );
}

function documents({ my, pg, m, p, toPostgres }: Pair): Cross | undefined {
  if (my.name === "set" && pg.array && toPostgres) {
    const size = `IF(LENGTH(${m}) = 0, 0, 1 + LENGTH(${m}) - LENGTH(REPLACE(${m}, ',', '')))`;
    return both(
      `CONCAT(${size}, ':', ${mysql.text(m, my)})`,
      `(pg_catalog.cardinality(${p}) || ':' || pg_catalog.array_to_string(${p}, ','))`,
    );
  }
  const isJson = my.name === "json" || my.json;
  if (!isJson) return undefined;
  const text = my.name === "json" ? mysql.asText(m) : mysql.text(m, my);
  if (toPostgres)
    return pg.name === "jsonb" ? { my: same(text), pg: same(postgres.text(p)), canon: "json" } : undefined;
  // MariaDB keeps the text; MySQL makes doubles of numbers with a fraction.
  const canon = my.name === "json" ? "json-double" : "json";
  const isDocument = pg.name === "json" || pg.name === "jsonb";
  if (isDocument) return { my: same(text), pg: same(postgres.text(p)), canon };
  if (pg.array || pg.kind === "c" || pg.name === "hstore")
    return { my: same(text), pg: same(`pg_catalog.to_json(${p})::pg_catalog.text`), canon };
  return undefined;
}

function texts({ my, pg, m, p, toPostgres, utf8, hash }: Pair): Cross | undefined {
  if (isBinary(my) || mysqlShapes.has(my.name)) return undefined;
  const isText = mysqlTexts.has(my.name);
  const textual = postgresTexts.has(pg.name) || pg.kind === "e" || pg.name === "json";
  if (!textual && !isText && !["uuid", "inet", "cidr"].includes(pg.name)) return undefined;
  const long = !utf8 || isLong(my) || (textual && pg.kind !== "e" && isLong(pg));
  let ours = isText ? mysql.text(m, my) : mysql.asText(m);
  // PostgreSQL's text has no NUL: the copy leaves it out.
  if (isText && toPostgres && textual) ours = `REPLACE(${ours}, CHAR(0 USING utf8mb4), '')`;
  if (pg.name === "uuid") ours = `LOWER(${ours})`;
  if (pg.name !== "bpchar")
    return { my: mysql.piece(hash, ours, long), pg: postgres.piece(hash, postgres.output(p), long, utf8) };
  return {
    my: mysql.piece(hash, `TRIM(TRAILING ' ' FROM ${ours})`, long),
    pg: postgres.piece(hash, `pg_catalog.rtrim(${postgres.text(p)}, ' ')`, long, utf8),
  };
}
