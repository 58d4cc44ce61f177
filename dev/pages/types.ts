import { mariaTypes } from "../../src/engine/mysql/definitions/dialect.ts";
import { binaryCollation, foldingCollation } from "../../src/engine/plan/postgres-mysql/columns/types.ts";
import { code, generatedFrom, markdownTable } from "./table.ts";
import { fromMysql } from "./types-from-mysql.ts";
import { fromPostgres } from "./types-from-postgres.ts";

const maria118 = 110_800;

/** docs/types.md: the tables are what the engine answers when it is asked for each type. */
export const typesPage = (): string => `${generatedFrom("what src/engine answers for each type")}

# Column types

This page lists the column types of each direction. It is for people who plan a migration between MySQL or MariaDB and PostgreSQL.
Within one engine, a column keeps its type.

Across engines, a column gets the type in the second column of the tables below. That type holds the usual values of the source's type.
\`rowferry assess\` and the preflight show the type of each of your columns before a copy.

- **A value that does not fit** is never cut or rounded. Rowferry copies the table again with the type of the third column, or the run fails and names the table and the column.
- **Keys and columns that a foreign key joins** get one type.
- **A value without an equivalent** becomes NULL. The report's warnings have the column and the number of these values. A NOT NULL column then becomes nullable.
  In a primary key, such a value ends the run (\`value_in_key\`, \`zero_date_in_key\`).
- **To choose another type**, use the option \`types\`: \`{"orders.total": "numeric(20,4)"}\` ([options](options.md)).

[objects.md](objects.md) lists defaults, keys, checks, partitions and all other objects.

## Narrower types

A type from the option \`types\`, or of an existing table (\`content: data\`), may be narrower than the source's column. The rules are the same in all four directions:

- A type that accepts every value is not checked: \`int\` into \`bigint\`.
- A type that changes values is refused: a timestamp with a time zone into one without. From MySQL to PostgreSQL such columns are read as UTC, and a warning names them.
- Any other pair is checked value by value: \`numeric(10,4)\` into \`numeric(10,2)\`, \`text\` into \`varchar(3)\`, \`datetime(6)\` into \`datetime\`.

The check reads the source's snapshot before a row is written, and only tables that have such a column. If a value does not fit, the run fails with \`data_refused\`,
and the target is unchanged. The message has each table and column, the number of such values, and the reason. Trailing spaces and digits after the point count as part of a value.

A text that is copied into another type is read by the target's server:

- A text that the type writes as another text is copied, as \`007\` into \`int\`, \`1.50\` into \`numeric(10,1)\`, \`yes\` into \`boolean\`, and \`12:00\` into \`time\`.
  A warning has the column and the number of such texts, and \`changed_columns\` counts the column.
- A text that the server takes for another value is refused, as \`2\` or \`y \` into \`enum('x','y')\`, and \`b,a\` into \`set('a','b')\`.
- A text for \`json\` or \`jsonb\` has to be a JSON document. ENUM and SET are texts here: \`a,b\` of a SET is refused, and does not become an array.
- A document with a key twice is refused for \`jsonb\`. jsonb has its own order of keys, and its own spaces.
- Text is not copied into \`tsvector\` or \`tsquery\`, which lose words.
- Texts into \`numrange\`, \`tsrange\`, \`tstzrange\` and geometric types are copied as the type reads them; they are not counted.

With \`content: data\`, a plain column of the target takes the values that the source computed.
A column that the target computes and the source does not is
refused with \`schema_differs\`. Where both compute it, the values are always compared: a warning has the column.

A retry or resume checks all tables that it copies again. \`rowferry assess\` lists the columns that will be checked (\`values_may_not_fit\`).

From MySQL to MySQL, text is converted to the character set of the target's column. A character that this set lacks is refused in the same way.
A table with two equal labels in an ENUM or SET was created without strict mode. Rowferry creates the same table, and its values keep their numbers.

## Values that the other server cannot keep exactly

### Bytes without a character

A byte may be invalid in its column's character set, such as x'98' in cp1251. Rowferry copies it to PostgreSQL as a question mark.

- The report's warnings have the column and the number of such values. \`rowferry verify\` lists these columns as not compared.
- \`rowferry assess\` checks the first 1,000 rows (\`bytes_without_character\`).
- To keep the bytes, set the column's type to \`bytea\` with \`types\`.
- Character sets without such bytes (utf8mb4, utf8mb3, latin1 and others) are not checked.

### Texts of a database in SQL_ASCII

A PostgreSQL database in SQL_ASCII stores bytes and does not know their encoding.

- MySQL and MariaDB take these bytes as UTF-8. If a value is no text in UTF-8, the run fails with \`data_refused\` before it writes, and names the table, the column and the number.
- A PostgreSQL target in UTF8 takes them as UTF-8 as well. The run fails with \`unsupported_text\` at a value that is none, and names the table.
- A PostgreSQL target in another encoding takes them as texts of that encoding, and a warning says so. UTF-8 bytes then become other characters.

### Numbers and keys in JSON

MySQL's JSON stores a number with a decimal point, or beyond 64 bits, as a double. If JSON or an array from PostgreSQL has a number with more digits, the report's warnings count
these values by column. To keep every digit, set the column's type to \`LONGTEXT\` with \`types\`. MariaDB's JSON keeps the text.

JSON has no bounds of arrays. If an array of PostgreSQL has a lower bound other than 1, as \`[0:1]={7,8}\`, only its elements are copied. The report's warnings count these values by column.

JSON that MySQL computed itself, as \`JSON_OBJECT('price', price)\`, can hold decimals, dates and bytes. Between MySQL servers such a document is copied as text:
decimals become doubles, and values that lose digits are counted in the same way. Dates and bytes become strings with the same text; they are not counted.

MySQL's JSON also sorts the keys of an object. If a \`json\` value has a key twice, MySQL keeps the last one.
The report's warnings count these values by column.

### real

A PostgreSQL \`real\` becomes a \`DOUBLE\` with its shortest text: 0.1 is 0.1 in MySQL, not 0.10000000149011612. If you round the \`DOUBLE\` to a \`real\`, you get the same number,
for every \`real\`. Sums and comparisons in MySQL use the number of the short text, which differs from the \`real\` from the eighth digit.

## MySQL, MariaDB → PostgreSQL

${fromMysql()}

- \`AUTO_INCREMENT\` becomes an identity column with the next value. \`ON UPDATE CURRENT_TIMESTAMP\` becomes a trigger: it also sets the time where a statement sets the column to the value that it has, which MySQL keeps. \`ZEROFILL\` and display widths are not copied.
- If the catalogue shows \`?\` in a label of an ENUM or SET, it may stand for another character. The column is then text or text[] without a check.
- An ENUM with two equal labels becomes text with a check. So does a SET with an empty label or two equal ones.
- Geometry needs PostGIS in the target, in a schema that the target's user may use. [objects.md](objects.md#geometry-in-postgresql) has the rules for SRIDs and axes.

## PostgreSQL → MySQL, MariaDB

${fromPostgres()}

- Text has the collation \`${binaryCollation(false)}\` in MySQL and \`${binaryCollation(true)}\` in MariaDB, which distinguish the same texts as PostgreSQL.
- \`citext\` has the collation \`${foldingCollation(false, 90_700)}\` in MySQL and \`${foldingCollation(true, maria118)}\` in MariaDB.
- "Complete in a key" is the type of the only column of a unique or foreign key. Several columns share InnoDB's 3,072 bytes. If a value is longer, the column has its type outside of a key, and the
  report says which part of the key is lost. "None": such a column cannot be in a key.
- A VARCHAR that does not fit into a row's 65,535 bytes becomes LONGTEXT.
- A domain becomes its base type, with the checks that can be translated.
- A serial or identity column that is NOT NULL becomes AUTO_INCREMENT. A nullable one keeps its values, and its default is reported: AUTO_INCREMENT would store a number for each NULL.

## MySQL ↔ MariaDB

A type that both products have stays the same. Types that only one has:

${markdownTable(
  ["type", "result", "remarks"],
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

Every type is the same, also types of extensions and your own: \`pg_dump\` writes the schema. If the target's server lacks an extension, the report lists it with the columns that need it.
`;
