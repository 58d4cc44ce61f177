import { type CopyOptions, EngineError } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { type Characters, charactersOf } from "../../../postgres/catalogue/encoding-characters.ts";
import { refuseMoneyOfNumbers } from "../../../postgres/catalogue/money.ts";
import { readConditions } from "../../../postgres/catalogue/table-conditions.ts";
import { belowDomains, type DataTable, labelsBelow } from "../../../postgres/catalogue/tables.ts";
import { readTypeParts } from "../../../postgres/catalogue/type-parts.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { serverMessage, sqlState } from "../../../postgres/driver/errors.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { lockOwnRows, ownTransactions } from "../../../postgres/fence/own-rows.ts";
import { refuseAmbiguousDrops } from "../../../run/fence/drop-option.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import type { PostgresDoubtful } from "../../fits/postgres-values.ts";
import { amountsOf, doubtsOf, type ExistingTable, readFor } from "../schema/existing-columns.ts";
import { keyOf, relationOf } from "../schema/loaded-tables.ts";
import { knownTables } from "./prepare-target.ts";
import { startedTables } from "./resume.ts";

/** Content `data`: rows go into tables that are there already, with their indexes, triggers and foreign keys. */

interface FillRun {
  source: Session;
  fence: Fence<Session>;
  /** Looks at the values that may not fit. */
  refuse(tables: readonly PostgresDoubtful[]): Promise<void>;
  drop: CopyOptions["drop"];
  /** Oids of tables whose rows an earlier attempt has left, proven equal. */
  kept: ReadonlySet<number>;
  log(message: string): void;
}

type Named = Pick<DataTable, "schema" | "name">;

/**
 * Makes sure that every table is there, has the columns, and is empty, or emptied if it was named (or holds nothing but
 * rows of an earlier attempt of this run). Answers the tables as they are to be copied: text where a type differs.
 * Errors: `schema_differs`, `target_not_empty`, `dependents_exist`, `permission_denied`.
 */
export async function prepareDataOnly(
  target: Session,
  tables: readonly DataTable[],
  run: FillRun,
): Promise<DataTable[]> {
  const begun = await startedTables(run.fence);
  const isOwn = (table: DataTable) => run.kept.has(table.oid) || begun.has(keyOf(table));
  const { copied, filled, named, doubtful } = await checkDataOnly(
    { source: run.source, target },
    tables,
    run.drop,
    isOwn,
  );
  await run.refuse(doubtful.filter((_, at) => !run.kept.has(tables[at]?.oid ?? 0)));
  const emptied = filled.filter(({ oid }) => !run.kept.has(oid));
  const unnamed = emptied.filter((table) => !named(table));
  if (emptied.length > 0) await empty(target, emptied, unnamed, run);
  return copied;
}

interface DataOnlyTables {
  copied: DataTable[];
  /** Those that hold rows. */
  filled: DataTable[];
  /** By the option `drop`. */
  named(table: Named): boolean;
  /** For each table, the columns whose values may not fit. */
  doubtful: PostgresDoubtful[];
}

/** What is looked at before a row is written; only reads. Errors: `schema_differs`, `target_not_empty`, `option_unmatched`. */
export async function checkDataOnly(
  { source, target }: Record<"source" | "target", Session>,
  tables: readonly DataTable[],
  drop: CopyOptions["drop"],
  isOwn: (table: DataTable) => boolean,
): Promise<DataOnlyTables> {
  const there = await readThere(target, tables);
  const missing = tables.filter((_, at) => !there[at]?.found);
  if (missing.length > 0) {
    throw new EngineError(
      "schema_differs",
      `the target has no table ${wordsOf(missing)}: make the schema first (content: schema), or leave these tables out`,
    );
  }
  const lacking = tables.flatMap((table, at) =>
    table.columns
      .filter(({ name }) => !there[at]?.columns.some((column) => column.name === name && !column.generated))
      .map(({ name }) => `${table.schema}.${table.name}.${name}`),
  );
  if (lacking.length > 0) {
    throw new EngineError(
      "schema_differs",
      `the target's tables have no such columns that could be written: ${printable(lacking.slice(0, 10).join(", "))}`,
    );
  }
  const [ours, theirs] = [await readTypeParts(source, tables), await readTypeParts(target, tables)];
  const none = new Map<string, never>();
  const [kept, conditions] = [await readConditions(source, tables), await readConditions(target, tables)];
  const doubtful = doubtsOf(
    tables,
    there.map((one, at) => ({
      ...one,
      parts: { source: ours[at] ?? none, target: theirs[at] ?? none },
      conditions: (conditions[at] ?? []).filter(
        ({ clause }) => !kept[at]?.some((own) => own.holds && own.clause === clause),
      ),
    })),
    await narrower(source, target),
  );
  await refuseMoneyOfNumbers(target, amountsOf(tables, there));
  refuseAmbiguousDrops(drop ?? [], tables);
  const names = new Set((drop === undefined ? [] : await knownTables(target, drop, [])).map(keyOf));
  const named = (table: Named) => names.has(keyOf(table));
  const filled = tables.filter((_, at) => there[at]?.filled);
  const others = filled.filter((table) => !named(table) && !isOwn(table));
  if (others.length > 0) {
    throw new EngineError(
      "target_not_empty",
      `the target already has rows in ${wordsOf(others)}: empty these tables, or name them in options.drop to have them emptied; nothing was written`,
    );
  }
  const copied = tables.map((table, at) => ({
    ...table,
    columns: table.columns.map((column) => {
      const present = there[at]?.columns.find(({ name }) => name === column.name);
      if (present === undefined || present.type === column.type) return column;
      return { ...column, binary: undefined, read: readFor(column, present) ?? column.read };
    }),
    // Its columns may stand in another order.
    bare: false,
  }));
  return { copied, filled, named, doubtful };
}

/** Of a source that has all of Unicode: a target that has not. */
async function narrower(source: Session, target: Session): Promise<Characters | undefined> {
  const [row] = await source.query<{ encoding: string }>(
    "SELECT pg_catalog.current_setting('server_encoding') AS encoding",
  );
  return row?.encoding === "UTF8" ? charactersOf(target) : undefined;
}

const wordsOf = (tables: readonly DataTable[]) =>
  `${tables
    .slice(0, 5)
    .map(({ schema, name }) => printable(`${schema}.${name}`))
    .join(", ")}${tables.length > 5 ? ` and ${tables.length - 5} more` : ""}`;

async function readThere(target: Session, tables: readonly DataTable[]): Promise<ExistingTable[]> {
  const rows = await target.query<Omit<ExistingTable, "filled"> & { kind: string | null }>(
    `SELECT r.at::int8 AS at, c.oid IS NOT NULL AS found, c.relkind::text AS kind,
            COALESCE((SELECT pg_catalog.json_agg(pg_catalog.json_build_object('name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod),
                      'base', pg_catalog.format_type(base.oid, CASE WHEN base.oid = a.atttypid THEN a.atttypmod ELSE base.typmod END), 'labels', ${labelsBelow},
                      'notNull', a.attnotnull OR base.notnull, 'generated', a.attgenerated <> '', 'required', (a.attnotnull OR base.notnull) AND NOT a.atthasdef AND a.attidentity = '' AND NOT base.preset))
               FROM pg_catalog.pg_attribute a JOIN LATERAL (${belowDomains("a.atttypid")}) base ON true WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), '[]') AS columns
       FROM pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(at int4, schema text, name text)
       LEFT JOIN (pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND c.relkind IN ('r', 'p'))
              ON c.relname = r.name AND n.nspname = r.schema ORDER BY r.at`,
    [JSON.stringify(tables.map(({ schema, name }, at) => ({ at, schema, name })))],
  );
  const found = rows.filter(({ found }) => found);
  const filled = new Set<number>();
  for (let start = 0; start < found.length; start += batch) {
    const asked = found.slice(start, start + batch).map(({ at }) => {
      const table = tables[at] as DataTable;
      return `SELECT ${at}::int8 AS at WHERE EXISTS (SELECT FROM ${relationOf(table)} ${table.extension?.condition ?? ""})`;
    });
    for (const { at } of await target.query<{ at: number }>(asked.join(" UNION ALL "))) filled.add(at);
  }
  return rows.map((row) => ({ ...row, filled: filled.has(row.at) }));
}

/** Tables that one statement looks into. */
const batch = 200;

/** All at once, so that they may refer to each other; a table that others refer to is emptied row by row. */
async function empty(
  target: Session,
  tables: readonly DataTable[],
  unnamed: readonly DataTable[],
  run: FillRun,
): Promise<void> {
  const list = tables.map(relationOf);
  const transactions = await ownTransactions(run.fence);
  await fenced(target, run.fence, async () => {
    await lockOwnRows(
      target,
      unnamed.map(({ schema, name, leaves }) => ({ schema, name, partitioned: leaves !== undefined })),
      transactions,
    );
    await target.run("SAVEPOINT emptying");
    try {
      await target.run(`TRUNCATE ${list.join(", ")}`);
    } catch (error) {
      // 0A000: another table refers to one of them; 42809: a partitioned table cannot be truncated ONLY.
      if (!["0A000", "42809", "42501"].includes(sqlState(error) ?? "")) throw error;
      await target.run("ROLLBACK TO SAVEPOINT emptying; SET CONSTRAINTS ALL DEFERRED");
      for (const table of list) await target.run(`DELETE FROM ${table}`).catch(stillReferred);
    }
  });
  run.log(`Emptied in the target: ${wordsOf(tables)}`);
}

const stillReferred = (error: unknown) => {
  if (sqlState(error) !== "23503") throw error;
  throw new EngineError(
    "dependents_exist",
    `a table of the target cannot be emptied, since rows of another refer to it (${serverMessage(error)}): empty that one too, or name it in options.drop`,
    { cause: error },
  );
};
