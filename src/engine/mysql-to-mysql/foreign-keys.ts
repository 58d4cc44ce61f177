import type { InventoryEntry } from "../contract.ts";
import type { SourceForeignKey } from "../mysql/catalogue.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import { identifier, qualified } from "../mysql/names.ts";
import type { Session } from "../mysql/session.ts";
import { columnList, isRefusal, saidBy } from "./making.ts";
import type { TablePlan } from "./plan.ts";

/**
 * Foreign keys, once the rows of all tables are there. They are added without a check, since the source may hold rows
 * that refer to nothing, and a copy has to be as it is; these rows are looked for, and named.
 */
export interface Keys {
  /** Of the source and of the target. */
  database: string;
  targetDatabase: string;
  prefix: string;
  /** Tables that are copied. */
  copied: ReadonlySet<string>;
}

/** The constraint's SQL for the target. */
export function foreignKeySql(
  key: SourceForeignKey,
  { foreignKeys }: Pick<TablePlan, "foreignKeys">,
  { database, targetDatabase, prefix }: Keys,
): string {
  const own = key.referencedSchema === database;
  const parent = own
    ? qualified(targetDatabase, prefix + key.referencedTable)
    : qualified(key.referencedSchema, key.referencedTable);
  // As the source writes them: its catalogue tells RESTRICT and NO ACTION from each other otherwise.
  const item = foreignKeys.find(({ name }) => name === key.name);
  const rules = / ON (?:DELETE|UPDATE) [A-Z ]+$/.exec(item?.text.slice(item.text.lastIndexOf(")")) ?? "")?.[0] ?? "";
  return (
    `CONSTRAINT ${identifier(key.name)} FOREIGN KEY ${columnList(key.columns)} REFERENCES ${parent} ` +
    `${columnList(key.referencedColumns)}${rules}`
  );
}

/** Definitional refusals of foreign keys: no index on the parent, types that do not fit, a parent that is not there. */
const noParent = new Set([1005, 1215, 1822, 1824, 1825, 1828, 1830, 3780, 6125, 1506, 3732]);

export async function addForeignKeys(
  session: Session,
  fence: MysqlFence,
  plan: TablePlan,
  keys: Keys,
): Promise<InventoryEntry[]> {
  const table = plan.source.name;
  const entries: InventoryEntry[] = [];
  const report = (key: SourceForeignKey, outcome: "reported" | "not_applicable", note: string) =>
    entries.push({
      kind: "foreign key",
      name: `${table}.${key.name}`,
      outcome,
      note,
      definition: foreignKeySql(key, plan, { ...keys, targetDatabase: keys.database, prefix: "" }),
    });
  for (const key of plan.source.foreignKeys) {
    if (key.referencedSchema === keys.database && !keys.copied.has(key.referencedTable)) {
      report(key, "not_applicable", `table ${key.referencedTable}, to which it refers, is left out by the options`);
      continue;
    }
    await fence.guard(session);
    try {
      await session.run(
        `ALTER TABLE ${qualified(keys.targetDatabase, plan.name)} ADD ${foreignKeySql(key, plan, keys)}`,
      );
      entries.push({ kind: "foreign key", name: `${table}.${key.name}`, outcome: "copied" });
    } catch (error) {
      const { cause } = error instanceof Error ? error : { cause: undefined };
      const number = cause instanceof Error && "number" in cause ? Number(cause.number) : 0;
      if (!isRefusal(error) && !noParent.has(number)) throw error;
      report(key, "reported", `the target's server did not take it: ${saidBy(error)}`);
    }
  }
  return entries;
}

/** Rows that are named, at most. */
const named = 20;

/** Words for each foreign key of the table with rows that refer to nothing. */
export async function findOrphans(session: Session, plan: TablePlan, keys: Keys): Promise<string[]> {
  const words: string[] = [];
  const primary = plan.source.indexes
    .find(({ name }) => name === "PRIMARY")
    ?.parts.flatMap(({ column }) => column ?? []);
  for (const key of plan.source.foreignKeys) {
    if (key.referencedSchema === keys.database && !keys.copied.has(key.referencedTable)) continue;
    const own = key.referencedSchema === keys.database;
    const parent = own
      ? qualified(keys.targetDatabase, keys.prefix + key.referencedTable)
      : qualified(key.referencedSchema, key.referencedTable);
    const on = key.columns.map(
      (name, at) => `c.${identifier(name)} = p.${identifier(key.referencedColumns[at] ?? "")}`,
    );
    const set = key.columns.map((name) => `c.${identifier(name)} IS NOT NULL`);
    const [first = ""] = key.referencedColumns;
    const shown = primary === undefined ? key.columns : primary;
    const rows = await session.query(
      `SELECT ${shown.map((name) => `c.${identifier(name)}`).join(", ")} FROM ${qualified(keys.targetDatabase, plan.name)} c
         LEFT JOIN ${parent} p ON ${on.join(" AND ")} WHERE ${set.join(" AND ")} AND p.${identifier(first)} IS NULL LIMIT ${named + 1}`,
    );
    if (rows.length === 0) continue;
    const list = rows.slice(0, named).map((row) => shown.map((name, at) => `${name}=${row[at] ?? "NULL"}`).join(","));
    words.push(
      `foreign key ${plan.source.name}.${key.name}: ${rows.length > named ? `more than ${named}` : rows.length} rows refer to rows of ${key.referencedTable} that are not there, as in the source: ${list.join("; ")}${rows.length > named ? "; …" : ""}`,
    );
  }
  return words;
}
