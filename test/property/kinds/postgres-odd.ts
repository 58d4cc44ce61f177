import { hostileText } from "../values.ts";
import { asText, type Kind, plain, same } from "./index.ts";

/** Of PostgreSQL: columns that take NULL and count up by default, and texts of other collations. */

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

export const postgresOddKinds: readonly Kind[] = [
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
