import { type KnownEntry, renamed } from "../../../contract/known.ts";
import { identifier, qualified } from "../../../mysql/driver/names.ts";
import { type SourceForeignKey, type TableDefinition, tableName } from "../../../postgres/catalogue/catalogue.ts";
import { joinedSets } from "../../joined-sets.ts";
import { constraintName, type Scheme } from "../columns/scheme.ts";
import { refersToPeriods } from "./indexes.ts";
import type { Plans, TablePlan } from "./table-plan.ts";

/** Foreign keys: added when all rows and indexes stand, unproven by the server, after the orphans were counted here. Pure. */
export interface ForeignKeyPlan {
  table: KeyTable;
  parent: KeyTable;
  source: SourceForeignKey;
  name: string;
  add: string;
  orphans: string;
  onUpdate: string;
  onDelete: string;
  remarks: string[];
  /** Of the remarks, what the target's key does not do. */
  lost: string[];
}

/** What a key keeps of its tables' plans. */
type KeyTable = Pick<TablePlan, "source" | "name" | "load" | "indexes">;

const keyTable = ({ source, name, load, indexes }: TablePlan): KeyTable => ({ source, name, load, indexes });

/** What the copy says of a key that is made and that no row breaks: one that the target has only in part is reported. */
export const keyOutcome = ({ lost, source }: ForeignKeyPlan): "converted" | "reported" =>
  lost.length > 0 || source.deferrable ? "reported" : "converted";

const rules: Record<string, string> = { a: "NO ACTION", r: "RESTRICT", c: "CASCADE", n: "SET NULL" };

export function planForeignKeys(scheme: Scheme, plans: Plans): { keys: ForeignKeyPlan[]; inventory: KnownEntry[] } {
  const keys: ForeignKeyPlan[] = [];
  const inventory: KnownEntry[] = [];
  for (const table of plans.values()) {
    for (const source of table.source.foreignKeys) {
      const planned = planOne(scheme, plans, table, source);
      if (typeof planned !== "string") keys.push(planned);
      else
        inventory.push({
          kind: "constraint",
          name: foreignKeyName(table.source, source),
          outcome: "reported",
          note: planned,
          lostKey: true,
          definition: source.definition,
        });
    }
  }
  return { keys, inventory };
}

export const foreignKeyName = (table: TableDefinition, { name }: SourceForeignKey): string =>
  `${tableName(table)} ${name}`;

function planOne(scheme: Scheme, plans: Plans, table: TablePlan, source: SourceForeignKey): ForeignKeyPlan | string {
  const parent = plans.get(source.referencedOid);
  if (parent === undefined)
    return `it references ${source.referencedSchema}.${source.referencedTable}, which is not part of this copy`;
  if (refersToPeriods(source.definition)) return "MySQL has no foreign keys over periods";
  if (!source.enforced) return "it is not enforced in the source, and MySQL has no such foreign keys";
  const columns = source.columns.map((name) => table.columns.find((column) => column.source.name === name));
  const referenced = source.referencedColumns.map((name) =>
    parent.columns.find((column) => column.source.name === name),
  );
  if (![...columns, ...referenced].every((column) => column !== undefined))
    return "a column of it is not in the catalogue";
  const pairs = columns.map((column, at) => [column, referenced[at]] as const);
  const unlike = pairs.find(([one, other]) => comparable(one?.sql ?? "") !== comparable(other?.sql ?? ""));
  if (unlike !== undefined) return `${unlike[0]?.sql} cannot refer to ${unlike[1]?.sql} in MySQL`;
  const long = [...columns, ...referenced].find((column) => column?.type.unkeyed !== undefined);
  if (long !== undefined) return `MySQL has no foreign keys over ${long.sql}`;
  const wanted = [...source.referencedColumns].sort().join("\0");
  if (
    !parent.indexes.some(
      (index) => index.whole && index.source.unique && [...index.columns].sort().join("\0") === wanted,
    )
  )
    return `the key that it refers to in ${tableName(parent.source)} is not copied completely`;

  const lost: string[] = [];
  const nullable = columns.every((column) => column?.nullable);
  const rule = (event: string, code: string): string => {
    if (code === "d") {
      lost.push(`ON ${event} SET DEFAULT is not MySQL's: NO ACTION`);
      return "NO ACTION";
    }
    if (code === "n" && (!nullable || source.setColumns.length > 0)) {
      lost.push(
        `ON ${event} SET NULL of ${source.setColumns.length > 0 ? "some columns" : "a NOT NULL column"} is not MySQL's: NO ACTION`,
      );
      return "NO ACTION";
    }
    return rules[code] ?? "NO ACTION";
  };
  const onUpdate = rule("UPDATE", source.onUpdate);
  const onDelete = rule("DELETE", source.onDelete);
  const remarks = [...lost, ...(source.deferrable ? ["not deferrable: checked at once"] : [])];
  if (source.match === "f") {
    const words = "MATCH FULL is not MySQL's: a partly empty key is not refused";
    lost.push(words);
    remarks.push(words);
  }
  const name = constraintName(scheme, `foreign key ${foreignKeyName(table.source, source)}`, source.name);
  if (name !== source.name) remarks.push(renamed(name));
  const child = qualified(scheme.database, table.name);
  const parentName = qualified(scheme.database, parent.name);
  const names = (of: typeof columns) => of.map((column) => column?.name ?? "");
  const list = (of: typeof columns) => names(of).map(identifier).join(", ");
  const match = names(columns).map(
    (column, at) => `p.${identifier(names(referenced)[at] ?? "")} = c.${identifier(column)}`,
  );
  const filled = names(columns).map((column) => `c.${identifier(column)} IS NOT NULL`);
  return {
    table: keyTable(table),
    parent: keyTable(parent),
    source,
    name,
    add: `ALTER TABLE ${child} ADD CONSTRAINT ${identifier(name)} FOREIGN KEY (${list(columns)}) REFERENCES ${parentName} (${list(referenced)}) ON DELETE ${onDelete} ON UPDATE ${onUpdate}`,
    orphans: `SELECT COUNT(*) FROM ${child} c WHERE ${filled.join(" AND ")} AND NOT EXISTS (SELECT 1 FROM ${parentName} p WHERE ${match.join(" AND ")})`,
    onUpdate,
    onDelete,
    remarks,
    lost,
  };
}

/** Texts of any length refer to each other. */
const comparable = (sql: string): string => sql.replace(/^(?:VAR)?CHAR\(\d+\)/, "TEXT");

const widths = ["SMALLINT", "INT", "BIGINT"];
const integerOf: Record<string, string> = { int2: "SMALLINT", int4: "INT", int8: "BIGINT" };

/** The widest integer of the columns that foreign keys join, directly or through others: `oid\0column` → type. */
export function joinedTypes(tables: readonly TableDefinition[]): Map<string, string> {
  const byOid = new Map(tables.map((table) => [table.oid, table]));
  const sets = joinedSets(
    tables.flatMap(({ oid, foreignKeys }) =>
      foreignKeys.flatMap(({ columns, referencedOid, referencedColumns }) =>
        columns.map(
          (column, at) => [joinKey(oid, column), joinKey(referencedOid, referencedColumns[at] ?? "")] as const,
        ),
      ),
    ),
  );
  const found = new Map<string, string>();
  for (const [key, set] of sets) {
    const types = [...set].map((member) => {
      const [oid = "", name] = member.split("\0");
      const column = byOid.get(Number(oid))?.columns.find((one) => one.name === name);
      return column?.builtin && !column.array ? integerOf[column.type] : undefined;
    });
    if (types.some((type) => type === undefined)) continue;
    const widest = widths[Math.max(...types.map((type) => widths.indexOf(type ?? "")))];
    if (widest !== undefined) found.set(key, widest);
  }
  return found;
}

export const joinKey = (oid: number, column: string): string => `${oid}\0${column}`;
