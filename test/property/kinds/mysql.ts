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
import { asText, type Kind, oneCopy, plain, type Server, same, type Value } from "./index.ts";

/** MySQL's and MariaDB's types, with what docs/types.md says that they become in PostgreSQL. */

const number = (column: string) => `(${column})::int8::text`;

function integer(type: string, lowest: bigint, highest: bigint): Kind {
  const edges = [lowest, highest, 0n, 1n, highest - 1n];
  return {
    name: type,
    type,
    keyed: true,
    defaulted: true,
    value: (random) => {
      const found = random.below(3) === 0 ? BigInt(random.below(120)) : random.pick(edges);
      return same(String(found), String(found));
    },
    expressions: type.startsWith("TINYINT(1)")
      ? [same("(1 + 0)", "1")]
      : [same("(1 + 2 * 3)", "7"), same("(17 DIV 5)", "3"), same("(char_length('abc') % 2)", "1")],
    // boolean, smallint, bigint and numeric alike.
    read: { mysql: plain, postgres: type === "TINYINT(1)" ? (column) => `(${column})::int::text` : asText },
  };
}

const decimal = (precision: number, scale: number): Kind => ({
  name: `DECIMAL(${precision},${scale})`,
  type: `DECIMAL(${precision},${scale})`,
  defaulted: true,
  value: (random) => {
    const sign = random.below(2) === 0 ? "-" : "";
    const whole = precision === scale ? "0" : digits(random, precision - scale);
    const text = scale === 0 ? whole : `${whole}.${digits(random, scale).padStart(scale, "0")}`;
    const zero = /^[0.]+$/.test(text);
    return same(zero ? text : sign + text, zero ? text : sign + text);
  },
  read: { mysql: plain, postgres: asText },
});

// MariaDB stores no minus zero, so none is among the values.
const floating = (type: "FLOAT" | "DOUBLE"): Kind => {
  const values =
    type === "DOUBLE"
      ? [0, 1.5, -1e300, 1.7976931348623157e308, 5e-324, 0.1, 123456789.12345679]
      : [0, 1.5, 16777216, 0.1, 3.4028234e38, 1.17549435e-38, -2.5];
  const round = (text: string) => canonicalNumber(type === "FLOAT" ? String(Math.fround(Number(text))) : text);
  return {
    name: type,
    type,
    // The cases add keys by ALTER TABLE, by which the servers themselves cut a FLOAT's default to six digits.
    defaulted: type === "DOUBLE",
    value: (random) => {
      const found = random.pick(values);
      const text = `${found}`.includes("e") ? `${found}` : `${found}e0`;
      return same(text, round(text));
    },
    read: {
      mysql: (column) => (type === "FLOAT" ? `CAST(${column} + 0e0 AS char)` : plain(column)),
      postgres: (column) => `(${column})::float8::text`,
    },
    canonical: round,
  };
};

const string = (text: string): string => (text === "" ? "''" : `_utf8mb4 0x${Buffer.from(text).toString("hex")}`);
const textual = (type: string, longest: number, keyed: boolean): Kind => ({
  name: type,
  type,
  keyed,
  defaulted: !type.endsWith("TEXT"),
  ...(type.startsWith("CHAR")
    ? {}
    : {
        expressions: [
          same("(concat('a', 'B'))", "aB"),
          same("(upper('abc'))", "ABC"),
          same("(left('abcdef', 3))", "abc"),
        ],
      }),
  value: (random) => {
    const text = hostileText(random, longest);
    // CHAR loses the blanks at its end when it is read.
    const kept = type.startsWith("CHAR") ? text.replace(/ +$/, "") : text;
    return same(string(text), kept);
  },
  read: {
    mysql: (column) => column,
    postgres: (column) => (type.startsWith("CHAR") ? `rtrim((${column})::text, ' ')` : asText(column)),
  },
});

const binary = (type: string, longest: number, padded = 0): Kind => ({
  name: type,
  type,
  value: (random) => {
    const found = bytes(random, longest);
    const whole = padded === 0 ? found : Buffer.concat([found, Buffer.alloc(padded)]).subarray(0, padded);
    return same(found.length === 0 ? "''" : `0x${found.toString("hex")}`, whole.toString("hex"));
  },
  read: { mysql: (column) => `lower(hex(${column}))`, postgres: (column) => `encode(${column}, 'hex')` },
});

const zeroDate = (text: string): Value => ({ literal: `'${text}'`, expect: { mysql: text, postgres: null } });
const dated = (type: string, make: (random: Random) => string, zero: string): Kind => ({
  name: type,
  type: `${type} NULL`,
  defaulted: true,
  value: (random) => {
    if (random.below(12) === 0) return zeroDate(zero);
    const text = make(random);
    return same(`'${text}'`, trimmedFraction(text));
  },
  read: {
    mysql: plain,
    postgres: (column) => (type.startsWith("TIMESTAMP") ? `((${column}) AT TIME ZONE 'UTC')::text` : asText(column)),
  },
  canonical: (text) => trimmedFraction(text),
});

/** Microseconds of a time of day or longer; a text that is none is given back. */
const micros = (text: string): string => {
  const found = /^(-?)(\d+):(\d+):(\d+)(?:\.(\d+))?$/.exec(text);
  if (found === null) return text;
  const [, sign, hours = "0", minutes = "0", seconds = "0", rest = ""] = found;
  const whole = (BigInt(hours) * 3600n + BigInt(minutes) * 60n + BigInt(seconds)) * 1_000_000n;
  const all = whole + BigInt(rest.padEnd(6, "0"));
  return String(sign === "-" ? -all : all);
};
const time = (type: string, places: number, wide: boolean): Kind => ({
  name: `${type}${wide ? " beyond a day" : ""}`,
  type,
  value: (random) => {
    const text = wide
      ? random.pick(["838:59:59", "-838:59:59", "-00:00:01", "24:00:00", "100:30:00"])
      : `${clock(random)}${fraction(random, places)}`;
    return same(`'${text}'`, micros(text));
  },
  read: { mysql: plain, postgres: (column) => `round(extract(epoch FROM ${column}) * 1000000)::bigint::text` },
  canonical: (text, engine) => (engine === "mysql" ? micros(text) : text),
});

const bits = (count: number): Kind => ({
  name: `BIT(${count})`,
  type: `BIT(${count})`,
  defaulted: true,
  value: (random) => {
    const text = Array.from({ length: count }, () => random.below(2)).join("");
    return same(`b'${text}'`, text.replace(/^0+(?=.)/, ""));
  },
  read: {
    mysql: (column) => `bin(${column} + 0)`,
    postgres: (column) => (count === 1 ? number(`${column}::int`) : asText(column)),
  },
  canonical: (text) => text.replace(/^0+(?=.)/, ""),
});

const labels = ["a", "it's", "größe", "two words", 'q"q', "B"];
const quoted = labels.map((label) => `'${label.replaceAll("'", "''")}'`).join(",");

const only =
  (server: Server) =>
  (way: readonly Server[]): boolean =>
    way.every((stop) => stop === "postgres" || stop === server);

/** Text in a charset of its own; `letters` are what it has, `bytes` what its own bytes say. */
const charset = (name: string, letters: string, bytes: readonly [hex: string, text: string][] = []): Kind => ({
  name: `VARCHAR CHARSET ${name}`,
  type: `VARCHAR(40) CHARACTER SET ${name}`,
  keyed: true,
  defaulted: true,
  value: (random) => {
    const odd = bytes.length > 0 && random.below(2) === 0 ? random.pick(bytes) : undefined;
    if (odd !== undefined) return same(`_${name} 0x${odd[0]}`, odd[1]);
    const all = [...letters, ..."aZ0 '\"\\\n\t,%"];
    const text = Array.from({ length: random.below(12) }, () => random.pick(all)).join("");
    return same(string(text), text);
  },
  read: { mysql: (column) => column, postgres: asText },
});

const uint = (value: number): string => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer.toString("hex");
};
const double = (value: number): string => {
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleLE(value);
  return buffer.toString("hex");
};

/** Well-known binary is what PostgreSQL holds of it, and what both MySQLs say of their own. */
const geometry = (type: string, shapes: readonly ("POINT" | "LINESTRING" | "POLYGON")[]): Kind => ({
  name: type,
  type,
  value: (random) => {
    const shape = random.pick(shapes);
    const at = () => random.pick([0, 1.5, -2, 1e30, 0.1, 179.25]);
    const corner: [number, number] = [at(), at()];
    const points: Record<typeof shape, [number, number][]> = {
      POINT: [corner],
      LINESTRING: [corner, [at(), at() + 7], [3, 4]],
      POLYGON: [
        [0, 0],
        [8, 0],
        [8, 9.5],
        [0, 0],
      ],
    };
    const list = points[shape];
    const text = list.map((point) => point.join(" ")).join(", ");
    const bytes = list.map(([x, y]) => double(x) + double(y)).join("");
    const [code, words, body] = {
      POINT: [1, text, bytes] as const,
      LINESTRING: [2, text, uint(list.length) + bytes] as const,
      POLYGON: [3, `(${text})`, uint(1) + uint(list.length) + bytes] as const,
    }[shape];
    return same(`ST_GeomFromText('${shape}(${words})')`, `01${uint(code)}${body}`);
  },
  read: { mysql: (column) => `lower(hex(ST_AsBinary(${column})))`, postgres: (column) => `encode(${column}, 'hex')` },
  whole: true,
  // What PostgreSQL holds comes back as the bytes that it is.
  goes: oneCopy,
});

export const mysqlKinds: readonly Kind[] = [
  integer("TINYINT", -128n, 127n),
  integer("TINYINT(1)", 0n, 1n),
  integer("TINYINT UNSIGNED", 0n, 255n),
  integer("SMALLINT", -32768n, 32767n),
  integer("SMALLINT UNSIGNED", 0n, 65535n),
  integer("MEDIUMINT", -8388608n, 8388607n),
  integer("INT", -2147483648n, 2147483647n),
  integer("INT UNSIGNED", 0n, 4294967295n),
  integer("BIGINT", -(2n ** 63n), 2n ** 63n - 1n),
  integer("BIGINT UNSIGNED", 0n, 2n ** 64n - 1n),
  decimal(10, 2),
  decimal(65, 30),
  decimal(65, 0),
  decimal(30, 30),
  floating("FLOAT"),
  floating("DOUBLE"),
  textual("VARCHAR(60)", 60, true),
  textual("CHAR(12)", 12, false),
  textual("TEXT", 8000, false),
  textual("LONGTEXT", 20_000, false),
  binary("VARBINARY(40)", 40),
  binary("BINARY(8)", 8, 8),
  binary("LONGBLOB", 3000),
  dated("DATE", (random) => dayOf(random, [1000, 9999]), "0000-00-00"),
  dated("DATETIME", (random) => `${dayOf(random, [1000, 9999])} ${clock(random)}`, "0000-00-00 00:00:00"),
  dated(
    "DATETIME(6)",
    (random) => `${dayOf(random, [1000, 9999])} ${clock(random)}${fraction(random, 6)}`,
    "0000-00-00 00:00:00",
  ),
  dated(
    "TIMESTAMP(3)",
    (random) => `${dayOf(random, [1971, 2037])} ${clock(random)}${fraction(random, 3)}`,
    "0000-00-00 00:00:00",
  ),
  time("TIME", 0, false),
  time("TIME(6)", 6, false),
  time("TIME", 0, true),
  {
    name: "YEAR",
    type: "YEAR",
    defaulted: true,
    value: (random) => {
      const year = String(random.pick([1901, 1970, 2000, 2155]));
      return same(year, year);
    },
    read: { mysql: plain, postgres: asText },
  },
  bits(1),
  bits(7),
  bits(64),
  {
    name: "JSON",
    type: "JSON",
    value: (random) => {
      const text = JSON.stringify(json(random));
      return same(string(text), canonicalJson(text));
    },
    read: { mysql: plain, postgres: asText },
    canonical: canonicalJson,
  },
  {
    name: "ENUM",
    type: `ENUM(${quoted})`,
    defaulted: true,
    value: (random) => {
      const label = random.pick(labels);
      return same(string(label), label);
    },
    read: { mysql: (column) => column, postgres: asText },
  },
  {
    name: "SET",
    type: `SET(${quoted})`,
    value: (random) => {
      const chosen = labels.filter(() => random.below(3) === 0).join(",");
      return same(string(chosen), chosen);
    },
    read: { mysql: plain, postgres: (column) => `array_to_string(${column}, ',')` },
    // A SET becomes text[], and an array comes back as JSON.
    canonical: (text) => (text.startsWith("[") ? (JSON.parse(text) as string[]).join(",") : text),
  },
  charset("latin1", "éß€ÿ£", [
    ["C3A9", "Ã©"],
    ["E281AC", "â\u0081¬"],
    ["80FF", "€ÿ"],
  ]),
  charset("utf8mb3", "é漢字ß"),
  charset("cp1251", "Жюё№"),
  charset("cp1250", "žŁő€"),
  charset("koi8r", "Жюё"),
  charset("utf16", "é漢字😀"),
  charset("ucs2", "é漢字"),
  charset("sjis", "漢字ｱｲ表"),
  charset("gbk", "漢字"),
  charset("ascii", "~"),
  {
    name: "VARCHAR with NUL bytes",
    type: "VARCHAR(60)",
    value: (random) => {
      const text = random.pick(["\0", "a\0b", "\0\0é", "end\0"]);
      return {
        literal: string(text),
        expect: { mysql: text, postgres: text.replaceAll("\0", "") },
      };
    },
    read: { mysql: (column) => column, postgres: asText },
    goes: oneCopy,
  },
  geometry("POINT", ["POINT"]),
  geometry("LINESTRING", ["LINESTRING"]),
  geometry("GEOMETRY", ["POINT", "LINESTRING", "POLYGON"]),
  {
    name: "DOUBLE minus zero",
    type: "DOUBLE",
    value: () => same("'-0'", "-0"),
    read: { mysql: plain, postgres: asText },
    goes: only("mysql"),
  },
  {
    name: "FLOAT minus zero",
    type: "FLOAT",
    value: () => same("'-0'", "-0"),
    read: { mysql: plain, postgres: asText },
    goes: only("mysql"),
  },
  {
    name: "UUID",
    type: "UUID",
    keyed: true,
    value: (random) => {
      const text = random.pick(["00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]);
      return same(`'${text}'`, text);
    },
    read: { mysql: plain, postgres: asText },
    goes: only("mariadb"),
  },
  {
    name: "INET6",
    type: "INET6",
    value: (random) => {
      const text = random.pick(["::1", "2001:db8::ff00:42:8329", "::"]);
      return same(`'${text}'`, text);
    },
    read: { mysql: plain, postgres: (column) => `host(${column})` },
    goes: only("mariadb"),
  },
];
