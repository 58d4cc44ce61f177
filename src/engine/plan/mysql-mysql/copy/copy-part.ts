import { EngineError } from "../../../contract/index.ts";
import { literal, qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { markOwnRows } from "../../../mysql/fence/own-rows.ts";
import { isInterrupted, readAgain } from "../../../mysql/source/read-again.ts";
import type { TablePart } from "../../../mysql/source/split.ts";
import { openLoader } from "../../../mysql/target/load.ts";
import { isRefusedObject } from "../../../mysql/target/refusal.ts";
import { metered } from "../../../rows/metered.ts";
import { createMysqlToLoadEncoder, type MysqlToLoadEncoder } from "../../../rows/mysql-to-load/rows.ts";
import { loadError } from "../../../run/load-error.ts";
import type { BlockPool } from "../../../run/memory/block-pool.ts";
import type { Throttle } from "../../../run/throttle.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { type BrokenChecks, breaksChecks } from "./broken-checks.ts";

/** Parts of tables: rows of the snapshot → LOAD DATA, in one transaction that also marks the part as done. */
interface PartWork {
  plan: TablePlan;
  /** Of the target. */
  database: string;
  part: TablePart;
  reader: Session;
  writer: Session;
  fence: MysqlFence;
  pool: BlockPool;
  throttle: Throttle;
  /** The table is empty and this is its only part: nobody else writes to it. */
  alone: boolean;
  /** The table is not the run's: which of its rows are is written down. */
  present: boolean;
  /** Undefined: rows that break the table's checks are refused. */
  checks: BrokenChecks | undefined;
  /** Marks what is done in the part's own transaction: the part, or the whole table. */
  mark(loaded: LoadedRows): Promise<void>;
  /** The part is there for good. */
  kept?(loaded: LoadedRows): void;
  /** Rows and bytes since the last call. */
  progress(rows: number, bytes: number): void;
}

/** Below this, MariaDB's sorting of the rows of an empty table costs more than it saves. */
const bulkBytes = 1 << 20;

/** Errors name the table. */
export async function copyPart(work: PartWork): Promise<void> {
  const { plan, writer } = work;
  const bulk = work.alone && writer.server.maria && plan.source.dataBytes >= bulkBytes;
  // MariaDB then sorts the rows of an empty table and fills it from the sorted; it holds the table as long.
  if (bulk) await writer.run("SET SESSION unique_checks = 0");
  if (plan.history) await writer.run("SET SESSION system_versioning_insert_history = 1");
  await copyTogether(writer, work.fence, [work]);
  if (bulk) await writer.run("SET SESSION unique_checks = 1");
  if (plan.history) await writer.run("SET SESSION system_versioning_insert_history = 0");
}

/** Row bytes after which a transaction of several tables ends: a source's statistics may call a large table small. */
const togetherBytes = 4 << 20;

/**
 * In one transaction where they are as small as was thought, so that they do not each wait for the disk. None is of rows
 * of the past. Errors name the table.
 */
export async function copyTogether(writer: Session, fence: MysqlFence, works: readonly PartWork[]): Promise<void> {
  for (let at = 0; at < works.length; ) {
    const left = works.slice(at);
    const [{ reader }] = left as [PartWork];
    at += await readAgain(reader, () => copySome(writer, fence, left));
  }
}

/** In one transaction; answers how many. */
async function copySome(writer: Session, fence: MysqlFence, works: readonly PartWork[]): Promise<number> {
  const done: { work: PartWork; loaded: LoadedRows }[] = [];
  let bytes = 0;
  await writer.run("START TRANSACTION");
  await fence.guard(writer);
  for (const work of works) {
    const { database, plan, part } = work;
    const { checks } = work;
    const loose = checks?.has(plan);
    let loaded: LoadedRows;
    try {
      const load = () => (plan.columns.length === 0 ? fillEmpty(work) : loadRows(work));
      loaded = await (checks?.during(writer, plan, load) ?? load());
    } catch (error) {
      const broken = loose === false && breaksChecks(error, plan) ? checks : undefined;
      if (broken !== undefined || isInterrupted(work.reader, error))
        await undo(writer, [...done.map((one) => one.work), work], done);
      if (broken === undefined) throw named(error, plan);
      await broken.allow(writer, plan);
      return copySome(writer, fence, works);
    }
    done.push({ work, loaded });
    if (work.present)
      await markOwnRows(writer, fence, { name: [database, plan.name], rows: loaded.rows, where: part.where });
    await work.mark(loaded);
    bytes += loaded.bytes;
    if (bytes > togetherBytes) break;
  }
  await writer.run("COMMIT").catch((error: unknown) => {
    const [first] = done;
    throw done.length === 1 && first !== undefined ? named(error, first.work.plan) : error;
  });
  for (const { work, loaded } of done) work.kept?.(loaded);
  return done.length;
}

/** Nothing of what was read is kept: it is read again. Errors: `source_changed` where the target keeps rows for good at once. */
async function undo(
  writer: Session,
  works: readonly PartWork[],
  done: readonly { work: PartWork; loaded: LoadedRows }[],
): Promise<void> {
  await writer.run("ROLLBACK");
  for (const { work, loaded } of done) work.progress(-loaded.rows, -loaded.bytes);
  const names = works.map(({ database, plan }) => `(${literal(database)}, ${literal(plan.name)})`);
  const [kept] = await writer.query(
    `SELECT t.TABLE_NAME, t.ENGINE FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
      WHERE (t.TABLE_SCHEMA, t.TABLE_NAME) IN (${names.join(", ")}) AND COALESCE(e.TRANSACTIONS, 'NO') <> 'YES' LIMIT 1`,
  );
  if (kept === undefined) return;
  throw new EngineError(
    "source_changed",
    `reading was interrupted for another session, and table ${kept[0]} of the target (${kept[1]}) cannot take its rows back: run again`,
    { retryable: true, side: "source" },
  );
}

export type LoadedRows = Pick<MysqlToLoadEncoder, "rows" | "bytes" | "changed">;

async function loadRows(work: PartWork): Promise<LoadedRows> {
  const { plan, database, part, reader, writer, pool } = work;
  const { name: table, columns, inserts } = plan;
  const where = part.where === undefined ? "" : ` WHERE ${part.where}`;
  const loader = await openLoader(writer, { database, table, columns, inserts }, pool);
  const encoder = createMysqlToLoadEncoder(plan.kinds, loader);
  await reader.stream(plan.select + where, plan.kinds.length, metered(encoder, work)).catch(async (error: unknown) => {
    if (isInterrupted(reader, error)) {
      await loader.abort();
      work.progress(-encoder.rows, -encoder.bytes);
    }
    throw error;
  });
  encoder.finish();
  await loader.finish(encoder.rows, { warnings: encoder.empty, columns: plan.enumerations }).catch((error: unknown) => {
    work.progress(-encoder.rows, -encoder.bytes);
    throw error;
  });
  return encoder;
}

/** Rows of a statement of VALUES that name no column. */
const emptyRows = 1000;

/** A table all of whose columns are computed: only the number of its rows is copied. */
async function fillEmpty({ plan, database, reader, writer }: PartWork): Promise<LoadedRows> {
  const [[count] = []] = await reader.query(plan.select.replace(/^SELECT /, "SELECT COUNT(*)"));
  const rows = Number(count);
  for (let left = rows; left > 0; left -= emptyRows) {
    const values = Array.from({ length: Math.min(left, emptyRows) }, () => "()").join(", ");
    await writer.run(`INSERT INTO ${qualified(database, plan.name)} () VALUES ${values}`);
  }
  return { rows, bytes: 0, changed: [] };
}

const named = (error: unknown, { source: { name: table } }: TablePlan): unknown =>
  loadError(error, { table, isValue: isRefusedObject });
