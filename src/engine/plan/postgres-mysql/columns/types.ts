import { named } from "../../../contract/text/own-property.ts";
import { literal } from "../../../mysql/driver/names.ts";
import type { ColumnDefinition } from "../../../postgres/catalogue/catalogue.ts";
import { storedXml } from "../../../postgres/catalogue/xml-parts.ts";
import { identifier as sourceIdentifier } from "../../../postgres/driver/names.ts";
import { type CopyToLoadFieldKind, kind, type Srids } from "../../../rows/copy-to-load/fields.ts";
import { realText } from "../../fits/real-text.ts";
import { noShape, ownShape, postgisShape } from "./spatial-types.ts";
import type { ObservedType, TargetType } from "./target-type.ts";

/**
 * PostgreSQL's types → MySQL's, from the catalogue alone. Where a type may hold what MySQL's does not, the usual is
 * guessed; a value that breaks the guess widens the type, and the table is copied again.
 */

export const nothingObserved: ObservedType = { long: false, nullable: false };

export interface ColumnContext {
  maria: boolean;
  /** server_version as a number: 80403 is 8.4.3. */
  version: number;
  observed: ObservedType;
  /** Those that the target knows; undefined: it takes any. */
  srids?: Srids | undefined;
  /** Characters that a key leaves for this column, where it is in one that must be whole. */
  keyed?: number;
  /** The integer or decimal type that columns joined by foreign keys share. */
  joined?: string;
}

/** Collations that tell apart what PostgreSQL's do: by bytes, spaces at the end included. */
export const binaryCollation = (maria: boolean): string => (maria ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin");

/** Case-insensitive and accent-sensitive, as citext. */
export const foldingCollation = (maria: boolean, version: number): string =>
  maria ? (version >= 101001 ? "uca1400_nopad_as_ci" : "utf8mb4_unicode_520_nopad_ci") : "utf8mb4_0900_as_ci";

/** The most that a key of InnoDB holds. */
export const keyBytes = 3072;
export const characterBytes = 4;
/** The pointer that a *TEXT or *BLOB leaves in the row. */
const pointerBytes = 12;

const plain = (
  sql: string,
  bytes: number,
  how: CopyToLoadFieldKind = kind.raw,
  more: Partial<TargetType> = {},
): TargetType => ({
  sql,
  kind: how,
  bytes,
  ...more,
});

const integers: Record<string, [sql: string, bytes: number]> = {
  int2: ["SMALLINT", 2],
  int4: ["INT", 4],
  int8: ["BIGINT", 8],
  oid: ["INT UNSIGNED", 4],
  xid: ["INT UNSIGNED", 4],
  cid: ["INT UNSIGNED", 4],
  xid8: ["BIGINT UNSIGNED", 8],
};

/** Types whose text is never longer than so many characters of ASCII. */
const short: Record<string, number> = {
  timetz: 32,
  interval: 96,
  inet: 49,
  cidr: 49,
  macaddr: 17,
  macaddr8: 23,
  pg_lsn: 17,
  tid: 32,
  int4range: 32,
  int8range: 48,
  daterange: 48,
  tsrange: 96,
  tstzrange: 96,
};
/** Different texts may be equal values in PostgreSQL. */
const looseText = new Set(["timetz", "interval", "numrange", "tsvector", "jsonpath"]);

const precisionOf = (modifier: number): string => (modifier < 0 ? "(6)" : modifier === 0 ? "" : `(${modifier})`);

export function targetType(column: ColumnDefinition, around: ColumnContext): TargetType {
  const { type, builtin, sort } = column;
  if (column.array) {
    const checks = sort === "d" ? "the checks of its elements' domain are not copied" : "";
    return json(around, column, [column.written.includes("[][]") ? "" : "bounds other than 1 are not kept", checks]);
  }
  if (sort === "c") return json(around, column, ["a JSON object"]);
  if (sort === "e") return enumeration(column, around);
  if (sort === "r" || sort === "m") {
    const characters = builtin ? named(short, type) : undefined;
    return characters === undefined ? text(around, undefined, "as text") : ascii(characters);
  }
  if (!builtin) return extension(column, around);
  const integer = named(integers, type);
  if (integer !== undefined) {
    const sql = around.joined ?? integer[0];
    return plain(sql, sql === "BIGINT" ? 8 : integer[1], kind.raw);
  }
  return scalar(column, around);
}

function scalar(column: ColumnDefinition, around: ColumnContext): TargetType {
  const { type, modifier } = column;
  switch (type) {
    case "bool":
      return plain("TINYINT(1)", 1, kind.boolean);
    case "numeric":
      return numeric(modifier, around);
    case "float4":
      return plain("DOUBLE", 8, kind.float, { select: realText });
    case "float8":
      return plain("DOUBLE", 8, kind.float);
    case "money":
      return plain("DECIMAL(19,2)", 9, kind.raw, { select: (name) => `${name}::pg_catalog.numeric` });
    case "bpchar":
      return padded(text(around, modifier < 4 ? undefined : modifier - 4, undefined, true));
    case "varchar":
      return text(around, modifier < 4 ? undefined : modifier - 4);
    case "name":
      return text(around, 63);
    case "char":
      return text(around, 4);
    case "bytea":
      return around.keyed === undefined || around.observed.long
        ? plain("LONGBLOB", pointerBytes, kind.bytes, { unkeyed: "binary" })
        : plain(`VARBINARY(${around.keyed * characterBytes})`, around.keyed * characterBytes + 2, kind.bytes, {
            limit: around.keyed * characterBytes,
          });
    case "date":
      return plain("DATE", 3, kind.date);
    case "timestamp":
      return plain(`DATETIME${precisionOf(modifier)}`, 8, kind.date);
    case "timestamptz":
      return plain(`DATETIME${precisionOf(modifier)}`, 8, kind.date, { note: "in UTC" });
    case "time":
      return plain(`TIME${precisionOf(modifier)}`, 6, kind.raw);
    case "uuid":
      return plain("CHAR(36) CHARACTER SET ascii COLLATE ascii_bin", 36);
    case "json":
    case "jsonb":
      return json(around, column, []);
    case "xml":
      return { ...text(around, undefined, "as PostgreSQL writes it; compared as text"), select: storedXml };
    case "bit":
      return modifier > 0 && modifier <= 64
        ? plain(`BIT(${modifier})`, 8, kind.bits)
        : text(around, modifier > 0 ? modifier : undefined, "as text of 0 and 1");
    case "varbit":
      return text(around, modifier > 0 ? modifier : undefined, "as text of 0 and 1");
    case "point":
    case "polygon":
      return around.observed.long
        ? text(around, undefined, `as PostgreSQL writes it, ${noShape}`)
        : ownShape(type, around.maria);
    case "line":
    case "lseg":
    case "box":
    case "path":
    case "circle":
      return text(around, undefined, "as PostgreSQL writes it");
    default: {
      const characters = named(short, type);
      if (characters !== undefined) return ascii(characters, looseText.has(type));
      return text(
        around,
        undefined,
        looseText.has(type) ? "as PostgreSQL writes it; compared as text" : "as PostgreSQL writes it",
      );
    }
  }
}

const ascii = (characters: number, loose = false): TargetType =>
  plain(`VARCHAR(${characters}) CHARACTER SET ascii COLLATE ascii_bin`, characters + 2, kind.raw, {
    note: loose ? "as text; what PostgreSQL takes for equal may be written differently" : "as text",
  });

function text(around: ColumnContext, characters: number | undefined, note?: string, fixed = false): TargetType {
  const remarks = note === undefined ? {} : { note };
  const { keyed, observed } = around;
  if (characters !== undefined && characters <= (keyed ?? mostCharacters)) {
    const sql = fixed && characters <= 255 ? `CHAR(${characters})` : `VARCHAR(${characters})`;
    return plain(sql, characters * characterBytes + 2, kind.text, { text: { characters }, ...remarks });
  }
  if (keyed !== undefined && !observed.long) {
    return plain(`VARCHAR(${keyed})`, keyed * characterBytes + 2, kind.limited, {
      limit: keyed,
      text: { characters: keyed },
      note: joinNotes(note, `at most ${keyed} characters, since it is in a key`),
    });
  }
  return plain("LONGTEXT", pointerBytes, kind.text, { text: { characters: undefined }, unkeyed: "text", ...remarks });
}

/** Spaces at a char's end do not count in PostgreSQL; CHAR drops them by itself. */
const padded = (type: TargetType): TargetType =>
  type.sql.startsWith("CHAR(")
    ? type
    : {
        ...type,
        select: (name) => `${name}::pg_catalog.text`,
        note: joinNotes(type.note, "without the spaces at the end, which do not count"),
      };

/** A VARCHAR of more would fill a row by itself. */
const mostCharacters = 16_000;

/** The same as a *TEXT, for a row that is over its budget. */
export const outOfRow = (type: TargetType): TargetType => ({
  ...type,
  sql: "LONGTEXT",
  bytes: pointerBytes,
  unkeyed: "text",
  note: joinNotes(type.note, `${type.sql} is too long for the row's 65,535 bytes`),
});

function extension(column: ColumnDefinition, around: ColumnContext): TargetType {
  if (column.type === "citext") {
    const type = text(around, undefined);
    return {
      ...type,
      collation: foldingCollation(around.maria, around.version),
      note: joinNotes(type.note, "case-insensitive by its collation"),
    };
  }
  if (column.type === "hstore") return json(around, column, ["a JSON object"]);
  const spatial = postgisShape(column, around);
  if (spatial !== undefined && !around.observed.long) return spatial;
  const why = spatial === undefined ? "" : `, ${noShape}`;
  return text(around, undefined, `type ${column.written} as PostgreSQL writes it${why}`);
}

const joinNotes = (...notes: (string | undefined)[]): string =>
  notes.filter((one) => one !== undefined && one !== "").join("; ");

function json({ maria, observed }: ColumnContext, column: ColumnDefinition, notes: string[]): TargetType {
  const from = column.array || !column.builtin ? undefined : column.type;
  const made = column.xml?.json ?? ((name: string) => `pg_catalog.to_json(${name})`);
  const select = from === "json" || from === "jsonb" ? {} : { select: made };
  if (observed.long)
    return plain("LONGTEXT", pointerBytes, kind.text, {
      ...select,
      unkeyed: "text",
      note: joinNotes(...notes, "as text: it holds documents that the target's JSON refuses"),
    });
  const doubled = from === "json" ? ", and of doubled ones the last" : "";
  const doubles =
    "MySQL keeps numbers with a point, and integers beyond 64 bits, as doubles (LONGTEXT in options.types keeps all digits)";
  const note = joinNotes(...notes, maria ? undefined : `${doubles}, and sorts the keys of objects${doubled}`);
  return plain("JSON", pointerBytes, kind.text, {
    ...select,
    ...(maria ? {} : { json: true as const }),
    unkeyed: "never",
    ...(note === "" ? {} : { note }),
  });
}

function numeric(modifier: number, { observed, joined, keyed }: ColumnContext): TargetType {
  const declared = modifier < 4 ? undefined : numericDigits(modifier);
  if (declared !== undefined && declared.before + declared.after <= 65 && declared.after <= 30) {
    return decimal(joined ?? `DECIMAL(${declared.before + declared.after},${declared.after})`);
  }
  const { digits } = observed;
  if (digits === undefined && !observed.long) return decimal("DECIMAL(65,30)", 35, 30);
  if (digits !== undefined && digits.before + digits.after <= 65 && digits.after <= 30) {
    return decimal(`DECIMAL(65,${digits.after})`, 65 - digits.after, digits.after);
  }
  const as = "as text: it holds numbers with more digits than DECIMAL's 65";
  return keyed === undefined
    ? plain("LONGTEXT", pointerBytes, kind.raw, { unkeyed: "text", note: as })
    : plain(`VARCHAR(${keyed}) CHARACTER SET ascii COLLATE ascii_bin`, keyed + 2, kind.limited, {
        limit: keyed,
        note: as,
      });
}

/** NaN is looked for even where all digits fit. */
const decimal = (sql: string, limit = 65, scale = 30): TargetType => plain(sql, 30, kind.numeric, { limit, scale });

/** numeric(3,5) holds 0.00999 and numeric(5,-2) 9999900. */
export function numericDigits(modifier: number): { before: number; after: number } {
  const precision = ((modifier - 4) >> 16) & 0xffff;
  const scale = (((modifier - 4) & 0x7ff) ^ 1024) - 1024;
  return { before: Math.max(0, precision - scale), after: Math.max(0, scale) };
}

const mostLabels = 65_535;
const labelCharacters = 255;

function enumeration(column: ColumnDefinition, around: ColumnContext): TargetType {
  const labels = column.labels ?? [];
  const listed = labels.map((label) => literal(label)).join(",");
  // MySQL cuts the spaces at a label's end, and what is then doubled; beyond the basic plane a label is shown, and in
  // MariaDB 10 found, as a question mark.
  const odd = labels.find((label) => / $|[\u{10000}-\u{10ffff}]/u.test(label) || label.length > labelCharacters);
  if (odd === undefined && labels.length > 0 && labels.length <= mostLabels) {
    return plain(`ENUM(${listed})`, 2, kind.text);
  }
  const longest = Math.max(1, ...labels.map((label) => [...label].length));
  return {
    ...text(
      { ...around, observed: nothingObserved },
      longest,
      "as text with a check: a label that MySQL's ENUM cannot hold",
    ),
    ...(labels.length > 0 ? { check: (name: string) => `${name} IN (${listed})` } : {}),
  };
}

/** `select` of a column, quoted for the source. */
export const selectColumn = (column: ColumnDefinition, type: TargetType): string => {
  const name = sourceIdentifier(column.name);
  return type.select === undefined ? name : type.select(name);
};
