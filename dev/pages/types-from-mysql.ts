import type { SourceColumn } from "../../src/engine/mysql/catalogue/catalogue.ts";
import { type TargetType, targetType } from "../../src/engine/plan/mysql-postgres/columns/types.ts";
import { kind, type MysqlToCopyFieldKind } from "../../src/engine/rows/mysql-to-copy/fields.ts";
import { code, markdownTable, nameOf, together } from "./table.ts";

/** MySQL's types beside what the engine itself says of each: the table has no type that is written by hand. */

interface Sample {
  /** As in a CREATE TABLE, and words after it. */
  written: string;
  words?: string;
  /** As the catalogue has it, where that differs. */
  columnType?: string;
  more?: Partial<SourceColumn>;
  isJson?: true;
  /** The columns of foreign keys, and of expressions that fix a type. */
  joined?: true;
  /** What breaks the guess, for each wider type. */
  beyond?: readonly string[];
  remark?: string;
}

const notForPostgis = ["a value or an SRID that PostGIS does not take"];
const badDocument = "a document that `jsonb` refuses or changes (`\\u0000`, lone surrogates, doubled keys, −0.0)";
const textual = { characterSet: "utf8mb4", collation: "utf8mb4_0900_ai_ci" };

export const samplesFromMysql: readonly Sample[] = [
  {
    written: "TINYINT(1), BOOLEAN",
    columnType: "tinyint(1)",
    beyond: ["a number other than 0 and 1"],
    remark: "smallint from the start in a foreign key, with AUTO_INCREMENT, and in a table without a value",
  },
  { written: "TINYINT", remark: "with UNSIGNED too" },
  { written: "SMALLINT" },
  { written: "SMALLINT UNSIGNED" },
  { written: "MEDIUMINT", remark: "with UNSIGNED too" },
  { written: "INT" },
  { written: "INT UNSIGNED" },
  { written: "BIGINT" },
  {
    written: "BIGINT UNSIGNED",
    beyond: ["a number above 9223372036854775807"],
    remark: "one type for all columns that foreign keys join",
  },
  { written: "DECIMAL(10,2)", more: { precision: 10, scale: 2 } },
  { written: "FLOAT", remark: "read as a double, since its own text is rounded to six digits" },
  { written: "DOUBLE" },
  { written: "BIT(1)", more: { precision: 1 } },
  { written: "BIT(12)", more: { precision: 12 } },
  { written: "YEAR" },
  { written: "CHAR(20)", more: { characters: 20, ...textual } },
  { written: "VARCHAR(100)", more: { characters: 100, ...textual } },
  { written: "TINYTEXT", more: textual },
  { written: "TEXT", more: textual },
  { written: "MEDIUMTEXT", more: textual },
  { written: "LONGTEXT", more: textual },
  {
    written: "JSON",
    words: "(MySQL)",
    beyond: [badDocument],
  },
  {
    written: "JSON",
    words: "(MariaDB)",
    columnType: "longtext",
    more: textual,
    isJson: true,
    beyond: [badDocument, "what is no JSON by PostgreSQL's grammar"],
  },
  { written: "BINARY(16)", more: { characters: 16 } },
  { written: "VARBINARY(100)", more: { characters: 100 } },
  { written: "TINYBLOB" },
  { written: "BLOB" },
  { written: "MEDIUMBLOB" },
  { written: "LONGBLOB" },
  { written: "DATE" },
  { written: "DATETIME(3)", more: { fraction: 3 } },
  { written: "TIMESTAMP(3)", more: { fraction: 3 }, remark: "read in UTC" },
  {
    written: "TIME(3)",
    more: { fraction: 3 },
    beyond: ["a time outside of a day"],
    remark: "interval in a foreign key",
  },
  {
    written: "ENUM('s','m')",
    beyond: ["the empty value of index 0, which becomes a label of the type"],
    remark: "an enum type of its own",
  },
  { written: "ENUM('s','m')", words: "in a foreign key or an expression", joined: true },
  { written: "ENUM(…)", words: "with a label over 63 bytes", columnType: `enum('${"x".repeat(64)}')` },
  { written: "SET('a','b')" },
  { written: "UUID", words: "(MariaDB)" },
  { written: "INET4", words: "(MariaDB)" },
  { written: "INET6", words: "(MariaDB)" },
  { written: "VECTOR(3)" },
  {
    written: "GEOMETRY",
    beyond: notForPostgis,
    remark: "without PostGIS in the target: `bytea` with well-known binary",
  },
  { written: "POINT SRID 4326", columnType: "point", more: { srid: 4326 }, beyond: notForPostgis },
  { written: "LINESTRING", beyond: notForPostgis },
  { written: "POLYGON", beyond: notForPostgis },
  { written: "MULTIPOINT", beyond: notForPostgis },
  { written: "MULTILINESTRING", beyond: notForPostgis },
  { written: "MULTIPOLYGON", beyond: notForPostgis },
  { written: "GEOMETRYCOLLECTION", columnType: "geomcollection", beyond: notForPostgis },
  { written: "", words: "any other", columnType: "unheard" },
];

/** As in information_schema: `enum` of `enum('a')`. */
export const dataTypeOf = ({ written, columnType = written.toLowerCase() }: Sample): string =>
  /^\w+/.exec(columnType)?.[0] ?? "";

const columnOf = (sample: Sample): SourceColumn => ({
  name: "c",
  dataType: dataTypeOf(sample),
  columnType: sample.columnType ?? sample.written.toLowerCase(),
  nullable: true,
  default: null,
  extra: "",
  characters: null,
  precision: null,
  scale: null,
  fraction: 0,
  characterSet: null,
  collation: null,
  comment: "",
  generation: "",
  srid: null,
  ...sample.more,
});

function typeOf(sample: Sample, wide: number): TargetType {
  const around = { inForeignKey: sample.joined === true, isJson: sample.isJson === true, postgis: "public" };
  return targetType(columnOf(sample), { ...around, observed: { wide, nullable: false } });
}

/** What the writer of such fields does with values that no type of PostgreSQL holds. */
const lost: Partial<Record<MysqlToCopyFieldKind, string>> = {
  [kind.text]: "NUL characters are removed and counted",
  [kind.date]: "dates with a zero in them and of the year 0: as the option `zero_dates` says, counted",
};

const shown = ({ sql, labels, check }: TargetType): string => {
  const words =
    labels === undefined
      ? code(sql.replace('"public"."geometry"', "geometry").replace("public.", ""))
      : `enum (${labels.map((label) => `'${label}'`).join(", ")})`;
  return check === undefined ? words : `${words} with a check`;
};

function cells(sample: Sample): string[] {
  const usual = typeOf(sample, 0);
  const wider = (sample.beyond ?? []).map((why, at) => `${shown(typeOf(sample, at + 1))}: ${why}`);
  const widest = shown(typeOf(sample, wider.length));
  if (shown(typeOf(sample, wider.length + 1)) !== widest)
    throw new Error(`${sample.written} has a wider type, and nothing here says when it is taken`);
  if (wider.length > 0 && widest === shown(usual)) throw new Error(`${sample.written} has no wider type`);
  const remarks = [sample.remark, usual.note?.replace(" unheard", ""), lost[usual.field.kind]];
  return [shown(usual), wider.join("; "), remarks.filter((one) => one !== undefined).join("; ")];
}

export const fromMysql = (): string =>
  markdownTable(
    ["MySQL, MariaDB", "PostgreSQL", "if a value does not fit", "remarks"],
    together(samplesFromMysql.map((sample) => ({ name: nameOf(sample), cells: cells(sample) }))),
  );
