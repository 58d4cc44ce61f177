import type { SourceIndex, SourceIndexPart } from "../../../mysql/catalogue/catalogue.ts";
import { identifier, literal, qualified } from "../../../postgres/driver/names.ts";
import { kind } from "../../../rows/mysql-to-copy/fields.ts";
import type { ColumnPlan, IndexVariant, Scheme } from "../columns/column-plan.ts";
import { collationIdentity, foldedKey, foldingMessage, foldingOf, sharedCollation } from "../columns/folding.ts";
import { longestKey } from "./key-length.ts";
import { nameFor } from "./scheme.ts";

/** Indexes beside or in place of the plain one, so that a unique key stays as strict as it is in the source. */

export interface VariantKey {
  column: ColumnPlan;
  part: SourceIndexPart;
  /** The plain index's own key. */
  sql: string;
}

const isText = ({ type, sql }: ColumnPlan): boolean => type.field.kind === kind.text && /^(varchar|text)/.test(sql);

/** Whether the source takes for equal what has other bytes. */
const isFolded = ({ source, type }: ColumnPlan): boolean =>
  type.field.kind === kind.text &&
  source.collation !== null &&
  !/_0900_bin$|_nopad_bin$|^binary$/.test(source.collation);

const tellsApart = "tells apart what the source's collation takes for equal, as upper and lower case";

/** `length`: bytes that a key may have. */
export function variantsOf(
  scheme: Scheme,
  table: { source: string; name: string; partitioned: boolean },
  index: SourceIndex,
  keys: readonly VariantKey[],
  name: string,
  length: number,
): { folded?: IndexVariant; hashed?: IndexVariant; remark?: string } {
  const hashed = length > longestKey ? hashedIndex(scheme, table, index, keys, name) : undefined;
  return { ...foldedIndex(scheme, table, index, keys, name), ...(hashed === undefined ? {} : { hashed }) };
}

/**
 * A second unique index over what the source's collation takes for equal. PostgreSQL's own comparison stays in the first,
 * which queries and foreign keys use.
 */
function foldedIndex(
  scheme: Scheme,
  table: { source: string; name: string; partitioned: boolean },
  index: SourceIndex,
  keys: readonly VariantKey[],
  name: string,
): { folded?: IndexVariant; remark?: string } {
  const folded = keys.filter(({ column }) => isFolded(column));
  if (!index.unique || folded.length === 0) return {};
  const list = (some: readonly VariantKey[]) =>
    some.map(({ column: { source } }) => `${source.name} (${source.collation})`).join(", ");
  const known = folded.map(({ column }) => ({ column, folding: foldingOf(column.source.collation ?? "") }));
  const needsIcu = known.some(({ folding }) => folding?.collation !== undefined);
  if (
    table.partitioned ||
    known.some(({ folding }) => folding === undefined) ||
    (needsIcu && !scheme.icu) ||
    !folded.every(({ column }) => isText(column))
  )
    return { remark: `${tellsApart}: ${list(folded)}` };
  const created = keys.map(({ column, sql }) => {
    const folding = isFolded(column) ? foldingOf(column.source.collation ?? "") : undefined;
    if (folding === undefined) return sql;
    const { collation } = folding;
    if (collation === undefined) return foldedKey(folding, sql, scheme.schema, "");
    const own = nameFor(scheme, collationIdentity(collation.locale), collation.name);
    scheme.shared.set(own, sharedCollation(scheme.schema, own, collation.locale));
    return foldedKey(folding, sql, scheme.schema, own);
  });
  const variant = nameFor(scheme, `index ${table.source}\0${index.name}\0folded`, `${name}_folded`);
  const words = known.flatMap(({ column: { source }, folding }) =>
    folding === undefined ? [] : [foldingMessage(source.name, source.collation ?? "", folding)],
  );
  return {
    folded: {
      name: variant,
      create: `CREATE UNIQUE INDEX ${identifier(variant)} ON ${qualified(scheme.schema, table.name)} (${created.join(", ")})`,
      words: `with another unique index, ${variant}, over what the source's collation takes for equal: ${words.join("; ")}`,
      lost: `${tellsApart}: ${list(folded)}`,
    },
  };
}

/** Where keys are too long for a B-tree: a unique one over their hashes, or a hash index for one column. */
function hashedIndex(
  scheme: Scheme,
  table: { name: string; partitioned: boolean },
  index: SourceIndex,
  keys: readonly VariantKey[],
  name: string,
): IndexVariant | undefined {
  if (table.partitioned || keys.length === 0) return undefined;
  const on = qualified(scheme.schema, table.name);
  if (!index.unique) {
    const [only] = keys;
    if (only === undefined || keys.length > 1 || only.part.descending) return undefined;
    return {
      name,
      create: `CREATE INDEX ${identifier(name)} ON ${on} USING hash (${only.sql})`,
      words: "a hash index, which finds equal values only, since its keys are too long for a B-tree",
      lost: "",
    };
  }
  const created = keys.map(({ column, sql }) => {
    // The cast reads \\ as one backslash, and it is immutable where convert_to() is not.
    if (isText(column)) return `sha256(replace((${sql})::text, ${literal("\\")}, ${literal("\\\\")})::bytea)`;
    return column.type.field.kind === kind.bytea ? `sha256(${sql})` : sql;
  });
  return {
    name,
    create: `CREATE UNIQUE INDEX ${identifier(name)} ON ${on} (${created.map((sql) => (sql.startsWith("sha256") ? `(${sql})` : sql)).join(", ")})`,
    words: `a unique index over SHA-256 of its columns, since its keys are too long for a B-tree; ${index.name === "PRIMARY" ? "no primary key, and " : ""}queries use it by the same expression only`,
    lost: "",
  };
}
