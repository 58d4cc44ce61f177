import type { Random } from "../chaos/random.ts";
import type { Engine } from "./kinds/index.ts";
import { trimmedFraction } from "./values.ts";

/** Types that a column of rows alone may be copied between, wider or narrower, and how each server's values are written alike. */

export interface Family {
  types: Record<Engine, readonly string[]>;
  /** As texts; the source refuses those that it cannot hold. */
  values: readonly string[];
  /** As SQL. */
  literal(text: string, engine: Engine): string;
  /** A column of the type, as text by SQL. */
  read(column: string, type: string, engine: Engine): string;
  canonical(text: string): string;
}

const string = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** All digits of a number, without an exponent, a plus and zeros that say nothing. */
export function plainNumber(text: string): string {
  if (text === "true" || text === "false") return text === "true" ? "1" : "0";
  const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text);
  if (found === null) return text;
  const [, sign = "", whole = "", rest = "", exponent = "0"] = found;
  const digits = whole + rest;
  const point = whole.length + Number(exponent);
  const padded = point <= 0 ? digits.padStart(digits.length - point, "0") : digits.padEnd(point, "0");
  const at = Math.max(point, 0);
  const before = padded.slice(0, at).replace(/^0+/, "") || "0";
  const after = padded.slice(at).replace(/0+$/, "");
  const number = after === "" ? before : `${before}.${after}`;
  return sign === "-" && number !== "0" ? `-${number}` : number;
}

/** Microseconds. */
function micros(text: string): string {
  const found = /^(-?)(\d+):(\d+):(\d+)(?:\.(\d+))?$/.exec(text);
  if (found === null) return text;
  const [, sign, hours = "0", minutes = "0", seconds = "0", rest = ""] = found;
  const whole = (BigInt(hours) * 3600n + BigInt(minutes) * 60n + BigInt(seconds)) * 1_000_000n;
  return `${sign}${whole + BigInt(rest.padEnd(6, "0"))}`.replace(/^-0$/, "0");
}

const number: Family = {
  types: {
    mysql: [
      "TINYINT",
      "TINYINT(1)",
      "TINYINT UNSIGNED",
      "SMALLINT",
      "MEDIUMINT",
      "INT",
      "INT UNSIGNED",
      "BIGINT",
      "BIGINT UNSIGNED",
      "DECIMAL(10,2)",
      "DECIMAL(20,6)",
      "DECIMAL(65,30)",
      "FLOAT",
      "DOUBLE",
    ],
    postgres: [
      "smallint",
      "integer",
      "bigint",
      "numeric(10,2)",
      "numeric(20,6)",
      "numeric",
      "real",
      "double precision",
      "boolean",
    ],
  },
  values: [
    ..."0 1 -1 2 127 128 -129 255 256 32767 32768 65536 8388608 16777217 2147483647 2147483648 4294967296".split(" "),
    ..."9007199254740993 9223372036854775807 18446744073709551615 1.5 0.1 1.25 1.255 1.2345 -0.005 99999999.99".split(
      " ",
    ),
    ..."100000000.00 12345678901234.123456 0.000001 123456789.12345679 3.5e38 1e20 1e-40".split(" "),
  ],
  literal: (text, engine) => (engine === "postgres" ? string(text) : text),
  read: (column, type, engine) => {
    if (engine === "mysql") return `CAST(${column}${type === "FLOAT" ? " + 0e0" : ""} AS char)`;
    return `(${column})${type === "real" ? "::float8" : ""}::text`;
  },
  canonical: plainNumber,
};

/** Half of a surrogate pair. */
const halfCharacter = "\ud800";

const text: Family = {
  types: {
    mysql: [
      "VARCHAR(3)",
      "VARCHAR(5)",
      "VARCHAR(60)",
      "TEXT",
      "TINYTEXT",
      "LONGTEXT",
      "VARCHAR(20) CHARACTER SET latin1",
      "VARCHAR(20) CHARACTER SET cp1251",
      "VARCHAR(20) CHARACTER SET ascii",
      "VARCHAR(20) CHARACTER SET utf8mb3",
      "VARCHAR(20) CHARACTER SET sjis",
      "VARCHAR(20) CHARACTER SET utf16",
      "VARCHAR(20) CHARACTER SET ucs2",
      "ENUM('abc','','é')",
    ],
    postgres: ["varchar(3)", "varchar(5)", "varchar(60)", "text"],
  },
  values: [
    "",
    "abc",
    "abcd",
    "abc   ",
    "é",
    "größe",
    "Жук",
    "漢字",
    "😀",
    halfCharacter,
    "a\\b",
    "it's",
    "x".repeat(300),
    "é".repeat(130),
  ],
  literal(words, engine) {
    // PostgreSQL refuses it, as most of MySQL's character sets do.
    if (words === halfCharacter) return engine === "postgres" ? "chr(55296)" : "_ucs2 0xD800";
    return engine === "postgres" || words === "" ? string(words) : `_utf8mb4 0x${Buffer.from(words).toString("hex")}`;
  },
  read(column, type, engine) {
    if (engine === "postgres") return `(${column})::text`;
    const text = `CONVERT(${column} USING utf8mb4)`;
    return type.endsWith("ucs2") ? `CASE HEX(${column}) WHEN 'D800' THEN 'half' ELSE ${text} END` : text;
  },
  canonical: (words) => words,
};

const day: Family = {
  types: {
    mysql: ["DATE", "DATETIME", "DATETIME(3)", "DATETIME(6)", "TIMESTAMP NULL", "TIMESTAMP(6) NULL"],
    postgres: ["date", "timestamp", "timestamp(0)", "timestamp(3)", "timestamptz", "timestamptz(0)"],
  },
  values: [
    "2020-01-02 00:00:00",
    "2020-01-02 03:04:05",
    "2020-01-02 03:04:05.5",
    "2020-01-02 03:04:05.123456",
    "1500-06-07 00:00:00",
    "2040-01-02 03:04:05",
    "9999-12-31 23:59:59.999999",
    "0044-03-15 12:00:00 BC",
    "infinity",
  ],
  literal: string,
  read: (column, type, engine) =>
    engine === "mysql"
      ? `CAST(${column} AS char)`
      : `(${column}${type.startsWith("timestamptz") ? " AT TIME ZONE 'UTC'" : ""})::text`,
  canonical: (words) => trimmedFraction(words).replace(/ 00:00:00(?=$| BC$)/, ""),
};

const clock: Family = {
  types: { mysql: ["TIME", "TIME(3)", "TIME(6)"], postgres: ["time", "time(0)", "time(3)", "interval"] },
  values: ["00:00:00", "12:34:56", "12:34:56.5", "23:59:59.999999", "24:00:00", "100:00:00", "-01:00:00", "838:59:59"],
  literal: string,
  read: (column, _, engine) =>
    engine === "mysql" ? `CAST(${column} AS char)` : `round(extract(epoch FROM ${column}) * 1000000)::bigint::text`,
  canonical: micros,
};

const bytes: Family = {
  types: {
    mysql: ["VARBINARY(3)", "VARBINARY(20)", "BINARY(4)", "BLOB", "TINYBLOB", "LONGBLOB"],
    postgres: ["bytea"],
  },
  values: ["", "00", "ff00", "616263", "61626300", "5c785c", "ab".repeat(300)],
  literal: (hex, engine) => (engine === "postgres" ? `decode('${hex}', 'hex')` : hex === "" ? "''" : `0x${hex}`),
  read: (column, _, engine) => (engine === "mysql" ? `lower(hex(${column}))` : `encode(${column}, 'hex')`),
  canonical: (words) => words,
};

export const families: readonly Family[] = [number, number, text, text, day, clock, bytes];

/** Tame: of few values, so that many columns fit. */
export const someValues = (random: Random, { values }: Family): readonly string[] =>
  random.below(2) === 0 ? values : values.slice(0, 1 + random.below(5));
