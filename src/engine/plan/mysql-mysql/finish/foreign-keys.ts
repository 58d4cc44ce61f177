import type { EngineError } from "../../../contract/index.ts";
import type { KnownEntry } from "../../../contract/known.ts";
import type { SourceForeignKey } from "../../../mysql/catalogue/catalogue.ts";
import { hasBacktick } from "../../../mysql/catalogue/shown-keys.ts";
import { listedColumns } from "../../../mysql/definitions/dialect.ts";
import { identifier, qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { errorNumber } from "../../../mysql/driver/write-session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { type Finish, persistently } from "../../../mysql/target/create.ts";
import { isRefusedObject, schemaRefused } from "../../../mysql/target/refusal.ts";
import type { DoneTable } from "../copy/copy-tables.ts";
import { columnList, isRefusedStatement, serverMessage } from "../copy/create-tables.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/**
 * Foreign keys, once the rows of all tables are there. They are added without a check, since the source may hold rows
 * that refer to nothing, and a copy has to be as it is; these rows are looked for, and named.
 */
export interface Keys {
  /** Of the source and of the target. */
  database: string;
  targetDatabase: string;
  prefix: string;
  copied: ReadonlySet<string>;
  /** `on_object_error: fail` */
  strict: boolean;
}

/** The table that it refers to in the target. */
const parentOf = (
  { referencedSchema, referencedTable }: SourceForeignKey,
  { database, targetDatabase, prefix }: Keys,
): readonly [database: string, table: string] =>
  referencedSchema === database ? [targetDatabase, prefix + referencedTable] : [referencedSchema, referencedTable];

/** The constraint's SQL for the target. */
const foreignKeySql = (key: SourceForeignKey, plan: Pick<TablePlan, "foreignKeys">, keys: Keys): string =>
  foreignKeyTo(key, plan, qualified(...parentOf(key, keys)));

/** The constraint's SQL. `parent`: of the table that it refers to. */
export function foreignKeyTo(
  key: SourceForeignKey,
  { foreignKeys }: Pick<TablePlan, "foreignKeys">,
  parent: string,
): string {
  // As the source writes them: its catalogue tells RESTRICT and NO ACTION from each other otherwise.
  const item = foreignKeys.find(({ name }) => name === key.name);
  const rules =
    /(?: ON (?:DELETE|UPDATE) (?:RESTRICT|CASCADE|NO ACTION|SET NULL|SET DEFAULT)){1,2}$/.exec(
      item?.text.slice(item.text.lastIndexOf(")")) ?? "",
    )?.[0] ?? "";
  return (
    `CONSTRAINT ${identifier(key.name)} FOREIGN KEY ${columnList(key.columns)} REFERENCES ${parent} ` +
    `${columnList(key.referencedColumns)}${rules}`
  );
}

/** Definitional refusals of foreign keys: no index on the parent, types that do not fit, a parent that is not there. */
const noParent = new Set([1005, 1215, 1822, 1824, 1825, 1828, 1830, 3780, 6125, 1506, 3732]);

/** What becomes of a table's foreign keys. */
interface KeysWork {
  /** They come with the table's last change, all at once. */
  last: Pick<Finish, "keys" | "parents" | "refused">;
  /** Adds those first that would bring an index of their own. */
  begin(): Promise<void>;
  /** When the last change is done. */
  entries: KnownEntry[];
}

/** The note of a key whose table is skipped, or was dropped from the source with foreign_key_checks off. */
export const withoutParent = ({ referencedTable }: SourceForeignKey): string =>
  `table ${referencedTable}, to which it refers, is skipped by the options or not in the source`;

/** Of a table that has none. */
export const noKeys: KeysWork = { last: {}, begin: async () => undefined, entries: [] };

export function foreignKeysOf(
  session: Session,
  fence: MysqlFence,
  { plan, entries: indexes }: Pick<DoneTable, "plan" | "entries">,
  keys: Keys,
): KeysWork {
  const table = plan.source.name;
  const entries: KnownEntry[] = [];
  const report = (key: SourceForeignKey, outcome: "reported" | "not_applicable", note: string) =>
    entries.push({
      kind: "foreign key",
      name: `${table}.${key.name}`,
      outcome,
      note,
      definition: foreignKeySql(key, plan, { ...keys, targetDatabase: keys.database, prefix: "" }),
      ...(outcome === "reported" ? { lostKey: true } : {}),
    });
  const isOut = (key: SourceForeignKey) =>
    key.referencedSchema === keys.database && !keys.copied.has(key.referencedTable);
  const wanted = plan.source.foreignKeys.filter((key) => !isOut(key));
  for (const key of plan.source.foreignKeys.filter(isOut)) report(key, "not_applicable", withoutParent(key));
  // The shape of a table (identity.ts) does not know MariaDB's own text of a key with a backtick.
  const last = wanted.filter((key) => indexes.length === 0 && hasIndex(plan, key) && !hasBacktick(key));
  const refusal = (error: unknown): error is EngineError =>
    isRefusedStatement(error) || noParent.has(errorNumber(error) ?? 0) || isRefusedObject(error);
  const addOne = async (on: Session, key: SourceForeignKey) => {
    await fence.guard(on);
    try {
      await persistently(
        on,
        `ALTER TABLE ${qualified(keys.targetDatabase, plan.name)} ADD ${foreignKeySql(key, plan, keys)}`,
      );
      entries.push(entryOf(key));
    } catch (error) {
      if (!refusal(error)) throw error;
      if (keys.strict) throw schemaRefused(`foreign key ${table}.${key.name}`, error);
      report(key, "reported", `the target's server did not take it: ${serverMessage(error)}`);
    }
  };
  let refused = false;
  return {
    get entries() {
      return refused ? entries : [...entries, ...last.map(entryOf)];
    },
    async begin() {
      for (const key of wanted) if (!last.includes(key)) await addOne(session, key);
    },
    last: {
      keys: last.map((key) => foreignKeySql(key, plan, keys)),
      parents: wanted.map((key) => parentOf(key, keys)),
      async refused(on, error) {
        if (!refusal(error)) throw error;
        refused = true;
        for (const key of last) await addOne(on, key);
      },
    },
  };

  function entryOf(key: SourceForeignKey): KnownEntry {
    return { kind: "foreign key", name: `${table}.${key.name}`, outcome: "copied" };
  }
}

/** Whether an index that the target has begins with the key's columns, each of them whole. */
function hasIndex({ source, translated, without }: TablePlan, { columns }: SourceForeignKey): boolean {
  return source.indexes.some(({ name, type, parts }) => {
    if (type !== "BTREE" || columns.some((column, at) => parts[at]?.column !== column || parts[at]?.prefix !== null))
      return false;
    const item = translated.items.find(({ source: { kind, name: of } }) =>
      kind === "primary" ? name === "PRIMARY" : ["key", "unique"].includes(kind) && of === name,
    );
    if (item?.text === undefined || without.has(item.source)) return false;
    const listed = listedColumns(item.text);
    return columns.every((column, at) => listed[at] === column);
  });
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
    const parent = qualified(...parentOf(key, keys));
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
