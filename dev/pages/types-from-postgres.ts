import { sampleColumn } from "../../src/engine/plan/postgres-mysql/columns/sample-column.ts";
import type { ObservedType, TargetType } from "../../src/engine/plan/postgres-mysql/columns/target-type.ts";
import { nothingObserved, targetType } from "../../src/engine/plan/postgres-mysql/columns/types.ts";
import type { ColumnDefinition } from "../../src/engine/postgres/catalogue/catalogue.ts";
import { type CopyToLoadFieldKind, kind } from "../../src/engine/rows/copy-to-load/fields.ts";
import { code, markdownTable, nameOf, together } from "./table.ts";

/** PostgreSQL's types beside what the engine itself says of each: the table has no type that is written by hand. */

interface Sample {
  /** As in a CREATE TABLE, and words after it. */
  written: string;
  words?: string;
  /** Of pg_type; the words as written by default. */
  type?: string;
  more?: Partial<ColumnDefinition>;
  /** What breaks the guess, and what that teaches. */
  beyond?: readonly { why: string; observed?: Partial<ObservedType> }[];
  remark?: string;
}

const bits = (modifier: number) => ({ modifier });
const characters = (count: number) => ({ modifier: count + 4 });
const digits = (precision: number, scale: number) => ({ modifier: ((precision << 16) | scale) + 4 });
const refused = [{ why: "a document that the target's JSON refuses" }];
const noShape = [{ why: "a value that the target's geometry does not take" }];
/** Kinds of PostGIS, as it packs them: SRID 4326, a point; and a line of three dimensions. */
const postgis = { builtin: false, spatial: "public" };

export const samplesFromPostgres: readonly Sample[] = [
  { written: "boolean", type: "bool" },
  { written: "smallint", type: "int2" },
  { written: "integer", type: "int4" },
  { written: "bigint", type: "int8" },
  { written: "oid" },
  { written: "xid" },
  { written: "cid" },
  { written: "xid8" },
  { written: "numeric(10,2)", type: "numeric", more: digits(10, 2) },
  {
    written: "numeric",
    beyond: [
      { why: "more than 30 digits after the point, 65 in all", observed: { digits: { before: 60, after: 5 } } },
      { why: "more than 65 digits", observed: { digits: { before: 70, after: 0 } } },
    ],
    remark: "also numeric(p,s) with more than 65 digits, or 30 after the point",
  },
  { written: "real", type: "float4" },
  { written: "double precision", type: "float8" },
  { written: "money" },
  { written: "char(20)", type: "bpchar", more: characters(20) },
  { written: "varchar(100)", type: "varchar", more: characters(100) },
  { written: "varchar(20000)", type: "varchar", more: characters(20_000) },
  { written: "text" },
  { written: "name" },
  { written: '"char"', type: "char" },
  { written: "citext", more: { builtin: false } },
  { written: "bytea" },
  { written: "date" },
  { written: "timestamp", more: bits(-1) },
  { written: "timestamp(3)", type: "timestamp", more: bits(3) },
  { written: "timestamptz" },
  { written: "time" },
  { written: "timetz" },
  { written: "interval" },
  { written: "uuid" },
  { written: "json", beyond: refused },
  { written: "jsonb", beyond: refused },
  { written: "hstore", more: { builtin: false }, beyond: refused },
  { written: "integer[]", type: "int4", more: { array: true }, beyond: refused, remark: "every array" },
  { written: "", words: "a composite type", type: "address", more: { sort: "c" }, beyond: refused },
  { written: "", words: "an enum type", type: "size", more: { sort: "e", labels: ["s", "m"] } },
  {
    written: "",
    words: "an enum type with a label over 255 characters, with spaces at its end, or with characters beyond U+FFFF",
    type: "size",
    more: { sort: "e", labels: ["s "] },
  },
  { written: "int4range", more: { sort: "r" } },
  { written: "int8range", more: { sort: "r" } },
  { written: "daterange", more: { sort: "r" } },
  { written: "tsrange", more: { sort: "r" } },
  { written: "tstzrange", more: { sort: "r" } },
  { written: "numrange", more: { sort: "r" } },
  { written: "", words: "a multirange, a range of a type of yours", type: "int4multirange", more: { sort: "m" } },
  { written: "inet" },
  { written: "cidr" },
  { written: "macaddr" },
  { written: "macaddr8" },
  { written: "pg_lsn" },
  { written: "tid" },
  { written: "bit(12)", type: "bit", more: bits(12) },
  { written: "bit(100)", type: "bit", more: bits(100) },
  { written: "varbit", remark: "VARCHAR(n) of varbit(n)" },
  { written: "xml" },
  { written: "tsvector" },
  { written: "jsonpath" },
  { written: "tsquery" },
  { written: "point", beyond: noShape },
  { written: "polygon", beyond: noShape },
  { written: "line" },
  { written: "lseg" },
  { written: "box" },
  { written: "path" },
  { written: "circle" },
  { written: "geometry", words: "(PostGIS)", more: postgis, beyond: noShape },
  {
    written: "geometry(Point,4326)",
    type: "geometry",
    more: { ...postgis, modifier: (4326 << 8) | (1 << 2) },
    beyond: noShape,
    remark: "likewise `geography`, and the other kinds",
  },
  {
    written: "geometry(LineStringZ)",
    type: "geometry",
    more: { ...postgis, modifier: (2 << 2) | 2 },
    remark: "and every other of three dimensions, of curves, and of an SRID that the target does not know",
  },
  { written: "", words: "any other", type: "unheard", more: { builtin: false, written: "" } },
];

const columnOf = ({ written, type = written, more }: Sample): ColumnDefinition =>
  sampleColumn(type, { written, ...more });

/** As a column of a key by itself has it. */
const whole = 768;

function typeOf(sample: Sample, maria: boolean, observed: Partial<ObservedType> = {}, keyed?: number): TargetType {
  const around = { maria, version: maria ? 110_800 : 90_700, observed: { ...nothingObserved, ...observed } };
  return targetType(columnOf(sample), keyed === undefined ? around : { ...around, keyed });
}

/** What the writer of such fields does with values that no type of MySQL holds. */
const lost: Partial<Record<CopyToLoadFieldKind, string>> = {
  [kind.date]: "infinity, BC and years above 9999 become NULL, counted",
  [kind.float]:
    "NaN and infinities become NULL, −0 becomes 0 where the server has none, counted; a `real` has its own digits ([real](#real))",
  [kind.numeric]: "NaN and infinities become NULL, counted",
};

const shown = ({ sql, check }: TargetType): string => (check === undefined ? code(sql) : `${code(sql)} with a check`);

/** The same for every column of JSON, so the page has it once. */
const jsonNote = /MySQL keeps numbers with a point.*? the keys of objects(?:, and of doubled ones the last)?/;

const mostNote = /(?:; )?at most \d+ characters, since it is in a key/;

function cells(sample: Sample): string[] {
  const usual = typeOf(sample, false);
  const maria = typeOf(sample, true);
  const beyond = (sample.beyond ?? []).map(({ why, observed = { long: true } }) => {
    const found = shown(typeOf(sample, false, observed));
    if (found === shown(usual)) throw new Error(`${sample.written} has no other type for ${why}`);
    return `${found}: ${why}`;
  });
  if (beyond.length === 0 && shown(typeOf(sample, false, { long: true })) !== shown(usual))
    throw new Error(`${sample.written} has another type, and nothing here says when it is taken`);
  const keyed = typeOf(sample, false, {}, whole);
  const inKey = usual.unkeyed === "never" ? "none" : shown(keyed) === shown(usual) ? "" : shown(keyed);
  const notes = [
    shown(maria) === shown(usual) ? undefined : `MariaDB: ${shown(maria)}`,
    sample.remark,
    usual.note
      ?.replace("type  as", "as")
      .replace(mostNote, "")
      .replace(jsonNote, "MySQL: [numbers and keys](#numbers-and-keys-in-json)"),
    lost[usual.kind],
  ];
  return [shown(usual), beyond.join("; "), inKey, notes.filter((one) => one !== undefined && one !== "").join("; ")];
}

export const fromPostgres = (): string =>
  markdownTable(
    ["PostgreSQL", "MySQL, MariaDB", "if a value does not fit", "complete in a key", "remarks"],
    together(samplesFromPostgres.map((sample) => ({ name: nameOf(sample), cells: cells(sample) }))),
  );
