import { mariaTypes } from "../../src/engine/plan/mysql-mysql/tables/dialect.ts";
import { binaryCollation, foldingCollation } from "../../src/engine/plan/postgres-mysql/columns/types.ts";
import { code, generatedFrom, markdownTable } from "./table.ts";
import { fromMysql } from "./types-from-mysql.ts";
import { fromPostgres } from "./types-from-postgres.ts";

const maria118 = 110_800;

/** docs/types.md: the tables are what the engine answers when it is asked for each type. */
export const typesPage = (): string => `${generatedFrom("what src/engine answers for each type")}

# Types of each direction

Within one engine a column keeps its type. Across engines it gets the type that holds its usual values; which one that is stands in the tables below, and for a column of
yours \`rowferry assess\` and the preflight say it before a copy. Where a type may hold more than the other server's usual one, the usual one is guessed. A value that does not fit
is never cut or rounded: the table is copied again with the type of the third column, or the run fails and names table and column. Keys and columns that foreign keys join get one type.

What only NULL can stand for becomes NULL, is counted, and stands in the report's warnings with its column and number; a NOT NULL column loses its NOT NULL then, and a primary
key ends the run by name (\`value_in_key\`, \`zero_date_in_key\`). The option \`types\` gives a column another type: \`{"orders.total": "numeric(20,4)"}\`, see [options.md](options.md).
[objects.md](objects.md) says what becomes of defaults, keys, checks, partitions and all that is no column.

## Narrower types

A type from the option \`types\`, or of a table that is there (\`content: data\`), may be narrower than the source's column. One table of rules serves all four directions:

- Types that take every value are not checked: \`int\` into \`bigint\`.
- Types that change values are refused: a timestamp with a time zone into one without.
- Any other pair is checked value by value: \`numeric(10,4)\` into \`numeric(10,2)\`, \`text\` into \`varchar(3)\`, \`datetime(6)\` into \`datetime\`.

The check reads the source's snapshot before a row is written, and only tables that have such a column. If a value does not fit, the run fails with \`data_refused\`,
and the target is unchanged. The message has each table and column, the number of such values, and the reason. Trailing spaces and digits after the point count as part of a value.
A retry or resume checks again all tables that it copies. \`rowferry assess\` names the columns that are to be checked (\`values_may_not_fit\`).

From MySQL to MySQL, a text goes into a column of another character set by its characters. A character that the target's set lacks is refused in the same way.
A table with two equal labels in an ENUM or SET was made without strict mode: it is made again as it is, and its values keep their numbers.

## Values that the other server cannot keep exactly

A byte that stands for no character of its column's character set (x'98' in cp1251) is copied to PostgreSQL as a question mark. The report's warnings have the column and
the number of such values. \`rowferry verify\` lists these columns as not compared. \`rowferry assess\` looks at the first 1,000 rows (\`bytes_without_character\`). To keep the bytes,
name \`bytea\` in \`types\`: the column then has the source's bytes. Columns of sets without such bytes (utf8mb4, utf8mb3, latin1 and others) are not checked.

MySQL's JSON stores a number with a point, or beyond 64 bits, as a double. When JSON or an array goes from PostgreSQL into it, values with a number of more digits are counted
in the report's warnings, by column. To keep every digit, name \`LONGTEXT\` in \`types\`: the column then has the text. MariaDB's JSON keeps the text by itself.

A PostgreSQL \`real\` becomes a \`DOUBLE\` by its shortest text: 0.1 is 0.1 there, not 0.10000000149011612. If you round the \`DOUBLE\` to a \`real\` again, you get the same number,
for every \`real\`. Sums and comparisons in MySQL use the short text's number, which differs from the \`real\` from the eighth digit on.

## MySQL, MariaDB → PostgreSQL

${fromMysql()}

- \`AUTO_INCREMENT\` is an identity column with the next value, \`ON UPDATE CURRENT_TIMESTAMP\` a trigger, \`ZEROFILL\` and display widths are left out.
- Where the catalogue shows \`?\` in a label of an ENUM or SET, it may stand for another character: the column is text or text[] without a check.
- An ENUM with two equal labels, and a SET with an empty label or two equal ones, become text with a check.
- Geometry needs PostGIS in the target, and there a schema that its user may use; [objects.md](objects.md) has the rules of SRIDs and axes.

## PostgreSQL → MySQL, MariaDB

${fromPostgres()}

- Text has the collation \`${binaryCollation(false)}\` in MySQL and \`${binaryCollation(true)}\` in MariaDB, which tell apart what PostgreSQL's do; \`citext\` has \`${foldingCollation(false, 90_700)}\`, in MariaDB \`${foldingCollation(true, maria118)}\`.
- "Whole in a key" is the type of a column that is the only one of a unique or foreign key; with several columns they share InnoDB's 3,072 bytes. Where a value is longer, the column is as outside of a key, and the
  report says what of the key is lost. "None": such a column is in no key.
- A VARCHAR that does not fit into a row's 65,535 bytes is LONGTEXT. A domain is its base type, with its checks where they are translated; serial and identity columns count up by AUTO_INCREMENT, if they are NOT NULL: AUTO_INCREMENT would store a number for each NULL. A nullable column keeps its values, and its default is reported.

## MySQL ↔ MariaDB

Types that both have stay as they are. Those of one alone:

${markdownTable(
  ["type", "becomes", "remarks"],
  [
    ...Object.entries(mariaTypes).map(([from, to]) => [
      `${code(from.toUpperCase())} of MariaDB`,
      code(to),
      "with its text",
    ]),
    ["`JSON` of MySQL", "`longtext` with a check", "MariaDB's JSON; back it is `longtext`"],
    ["`VECTOR(n)`", "the same", "into MariaDB before 11.7: `varbinary` with its bytes"],
    [
      "geometry with an `SRID` of MySQL",
      "the same without it",
      "MariaDB does not check SRIDs; each value keeps its own",
    ],
  ],
)}

## PostgreSQL → PostgreSQL

Every type is the same, extensions' and your own too: the schema is \`pg_dump\`'s. An extension that the target's server does not have is named, with the columns that need it.
`;
