import type { SourceIndex, SourceIndexPart, SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { identifier as sourceIdentifier } from "../../../mysql/driver/names.ts";
import { identifier, literal, qualified } from "../../../postgres/driver/names.ts";
import { kind } from "../../../rows/mysql-to-copy/fields.ts";
import type { ColumnPlan, IndexPlan, Scheme } from "../columns/column-plan.ts";
import { readable, type Translator } from "../columns/expressions.ts";
import { type VariantKey, variantsOf } from "./index-variants.ts";
import { keyLength, longestKey } from "./key-length.ts";
import { keptApart } from "./periods.ts";
import { nameFor } from "./scheme.ts";

/** The table in the target that an index is for. */
interface Indexed {
  name: string;
  columns: readonly ColumnPlan[];
  partitioned: boolean;
  translate: Translator;
}

/** An index of MySQL as one of PostgreSQL, or why it is not one. */
export function planIndex(
  scheme: Scheme,
  source: SourceTable,
  table: Indexed,
  index: SourceIndex,
): IndexPlan | { reported: string; definition: string } {
  const name = nameFor(
    scheme,
    `index ${source.name}\0${index.name}`,
    index.name === "PRIMARY"
      ? `${table.name}_pkey`
      : scheme.names.isFree(index.name)
        ? index.name
        : `${table.name}_${index.name}`,
  );
  const planned =
    index.type === "VECTOR"
      ? { reported: "PostgreSQL has no index on vectors without pgvector, and a vector becomes its bytes" }
      : index.type === "FULLTEXT"
        ? planFulltext(scheme, table, index, name)
        : index.type === "SPATIAL" || index.type === "RTREE"
          ? planSpatial(scheme, table, index, name)
          : planTree(scheme, source, table, index, name);
  if ("reported" in planned) return { definition: shownIndex(index), ...planned };
  return {
    source: index,
    name,
    ...planned,
    ...(index.comment === ""
      ? {}
      : { comment: `COMMENT ON INDEX ${qualified(scheme.schema, name)} IS ${literal(index.comment)}` }),
  };
}

/** As the source's SHOW CREATE TABLE has it, without its options. */
function shownIndex({ name, type, unique, parts }: SourceIndex): string {
  const keys = parts.map(({ column, expression, prefix, descending }) => {
    const key = column === null ? `(${expression})` : sourceIdentifier(column);
    return `${key}${prefix === null || isWhole(type) ? "" : `(${prefix})`}${descending ? " DESC" : ""}`;
  });
  const kind = isWhole(type) ? `${type === "RTREE" ? "SPATIAL" : type} ` : unique ? "UNIQUE " : "";
  return `${name === "PRIMARY" ? "PRIMARY KEY" : `${kind}KEY ${sourceIdentifier(name)}`} (${keys.join(", ")})`;
}

/** The catalogue gives a spatial index's key a length that nobody may write. */
const isWhole = (type: string): boolean => ["FULLTEXT", "SPATIAL", "RTREE", "VECTOR"].includes(type);

type Planned = Omit<IndexPlan, "source" | "name" | "comment"> | { reported: string; definition?: string };

/** Words as they are written, whatever the language: the nearest to what MySQL's parser makes of a text. */
function planFulltext(
  { schema }: Scheme,
  { name: table, columns }: Indexed,
  index: SourceIndex,
  name: string,
): Planned {
  const texts = index.parts.map((part) => columns.find(({ source }) => source.name === part.column));
  if (!texts.every((column) => column?.type.field.kind === kind.text))
    return { reported: "a full-text index over a column that is no text" };
  const words = texts.map((column) => `coalesce(${identifier(column?.name ?? "")}::text, '')`).join(" || ' ' || ");
  return {
    create: `CREATE INDEX ${identifier(name)} ON ${qualified(schema, table)} USING gin (to_tsvector('simple'::regconfig, ${words}))`,
    remark: `a GIN index on to_tsvector('simple', …): search by @@ to_tsquery instead of MATCH`,
  };
}

/** By bounding boxes in the plane, as PostGIS's operators && and <-> and its ST_ functions use them. */
function planSpatial({ schema }: Scheme, { name: table, columns }: Indexed, index: SourceIndex, name: string): Planned {
  const column = columns.find(({ source }) => source.name === index.parts[0]?.column);
  if (column?.type.field.kind !== kind.ewkb)
    return { reported: `a spatial index is not copied, since its column is ${column?.sql ?? "unknown"}` };
  return {
    create: `CREATE INDEX ${identifier(name)} ON ${qualified(schema, table)} USING gist (${identifier(column.name)})`,
    remark: "a GiST index",
  };
}

function planTree(
  scheme: Scheme,
  source: SourceTable,
  { name: table, columns, partitioned, translate }: Indexed,
  index: SourceIndex,
  name: string,
): Planned {
  const { schema } = scheme;
  const primary = index.name === "PRIMARY";
  const keys: string[] = [];
  const parts: VariantKey[] = [];
  let expressions = false;
  for (const part of index.parts) {
    const key =
      part.expression === null ? keyOf(columns, part) : expressionKey(scheme, part.expression, index.unique, translate);
    if ("reported" in key) return key;
    expressions ||= key.expression;
    if (key.column !== undefined) parts.push({ column: key.column, part, sql: key.sql });
    keys.push(part.descending ? `${key.sql} DESC` : key.sql);
  }
  const plain = !expressions && !index.parts.some(({ descending }) => descending);
  const quoted = qualified(schema, table);
  // The constraint takes the index in, so an index that is to be one must be plain: no expression, no direction.
  const asConstraint = (index.unique && plain) || (primary && !expressions);
  const length = keyLength(parts);
  // An expression's own text is not known to be folded or long.
  const whole = parts.length === index.parts.length;
  const of = { source: source.name, name: table, partitioned };
  const { remark, ...variants } = whole ? variantsOf(scheme, of, index, parts, name, length) : {};
  const apart = keptApart(scheme, of, index, columns, name);
  const remarks = [
    ...(primary && expressions ? ["a unique index, since a primary key on a prefix has no equal"] : []),
    ...(remark === undefined ? [] : [remark]),
  ];
  const created = (primary && !plain ? keys.map((key) => key.replace(/ DESC$/, "")) : keys).join(", ");
  // A partitioned table takes no index in: the constraint builds it.
  const how = partitioned ? `(${created})` : `USING INDEX ${identifier(name)}`;
  return {
    create:
      partitioned && asConstraint
        ? undefined
        : `CREATE ${index.unique ? "UNIQUE " : ""}INDEX ${identifier(name)} ON ${quoted} (${created})`,
    ...(asConstraint
      ? {
          constraint: `ALTER TABLE ${quoted} ADD CONSTRAINT ${identifier(name)} ${primary ? "PRIMARY KEY" : "UNIQUE"} ${how}`,
        }
      : {}),
    ...(length > longestKey ? { tooLong: length } : {}),
    ...variants,
    ...(apart === undefined ? {} : { apart }),
    ...(remarks.length === 0 ? {} : { remark: remarks.join("; ") }),
  };
}

type Key =
  | { sql: string; expression: boolean; column: ColumnPlan | undefined }
  | { reported: string; definition?: string };

function expressionKey(scheme: Scheme, expression: string, unique: boolean, translate: Translator): Key {
  const translated = translate(expression, unique ? "unique-index" : "index");
  return "sql" in translated
    ? { sql: `(${translated.sql})`, expression: true, column: undefined }
    : {
        reported: `its expression is not translated: ${translated.reason}`,
        definition: readable(scheme, expression),
      };
}

function keyOf(columns: readonly ColumnPlan[], part: SourceIndexPart): Key {
  const column = columns.find(({ source: { name } }) => name === part.column);
  if (column === undefined) return { reported: `its column ${part.column} is not in the catalogue` };
  if (column.sql === "json") return { reported: `PostgreSQL cannot index the json of column ${column.name}` };
  const name = identifier(column.name);
  const { prefix } = part;
  if (prefix === null || prefix >= (column.source.characters ?? Number.POSITIVE_INFINITY))
    return { sql: name, expression: false, column };
  switch (column.type.field.kind) {
    case kind.text:
      return { sql: `left(${name}, ${prefix})`, expression: true, column };
    case kind.bytea:
      return { sql: `substring(${name} from 1 for ${prefix})`, expression: true, column };
    default:
      return { reported: `an index on a prefix of column ${column.name} is not copied` };
  }
}

export const tooLongMessage = (bytes: number): string =>
  `its keys have up to ${bytes} bytes and PostgreSQL's B-tree takes ${longestKey}`;

/** Indexes that may turn out not to be possible, in words, before a row was copied. */
export const doubtfulIndexes = (
  plans: readonly { source: SourceTable; indexes: readonly IndexPlan[] }[],
): { object: string; reason: string }[] =>
  plans.flatMap(({ source: table, indexes }) =>
    indexes.flatMap(({ source: { name, unique }, tooLong }) => {
      if (tooLong === undefined) return [];
      const object = `${unique ? "unique " : ""}index ${table.name}.${name}`;
      const reason = `${object}: ${tooLongMessage(tooLong)}: it is built if the data fit, and reported if not`;
      return [{ object, reason }];
    }),
  );

/** Names of constraints of their table. */
export const keyNames = (indexes: readonly IndexPlan[]): string[] =>
  indexes.filter(({ constraint }) => constraint !== undefined).map(({ name }) => name);
