import { canonicalJson, clock, dayOf, hostileText, trimmedFraction } from "../values.ts";
import { asText, type Kind, oneCopy, plain, same } from "./index.ts";

/** Of PostgreSQL: numbers in JSON and arrays, the present time, texts that no collation takes for equal, columns that take NULL and count up by default, and texts of other collations. */

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const collated = (type: string, collation: string, before?: string): Kind => ({
  name: `${type} COLLATE ${collation}`,
  ...(before === undefined ? {} : { before }),
  type: `${type} COLLATE ${collation}`,
  value: (random) => {
    const text = hostileText(random, 60);
    return same(`CAST(${quoted(text)} AS ${type})`, text);
  },
  read: { mysql: (column) => column, postgres: asText },
  keyed: type !== "text",
  defaulted: type !== "text",
});

/** Of letters alone, so that the other case of each is another text. */
const folding = (type: string, collation: string, before: string): Kind => ({
  ...collated(type, collation, before),
  value: (random) => {
    const text = random.pick(["abc", "Ab", "Z", "q"]);
    return same(`CAST(${quoted(text)} AS ${type})`, text);
  },
  folds: true,
});

const counting = (type: string): Kind => ({
  name: `${type} DEFAULT nextval`,
  before: "CREATE SEQUENCE counter",
  type: `${type} DEFAULT nextval('counter')`,
  value: (random) => {
    const text = String(1 + random.below(100));
    return same(text, text);
  },
  read: { mysql: plain, postgres: asText },
  keyed: true,
});

/** Numbers with more digits than a double has, among others that have fewer. */
const exact = (type: string, texts: readonly string[]): Kind => ({
  name: `${type} with numbers of many digits`,
  type,
  value: (random) => {
    const text = random.pick(texts);
    return same(`CAST(${quoted(text)} AS ${type})`, text);
  },
  read: { mysql: plain, postgres: asText },
  // An array is JSON in MySQL. As doubles: how many are not kept, a report says.
  canonical: (text) =>
    canonicalJson(type.endsWith("[]") ? text.replace("{", "[").replace("}", "]").replace("NULL", "null") : text),
  exact: true,
  goes: oneCopy,
});

const present = (type: string, word: string, digits: number): Kind => ({
  name: `${type} DEFAULT ${word}`,
  type: `${type} DEFAULT ${word}`,
  value: (random) => {
    const text = `${dayOf(random, [1971, 2037])} ${clock(random)}`;
    return same(`'${text}'`, text);
  },
  read: { mysql: plain, postgres: (column) => `((${column})::timestamptz AT TIME ZONE 'UTC')::text` },
  canonical: (text) => trimmedFraction(text),
  clock: { digits, updates: false },
});

const distinct = (type: string): Kind => ({
  name: `${type} of distinct texts`,
  type,
  value: (random) => {
    const text = random.pick(["a", "A", "a ", "ä", "Ä", "a\u0308", "ß", "ss", "SS", "", " ", "b", "ﬁ", "fi"]);
    return same(`CAST(${quoted(text)} AS varchar(60))`, text);
  },
  read: { mysql: (column) => column, postgres: asText },
  distinct: true,
});

export const postgresOddKinds: readonly Kind[] = [
  exact("jsonb", ["1.5", "0.12345678901234567890", '{"a": [1e400, 2]}', "12345678901234567890123", "[-0, 7]"]),
  exact("json", ["1.5", "0.12345678901234567890", '{"a": [12345678901234567890.5]}', "-0", "-0.0", "[1, -0]"]),
  exact("numeric[]", ["{1.5,NULL}", "{0.12345678901234567890}", "{1,12345678901234567890.25}", "{}"]),
  present("timestamp(3)", "CURRENT_TIMESTAMP(3)", 3),
  present("timestamp(0)", "LOCALTIMESTAMP(0)", 0),
  present("timestamptz", "now()", 6),
  present("timestamptz(2)", "CURRENT_TIMESTAMP(2)", 2),
  distinct("varchar(60)"),
  distinct('varchar(60) COLLATE "C"'),
  counting("integer"),
  counting("bigint"),
  collated("varchar(60)", '"C"'),
  collated("varchar(60)", '"de-x-icu"'),
  collated("text", "pg_c_utf8"),
  folding(
    "varchar(60)",
    "folding",
    "CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
  ),
  folding(
    "text",
    '"Fold ""all"',
    `CREATE COLLATION "Fold ""all" (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`,
  ),
];
