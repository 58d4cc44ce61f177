import { asText, type Kind, oneCopy, plain, same, type Value } from "./index.ts";

/** Of MySQL and MariaDB: labels that are empty or equal, and bytes that their character set has no character for. */

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

export const mysqlOddKinds: readonly Kind[] = [
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
