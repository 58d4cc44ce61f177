import { clock, dayOf, trimmedFraction } from "../values.ts";
import { asText, type Kind, oneCopy, plain, same, type Value } from "./index.ts";

/** Of MySQL and MariaDB: the present time, halves of characters, texts that no collation takes for equal, labels that are empty or equal, and bytes that their character set has no character for. */

/** Labels whose numbers say more than their text, made without strict mode. `text`: of the value with this number. */
const labelled = (
  type: "ENUM" | "SET",
  labels: readonly string[],
  values: readonly (readonly [number: number, text: string])[],
): Kind[] => {
  const declared = `${type}(${labels.map((label) => `'${label.replaceAll("'", "''")}'`).join(",")})`;
  const between: Kind = {
    name: `${declared} as text`,
    type: declared,
    value: (random) => {
      const [number, text] = random.pick(values);
      return same(String(number), text);
    },
    read: { mysql: plain, postgres: asText },
    goes: (way) => way.includes("postgres"),
  };
  // Between MySQLs the number is the value.
  const numbered: Kind = {
    ...between,
    name: `${declared} by number`,
    value: (random) => {
      const [number] = random.pick(values);
      return same(String(number), String(number));
    },
    read: { mysql: (column) => `CAST(${column} + 0 AS char)` },
    goes: (way) => !way.includes("postgres"),
  };
  return [between, numbered];
};

/** Bytes of a text: what they are in PostgreSQL has a question mark for each that is no character. */
const stray = (charset: string, texts: readonly (readonly [hex: string, text: string])[]): Kind => ({
  name: `VARCHAR CHARSET ${charset} with bytes that are no character`,
  type: `VARCHAR(40) CHARACTER SET ${charset}`,
  value: (random): Value => {
    const [hex, text] = random.pick(texts);
    return { literal: `_${charset} 0x${hex}`, expect: { mysql: hex, postgres: text } };
  },
  read: { mysql: (column) => `lower(hex(${column}))`, postgres: asText },
  said: /stand for no character/,
  goes: oneCopy,
});

const present = (type: "DATETIME" | "TIMESTAMP", digits: number, updates: boolean): Kind => {
  const places = digits === 0 ? "" : `(${digits})`;
  const word = `CURRENT_TIMESTAMP${places}`;
  const declared = `${type}${places} DEFAULT ${word}${updates ? ` ON UPDATE ${word}` : ""}`;
  return {
    name: declared,
    // A TIMESTAMP takes no NULL of itself.
    type: type === "TIMESTAMP" ? declared.replace(" ", " NULL ") : declared,
    value: (random) => {
      const text = `${dayOf(random, [1971, 2037])} ${clock(random)}`;
      return same(`'${text}'`, text);
    },
    read: {
      mysql: plain,
      postgres: (column) => (type === "TIMESTAMP" ? `((${column}) AT TIME ZONE 'UTC')::text` : asText(column)),
    },
    canonical: (text) => trimmedFraction(text),
    clock: { digits, updates },
  };
};

const distinct = (type: string, texts: readonly string[]): Kind => ({
  name: `${type} of distinct texts`,
  type,
  value: (random) => {
    const text = random.pick(texts);
    return same(text === "" ? "''" : `_utf8mb4 0x${Buffer.from(text).toString("hex")}`, text);
  },
  read: { mysql: (column) => column, postgres: asText },
  distinct: true,
});

/** Halves of surrogate pairs, which UCS-2 keeps, and MariaDB in utf8mb3 too. */
const halves = (charset: string, hex: string, where: Kind["goes"]): Kind => ({
  name: `VARCHAR CHARSET ${charset} with halves of characters`,
  type: `VARCHAR(40) CHARACTER SET ${charset}`,
  value: (random): Value => {
    if (random.below(3) > 0) {
      const text = random.pick(["漢字", "é"]);
      return { literal: `_utf8mb4 0x${Buffer.from(text).toString("hex")}`, expect: { mysql: text, postgres: text } };
    }
    return { literal: `_${charset} 0x${hex}`, expect: { mysql: `half ${hex}`, postgres: null } };
  },
  read: {
    mysql: (column) => `CASE HEX(${column}) WHEN '${hex}' THEN 'half ${hex}' ELSE CONVERT(${column} USING utf8mb4) END`,
    postgres: asText,
  },
  // MySQL takes no half in its own Unicode either.
  refused: ({ expect }, way) =>
    expect.postgres === null && (way.includes("postgres") || (charset === "utf8mb3" && way.includes("mysql"))),
  ...(where === undefined ? {} : { goes: where }),
});

export const mysqlOddKinds: readonly Kind[] = [
  present("DATETIME", 0, true),
  present("DATETIME", 3, false),
  present("DATETIME", 6, true),
  present("TIMESTAMP", 0, false),
  present("TIMESTAMP", 2, true),
  distinct("VARCHAR(60) COLLATE utf8mb4_bin", ["a", "A", "ä", "Ä", "a\u0308", "ß", "ss", "", "b", "ﬁ", "fi"]),
  distinct("VARCHAR(60) COLLATE utf8mb4_general_ci", ["a", "b", "c", "z", "", "1"]),
  distinct("VARCHAR(60) CHARACTER SET latin1 COLLATE latin1_general_cs", ["a", "A", "b", "B", ""]),
  halves("ucs2", "D800", (way) => way.length === 2),
  halves("utf8mb3", "EDA080", (way) => way.length === 2 && way[0] === "mariadb"),
  ...labelled(
    "ENUM",
    ["a", "b", "a"],
    [
      [1, "a"],
      [2, "b"],
      [3, "a"],
    ],
  ),
  ...labelled(
    "ENUM",
    ["", "it's", ""],
    [
      [1, ""],
      [2, "it's"],
      [3, ""],
    ],
  ),
  ...labelled(
    "SET",
    ["", "a", "b"],
    [
      [0, ""],
      [1, ""],
      [2, "a"],
      [6, "a,b"],
    ],
  ),
  ...labelled(
    "SET",
    ["x", "y", "x"],
    [
      [0, ""],
      [1, "x"],
      [3, "x,y"],
      [4, "x"],
    ],
  ),
  stray("cp1251", [
    ["4198", "A?"],
    ["98", "?"],
  ]),
  stray("cp1250", [
    ["8141", "?A"],
    ["88", "?"],
  ]),
];
