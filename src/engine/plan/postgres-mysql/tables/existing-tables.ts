import { EngineError } from "../../../contract/index.ts";
import { mysqlEngine } from "../../../contract/text/engine-name.ts";
import { printable } from "../../../contract/text/printable.ts";
import { charactersOf } from "../../../mysql/catalogue/charset-characters.ts";
import { readConditions } from "../../../mysql/catalogue/table-conditions.ts";
import { literal, qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { fenced, type MysqlFence } from "../../../mysql/fence/fence.ts";
import { refuseTriggers } from "../../../mysql/target/insert-triggers.ts";
import {
  foldColumn,
  type PresentColumn,
  presentColumn,
  presentFields,
  refuseUnfit,
  requireColumns,
  unwritable,
} from "../../../mysql/target/present-columns.ts";
import { tableName } from "../../../postgres/catalogue/catalogue.ts";
import { doublesOf, kind } from "../../../rows/copy-to-load/fields.ts";
import { isNamed } from "../../../run/fence/drop-option.ts";
import { type CheckCondition, crossConditions } from "../../fits/conditions.ts";
import type { Doubt } from "../../fits/values.ts";
import type { ColumnPlan } from "../columns/column-plan.ts";
import { fitPresent } from "../columns/narrowing.ts";
import { asWritten } from "../columns/spatial-types.ts";
import { selectColumn } from "../columns/types.ts";
import { targetName } from "../copy/target.ts";
import type { TablePlan } from "./table-plan.ts";

/** Rows alone, into tables that are there: found by name, their columns likewise; emptied only where the options say so. */
export interface ExistingTables {
  /**
   * The plan for the table as it stands in the target. Errors: `schema_differs`.
   */
  adapted(plan: TablePlan): TablePlan;
  /** Those of the tables that hold rows. Errors: `target_not_empty` for those that `drop` does not name. */
  filled(plans: Iterable<Pick<TablePlan, "name">>, drop: readonly string[]): Promise<ReadonlySet<string>>;
}

type Column = PresentColumn & {
  /** That the set has, where the source has others (charset-characters.ts). */
  characters?: string | undefined;
};

/**
 * Only reads. `source`: its database's encoding, and its server's version. Errors: `target_has_triggers`, which would change the rows.
 */
export async function usePresent(
  session: Session,
  { database, names }: { database: string; names: readonly string[] },
  { encoding, version: sourceVersion }: { encoding: string | undefined; version: number },
): Promise<ExistingTables> {
  await refuseTriggers(session, database, names);
  const columns = await readColumns(session, database, new Set(names));
  const conditions = await readConditions(session, database);
  if (encoding === "UTF8") await readCharacters(session, [...columns.values()].flat());
  const { maria } = session.server;
  const adapted = (plan: TablePlan): TablePlan => {
    const there = columns.get(plan.name);
    if (there === undefined)
      throw new EngineError(
        "schema_differs",
        `the target has no table ${printable(plan.name)}, into which the rows of ${printable(tableName(plan.source))} were to be copied: make it, exclude it, or leave out options.content`,
      );
    const made = adapt(plan, there, maria);
    const asked = conditionsOf(made, there, session.server, sourceVersion, conditions.get(plan.name) ?? []);
    return { ...made, doubts: [...made.doubts, ...asked] };
  };
  // Plans are made again at each look, but for those looked at lately: so are these.
  const known = new WeakMap<TablePlan, TablePlan>();
  return {
    adapted(plan) {
      const made = known.get(plan) ?? adapted(plan);
      known.set(plan, made);
      return made;
    },
    async filled(fresh, drop) {
      const filled = new Set<string>();
      for (const { name } of fresh) {
        const [row] = await session.query(`SELECT 1 FROM ${qualified(database, name)} LIMIT 1`);
        if (row !== undefined) filled.add(name);
      }
      const refused = [...filled].filter((name) => !isNamed(drop, database, name));
      if (refused.length > 0)
        throw new EngineError(
          "target_not_empty",
          `tables of the target have rows already: ${refused
            .slice(0, 20)
            .map((name) => `"${printable(name)}"`)
            .join(
              ", ",
            )}${refused.length > 20 ? ` and ${refused.length - 20} more` : ""}; empty them, or name them in options.drop to have them emptied`,
        );
      return filled;
    },
  };
}

/** Empties the tables, whose rows are recorded as this run's; `settle` is the last change of each before its rows. */
export async function emptyPresent(
  session: Session,
  fence: MysqlFence,
  plans: Iterable<TablePlan>,
  filled: ReadonlySet<string>,
  settle: (plan: TablePlan) => Promise<void>,
): Promise<void> {
  for (const plan of plans) {
    const name = targetName(plan);
    await fenced(session, fence, () => fence.record(session, [{ kind: "rows", name: [...name] }]));
    if (filled.has(plan.name)) {
      await fence.guard(session);
      await session.run(`TRUNCATE TABLE ${qualified(...name)}`);
    }
    await settle(plan);
    await fence.identify(session);
  }
}

/** What the target's checks ask, where the source can be asked for it. */
function conditionsOf(
  { loaded }: TablePlan,
  there: readonly Column[],
  server: Session["server"],
  sourceVersion: number,
  conditions: readonly CheckCondition[],
): Doubt[] {
  const columns = loaded.flatMap(({ name, nullable, source }) => {
    const present = there.find((one) => foldColumn(one.name) === foldColumn(name));
    if (present === undefined) return [];
    const { type, collation } = present;
    const types = [source.written, type] as const;
    const meaning = { name: source.name, sourceType: type, targetType: source.written, nullable, collation, types };
    return [[present.name, meaning] as const];
  });
  const from = { engine: mysqlEngine(server), version: server.version };
  const to = { engine: "postgres", version: sourceVersion } as const;
  return crossConditions(conditions, { from, to }, new Map(columns));
}

function adapt(usual: TablePlan, there: readonly Column[], maria: boolean): TablePlan {
  const byName = new Map(there.map((column) => [foldColumn(column.name), column]));
  const isText = ({ name }: ColumnPlan) => (byName.get(foldColumn(name))?.charset ?? null) !== null;
  const plan = {
    ...usual,
    columns: usual.columns.map((column) => (isText(column) ? asWritten(column) : column)),
  };
  requireColumns(plan.name, plan.columns, byName);
  const of = ({ name }: ColumnPlan) => byName.get(foldColumn(name)) as Column;
  const isJson = ({ type }: Column) => !maria && type === "json";
  const unsigned = new Set(usual.loaded.flatMap(({ name }, at) => (usual.fields[at]?.unsignedZero ? [name] : [])));
  // What the source generates, the target may as well.
  const loaded = plan.columns.filter((column) => !(of(column).generated && column.source.generated !== ""));
  const doubts: Doubt[] = [];
  const unfit = loaded.flatMap((column) => {
    const present = of(column);
    const { name, source } = column;
    const refused = unwritable({ name, nullable: !source.notNull, generated: source.generated !== "" }, present);
    if (refused !== undefined) return [refused];
    const { fit, doubt } = fitPresent(column, present, maria);
    if (doubt !== undefined) doubts.push(doubt);
    const why = `a column of type ${present.type} would change values that are meant for ${column.sql}`;
    return fit === "never" ? [`${column.name}: ${why}`] : [];
  });
  refuseUnfit(plan.name, unfit, "alter these columns, or name their types in options.types");
  return {
    ...plan,
    columns: plan.columns.map((column) => ({ ...column, generated: !loaded.includes(column) })),
    loaded,
    doubts,
    fields: loaded.map((column) => {
      const { type, nullable } = column;
      // How much fits is the present column's to say.
      const how = type.kind === kind.limited ? kind.text : type.kind;
      const srids = type.srids === undefined ? {} : { srids: type.srids };
      return {
        ...{ kind: how, nullable, ...srids, ...(isJson(of(column)) ? doublesOf(column.source) : {}) },
        ...(unsigned.has(column.name) && !isText(column) ? { unsignedZero: true } : {}),
      };
    }),
    load: {
      ...plan.load,
      columns: loaded.map((column) => {
        const { name, charset } = of(column);
        const text = charset !== null && charset !== "utf8mb4";
        return text || isJson(of(column))
          ? { name, value: (field: string) => `CONVERT(${field} USING utf8mb4)` }
          : { name };
      }),
    },
    select: loaded.map(({ source, type }) => selectColumn(source, type)).join(", "),
    later: [],
    functional: [],
    counter: there.some(({ auto }) => auto) ? plan.counter : undefined,
    inventory: [
      {
        kind: plan.source.kind === "m" ? "materialized view" : "table",
        name: tableName(plan.source),
        outcome: "converted",
        note: `its rows alone, into the table ${plan.name} that was there, as options.content says`,
      },
    ],
  };
}

async function readCharacters(session: Session, columns: readonly Column[]): Promise<void> {
  const sets = new Set(columns.flatMap(({ charset }) => (charset === null || charset === "utf8mb4" ? [] : [charset])));
  const characters = await charactersOf(session, [...sets]);
  for (const column of columns) column.characters = characters.get(column.charset ?? "");
}

async function readColumns(
  session: Session,
  database: string,
  wanted: ReadonlySet<string>,
): Promise<Map<string, Column[]>> {
  const found = new Map<string, Column[]>();
  const rows = await session.query(
    `SELECT c.TABLE_NAME, ${presentFields}
       FROM information_schema.COLUMNS c JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
      WHERE c.TABLE_SCHEMA = ${literal(database)} AND t.TABLE_TYPE = 'BASE TABLE' ORDER BY c.TABLE_NAME, c.ORDINAL_POSITION`,
  );
  for (const [table = null, ...row] of rows)
    if (table !== null && wanted.has(table)) found.set(table, [...(found.get(table) ?? []), presentColumn(row)]);
  return found;
}
