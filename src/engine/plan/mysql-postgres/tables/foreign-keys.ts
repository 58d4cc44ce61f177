import type { KnownEntry } from "../../../contract/known.ts";
import type { SourceForeignKey, SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { identifier, qualified } from "../../../postgres/driver/names.ts";
import { joinedSets } from "../../joined-sets.ts";
import type { Names } from "../../unique-names.ts";
import { constraintsOfColumns } from "../columns/checks.ts";
import { type ColumnPlan, columnKey, type Scheme } from "../columns/column-plan.ts";
import { collationIdentity, foldedKey, foldingOf } from "../columns/folding.ts";
import { keyNames } from "./indexes.ts";
import { createNames } from "./names.ts";
import type { TablePlan } from "./table-plan.ts";

/** Foreign keys: added NOT VALID when all tables stand, then validated. */
export interface ForeignKeyPlan {
  table: TablePlan;
  source: SourceForeignKey;
  name: string;
  add: string;
  validate: string;
  /** Counts rows without their parent, and of those the ones that the source's collations give one (`alike`). */
  orphans: string;
  /** Those collations; none where the key has no text, or PostgreSQL has no equal of one. */
  collations: string[];
}

export function planForeignKeys(
  scheme: Scheme,
  plans: ReadonlyMap<string, TablePlan>,
): { keys: ForeignKeyPlan[]; inventory: KnownEntry[] } {
  const keys: ForeignKeyPlan[] = [];
  const inventory: KnownEntry[] = [];
  for (const table of plans.values()) {
    const checks = table.checks.map(({ target }) => target);
    const own = constraintsOfColumns(table.name, table.columns);
    const names = createNames([...keyNames(table.indexes), ...checks, ...own]);
    for (const source of table.source.foreignKeys) {
      const planned = planOne(scheme, plans, table, source, names);
      if (typeof planned === "string")
        inventory.push({
          kind: "foreign key",
          name: `${table.source.name}.${source.name}`,
          outcome: "reported",
          note: planned,
          lostKey: true,
        });
      else {
        keys.push(planned);
        if (source.onUpdate === "" || source.onDelete === "")
          inventory.push({
            kind: "foreign key rules",
            name: `${table.source.name}.${source.name}`,
            outcome: "reported",
            note: "the source does not tell its ON UPDATE and ON DELETE to this user, so it has NO ACTION",
          });
      }
    }
  }
  return { keys, inventory };
}

function planOne(
  scheme: Scheme,
  plans: ReadonlyMap<string, TablePlan>,
  table: TablePlan,
  source: SourceForeignKey,
  names: Names,
): ForeignKeyPlan | string {
  const parent = source.referencedSchema === scheme.database ? plans.get(source.referencedTable) : undefined;
  if (parent === undefined)
    return `it references ${source.referencedSchema}.${source.referencedTable}, which is not part of this copy`;
  const columns = targetColumns(table, source.columns);
  const referenced = targetColumns(parent, source.referencedColumns);
  if (columns === undefined || referenced === undefined) return "a column of it is not in the catalogue";
  const wanted = [...referenced].sort().join("\0");
  const isKey = ({ constraint, source: index }: TablePlan["indexes"][number]) =>
    constraint !== undefined &&
    (
      targetColumns(
        parent,
        index.parts.map(({ column }) => column ?? ""),
      ) ?? []
    )
      .sort()
      .join("\0") === wanted;
  if (!parent.indexes.some(isKey)) return `the columns that it references in ${source.referencedTable} are not unique`;
  const name = names.take(source.name, `foreign key ${table.source.name}\0${source.name}`);
  const child = qualified(scheme.schema, table.name);
  const parentName = qualified(scheme.schema, parent.name);
  const list = (of: readonly string[]) => of.map(identifier).join(", ");
  const quoted = identifier(name);
  const rules = [
    ["UPDATE", source.onUpdate],
    ["DELETE", source.onDelete],
  ].map(([event, rule]) => (allowedRules.has(rule ?? "") ? ` ON ${event} ${rule}` : ""));
  const match = columns
    .map((column, index) => `p.${identifier(referenced[index] ?? "")} = c.${identifier(column)}`)
    .join(" AND ");
  const alike = alikeIn(scheme, table, parent, columns, referenced);
  const filled = columns.map((column) => `c.${identifier(column)} IS NOT NULL`).join(" AND ");
  return {
    table,
    source,
    name,
    add: `ALTER TABLE ${child} ADD CONSTRAINT ${quoted} FOREIGN KEY (${list(columns)}) REFERENCES ${parentName} (${list(referenced)})${rules.join("")} NOT VALID`,
    validate: `ALTER TABLE ${child} VALIDATE CONSTRAINT ${quoted}`,
    orphans: `SELECT count(*) AS count, ${
      alike === undefined ? "0" : `count(*) FILTER (WHERE EXISTS (SELECT FROM ${parentName} p WHERE ${alike.match}))`
    } AS alike FROM ${child} c WHERE ${filled} AND NOT EXISTS (SELECT FROM ${parentName} p WHERE ${match})`,
    collations: alike?.collations ?? [],
  };
}

/** How the source compares the two, by the collations that stand in the target for the parent's unique key. */
function alikeIn(
  scheme: Scheme,
  child: TablePlan,
  parent: TablePlan,
  columns: readonly string[],
  referenced: readonly string[],
): { match: string; collations: string[] } | undefined {
  const collations = new Set<string>();
  const matches = columns.map((name, index) => {
    const one = child.columns.find((column) => column.name === name);
    const other = parent.columns.find((column) => column.name === referenced[index]);
    const sides = [`p.${identifier(referenced[index] ?? "")}`, `c.${identifier(name)}`];
    const of = one?.source.collation ?? "";
    const folding = isText(one) && isText(other) ? foldingOf(of) : undefined;
    if (folding === undefined) return sides.join(" = ");
    const { collation } = folding;
    const own = collation === undefined ? "" : scheme.given.get(collationIdentity(collation.locale));
    if (own === undefined || (own !== "" && !scheme.shared.has(own))) return sides.join(" = ");
    collations.add(of);
    return sides.map((side) => foldedKey(folding, side, scheme.schema, own)).join(" = ");
  });
  return collations.size === 0 ? undefined : { match: matches.join(" AND "), collations: [...collations] };
}

const isText = (column: ColumnPlan | undefined): boolean => column !== undefined && /^(varchar|text)/.test(column.sql);

/** NO ACTION is PostgreSQL's default and MySQL's RESTRICT in all but name. */
const allowedRules = new Set(["CASCADE", "SET NULL", "RESTRICT", "SET DEFAULT"]);

function targetColumns(table: TablePlan, columns: readonly string[]): string[] | undefined {
  const found = columns.map(
    (name) => table.columns.find(({ source }) => source.name.toLowerCase() === name.toLowerCase())?.name,
  );
  return found.every((name) => name !== undefined) ? found : undefined;
}

/** Columns that foreign keys join, directly or through others: key → the set of its keys (shared). */
export const joinedColumns = (tables: readonly SourceTable[]): Map<string, Set<string>> =>
  joinedSets(
    tables.flatMap(({ name, foreignKeys }) =>
      foreignKeys.flatMap(({ columns, referencedTable, referencedColumns }) =>
        columns.map(
          (column, at) => [columnKey(name, column), columnKey(referencedTable, referencedColumns[at] ?? "")] as const,
        ),
      ),
    ),
  );
