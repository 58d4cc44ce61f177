import type { Random } from "../../chaos/random.ts";
import {
  bytes,
  canonicalJson,
  canonicalNumber,
  clock,
  dayOf,
  digits,
  fraction,
  hostileText,
  json,
  trimmedFraction,
} from "../values.ts";
import { asText, type Kind, oneCopy, plain } from "./index.ts";

/** PostgreSQL's types. Into PostgreSQL the text must be the source's own; into MySQL, what `mysql` says of it. */

interface Words {
  /** Of a value, as the type's input takes them. */
  text(random: Random): string;
  /** What MySQL must give; absent: not compared there. */
  mysql?: (text: string) => string | null;
  readMysql?: (column: string) => string;
  readPostgres?: (column: string) => string;
  canonical?: Kind["canonical"];
  before?: string;
  keyed?: boolean;
  defaulted?: boolean;
  goes?: Kind["goes"];
  /** Defaults: SQL and its value as text. */
  computes?: readonly (readonly [sql: string, text: string])[];
}

// As a default it is what people write, so it is a string and no call.
const literal = (text: string, type: string): string => `CAST('${text.replaceAll("'", "''")}' AS ${type})`;

/** `expect.postgres` is the input's words: types that write them another way have a `canonical` form or are read twice. */
const kind = (type: string, words: Words): Kind => ({
  name: type,
  type,
  ...(words.before === undefined ? {} : { before: words.before }),
  ...(words.keyed === undefined ? {} : { keyed: words.keyed }),
  ...(words.defaulted === undefined ? {} : { defaulted: words.defaulted }),
  ...(words.goes === undefined ? {} : { goes: words.goes }),
  ...(words.computes === undefined
    ? {}
    : {
        expressions: words.computes.map(([sql, text]) => ({
          literal: sql,
          expect: { postgres: text, mysql: words.mysql?.(text) ?? null },
          ...(/^\((?:lower|upper)\(/.test(sql) ? { asked: sql } : {}),
        })),
      }),
  value: (random) => {
    const text = words.text(random);
    return { literal: literal(text, type), expect: { postgres: text, mysql: words.mysql?.(text) ?? null } };
  },
  read: {
    postgres: words.readPostgres ?? asText,
    ...(words.mysql === undefined ? {} : { mysql: words.readMysql ?? plain }),
  },
  ...(words.canonical === undefined ? {} : { canonical: words.canonical }),
});

const same = (text: string): string => text;
const whole = (type: string, edges: readonly string[]): Kind =>
  kind(type, {
    text: (random) => (random.below(2) === 0 ? String(random.below(100)) : random.pick(edges)),
    mysql: same,
    keyed: true,
    defaulted: true,
    computes: [
      ["(1 + 2 * 3)", "7"],
      ["(-7 / 2)", "-3"],
      ["length('größe')", "5"],
      ["(17 % 5)", "2"],
    ],
  });
/** In the other server it is another type, which does not become this one again. */
const elsewhere = { goes: oneCopy } as const;
const numbers = (text: string): string => canonicalNumber(text);
const oneOf = (type: string, values: readonly string[], more: Partial<Words> = {}): Kind =>
  kind(type, { text: (random) => random.pick(values), ...more });

export const postgresKinds: readonly Kind[] = [
  whole("smallint", ["-32768", "32767"]),
  whole("integer", ["-2147483648", "2147483647"]),
  whole("bigint", ["-9223372036854775808", "9223372036854775807"]),
  kind("numeric(20,4)", {
    text: (random) => `${digits(random, 16)}.${digits(random, 4).padStart(4, "0")}`,
    mysql: same,
  }),
  oneOf("numeric", ["0", "NaN", "Infinity", "-Infinity", "1e-30", "123456789012345678901234567890.5", "-0.00100"]),
  oneOf("real", ["0", "-0", "1.5", "NaN", "Infinity", "3.4028235e38", "1e-45", "16777216"]),
  oneOf("double precision", ["NaN", "-Infinity", "Infinity"]),
  oneOf("float8", ["0", "1.5", "1.7976931348623157e308", "5e-324", "0.1", "123456789.12345679"], {
    mysql: canonicalNumber,
    canonical: canonicalNumber,
  }),
  oneOf("boolean", ["true", "false"], {
    mysql: (text) => (text === "true" ? "1" : "0"),
    // From MySQL a column without a value comes back as smallint, which docs/types.md says.
    canonical: (text) => (text === "0" ? "false" : text === "1" ? "true" : text),
    defaulted: true,
  }),
  kind("varchar(60)", {
    text: (random) => hostileText(random, 60),
    mysql: same,
    readMysql: (column) => column,
    keyed: true,
    defaulted: true,
    computes: [
      ["(lower('ÄB') || 'd')", "äbd"],
      ["repeat('ab', 2)", "abab"],
      ["upper('it''s')", "IT'S"],
    ],
  }),
  kind("text", { text: (random) => hostileText(random, 12_000), mysql: same, readMysql: (column) => column }),
  kind("char(12)", { text: (random) => hostileText(random, 12) }),
  {
    name: "bytea",
    type: "bytea",
    value: (random) => {
      const text = bytes(random, 3000).toString("hex");
      return { literal: `decode('${text}', 'hex')`, expect: { postgres: text, mysql: text } };
    },
    read: { postgres: (column) => `encode(${column}, 'hex')`, mysql: (column) => `lower(hex(${column}))` },
  },
  kind("date", {
    text: (random) => dayOf(random, [1000, 9999]),
    mysql: same,
    defaulted: true,
    computes: [["('2020-01-31'::date + 1)", "2020-02-01"]],
  }),
  oneOf("date", ["infinity", "-infinity", "0044-03-15 BC", "5874897-12-31"]),
  kind("timestamp", {
    text: (random) => `${dayOf(random, [1000, 9999])} ${clock(random)}${fraction(random, 6)}`,
    mysql: trimmedFraction,
    canonical: trimmedFraction,
  }),
  oneOf("timestamp", ["infinity", "-infinity", "0044-03-15 12:00:00 BC", "294276-12-31 23:59:59.999999"]),
  kind("timestamptz", {
    text: (random) => `${dayOf(random, [1000, 9998])} ${clock(random)}${fraction(random, 6)}+00`,
    mysql: (text) => trimmedFraction(text.slice(0, -3)),
    canonical: (text) => trimmedFraction(text.replace(/\+00$/, "")),
  }),
  kind("time", {
    text: (random) => `${clock(random)}${fraction(random, 6)}`,
    mysql: trimmedFraction,
    canonical: trimmedFraction,
  }),
  oneOf("time", ["24:00:00", "00:00:00"]),
  oneOf("timetz", ["12:34:56+02", "24:00:00-15:59", "00:00:00.000001+00"]),
  oneOf("interval", ["1 year 2 mons -3 days", "-00:00:01.5", "178000000 years", "1000000 hours"]),
  {
    ...oneOf("mood", ["sad", "it's ok", "größe"], { mysql: same, readMysql: (column) => column, defaulted: true }),
    name: "enum",
    before: "CREATE TYPE mood AS ENUM ('sad', 'it''s ok', 'größe', 'Sad')",
  },
  {
    ...oneOf("small", ["1", "99"], { mysql: same, defaulted: true }),
    name: "domain",
    before: "CREATE DOMAIN small AS integer CHECK (VALUE BETWEEN 0 AND 100)",
  },
  oneOf("integer[]", ["{}", "{1,NULL,3}"], {
    mysql: (text) => `[${text.slice(1, -1).toLowerCase()}]`,
    canonical: (text) => (text.startsWith("[") ? text.replaceAll(" ", "") : text),
    ...elsewhere,
  }),
  oneOf("real", ["1.5", "16777216", "-0.25"], { mysql: numbers, canonical: numbers, ...elsewhere }),
  oneOf("money", ["-92233720368547758.08", "0.00", "1234.50"], {
    mysql: same,
    readPostgres: (column) => `(${column})::numeric::text`,
    ...elsewhere,
  }),
  oneOf("char(12)", ["a", "größe", "it's"], {
    mysql: same,
    readMysql: (column) => column,
    readPostgres: (column) => `rtrim((${column})::text)`,
    ...elsewhere,
  }),
  oneOf("inet", ["10.0.0.1/8", "::1"], { mysql: same, readMysql: (column) => column, ...elsewhere }),
  oneOf("point", ["(1.5,-2)", "(0.1,3)"], {
    mysql: same,
    readMysql: (column) => `CONCAT('(', ST_X(${column}), ',', ST_Y(${column}), ')')`,
    ...elsewhere,
  }),
  oneOf("uuid", ["00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"], { mysql: same }),
  kind("jsonb", {
    text: (random) => JSON.stringify(json(random)),
    mysql: canonicalJson,
    canonical: canonicalJson,
  }),
  oneOf("json", ['{"a": 1, "a": 2}', '"\\u0000"', "-0.0", "  [1,  2]", '"\\ud800"', "1e400"]),
  oneOf("integer[]", ["{}", "{1,NULL,3}", "{{1,2},{3,4}}", "[2:3]={1,2}"]),
  oneOf("text[]", ["{}", '{"a,b","c\\"d",NULL,"NULL"," "}', '{{"\\\\","{"},{"}","\n"}}']),
  oneOf("inet", ["10.0.0.1/8", "::1", "192.168.0.0/16"]),
  oneOf("macaddr", ["08:00:2b:01:02:03"]),
  oneOf("int4range", ["empty", "[1,10)", "(,)", "[5,)"]),
  oneOf("nummultirange", ["{}", "{[1.5,2.5),[3,4]}"]),
  oneOf("tsrange", ['["2020-01-01 00:00:00",infinity)', "empty"]),
  oneOf("point", ["(1.5,-2)", "(0.1,1e+300)"]),
  oneOf("polygon", ["((0,0),(1,0),(1,1))"]),
  oneOf("bit(7)", ["0000000", "1010101"]),
  oneOf("varbit", ["", "1", "10101010101010101010101010101010101010101010101010101010101010101"]),
  oneOf("tsvector", ["'a':1 'it''s':2A", ""]),
  oneOf("money", ["-92233720368547758.08", "0", "1234.50"]),
  oneOf("pg_lsn", ["0/0", "FFFFFFFF/FFFFFFFF"]),
  oneOf("xml", ["<a b='c'>&lt;</a>", "text"]),
];
