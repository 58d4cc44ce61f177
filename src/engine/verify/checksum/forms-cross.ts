import { realText } from "../../plan/fits/real-text.ts";
import type { CanonicalForm } from "./canonical.ts";
import type { Hash } from "./dialect.ts";
import {
  type Expression,
  isBinary,
  mysql,
  mysqlIntegers,
  mysqlShapes,
  mysqlTexts,
  postgres,
  postgresCounters,
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
  canonicalForm?: CanonicalForm;
  /** As Form. */
  fast?: { my: Expression; pg: Expression };
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
const nulls = (sql: string): Expression => ({ ...same(sql), nulls: true });

function numbers(pair: Pair): Cross | undefined {
  const { my, pg, m, p } = pair;
  const integer = mysqlIntegers.has(my.name);
  const isBits = my.name === "bit";
  if (pg.name === "bool" && (integer || isBits)) return both(`${m} + 0`, `${p}::pg_catalog.int4`);
  if (pg.name === "bit" || pg.name === "varbit") {
    if (!isBits) return undefined;
    const bits = my.precision;
    return both(`LPAD(BIN(${m} + 0), ${bits}, '0')`, `pg_catalog.lpad(${p}::pg_catalog.text, ${bits}, '0')`);
  }
  if (postgresIntegers.has(pg.name) && (integer || isBits)) return both(`${m} + 0`, p);
  if (postgresCounters.has(pg.name) && (integer || my.name === "decimal")) return both(`${m} + 0`, p);
  if (pg.name === "float4" || pg.name === "float8") return floats(pair);
  return decimals(pair);
}

function floats({ my, pg, m, p, toPostgres }: Pair): Cross | undefined {
  const real = my.name === "float" || my.name === "double";
  if (!real && my.name !== "decimal" && !mysqlIntegers.has(my.name)) return undefined;
  // Only what stands in a float has been rounded to one: of a double its last bit counts, wherever it came from.
  const canonicalForm = (toPostgres ? pg.name === "float4" : my.name === "float") ? "real" : "double";
  // A sum is never −0.0.
  const zero = my.unsignedZero && !toPostgres;
  const ours = mysql.real(m, my, { float: canonicalForm === "real" });
  // A real's own text, as the copy reads it; as MySQL keeps it, of a float8.
  const signed = zero ? `(${p} + 0::pg_catalog.${pg.name})` : p;
  const theirs = pg.name === "float4" && canonicalForm === "double" ? `(${realText(signed)})` : signed;
  const widened = canonicalForm === "real" && pg.name === "float4" ? `${theirs}::pg_catalog.float8` : theirs;
  return {
    my: same(ours),
    pg: same(postgres.text(theirs)),
    canonicalForm,
    fast: { my: same(ours), pg: nulls(`pg_catalog.replace(${postgres.text(widened)}, 'e+', 'e')`) },
  };
}

function decimals({ my, pg, m, p, toPostgres }: Pair): Cross | undefined {
  if (!["numeric", "money", ...postgresIntegers].includes(pg.name)) return undefined;
  const integer = mysqlIntegers.has(my.name);
  const real = my.name === "float" || my.name === "double";
  if (real && pg.name === "numeric")
    return { my: same(mysql.real(m, my, {})), pg: same(postgres.text(p)), canonicalForm: "double" };
  if (my.name !== "decimal" && !integer) return undefined;
  const number = pg.name === "money" ? `${p}::pg_catalog.numeric` : p;
  const plain = integer || /zerofill/.test(my.full) ? `${m} + 0` : m;
  const ours = integer ? plain : mysql.trimmed(plain, my.scale);
  if (pg.name !== "numeric") return both(ours, postgres.trimmed(number));
  const fixed = my.name === "decimal" && pg.scale === my.scale;
  if (fixed && toPostgres) return both(plain, p);
  const finite = `CASE WHEN ${postgres.text(p)} NOT IN ('NaN', 'Infinity', '-Infinity') THEN ${postgres.trimmed(number)} END`;
  return {
    my: same(ours),
    pg: toPostgres ? same(postgres.trimmed(number)) : nulls(finite),
    ...(fixed ? { fast: { my: same(plain), pg: same(p) } } : {}),
  };
}

const dates = new Set(["date", "datetime", "timestamp"]);

function times({ my, pg, m, p, toPostgres, rules }: Pair): Cross | undefined {
  if (my.name === "time") {
    if (!["time", "interval"].includes(pg.name)) return undefined;
    return both(mysql.trimmed(m, my.fraction), p);
  }
  if (!dates.has(my.name) || !["date", "timestamp", "timestamptz"].includes(pg.name)) return undefined;
  const isDate = my.name === "date";
  const withTime = pg.name !== "date";
  const day = !isDate && !withTime;
  const written = isDate && withTime ? `CONCAT(${m}, ' 00:00:00')` : mysql.trimmed(m, my.fraction);
  // A date that is read as a moment is its midnight.
  const moment = pg.name === "timestamptz" ? `(${p} AT TIME ZONE 'UTC')` : day ? `${p}::pg_catalog.timestamp` : p;
  const fast = { my: same(written), pg: same(moment) };
  if (!toPostgres) {
    const [first, last] = withTime
      ? ["0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"]
      : ["0001-01-01", "9999-12-31"];
    const kept = `CASE WHEN ${moment} BETWEEN '${first}' AND '${last}' THEN ${postgres.text(moment)} END`;
    return { my: same(written), pg: nulls(kept), fast };
  }
  // A timestamp's only unreal value is the zero one.
  const unreal =
    my.name === "timestamp"
      ? `YEAR(${m}) = 0`
      : `YEAR(${m}) = 0 OR MONTH(${m}) = 0 OR DAYOFMONTH(${m}) = 0 OR DAYOFMONTH(${m}) > DAYOFMONTH(LAST_DAY(${m}))`;
  return {
    my: nulls(`IF(${unreal}, ${instead(rules, withTime)}, ${written})`),
    pg: same(postgres.text(moment)),
    fast,
  };
}

/** What stands in PostgreSQL for a date that it does not know. */
function instead({ zero_dates: rule }: Rules, withTime: boolean): string {
  const date = /^\d{4}-\d\d-\d\d$/.exec(rule ?? "")?.[0];
  return date === undefined ? "NULL" : `'${date}${withTime ? " 00:00:00" : ""}'`;
}

function binaries({ my, pg, m, p, toPostgres, hash }: Pair): Cross | undefined {
  const shape = mysqlShapes.has(my.name);
  if (pg.name === "bytea") {
    const theirs = postgres.hashedBytes(hash, p);
    // SRID (4 bytes), then WKB.
    if (shape) return { my: mysql.hashedBytes(hash, `SUBSTR(${m}, 5)`), pg: theirs };
    if (isBinary(my)) return { my: mysql.hashedBytes(hash, m), pg: theirs };
    if (!toPostgres) return undefined;
    const label = my.name === "enum" || my.name === "set";
    return { my: mysql.hashedBytes(hash, `CAST(${label ? mysql.text(m, my) : m} AS BINARY)`), pg: theirs };
  }
  if (!shape) {
    if (pg.name !== "uuid" || !isBinary(my)) return undefined;
    return both(`LOWER(HEX(${m}))`, `pg_catalog.replace(${postgres.text(p)}, '-', '')`);
  }
  if (pg.name === "point" || pg.name === "polygon")
    return { my: same(`HEX(${m})`), pg: same(postgres.text(p)), canonicalForm: "points" };
  if (pg.name !== "geometry" && pg.name !== "geography") return undefined;
  const extension = postgres.column(pg.schema);
  const shaped = pg.name === "geometry" ? p : `${p}::${extension}.geometry`;
  const call = (name: string, more = "") => `${extension}.${name}(${shaped}${more})`;
  // MySQL keeps the longitude before the latitude whatever the SRID, as PostGIS does, and so its own bytes are compared.
  return {
    my: spatial(`ST_SRID(${m})`, mysql.hashedBytes(hash, `SUBSTR(${m}, 5)`)),
    pg: spatial(call("st_srid"), postgres.hashedBytes(hash, call("st_asbinary", ", 'NDR'"))),
  };
}

/** The SRID, and the well-known binary. */
const spatial = (srid: string, { args, plain }: Expression): Expression => ({ args: [srid, ...args], plain });

function documents(pair: Pair): Cross | undefined {
  const { my, pg, m, p, toPostgres, utf8, hash } = pair;
  if (my.name === "set" && pg.array && toPostgres) {
    const size = `IF(LENGTH(${m}) = 0, 0, 1 + LENGTH(${m}) - LENGTH(REPLACE(${m}, ',', '')))`;
    return {
      my: mysql.hashed(hash, `CONCAT(${size}, ':', ${mysql.text(m, my)})`),
      pg: postgres.hashed(hash, `(pg_catalog.cardinality(${p}) || ':' || pg_catalog.array_to_string(${p}, ','))`, utf8),
    };
  }
  const isJson = my.name === "json" || my.json;
  if (!isJson) return asText(pair);
  const text = my.name === "json" ? mysql.asText(m) : mysql.text(m, my);
  const document = (theirs: string, canonicalForm: CanonicalForm, alike: string | undefined): Cross => ({
    my: same(text),
    pg: same(theirs),
    canonicalForm,
    ...(alike === undefined ? {} : { fast: { my: mysql.hashed(hash, text), pg: postgres.hashed(hash, alike, utf8) } }),
  });
  const isBinaryDocument = pg.name === "jsonb";
  const theirs = postgres.text(p);
  if (toPostgres) return isBinaryDocument ? document(theirs, "json", theirs) : undefined;
  // MariaDB keeps the text; MySQL makes doubles of numbers with a fraction.
  const canonicalForm = my.name === "json" ? "json-double" : "json";
  if (isBinaryDocument || pg.name === "json") return document(theirs, canonicalForm, theirs);
  if (isDocument(pg)) {
    const made = documentOf(pair);
    // Where it is MySQL that writes it, it puts a blank after each comma, as jsonb does.
    const blanks = my.name === "json" && pg.array && !/json/.test(pg.name);
    return document(
      made,
      canonicalForm,
      blanks ? `pg_catalog.to_jsonb(${pg.xml?.json(p) ?? p})::pg_catalog.text` : made,
    );
  }
  return undefined;
}

/** What the copy makes a JSON text of, in a column of any text. */
function asText(pair: Pair): Cross | undefined {
  const { my, pg, m, toPostgres, utf8, hash } = pair;
  if (toPostgres || !mysqlTexts.has(my.name) || isBinary(my) || !isDocument(pg)) return undefined;
  return {
    my: mysql.hashed(hash, mysql.text(m, my)),
    pg: postgres.hashed(hash, documentOf(pair), utf8),
  };
}

const documentOf = ({ pg, p }: Pair) => `(${pg.xml?.json(p) ?? `pg_catalog.to_json(${p})`})::pg_catalog.text`;

const isDocument = (pg: PostgresType) => pg.array || pg.kind === "c" || pg.name === "hstore";

function texts({ my, pg, m, p, toPostgres, utf8, hash }: Pair): Cross | undefined {
  if (isBinary(my) || mysqlShapes.has(my.name)) return undefined;
  const isText = mysqlTexts.has(my.name);
  const textual = postgresTexts.has(pg.name) || pg.kind === "e" || pg.name === "json";
  if (!textual && !isText && !["uuid", "inet", "cidr"].includes(pg.name)) return undefined;
  // The copy reads their product with 1, as a double, which MySQL writes otherwise in its SQL than in its results.
  if (my.name === "float" || (my.name === "double" && !/^double( unsigned)?$/.test(my.full)))
    return { my: same(mysql.real(m, my, {})), pg: same(postgres.text(p)), canonicalForm: "written" };
  let ours = isText ? mysql.text(m, my) : mysql.asText(m);
  if (pg.name === "uuid") return both(`LOWER(${ours})`, p);
  const value = pg.name === "money" && !toPostgres ? `(${p}::pg_catalog.numeric)` : p;
  let theirs = textual || pg.name === "xml" ? postgres.text(p) : postgres.output(value);
  if (pg.name === "bpchar") {
    // Blanks at its end are no part of its value.
    ours = `TRIM(TRAILING ' ' FROM ${ours})`;
    theirs = `pg_catalog.rtrim(${postgres.text(p)}, ' ')`;
  }
  const compare = (text: string): { my: Expression; pg: Expression } =>
    textual && utf8
      ? {
          my: mysql.whole(hash, text, /text|json/.test(my.name) ? null : my.length),
          pg: postgres.whole(hash, theirs, pg.name === "varchar" ? pg.length : null),
        }
      : { my: mysql.hashed(hash, text), pg: postgres.hashed(hash, theirs, utf8) };
  if (!isText || !toPostgres || !textual) return compare(ours);
  // PostgreSQL's text has no NUL: the copy leaves it out.
  return { ...compare(`REPLACE(${ours}, CHAR(0 USING utf8mb4), '')`), fast: compare(ours) };
}
