import type { SourceIndex, SourceIndexPart, SourceTable } from "../mysql/catalogue.ts";
import { identifier, literal, qualified } from "../postgres/names.ts";
import { kind } from "./fields.ts";
import { keyLength, longestKey } from "./key-length.ts";
import { type ColumnPlan, type IndexPlan, nameFor, type Scheme } from "./scheme.ts";

/** An index of MySQL as one of PostgreSQL, or why it is not one. */
export function planIndex(
  scheme: Scheme,
  source: SourceTable,
  table: string,
  columns: readonly ColumnPlan[],
  index: SourceIndex,
): IndexPlan | { reported: string } {
  if (index.type === "FULLTEXT") return { reported: "a full-text index is not carried over" };
  if (index.type === "SPATIAL" || index.type === "RTREE") return { reported: "a spatial index is not carried over" };
  const primary = index.name === "PRIMARY";
  const keys: string[] = [];
  const parts: Parameters<typeof keyLength>[0][number][] = [];
  let expressions = false;
  for (const part of index.parts) {
    const key = keyOf(columns, part);
    if ("reported" in key) return key;
    expressions ||= key.expression;
    parts.push({ column: key.column, part });
    keys.push(part.descending ? `${key.sql} DESC` : key.sql);
  }
  const plain = !expressions && !index.parts.some(({ descending }) => descending);
  const name = nameFor(
    scheme,
    `index ${source.name}\0${index.name}`,
    primary ? `${table}_pkey` : scheme.names.isFree(index.name) ? index.name : `${table}_${index.name}`,
  );
  const quoted = qualified(scheme.schema, table);
  // The constraint takes the index in, so an index that is to be one must be plain: no expression, no direction.
  const asConstraint = (index.unique && plain) || (primary && !expressions);
  const length = keyLength(parts);
  const folded = index.unique
    ? parts.flatMap(({ column }) => (isFolded(column) ? [`${column.source.name} (${column.source.collation})`] : []))
    : [];
  const remarks = [
    ...(primary && expressions ? ["a unique index, since a primary key on a prefix has no equal"] : []),
    ...(folded.length === 0 ? [] : [`${foldedWords}: ${folded.join(", ")}`]),
  ];
  const created = primary && !plain ? keys.map((key) => key.replace(/ DESC$/, "")) : keys;
  return {
    source: index,
    name,
    create: `CREATE ${index.unique ? "UNIQUE " : ""}INDEX ${identifier(name)} ON ${quoted} (${created.join(", ")})`,
    ...(asConstraint
      ? {
          constraint: `ALTER TABLE ${quoted} ADD CONSTRAINT ${identifier(name)} ${primary ? "PRIMARY KEY" : "UNIQUE"} USING INDEX ${identifier(name)}`,
        }
      : {}),
    ...(length > longestKey ? { tooLong: length } : {}),
    ...(remarks.length === 0 ? {} : { remark: remarks.join("; ") }),
    ...(index.comment === ""
      ? {}
      : { comment: `COMMENT ON INDEX ${qualified(scheme.schema, name)} IS ${literal(index.comment)}` }),
  };
}

type Key = { sql: string; expression: boolean; column: ColumnPlan } | { reported: string };

function keyOf(columns: readonly ColumnPlan[], part: SourceIndexPart): Key {
  const column = columns.find(({ source: { name } }) => name === part.column);
  if (part.expression !== null || column === undefined) {
    return { reported: `an index on an expression is not translated: ${part.expression ?? part.column}` };
  }
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
      return { reported: `an index on a prefix of column ${column.name} is not carried over` };
  }
}

const foldedWords = "tells apart what the source's collation takes for equal, as upper and lower case";

/** Text whose collation takes different strings for equal; PostgreSQL compares bytes. */
const isFolded = ({ source, type }: ColumnPlan): boolean =>
  type.field.kind === kind.text && source.collation !== null && !/(_bin|_cs)$|^binary$/.test(source.collation);

export const tooLongWords = (bytes: number): string =>
  `its keys may have up to ${bytes} bytes and PostgreSQL's B-tree takes ${longestKey}`;

/** Indexes that may turn out not to be possible, in words, before a row was copied. */
export const doubtfulIndexes = (plans: readonly { source: SourceTable; indexes: readonly IndexPlan[] }[]): string[] =>
  plans.flatMap(({ source: table, indexes }) =>
    indexes.flatMap(({ source: { name, unique }, tooLong }) =>
      tooLong === undefined
        ? []
        : [
            `${unique ? "unique " : ""}index ${table.name}.${name}: ${tooLongWords(tooLong)}: it is built if the data fit, and reported if not`,
          ],
    ),
  );
