import { literal, qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { tableName } from "../../../postgres/catalogue/catalogue.ts";
import { batches } from "../../../run/memory/packed.ts";
import { targetName } from "../copy/target.ts";
import type { ForeignKeyPlan } from "../tables/foreign-keys.ts";
import { checkOf, requestedShape, type TableShape, usualType } from "../tables/shape.ts";
import { compareShapes, type ShapeDifference } from "../tables/shape-compare.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/** Reads back what the target's server made of the statements that it took without an error, and says where that is not what was asked for. */
export interface Difference extends ShapeDifference {
  plan: TablePlan;
}

/** Tables asked about at once. */
const batch = 200;

/** `keys`: foreign keys that were made. `did` hears of each table. */
export async function structureOf(
  session: Session,
  plans: Iterable<TablePlan>,
  keys: readonly ForeignKeyPlan[] = [],
  did: () => void = () => undefined,
): Promise<Difference[]> {
  const { maria } = session.server;
  const found: Difference[] = [];
  for (const some of batches(plans, batch)) {
    const there = await readShapes(session, some);
    for (const plan of some) {
      const own = keys.filter(({ table }) => table.source.oid === plan.source.oid);
      const added = [
        ...[...plan.later, ...plan.functional].map(({ sql }) => sql),
        ...own.map(({ add }) => add.slice(`ALTER TABLE ${qualified(...targetName(plan))} ADD `.length)),
      ];
      const asked = requestedShape(plan.create("''"), added, maria);
      const made = there.get(plan.name);
      if (made === undefined)
        found.push({
          plan,
          kind: "table",
          name: plan.name,
          words: `table ${tableName(plan.source)} is not in the target`,
        });
      else for (const one of compareShapes(asked, made)) found.push({ plan, ...one });
      did();
    }
  }
  return found;
}

async function readShapes(session: Session, plans: readonly TablePlan[]): Promise<Map<string, TableShape>> {
  const [first] = plans;
  if (first === undefined) return new Map();
  const shapes = new Map<string, TableShape>();
  const list = plans.map(({ name }) => literal(name)).join(", ");
  const where = (schema: string, table = "TABLE_NAME") =>
    `WHERE ${schema} = ${literal(first.load.database)} AND ${table} IN (${list})`;
  // Lists of information_schema compare names without regard to case: only the exact name counts.
  const each = async (
    sql: string,
    take: (shape: TableShape, row: string[], raw: readonly (string | null)[]) => void,
  ) => {
    for (const row of await session.query(sql)) {
      const shape = shapes.get(row[0] ?? "");
      if (shape !== undefined)
        take(
          shape,
          row.map((value) => value ?? ""),
          row,
        );
    }
  };
  for (const [name] of await session.query(
    `SELECT TABLE_NAME FROM information_schema.TABLES ${where("TABLE_SCHEMA")} AND TABLE_TYPE = 'BASE TABLE' AND ENGINE = 'InnoDB'`,
  ))
    shapes.set(name ?? "", { columns: [], indexes: [], checks: [], foreignKeys: [], partitions: 0 });
  const { maria } = session.server;
  await each(
    `SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, COLLATION_NAME, COLUMN_COMMENT
       FROM information_schema.COLUMNS ${where("TABLE_SCHEMA")} ORDER BY TABLE_NAME, ORDINAL_POSITION`,
    ({ columns }, [, name = "", type = "", nullable, , extra = "", collation, comment = ""], raw) => {
      const generated = /\b(VIRTUAL|STORED|PERSISTENT) GENERATED/i.exec(extra)?.[1]?.toUpperCase();
      const value = raw[4] ?? null;
      columns.push({
        name,
        type: usualType(type, maria),
        nullable: nullable === "YES",
        default: value === null || generated !== undefined || (maria && value === "NULL") ? undefined : value,
        auto: /auto_increment/i.test(extra),
        generated: generated === undefined ? "" : generated === "VIRTUAL" ? "VIRTUAL" : "STORED",
        collation: collation === "" ? undefined : collation,
        comment,
      });
    },
  );
  await each(
    `SELECT TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME, IF(INDEX_TYPE = 'SPATIAL', NULL, SUB_PART), COLLATION FROM information_schema.STATISTICS
       ${where("TABLE_SCHEMA")} ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX`,
    ({ indexes }, [, name = "", many, column = "", length = "", direction]) => {
      let index = indexes.at(-1);
      if (index?.name !== name) {
        index = { name, unique: many === "0", keys: [] };
        indexes.push(index);
      }
      const key = column === "" ? "(…)" : `${column}${length === "" ? "" : `(${length})`}`;
      index.keys.push(`${key}${direction === "D" ? " DESC" : ""}`);
    },
  );
  await each(
    `SELECT TABLE_NAME, CONSTRAINT_NAME, ${maria ? "'YES'" : "ENFORCED"} FROM information_schema.TABLE_CONSTRAINTS
       ${where("TABLE_SCHEMA")} AND CONSTRAINT_TYPE = 'CHECK'`,
    ({ checks }, [, name = "", enforced]) => checks.push(checkOf(name, enforced !== "NO")),
  );
  await each(
    `SELECT k.TABLE_NAME, k.CONSTRAINT_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, r.DELETE_RULE, r.UPDATE_RULE
       FROM information_schema.KEY_COLUMN_USAGE k JOIN information_schema.REFERENTIAL_CONSTRAINTS r
         ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = k.TABLE_NAME
       ${where("k.TABLE_SCHEMA", "k.TABLE_NAME")} AND k.REFERENCED_TABLE_NAME IS NOT NULL
      ORDER BY k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION`,
    ({ foreignKeys }, [, name = "", column = "", table = "", other = "", onDelete = "", onUpdate = ""]) => {
      let key = foreignKeys.at(-1);
      if (key?.name !== name) {
        key = { name, columns: [], table, referenced: [], onDelete, onUpdate };
        foreignKeys.push(key);
      }
      key.columns.push(column);
      key.referenced.push(other);
    },
  );
  await each(
    `SELECT TABLE_NAME, COUNT(PARTITION_NAME) FROM information_schema.PARTITIONS ${where("TABLE_SCHEMA")} GROUP BY TABLE_NAME`,
    (shape, [, count]) => {
      shape.partitions = Number(count);
    },
  );
  return shapes;
}
